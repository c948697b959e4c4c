import GrabenLog
import GrabenModel
import Testing

@Suite struct VersionHashTests {
    /// The hashes of the drawing's model before and after an edit.
    private func hashes(after edit: (inout ManagedObjectModel) -> Void) throws -> (before: ResolvedModel, after: ResolvedModel) {
        var model = drawingModel()
        let before = try model.resolved()
        edit(&model)
        return (before, try model.resolved())
    }

    private static let joint = 1
    private static let line = 2

    @Test(
        "S116 S121: userInfo, class, default, delete rule, renaming, transient and fetched properties change no version hash",
        arguments: [
            { $0.userInfo["a"] = "b" },
            { $0.entities[joint].userInfo["a"] = "b" },
            { $0.entities[joint].managedObjectClassName = "Joint" },
            { $0.entities[joint].renamingIdentifier = "Node" },
            { $0.entities[joint].attributes[0].defaultValue = "J1" },
            { $0.entities[joint].attributes[0].maximumLength = 9 },
            { $0.entities[joint].attributes[0].userInfo["a"] = "b" },
            { $0.entities[joint].attributes[3].type = .string },
            { $0.entities[joint].attributes.remove(at: 3) },
            { $0.entities[joint].relationships[0].deleteRule = .deny },
            { $0.entities[joint].relationships[1].maxCount = 1 },
            { $0.entities[joint].fetchedProperties = [] },
            { $0.entities[joint].fetchedProperties[0].predicateFormat = "name == 'a'" },
            { $0.entities[line].fetchedProperties.append(.init("all", of: "Joint")) },
            { $0.entities[joint].attributes.swapAt(0, 1) },
            { $0.entities[joint].attributes[0].regularExpression = "J.*" },
            { $0.entities[joint].attributes[0].allowsExternalStorage = true },
            { $0.entities[joint].attributes[0].valueClassName = "Name" },
            { $0.entities[joint].indexes = [.init("byName", on: "name")] },
            { $0.entities[joint].codeGeneration = .classDefinition },
            { $0.entities[joint].foreign.attributes["a"] = "b" },
            { $0.fetchRequestTemplates = [.init("all", .init("Joint"))] },
            { $0.configurations = [.init("Main", entities: ["Joint"])] },
            { $0.versionIdentifier = "7" },
            { $0.composites = [.init("Place", [.init("x", .double)])] },
        ] as [@Sendable (inout ManagedObjectModel) -> Void])
    func unchanged(edit: @Sendable (inout ManagedObjectModel) -> Void) throws {
        let (before, after) = try hashes(after: edit)
        #expect(before.versionHash == after.versionHash)
        #expect(before.entities.map(\.versionHash) == after.entities.map(\.versionHash))
    }

    @Test(
        "S116: what decides stored data changes the hash of its entity, of those that inherit from it, and of the model, and no other",
        arguments: [
            {
                $0.entities[joint].attributes[0].name = "title"; $0.entities[joint].uniquenessConstraints = [["title"]]
            },
            { $0.entities[joint].attributes[0].type = .int32 },
            { $0.entities[joint].attributes[0].isOptional = false },
            { $0.entities[joint].attributes[1].isPacked = false },
            { $0.entities[joint].attributes[3].isTransient = false },
            { $0.entities[joint].relationships[0].isOptional = false },
            { $0.entities[joint].relationships[0].maxCount = 4 },
            { $0.entities[joint].relationships[0].isOrdered = true },
            { $0.entities[joint].relationships.append(.init("extra", to: "Line")) },
            { $0.entities[joint].uniquenessConstraints = [] },
            { $0.entities[joint].uniquenessConstraints = [["name", "layer"]] },
            { $0.entities[joint].isAbstract = true },
            { $0.entities[joint].versionHashModifier = "2" },
            { $0.entities[joint].attributes[0].versionHashModifier = "2" },
            { $0.entities[joint].relationships[0].versionHashModifier = "2" },
            { $0.entities[joint].attributes[0].derivationExpression = "layer.note" },
        ] as [@Sendable (inout ManagedObjectModel) -> Void])
    func changed(edit: @Sendable (inout ManagedObjectModel) -> Void) throws {
        let (before, after) = try hashes(after: edit)
        #expect(before.versionHash != after.versionHash)
        for (old, new) in zip(before.entities, after.entities) {
            #expect((old.versionHash != new.versionHash) == ["Joint", "Tank"].contains(old.name), "\(old.name)")
        }
    }

    @Test("the hash covers the elements of a composite and of those in it, by name and type, and not what they are called together")
    func composites() throws {
        func hash(_ inner: [AttributeDescription], named name: String = "Inner") throws -> VersionHash {
            let entity = EntityDescription("A", attributes: [.init("place", composite: "Outer")])
            return try ManagedObjectModel(
                entities: [entity],
                composites: [.init("Outer", [.init("a", .string), .init("b", composite: name)]), .init(name, inner)]
            ).resolved().versionHash
        }
        let plain = try hash([.init("x", .double), .init("y", .double)])
        #expect(try hash([.init("y", .double, defaultValue: 1), .init("x", .double)], named: "Point") == plain)
        #expect(try hash([.init("x", .double), .init("y", .float)]) != plain)
        #expect(try hash([.init("x", .double), .init("z", .double)]) != plain)
        #expect(try hash([.init("x", .double)]) != plain)
    }

    @Test("the order of the entities changes no hash, and the hash is the same in every process")
    func stable() throws {
        let (before, after) = try hashes { $0.entities.reverse() }
        #expect(before.versionHash == after.versionHash)
        let empty = try ManagedObjectModel(entities: [EntityDescription("A")]).resolved()
        // FNV-1a of 128 bits over "entity A\n", computed apart from this code.
        #expect(empty.entities[0].versionHash.description == "89a9419b1f05fe785fc1ddb6ded3f18d")
    }
}
