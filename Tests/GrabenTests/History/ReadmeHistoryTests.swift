import Foundation
import Graben
import GrabenFixtures
import Testing

@Suite("The README's history")
struct ReadmeHistoryTests {
    @Test("the example of history in the README is this one, line for line, and does what it says")
    func example() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("drawing.graben")
        let container = try PersistentContainer(for: Joint.self, Line.self, at: path)
        let context = container.newContext()
        let joint = Joint(context: context)
        try context.save()
        var printed: [String] = []
        func print(_ kind: ObjectChange.Kind, _ entity: String, _ properties: [String]) {
            printed.append("\(kind) \(entity) \(properties)")
        }

        let token = container.historyToken  // Codable: keep it in a file
        context.transactionAuthor = "editor"
        joint.position = [1, 2, 700]
        try context.save()
        for transaction in try container.history(since: token) where transaction.author != "sync" {
            for change in try transaction.changes() { print(change.kind, change.entity, change.changedProperties) }
        }  // update Joint ["x", "y", "z"]
        let past = StoreConfiguration(.file(path), asOf: .commit(1))  // the store as it was, read-only
        let before = try PersistentContainer(for: Joint.self, Line.self, stores: [past])

        #expect(printed == [#"update Joint ["x", "y", "z"]"#])
        #expect(try before.newContext().count(for: Joint.fetchRequest()) == 0)
        let package = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
        func code(_ text: String) -> [Substring] {
            text.split(separator: "\n").map { line in
                let code = line.range(of: "//").map { line[..<$0.lowerBound] } ?? line[...]
                return Substring(code.trimmingCharacters(in: .whitespaces))
            }
        }
        let readme = try String(contentsOf: package.appending(path: "README.md"), encoding: .utf8)
        let section = try #require(
            readme.components(separatedBy: "\n## History\n").dropFirst().first?.components(separatedBy: "\n## ").first)
        let lines = section.split(separator: "\n").filter { $0.hasPrefix("    ") }.joined(separator: "\n")
        let mine = code(try String(contentsOfFile: #filePath, encoding: .utf8))
        #expect(code(lines).count > 8)
        for line in code(lines) { #expect(mine.contains(line), "the README has \"\(line)\"") }
        try before.close()
        try container.close()
    }
}
