import Foundation
import Testing

@Suite("Misuse of the macros")
struct MisuseTests {
    private static let all = Misuse.properties + Misuse.classes

    /// All of them in one file, each in a namespace of its own: the compiler is started once.
    private static func file(_ texts: [String]) -> (source: String, firstLines: [Int]) {
        var source = "import FoundationEssentials\nimport Graben\n"
        var firstLines: [Int] = []
        for (number, text) in texts.enumerated() {
            firstLines.append(source.count { $0 == "\n" } + 1)
            source += """
                enum Case\(number) {
                    enum Status: String { case on, off }
                    @propertyWrapper struct Wrapped { var wrappedValue: Int }
                    \(text)
                }

                """
        }
        return (source, firstLines)
    }

    private static let complaints: Result<[[Compiler.Complaint]], any Error> = Result {
        let (source, firstLines) = file(all.map(\.source))
        let found = try Compiler.complaints(source)
        return firstLines.indices.map { number in
            let end = number + 1 < firstLines.count ? firstLines[number + 1] : .max
            return found.filter { (firstLines[number]..<end).contains($0.line) }
        }
    }

    @Test(
        "C9 an overridden initialiser, like every other misuse, does not compile, says what is wrong and what to do, and offers to do it",
        arguments: all.indices)
    func refused(number: Int) throws {
        let misuse = Self.all[number]
        let found = try Self.complaints.get()[number]
        // The compiler names a nested type by where it is nested.
        let messages = found.map { $0.message.replacing("Case\(number).", with: "") }
        #expect(messages == misuse.complaints, "\(misuse.name)")
        let remedies = found.flatMap(\.remedies)
        for remedy in misuse.remedies { #expect(remedies.contains(remedy), "\(misuse.name): \(remedies)") }
    }

    @Test("compiles once it is mended as offered")
    func mended() throws {
        let (source, _) = Self.file(Self.all.compactMap(\.mended))
        let complaints = try Compiler.complaints(source)
        #expect(complaints.isEmpty, "\(complaints)")
    }

    @Test("where everything belongs to the main actor an entity is written nonisolated, and the compiler points at one that is not")
    func defaultIsolation() throws {
        func complaints(_ modifier: String) throws -> [Compiler.Complaint] {
            try Compiler.complaints(
                """
                import Graben
                @Entity \(modifier) final class Item: ManagedObject {
                    @Packed("x", "y") var position: SIMD2<Double> = [1, 2]
                    var name: String?
                    @Relationship(inverse: \\Item.items) var item: Item?
                    @Relationship var items: ToMany<Item>
                }
                func read(_ item: Item) -> Double { item.x + item.position.y }
                """, flags: ["-default-isolation", "MainActor"])
        }
        #expect(try complaints("nonisolated") == [])
        let found = try complaints("")
        #expect(found.first?.line == 2 && found.first?.message.contains("different actor isolation") == true, "\(found)")
    }

    @Test("one side of a relationship names its inverse by key path; both can where one does it by text")
    func inverses() throws {
        func source(_ inverse: String) -> String {
            """
            import Graben
            @Entity final class Item: ManagedObject { @Relationship(inverse: \\Part.item) var parts: ToMany<Part> }
            @Entity final class Part: ManagedObject { @Relationship(inverse: \(inverse)) var item: Item? }
            """
        }
        #expect(try Compiler.complaints(source("\"parts\"")) == [])
        #expect(try Compiler.complaints(source("\\Item.parts")).first?.message.contains("circular reference") == true)
    }
}
