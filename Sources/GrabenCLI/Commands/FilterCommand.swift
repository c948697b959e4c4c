import GrabenLog
import GrabenModel
import GrabenPredicate

/// Lines of JSON that match a predicate: the language without a store.
enum FilterCommand {
    static func run(_ session: Session) throws {
        let invocation = session.invocation
        let (arguments, objects) = try PredicateInput.arguments(invocation.value("args"))
        let variables = try PredicateInput.variables(invocation.value("vars"))
        let predicate = try ObjectPredicate(format: invocation.operand(0) ?? "", formatArguments: arguments)
        var lines = LineReader.standardInput()
        do {
            var filter = try PlainFilter(predicate, variables: variables.merging(objects) { own, _ in own })
            while let line = try lines.next() {
                guard let record = try record(line, lines.number), try filter.matches(record) else { continue }
                try session.output.write(line)
                try session.output.write(byte: UInt8(ascii: "\n"))
            }
        } catch let error as ObjectPredicateError {
            throw failure(error, lines.number)
        }
    }

    /// The object of a line; nil where the line is blank.
    private static func record(_ line: [UInt8], _ number: Int) throws(CLIError) -> PlainRecord? {
        if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return nil }
        func bad(_ reason: String) -> CLIError {
            CLIError(.badData, "filter.line", "line \(number): \(reason)", line: number)
        }
        let tree: CBOR
        do throws(JSONText.Mistake) { tree = try JSONText.tree(of: line) } catch {
            throw bad("it is not JSON: column \(error.column): \(error.reason)")
        }
        guard case .map(let fields) = tree else { throw bad("it is no JSON object, and only objects have properties to ask for") }
        do throws(PlainJSON.Misfit) { return PlainRecord(try PlainJSON.fields(fields)) } catch { throw bad(error.reason) }
    }

    /// Whatever is found behind parsing is a failed evaluation here: which keys there are, the data says line by line.
    private static func failure(_ error: ObjectPredicateError, _ line: Int) -> CLIError {
        var failure = CLIError(error)
        failure.exit = .badData
        guard line > 0 else { return failure }
        failure.line = line
        failure.message = "line \(line): \(failure.message)"
        return failure
    }
}
