import Foundation
import GrabenModel
import GrabenModelGeneration
import Testing

@Suite("The generated text")
struct GoldenTests {
    /// Run with GRABEN_GOLDEN=write after a change that is wanted, and look at the difference before it is committed.
    @Test("of a model with one of everything is the one that is kept")
    func golden() throws {
        let text = try SwiftGenerator(Samples.everything, SwiftOptions(modelTypeName: "TestModel")).file(header: "Kept for comparison.")
            .text
        let path = Compiler.root.appendingPathComponent("Tests/GrabenModelGenerationTests/Golden/Everything.txt")
        if ProcessInfo.processInfo.environment["GRABEN_GOLDEN"] == "write" { try Data(text.utf8).write(to: path) }
        let kept = try String(contentsOf: path, encoding: .utf8)
        let (new, old) = (
            text.split(separator: "\n", omittingEmptySubsequences: false), kept.split(separator: "\n", omittingEmptySubsequences: false)
        )
        for (number, pair) in zip(new, old).enumerated() where pair.0 != pair.1 {
            Issue.record("line \(number + 1) is\n\(pair.0)\nand was\n\(pair.1)")
            return
        }
        #expect(new.count == old.count)
    }

    @Test("is the same whichever form the model was read from")
    func forms() throws {
        let options = SwiftOptions(modelTypeName: "TestModel")
        let direct = try SwiftGenerator(Samples.everything, options).file(header: "").text
        let fromJSON = try ManagedObjectModel.load(json: try Samples.everything.jsonData())
        #expect(try SwiftGenerator(fromJSON, options).file(header: "").text == direct)
    }
}
