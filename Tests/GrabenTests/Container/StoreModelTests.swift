import FoundationEssentials
import Graben
import GrabenFixtures
import GrabenModel
import Testing

/// What a store's model and a program's that differ from each other are told apart by, and what becomes of the objects.
@Suite("Stores of another model")
struct StoreModelTests {
    private static let old = ManagedObjectModel(entities: [
        EntityDescription(
            "Joint",
            attributes: [
                AttributeDescription("x", .double, isOptional: false, isPacked: true), AttributeDescription("name", .string),
                AttributeDescription("code", .int32, defaultValue: 3), AttributeDescription("load", .double, isPacked: true),
            ],
            relationships: [
                RelationshipDescription("lines", to: "Line", inverse: "start", isToMany: true),
                RelationshipDescription("marks", to: "Mark", isToMany: true, isOrdered: true),
            ]),
        EntityDescription("Line", relationships: [RelationshipDescription("start", to: "Joint", inverse: "lines")]),
        EntityDescription("Mark", attributes: [AttributeDescription("text", .string)]),
        EntityDescription("Gone"),
    ])

    private static func changed(_ change: (inout ManagedObjectModel) -> Void) -> ManagedObjectModel {
        var model = old
        change(&model)
        return model
    }

    /// A store with a joint, its line and its three marks.
    private func makeStore(_ folder: TemporaryFolder) throws -> String {
        let path = folder.path("drawing.graben")
        let container = try PersistentContainer(model: Self.old, at: path)
        let context = container.newContext()
        let joint = try context.insertObject(entity: "Joint")
        try joint.setValue("J", forKey: "name")
        try joint.setValue(2.5, forKey: "x")
        let line = try context.insertObject(entity: "Line")
        try line.setValue(.reference(joint.objectID), forKey: "start")
        var marks: [ObjectID] = []
        for text in ["c", "a", "b"] {
            let mark = try context.insertObject(entity: "Mark")
            try mark.setValue(.string(text), forKey: "text")
            marks.append(mark.objectID)
        }
        try joint.setValue(.references(marks), forKey: "marks")
        try context.save()
        try container.close()
        return path
    }

    @Test("every difference that is mapped is reported by the store, entity by entity, and the objects are there")
    func mapped() throws {
        let folder = try TemporaryFolder()
        let path = try makeStore(folder)
        let model = Self.changed {
            $0.entities[0].attributes[1].isOptional = false
            $0.entities[0].attributes[2].defaultValue = 4
            $0.entities[0].attributes[3].isOptional = false
            $0.entities[0].attributes.append(AttributeDescription("size", .float, defaultValue: 1.5, isPacked: true))
            $0.entities[0].relationships[0].deleteRule = .cascade
            $0.entities[0].relationships[0].name = "outgoing"
            $0.entities[0].relationships[0].renamingIdentifier = "lines"
            $0.entities[1].relationships[0].inverse = "outgoing"
            $0.entities[0].fetchedProperties = [FetchedPropertyDescription("all", of: "Joint")]
            $0.entities[2].attributes = []
            $0.entities.removeLast()
            $0.entities.append(EntityDescription("New"))
        }
        let container = try PersistentContainer(model: model, at: path)
        let differences = try #require(container.coordinator.stores.first).modelDifferences
        #expect(differences.allSatisfy { $0.effect == .mapped })
        #expect(
            differences.map(\.description) == [
                "Joint.name was optional in the file and is not in the model: objects without a value keep none until they are changed, and "
                    + "then need one to be saved",
                "Joint.code has the default 4 in the model and had 3 in the file: only new objects begin with it",
                "Joint.load was optional in the file and is not in the model: nil reads as 0",
                "Joint.size is new: objects written before have its default",
                "Joint.all is a new fetched property; nothing of it is stored",
                "Joint.outgoing was called lines in the file: its members are found under the new name",
                "Joint.outgoing has the delete rule \"cascade\" in the model and had (usual) in the file: it holds for what is deleted from now on",
                "Line.start has another inverse: \"lines\" in the file, \"outgoing\" in the model; nothing that is stored depends on it",
                "Mark.text is not in the model any more: what objects have of it stays in the file until they are written again, and is not seen",
                "Gone is not in the model any more: its objects stay in the file and are not seen",
                "New is new: it has no objects yet",
            ], "\(differences.map(\.description).joined(separator: "\n"))")
        let context = container.newContext()
        let joint = try #require(try context.fetch(FetchRequest<ManagedObject>(entity: "Joint")).first)
        #expect(try joint.value(forKey: "name") == "J" && joint.value(forKey: "x") == 2.5 && joint.value(forKey: "code") == 3)
        #expect(try joint.value(forKey: "size") == .float(1.5) && joint.value(forKey: "load") == 0.0)
        #expect(try joint.toMany("outgoing", as: ManagedObject.self).count == 1 && joint.value(forKey: "marks") != .references([]))
        try container.close()
        // The file has learned the model: there is nothing to tell any more.
        let again = try PersistentContainer(model: model, at: path)
        #expect(again.coordinator.stores.first?.modelDifferences == [])
        try again.close()
    }

    @Test("an entity that was renamed, with its ordered members, is found under its new name, again after the next opening")
    func renamedEntity() throws {
        let folder = try TemporaryFolder()
        let path = try makeStore(folder)
        let model = Self.changed {
            $0.entities[0].name = "Node"
            $0.entities[0].renamingIdentifier = "Joint"
            $0.entities[0].relationships[1].name = "notes"
            $0.entities[0].relationships[1].renamingIdentifier = "marks"
            $0.entities[1].relationships[0].destination = "Node"
        }
        // Even where the model no longer says what it was called.
        var settled = model
        settled.entities[0].renamingIdentifier = nil
        settled.entities[0].relationships[1].renamingIdentifier = nil
        for model in [model, settled, settled] {
            let container = try PersistentContainer(model: model, at: path)
            let context = container.newContext()
            let joint = try #require(try context.fetch(FetchRequest<ManagedObject>(entity: "Node")).first)
            #expect(try joint.value(forKey: "name") == "J" && joint.value(forKey: "x") == 2.5)
            guard case .references(let ids) = try joint.value(forKey: "notes") else {
                Issue.record("no members")
                return
            }
            #expect(try ids.map { try context.object(with: $0).value(forKey: "text") } == ["c", "a", "b"])
            let line = try #require(try context.fetch(FetchRequest<ManagedObject>(entity: "Line")).first)
            #expect(try line.value(forKey: "start") == .reference(joint.objectID))
            try container.close()
        }
    }

    // A model whose to-one had become a to-many, or whose attribute had another name, opened the store, and everything the file had of it
    // was gone: the user met empty properties, and the next save of an object wrote them.
    @Test("S117 what cannot be mapped is refused with every difference and what to do, and the file stays as it is")
    func refused() throws {
        let folder = try TemporaryFolder()
        let path = try makeStore(folder)
        let model = Self.changed {
            $0.entities[0].attributes[0].isPacked = false
            $0.entities[0].attributes[1].name = "label"
            $0.entities[0].attributes[1].renamingIdentifier = "name"
            $0.entities[0].attributes[2] = AttributeDescription("code", .string)
            $0.entities[0].relationships[1].isOrdered = false
            $0.entities[1].relationships[0].isToMany = true
            $0.entities[3].attributes = [AttributeDescription("added", .string)]
        }
        let bytes = try Data(contentsOf: URL(filePath: path))
        guard case .incompatibleModel(path, let differences)? = thrown({ _ = try PersistentContainer(model: model, at: path) }) else {
            Issue.record("the store was opened")
            return
        }
        let text = differences.map(\.description).joined(separator: "\n")
        let refused = Set(differences.filter { $0.effect == .refused }.map { "\($0.entity ?? "").\($0.property ?? "")" })
        #expect(refused == ["Joint.x", "Joint.label", "Joint.code", "Joint.lines", "Joint.marks", "Line.start"], "\(text)")
        #expect(text.contains("Joint.x is packed in the file and not in the model"), "\(text)")
        #expect(text.contains("Joint.label was called name in the file"))
        #expect(text.contains("@Attribute(name: \"name\")"))
        #expect(text.contains("Joint.code is int32 in the file and string in the model: values are not converted when they are read"))
        #expect(text.contains("Line.start is a to-one relationship to Joint with the inverse lines in the file and a to-many relationship"))
        #expect(text.contains("Joint.marks is an ordered to-many relationship to Mark without an inverse in the file"))
        #expect(differences.last?.description == "Gone.added is new: objects written before have its default")
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
        try PersistentContainer(model: Self.old, at: path).close()
    }
}
