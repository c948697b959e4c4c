import Foundation
import GrabenModel
import GrabenModelGeneration
import Testing

@Suite("What Swift cannot say")
struct ProblemTests {
    private func problems(_ entities: [EntityDescription], name: String = "TestModel") -> [String] {
        do {
            _ = try SwiftGenerator(ManagedObjectModel(entities: entities), SwiftOptions(modelTypeName: name))
            return []
        } catch GenerationError.unspeakable(let problems) {
            return problems.map { "\($0)" }
        } catch { return ["\(error)"] }
    }

    @Test("is told all at once, with entity and property")
    func everything() {
        let found = problems([
            EntityDescription("Date", attributes: ["self", "objectID", "fine", "Date"].map { AttributeDescription($0, .date) }),
            EntityDescription("TestModel", userInfo: ["graben.access": "publick", "graben.points": "p=x,y; q"]),
        ])
        #expect(found.count == 8, "\(found)")
        for (start, part) in [
            ("entity Date: ", "hide the type Date"), ("Date.self: ", "no name for a property"), ("Date.objectID: ", "every managed object"),
            ("Date.Date: ", "hide the type"), ("entity TestModel: ", "the type that holds the model"), ("entity TestModel: ", "\"public\""),
            ("entity TestModel: ", "x, y to be packed"),
        ] {
            #expect(found.contains { $0.hasPrefix(start) && $0.contains(part) }, "\(start)\(part) in \(found)")
        }
    }

    @Test("accessors of different properties with one name clash, in a class and with its superclass")
    func clashes() {
        let base = EntityDescription(
            "Base", relationships: [RelationshipDescription("lines", to: "Base", isToMany: true)],
            fetchedProperties: [FetchedPropertyDescription("near", of: "Base")])
        let sub = EntityDescription(
            "Sub", superentity: "Base", attributes: [AttributeDescription("Lines", .string)],
            relationships: [RelationshipDescription("Near", to: "Base", isToMany: true, isOrdered: true)])
        // `Lines` itself has another name than `lines`; of `Near` no function does.
        #expect(problems([base, sub]) == [])
        let clash = EntityDescription(
            "Sub", superentity: "Base", relationships: [RelationshipDescription("Lines", to: "Base", isToMany: true)])
        let found = problems([base, clash])
        #expect(found.contains { $0.hasPrefix("Sub.Lines: ") && $0.contains("addToLines(_:)") && $0.contains("Base's") }, "\(found)")
    }

    @Test("a model that is wrong itself is refused as such")
    func wrongModel() {
        #expect(throws: GenerationError.self) {
            try SwiftGenerator(ManagedObjectModel(entities: [EntityDescription("1")]), SwiftOptions(modelTypeName: "M"))
        }
    }

    /// The list is written down, not found out: a member that is added to ManagedObject and not to the list would be a compiler's error in
    /// somebody's generated code.
    @Test("the names that properties cannot have are those of the members that every object has")
    func reservedMembers() throws {
        let folder = Compiler.root.appendingPathComponent("Sources/Graben")
        var found: Set<String> = []
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
        for file in files where file.pathExtension == "swift" {
            var isInside = false
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                if line.first?.isLetter == true || line.first == "@" {
                    isInside =
                        line.contains("class ManagedObject {") || line.contains("extension ManagedObject {")
                        || line.contains("extension ManagedObject: ") || line.contains("extension Fetchable {")
                }
                guard isInside, line.hasPrefix("    "), line.contains("public ") || line.contains("open ") else { continue }
                guard !line.contains(" static "), !line.contains(" class "), !line.contains(" init"),
                    let match = try /(?:var|func) (\w+)(.*)/.firstMatch(in: String(line))
                else { continue }
                // A function with parameters is told from a property.
                if match.2.first != "(" && match.2.first != "<" || match.2.hasPrefix("()") { found.insert(String(match.1)) }
            }
        }
        let inherited: Set<String> = ["hashValue"]
        #expect(found.isSubset(of: ReservedMembers.names), "missing: \(found.subtracting(ReservedMembers.names).sorted())")
        #expect(ReservedMembers.names.subtracting(found).subtracting(inherited).sorted() == [], "not there any more")
    }

    @Test(
        "the type that holds the model is named after the file",
        arguments: [
            ("a/b/drawing.graben-model.json", "DrawingModel"), ("Model.xcdatamodeld/", "Model"), ("my town 2.json", "MyTown2Model"),
            ("2d.xml", "_2dModel"), ("ky10.model.json", "Ky10Model"), ("DrawingModel.xcdatamodel", "DrawingModel"), ("", "_Model"),
        ])
    func modelTypeName(path: String, name: String) {
        #expect(SwiftOptions.modelTypeName(forFile: path) == name)
    }
}
