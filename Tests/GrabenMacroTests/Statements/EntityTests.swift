import FoundationEssentials
import Graben
import GrabenFixtures
import Testing

func memory(_ classes: ManagedObject.Type...) throws -> PersistentContainer {
    try PersistentContainer(for: classes, stores: [StoreConfiguration(.inMemory)])
}

@Suite("@Entity")
struct EntityTests {
    @Test("a model made of classes has their entities, attributes, relationships with both inverses, and fetched properties")
    func model() throws {
        let model = try ManagedObjectModel(of: Joint.self, Line.self, Layer.self)
        #expect(model.problems().isEmpty)
        #expect(model.entities.map(\.name) == ["Joint", "Line", "Level"])
        let joint = model.entities[0]
        #expect(joint.attributes.map(\.name) == ["x", "y", "z", "name"])
        #expect(joint.attributes.map(\.isPacked) == [true, true, true, false])
        #expect(joint.attributes.map(\.isOptional) == [false, false, false, true])
        #expect(joint.relationships.map(\.inverse) == ["start", "end"])
        #expect(joint.relationships.map(\.deleteRule) == [.cascade, .cascade])
        #expect(joint.uniquenessConstraints == [["name"]])
        #expect(
            joint.fetchedProperties[0]
                == FetchedPropertyDescription(
                    "level", of: "Joint", predicateFormat: "z == $FETCH_SOURCE.z AND SELF != $FETCH_SOURCE", sort: ["-name"], limit: 2))
        let line = model.entities[1]
        #expect(line.relationships.map(\.inverse) == ["outgoing", "incoming", "lines"])
        #expect(line.relationships.map(\.isToMany) == [false, false, false])
        #expect(model.entities[2].relationships.map(\.inverse) == ["layer"])
        #expect(model.entities[2].relationships[0].isOrdered && model.entities[2].renamingIdentifier == "Floor")
    }

    @Test("joints and lines are written and read through accessors, in memory and after reopening a file")
    func roundTrip() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("drawing.graben")
        do {
            let container = try PersistentContainer(for: Joint.self, Line.self, Layer.self, at: path)
            let context = container.newContext()
            let joints = ["A", "B", "C"].map { name in
                let joint = Joint(context: context)
                joint.name = name
                joint.position = [Double(name.utf8.first ?? 0), 1, 2]
                return joint
            }
            let line = Line(context: context)
            line.start = joints[0]
            line.end = joints[1]
            #expect(joints[0].outgoing.count == 1 && joints[1].incoming.contains(line))
            let layer = Layer(context: context)
            #expect(layer.addToLines(line))
            #expect(line.layer === layer)
            #expect(!layer.addToLines(line))
            let more = [Line(context: context), Line(context: context)]
            joints[2].addToOutgoing(more)
            #expect(more.allSatisfy { $0.start === joints[2] })
            joints[2].removeFromOutgoing(more)
            #expect(joints[2].outgoing.isEmpty)
            for line in more { context.delete(line) }
            try context.save()
            try container.close()
        }
        let container = try PersistentContainer(for: Joint.self, Line.self, Layer.self, at: path)
        let context = container.newContext()
        let joints = try context.fetch(FetchRequest<Joint>(sortDescriptors: [ObjectSortDescriptor("name")]))
        #expect(joints.map(\.name) == ["A", "B", "C"])
        #expect(joints[1].isFault == false && joints[1].position == [66, 1, 2] && joints[1].x == 66 && joints[1].primitiveX == 66)
        #expect(joints[0].level.map(\.name) == ["C", "B"])
        #expect(try joints[0].fetched(\.level).map(\.name) == ["C", "B"])
        #expect(Array(joints[0].outgoing).first?.end?.name == "B")
        #expect(Array(joints[0].outgoing).first?.primitiveEnd === joints[1])
        try container.close()
    }

    @Test("every option that @FetchedProperty takes is in the description, and takes effect when the property is read")
    func fetchOptions() throws {
        let description = try #require(Inspector.entityDescription)
        let everything = FetchedPropertyDescription(
            "keyed", of: "Keyed", predicateFormat: "height > 1", sort: ["-height", "kode"], limit: 5, offset: 1, batchSize: 2,
            includesSubentities: false, includesPropertyValues: false, includesPendingChanges: false, returnsObjectsAsFaults: false,
            returnsDistinctResults: true, userInfo: ["a": "b"])
        #expect(description.fetchedProperties[0] == everything)
        let container = try memory(Inspector.self, Keyed.self, Joint.self, Line.self, Layer.self)
        let first = container.newContext()
        for height in [3.0, 1, 2] { Keyed(context: first).height = height }
        let id = Inspector(context: first).objectID
        try first.save()
        let context = container.newContext()
        _ = Keyed(context: context)
        let inspector = try #require(context.object(with: id) as? Inspector)
        #expect(inspector.saved.map(\.isFault) == [false, false, false])
        #expect(inspector.saved.map(\.height) == [1, 2, 3] && inspector.keyed.map(\.height) == [2])
    }

    @Test("a fetched property with a limit of 1 may be one object or nil, and one that refreshes itself follows changes")
    func oneObject() throws {
        let context = try memory(Joint.self, Line.self, Layer.self).newContext()
        let joint = Joint(context: context)
        #expect(try joint.lowest == nil && joint.fetched(\.lowest) == nil)
        let others = [5.0, 3, 4].map { z in
            let other = Joint(context: context)
            other.z = z
            return other
        }
        #expect(try joint.lowest === others[1] && joint.fetched(\.lowest) === others[1])
        others[2].z = 1
        #expect(joint.lowest === others[2])
        #expect(joint.brokenOne == nil)
        #expect(throws: GrabenError.self) { try joint.fetched(\.brokenOne) }
        let description = try #require(Joint.entityDescription?.fetchedProperties.first { $0.name == "lowest" })
        #expect(description.autoRefresh && description.limit == 1)
    }

    @Test("a fetched property that cannot be evaluated answers [] and reports; its throwing form throws the same error")
    func brokenFetchedProperty() throws {
        let context = try memory(Joint.self, Line.self, Layer.self).newContext()
        var reported: [GrabenError] = []
        context.errorHandler = { reported.append($0) }
        let joint = Joint(context: context)
        #expect(joint.broken.isEmpty)
        #expect(reported.count == 1)
        #expect(throws: GrabenError.self) { try joint.fetched(\.broken) }
    }

    @Test("every attribute type begins with its default, takes a value and gives it back, unsaved, saved and read anew")
    func everyType() throws {
        let container = try memory(Everything.self)
        let context = container.newContext()
        let object = Everything(context: context)
        #expect(object.bool && object.int == -7 && object.int16 == 16 && object.int32 == -32 && object.int64 == 64)
        #expect(object.double == 0.5 && object.float == 0.25 && object.decimal == 12 && object.string == "text")
        #expect(object.date.timeIntervalSinceReferenceDate == 86_400 && object.data == Data([1, 2]) && object.url.path == "/a")
        #expect(object.uuid.uuidString == "01020304-0506-0708-090A-0B0C0D0E0F10")
        #expect(object.inferredInt == 3 && object.inferredDouble == -1.5 && object.inferredText == "inferred" && !object.inferredBool)
        #expect(object.optionalBool == nil && object.optionalInt == nil && object.optionalString == nil && object.optionalFloat == 2)
        #expect(object.bare == "" && object.bareInt == 0)
        #expect(object.style == .plain && object.kind == nil && object.flags == .hidden && object.note == nil)
        #expect(object.tags == ["a", "b"] && object.table == [:] && object.alias == "alias")
        #expect(object.scratch == 9 && object.bounded == 5 && object.hiddenTwice == 2)

        object.bool = false
        (object.int, object.int16, object.int32, object.int64) = (.max, .min, .max, .min)
        (object.double, object.float, object.decimal, object.string) = (.infinity, -0.0, 1.25, "ü")
        (object.date, object.data) = (Date(timeIntervalSinceReferenceDate: 1.5), Data())
        object.url = try #require(URL(string: "https://example.org/a?b"))
        let uuid = try #require(UUID(uuidString: "A1A2A3A4-B1B2-C1C2-D1D2-E1E2E3E4E5E6"))
        object.uuid = uuid
        (object.optionalBool, object.optionalInt, object.optionalInt16, object.optionalInt32) = (true, 1, 2, 3)
        (object.optionalInt64, object.optionalDouble, object.optionalFloat, object.optionalDecimal) = (4, 5, nil, 7)
        (object.optionalString, object.optionalDate) = ("s", Date(timeIntervalSinceReferenceDate: 0))
        (object.optionalData, object.optionalUUID, object.optionalURL) = (Data([3]), uuid, object.url)
        (object.bare, object.bareInt) = ("b", 2)
        (object.style, object.kind, object.flags) = (.bold, .pump, [.hidden, .locked])
        (object.note, object.tags, object.table) = (Note(text: "n", lines: [1, 2]), [], ["z": 1, "a": 2])
        (object.label, object.class, object.hiddenTwice, object.scratch) = ("abc", "keyword", 10, 11)
        try context.save()

        let other = container.newContext()
        let again = try #require(other.object(with: object.objectID) as? Everything)
        #expect(!again.bool && again.int == .max && again.int16 == .min && again.int32 == .max && again.int64 == .min)
        #expect(again.double == .infinity && again.float.sign == .minus && again.decimal == 1.25 && again.string == "ü")
        #expect(again.date.timeIntervalSinceReferenceDate == 1.5 && again.data.isEmpty && again.uuid == uuid)
        #expect(again.url.absoluteString == "https://example.org/a?b")
        #expect(again.optionalBool == true && again.optionalInt == 1 && again.optionalInt16 == 2 && again.optionalInt32 == 3)
        #expect(again.optionalInt64 == 4 && again.optionalDouble == 5 && again.optionalFloat == nil && again.optionalDecimal == 7)
        #expect(again.optionalString == "s" && again.optionalData == Data([3]) && again.optionalUUID == uuid)
        #expect(again.style == .bold && again.kind == .pump && again.flags == [.hidden, .locked])
        #expect(again.note == Note(text: "n", lines: [1, 2]) && again.tags.isEmpty && again.table == ["z": 1, "a": 2])
        #expect(again.label == "abc" && again.class == "keyword" && again.hiddenTwice == 10)
        #expect(again.scratch == 9)
        #expect(try again.value(forKey: "table") == .json(Data(#"{"a":2,"z":1}"#.utf8)))
        #expect(try again.value(forKey: "style") == .string("bold"))
        #expect(try again.value(forKey: "labelKey") == .string("abc"))
    }

    @Test("rules of a declaration are rules of the model, and setting nil in an optional attribute clears it")
    func rules() throws {
        let model = try ManagedObjectModel(of: Everything.self)
        let attributes = Dictionary(model.entities[0].attributes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        #expect(attributes["labelKey"]?.renamingIdentifier == "oldLabel" && attributes["labelKey"]?.userInfo == ["a": "b"])
        #expect(attributes["labelKey"]?.minimumLength == 2 && attributes["labelKey"]?.maximumLength == 4)
        #expect(attributes["bounded"]?.minimum == 0.0 && attributes["bounded"]?.maximum == 10.0)
        #expect(attributes["scratch"]?.isTransient == true && attributes["hidden"] != nil && attributes["hiddenTwice"] == nil)
        let context = try memory(Everything.self).newContext()
        let object = Everything(context: context)
        (object.bare, object.label) = ("x", "a")
        object.bounded = 11
        guard case .validation(let failures)? = #expect(throws: GrabenError.self, performing: { try context.save() }) else {
            Issue.record("saved")
            return
        }
        #expect(Set(failures.compactMap(\.key)) == ["labelKey", "bounded", "bareInt"])
        (object.label, object.bounded, object.bareInt) = (nil, 10, 0)
        try context.save()
        #expect(object.label == nil && object.optionalFloat == 2)
    }

    @Test("keys, orders, patterns and derivations are those of the declaration, by the names of the model")
    func keys() throws {
        let model = try ManagedObjectModel(of: Keyed.self, Joint.self, Line.self, Layer.self)
        #expect(model.problems().isEmpty, "\(model.problems())")
        let keyed = model.entities[0]
        #expect(keyed.uniquenessConstraints == [["owner", "number"], ["kode"]])
        #expect(
            keyed.indexes == [
                IndexDescription("byOwnerAndNumber", [.init("owner"), .init("number", isAscending: false)]),
                IndexDescription("codes", [.init("kode")], partialPredicateFormat: "kode BEGINSWITH 'a'"),
                IndexDescription("byNumber", [.init("number", isAscending: false)]), IndexDescription("byHeight", [.init("height")]),
            ])
        #expect(keyed.attributes.map(\.name) == ["number", "kode", "degree", "height"])
        #expect(keyed.attributes[1].regularExpression == "[a-z]+" && keyed.attributes[2].derivationExpression == "owner.outgoing.@count")
        #expect(keyed.attributes[2].isOptional)
    }

    @Test("a raw value the type does not know, and JSON of another type, read as the default or nil; the latter is reported")
    func foreignValues() throws {
        let context = try memory(Everything.self).newContext()
        var reported: [GrabenError] = []
        context.errorHandler = { reported.append($0) }
        let object = Everything(context: context)
        try object.setValue(.string("italic"), forKey: "style")
        try object.setValue(.int(77), forKey: "kind")
        #expect(object.style == .plain && object.kind == nil && reported.isEmpty)
        try object.setValue(.json(Data("{}".utf8)), forKey: "note")
        #expect(object.note == nil && reported.count == 1)
    }

    @Test("undo and redo go through the accessors of attributes, lanes and relationships")
    func undo() throws {
        let context = try memory(Joint.self, Line.self, Layer.self).newContext()
        context.undoManager = ObjectUndoManager()
        let joint = Joint(context: context)
        let line = Line(context: context)
        try context.save()
        joint.name = "A"
        joint.position = [1, 2, 3]
        joint.outgoing.insert(line)
        context.processPendingChanges()
        joint.x = 9
        context.undo()
        #expect(joint.position == [1, 2, 3])
        context.undo()
        #expect(joint.name == nil && joint.position == .zero && line.start == nil)
        context.redo()
        #expect(joint.name == "A" && joint.position == [1, 2, 3] && line.start === joint)
    }

    @Test("primitive accessors announce and record nothing, and primitive references leave the other side alone")
    func primitives() throws {
        let context = try memory(Joint.self, Line.self, Layer.self).newContext()
        let joint = Joint(context: context)
        let line = Line(context: context)
        try context.save()
        joint.primitiveName = "quiet"
        line.primitiveStart = joint
        #expect(!context.hasChanges && joint.name == "quiet" && line.start === joint && joint.outgoing.isEmpty)
        joint.primitiveY = 4
        #expect(joint.y == 4 && !joint.hasChanges)
    }
}
