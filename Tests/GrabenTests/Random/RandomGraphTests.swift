import FoundationEssentials
import Graben
import GrabenFixtures
import GrabenLog
import Testing

/// A few thousand random operations for each seed, on a context and on a plain dictionary model, compared in everything every few steps.
@Suite("A random life of a drawing")
struct RandomGraphTests {
    /// Ends the test at the first difference, naming the seed, the step and what led there.
    static func expectSame(_ driver: GraphDriver, seed: UInt64, step: Int, _ what: String = "") throws {
        let differences = try driver.differences()
        guard differences.isEmpty else {
            let history = driver.log.suffix(40).joined(separator: "\n")
            Issue.record("seed \(seed), step \(step) \(what)\n\(differences.prefix(12).joined(separator: "\n"))\nafter\n\(history)")
            throw Stop()
        }
        if let error = driver.errors.first {
            Issue.record("seed \(seed), step \(step): reported \(error)\nafter\n\(driver.log.suffix(30).joined(separator: "\n"))")
            throw Stop()
        }
    }

    struct Stop: Error {}

    static let steps = 1500

    @Test("one context and the model of dictionaries agree after any operations", arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func oneContext(seed: UInt64) throws {
        let container = try GraphSchema.container(.inMemory)
        let driver = GraphDriver(container.newContext(), book: .init(), seed: seed)
        for step in 0..<Self.steps {
            switch driver.random.below(40) {
            case 0...1: try driver.save()
            case 2: driver.rollback()
            case 3...8: driver.undo()
            case 9...12: driver.redo()
            case 13: driver.refresh()
            case 14: driver.refreshAll()
            case 15: if driver.random.below(4) == 0 { driver.reset() }
            default: try driver.edits()
            }
            if driver.random.below(4) == 0 { try Self.expectSame(driver, seed: seed, step: step) }
        }
    }
}
