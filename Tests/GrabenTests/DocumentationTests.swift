import Foundation
import Testing

@Suite("The README")
struct DocumentationTests {
    @Test("the quick start in the README is the file that is built, line for line")
    func quickStart() throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(contentsOf: package.appending(path: "README.md"), encoding: .utf8)
        let source = try String(contentsOf: package.appending(path: "Examples/QuickStart/main.swift"), encoding: .utf8)
        #expect(readme.contains("```swift\n\(source)```\n"))
    }
}
