import FoundationEssentials
import GrabenLog
import GrabenModel
import Testing

/// The folder of the fixtures, found from this file.
private let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures")

@Suite struct FixtureTests {
    @Test("the model of every fixture can be used, and says the same after it is written again", arguments: ["ky10", "airports"])
    func models(name: String) throws {
        let model = try ManagedObjectModel.load(path: fixtures.appending(path: "\(name).model.json").path)
        #expect(model.problems() == [])
        #expect(try ManagedObjectModel.load(json: model.jsonData()) == model)
        let resolved = try model.resolved()
        #expect(resolved.warnings == [])
        let table = fixtures.appending(path: name)
        for entity in resolved.entities {
            let tables = ["tsv", "csv"].compactMap { try? Data(contentsOf: table.appending(path: "\(entity.name).\($0)")) }
            let data = try #require(tables.first)
            let header = try #require(String(decoding: data, as: UTF8.self).split(separator: "\n").first)
            for column in header.split(whereSeparator: { $0 == "\t" || $0 == "," }) {
                let property = try #require(entity.property(named: String(column)), "\(entity.name).\(column)")
                #expect(property.field != nil || property.lane != nil)
            }
            for relationship in entity.properties.compactMap(\.relationship) where !relationship.isToMany {
                let key = try #require(relationship.userInfo["key"])
                #expect(resolved.entity(named: relationship.destination)?.description.uniquenessConstraints == [[key]])
            }
        }
    }
}
