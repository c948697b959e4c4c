import Graben
import GrabenFixtures
import GrabenLog
import GrabenModel
import Testing

@Suite("Limits of a file as a model meets them")
struct ModelLimitTests {
    // The next code was the greatest plus one: a file that had used the last one ended the program.
    @Test("a file whose numbers of entities or layouts are used up is refused by an error that says so")
    func exhausted() throws {
        let model = ManagedObjectModel(entities: [EntityDescription("New", attributes: [AttributeDescription("a", .string)])])
        let last = Catalog(
            version: 1, entities: [CatalogEntity(code: .max, name: "Old")],
            layouts: [RecordLayout(number: 1, entity: .max, fields: [], lanes: [])])
        let layouts = Catalog(
            version: 1, entities: [CatalogEntity(code: 1, name: "Old")],
            layouts: [RecordLayout(number: .max, entity: 1, fields: [], lanes: [])])
        for (catalog, word) in [(last, "entities"), (layouts, "layouts")] {
            let folder = try TemporaryFolder()
            let path = folder.path("a.graben")
            let log = try Log.open(path: path, in: RealFileSystem())
            _ = try log.commit { (_, builder: inout CommitBuilder) in builder.setCatalog(catalog) }
            try log.close()
            do {
                _ = try PersistentContainer(model: model, at: path)
                Issue.record("it was opened")
            } catch GrabenError.model(let error) {
                #expect(error.description.contains("as many as it can ever have") && error.description.contains(word))
            }
        }
    }

    @Test("an entity has 4,096 attributes that are stored, 256 of them packed besides, and no more")
    func attributes() throws {
        func model(_ fields: Int, _ lanes: Int) -> ManagedObjectModel {
            ManagedObjectModel(
                entities: [
                    EntityDescription(
                        "Wide",
                        attributes: (0..<fields).map { AttributeDescription("f\($0)", .int16) }
                            + (0..<lanes).map { AttributeDescription("l\($0)", .double, isPacked: true) })
                ])
        }
        let container = try PersistentContainer(model: model(4096, 256), stores: [StoreConfiguration(.inMemory)])
        let context = container.newContext()
        let object = try context.insertObject(entity: "Wide")
        try object.setValue(7, forKey: "f4095")
        try object.setValue(.double(2.5), forKey: "l255")
        try context.save()
        #expect(try object.value(forKey: "f4095") == 7 && object.value(forKey: "l255") == .double(2.5))
        for (fields, lanes) in [(4097, 0), (1, 257)] {
            do {
                _ = try PersistentContainer(model: model(fields, lanes), stores: [StoreConfiguration(.inMemory)])
                Issue.record("it was opened")
            } catch {
                #expect("\(error)".contains("4096 fields or 256 lanes"), "\(error)")
            }
        }
    }
}
