/// What was not as it should be, in words.
struct DemoFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Ends the demo where two things that should be equal are not.
func expect<T: Equatable>(_ what: @autoclosure () -> String, _ found: T, is expected: T) throws(DemoFailure) {
    guard found == expected else { throw DemoFailure("\(what()): expected \(expected), found \(found)") }
}

/// Ends the demo where something that should be so is not.
func expect(_ what: @autoclosure () -> String, _ isSo: Bool) throws(DemoFailure) {
    guard isSo else { throw DemoFailure("not so: \(what())") }
}
