import Foundation
import GrabenFixtures
import GrabenModel
import GrabenModelGeneration
import Testing

@Suite("Places in model files")
struct SourceTests {
    /// The names `name` inside other objects, in texts and in comments are no entities; lines inside tags and texts count.
    @Test("entities and properties are found on their lines, in JSON and in XML")
    func lines() {
        let json = ModelPlaces(
            text: Array(
                """
                {"userInfo": {"name": "no"}, "entities": [
                  {"attributes": [{"userInfo": {"name": "no"},
                                   "type": "string", "name": "x"}, {"name": "y", "type": "string"}],
                   "userInfo": {"a": "\\"name\\": {["}, "name": "A"},

                  {"name": "B", "relationships":
                    [{"destination": "A", "name": "toA"}]}]}
                """.utf8))
        let xml = ModelPlaces(
            text: Array(
                """
                <?xml version="1.0"?>
                <!-- <entity name="no"> -->
                <model name="no"><entity
                  name="A"><attribute name="x"
                     attributeType="String"/>
                  <attribute name='y' note="a > b"/></entity>
                  <entity name="B"><relationship name="toA"><userInfo><entry key="name" value="no"/></userInfo></relationship>
                  </entity></model>
                """.utf8))
        for (places, expected) in [(json, [2, 2, 3, 6, 7, 1, 2]), (xml, [3, 4, 6, 7, 7, 1, 3])] {
            let asked: [(String?, String?)] = [("A", nil), ("A", "x"), ("A", "y"), ("B", nil), ("B", "toA"), ("no", nil), ("A", "none")]
            #expect(asked.map { places.line(entity: $0.0, property: $0.1) } == expected)
        }
    }

    @Test("no text makes the search for places fail")
    func hostile() {
        let whole = Array("{\"entities\": [{\"name\": \"A\\\"\", \"attributes\": [{\"name\": \"x\"}]}]}<a name=\"".utf8)
        let xml = Array("<model><entity name=\"A\"><attribute name='x'/><!-- --></entity></model>".utf8)
        var random = SplitMix64(seed: 5)
        for text in [whole, xml] {
            for end in text.indices {
                _ = ModelPlaces(text: text[..<end])
                var changed = text
                changed[end] = UInt8.random(in: 0...255, using: &random)
                _ = ModelPlaces(text: changed)
            }
        }
    }

    @Test("a folder of versions is read with the lines of the version read")
    func versions() throws {
        let folder = try Folder()
        let path = folder.url.appendingPathComponent("Town.xcdatamodeld").path
        let old = ManagedObjectModel(entities: [EntityDescription("Joint", attributes: [AttributeDescription("x", .double)])])
        var new = old
        new.entities.append(EntityDescription("Line", superentity: "Nothing"))
        try VersionedModelFolder.write([.init("Town", old), .init("Town 2", new)], current: "Town 2", to: path)
        let current = try ModelSource(path: path)
        #expect(current.model.entities.map(\.name) == ["Joint", "Line"] && current.form == .xcode)
        #expect(current.problems().map(\.file) == ["\(path)/Town 2.xcdatamodel/contents"])
        #expect(current.problems().first?.line ?? 0 > 2)
        #expect(try ModelSource(path: path, version: "Town").problems().isEmpty)
        #expect(try ModelSource(path: "\(path)/Town.xcdatamodel").model.entities.count == 1)
        #expect(throws: ModelSource.Failure.self) { try ModelSource(path: path, version: "Town 3") }
    }
}
