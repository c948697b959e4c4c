import Graben
import GrabenModel
import Testing

/// Every kind of field, in every kind of context, through every operation, against the values expected.
@Suite("Attributes in fields of a class's own, in every combination")
struct FieldMatrixTests {
    enum Place: String, CaseIterable, Sendable {
        case root, child, grandchild
    }

    /// A saved object with the first of the field's values, clean and realised in a context of some kind.
    struct Setting {
        let container: PersistentContainer
        /// From the root down to the object's.
        let contexts: [ManagedObjectContext]
        let object: Probe
        let field: Probe.Field
        var context: ManagedObjectContext { contexts[contexts.count - 1] }
        var a: Value { field.values[0] }
        var b: Value { field.values[1] }
        var c: Value { field.values[2] }

        init(_ field: Probe.Field, _ place: Place) throws {
            self.field = field
            container = try Probe.container()
            let maker = container.newContext()
            let made = Probe(context: maker)
            made.write(field, field.values[0])
            made.name = "name"
            try maker.save()
            var contexts = [container.newContext()]
            for _ in 0..<(Place.allCases.firstIndex(of: place) ?? 0) {
                contexts.append(ManagedObjectContext(parent: contexts[contexts.count - 1]))
            }
            self.contexts = contexts
            contexts[contexts.count - 1].undoManager = ObjectUndoManager()
            object = try #require(try contexts[contexts.count - 1].existingObject(with: made.objectID) as? Probe)
        }

        func write(_ value: Value) {
            object.write(field, value)
            context.processPendingChanges()
        }

        /// Saves up to the store.
        func saveAll() throws { for context in contexts.reversed() { try context.save() } }

        /// Has another context save a value, and takes it in.
        func take(_ value: Value) throws {
            let other = container.newContext()
            let twin = try #require(try other.existingObject(with: object.objectID) as? Probe)
            twin.write(field, value)
            try other.save()
            for context in contexts {
                guard let mine = context.registeredObject(for: object.objectID) else { continue }
                context.refresh(mine, mergeChanges: true)
            }
        }
    }

    /// What an operation leaves: the value, the one last fetched or saved, and whether they differ.
    struct Outcome {
        let value: Value
        let committed: Value
        init(_ value: Value, over committed: Value) { (self.value, self.committed) = (value, committed) }
    }

    struct Operation: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let run: @Sendable (Setting) throws -> Outcome
        init(_ name: String, _ run: @escaping @Sendable (Setting) throws -> Outcome) { (testDescription, self.run) = (name, run) }
    }

    static let operations: [Operation] = [
        Operation("being fetched") { .init($0.a, over: $0.a) },
        Operation("a setter") {
            $0.write($0.b)
            return .init($0.b, over: $0.a)
        },
        Operation("a keyed setter") {
            try $0.object.setValue($0.b, forKey: $0.field.key)
            return .init($0.b, over: $0.a)
        },
        Operation("setting what it is") {
            $0.write($0.a)
            return .init($0.a, over: $0.a)
        },
        Operation("setting another value and the old one again") {
            $0.write($0.b)
            $0.write($0.a)
            return .init($0.a, over: $0.a)
        },
        Operation("undo") {
            $0.write($0.b)
            $0.context.undo()
            return .init($0.a, over: $0.a)
        },
        Operation("undo and redo") {
            $0.write($0.b)
            $0.context.undo()
            $0.context.redo()
            return .init($0.b, over: $0.a)
        },
        Operation("undo after a save") {
            $0.write($0.b)
            try $0.context.save()
            $0.context.undo()
            return .init($0.a, over: $0.b)
        },
        Operation("undo after a save of all, and a save of that") {
            $0.write($0.b)
            try $0.saveAll()
            $0.context.undo()
            try $0.saveAll()
            return .init($0.a, over: $0.a)
        },
        Operation("redo after a save of what was undone") {
            $0.write($0.b)
            try $0.saveAll()
            $0.context.undo()
            try $0.saveAll()
            $0.context.redo()
            return .init($0.b, over: $0.a)
        },
        Operation("a save") {
            $0.write($0.b)
            try $0.context.save()
            return .init($0.b, over: $0.b)
        },
        Operation("rollback") {
            $0.write($0.b)
            $0.context.rollback()
            return .init($0.a, over: $0.a)
        },
        Operation("rollback after a save") {
            $0.write($0.b)
            try $0.context.save()
            $0.write($0.a)
            $0.context.rollback()
            return .init($0.b, over: $0.b)
        },
        Operation("taking back one object's changes") {
            $0.write($0.b)
            $0.context.discardChanges(of: $0.object)
            return .init($0.a, over: $0.a)
        },
        Operation("a refresh that keeps changes") {
            $0.write($0.b)
            $0.context.refresh($0.object, mergeChanges: true)
            return .init($0.b, over: $0.a)
        },
        Operation("a refresh that drops changes") {
            $0.write($0.b)
            $0.context.refresh($0.object, mergeChanges: false)
            #expect($0.object.isFault)
            return .init($0.a, over: $0.a)
        },
        Operation("a refresh of all objects") {
            $0.write($0.b)
            $0.context.refreshAllObjects()
            return .init($0.b, over: $0.a)
        },
        Operation("a save and a fault") {
            $0.write($0.b)
            try $0.context.save()
            $0.context.refresh($0.object, mergeChanges: false)
            return .init($0.b, over: $0.b)
        },
        Operation("a merge") {
            try $0.take($0.b)
            return .init($0.b, over: $0.b)
        },
        Operation("a merge under a change of another property") {
            $0.object.name = "other"
            try $0.take($0.b)
            return .init($0.b, over: $0.b)
        },
        Operation("a merge under a change") {
            $0.write($0.b)
            try $0.take($0.field.key == "bool" ? $0.b : $0.c)
            return .init($0.b, over: $0.field.key == "bool" ? $0.b : $0.c)
        },
        Operation("undo of a deletion") {
            $0.context.delete($0.object)
            $0.context.processPendingChanges()
            $0.context.undo()
            return .init($0.a, over: $0.a)
        },
        Operation("undo of a change and a deletion") {
            $0.write($0.b)
            $0.context.delete($0.object)
            $0.context.processPendingChanges()
            $0.context.undo()
            return .init($0.b, over: $0.a)
        },
        Operation("undo of a deletion that was saved, and a save of that") {
            $0.write($0.b)
            $0.context.delete($0.object)
            try $0.saveAll()
            $0.context.undo()
            try $0.saveAll()
            return .init($0.b, over: $0.b)
        },
        Operation("nested pairs") {
            $0.object.willChangeValue(forKey: $0.field.key)
            $0.object.willChangeValue(forKey: $0.field.key)
            $0.field.set($0.object, $0.c)
            $0.object.didChangeValue(forKey: $0.field.key)
            $0.write($0.b)
            $0.object.didChangeValue(forKey: $0.field.key)
            $0.context.processPendingChanges()
            #expect($0.context.undoManager?.undoDepth == 1)
            return .init($0.b, over: $0.a)
        },
        Operation("nested pairs, undone and done again") {
            $0.object.willChangeValue(forKey: $0.field.key)
            $0.object.name = "inside"
            $0.write($0.b)
            $0.object.didChangeValue(forKey: $0.field.key)
            while $0.context.undoManager?.canUndo == true { $0.context.undo() }
            #expect($0.object.read($0.field) == $0.a && $0.object.name == "name")
            while $0.context.undoManager?.canRedo == true { $0.context.redo() }
            #expect($0.object.name == "inside")
            return .init($0.b, over: $0.a)
        },
        Operation("a pair that changes nothing") {
            $0.object.willChangeValue(forKey: $0.field.key)
            $0.object.didChangeValue(forKey: $0.field.key)
            return .init($0.a, over: $0.a)
        },
        Operation("an end without its beginning") { setting in
            var reported = 0
            setting.context.errorHandler = { if case .unbalancedChange(_, setting.field.key, _, _) = $0 { reported += 1 } }
            setting.object.didChangeValue(forKey: setting.field.key)
            #expect(reported == 1)
            setting.write(setting.b)
            return .init(setting.b, over: setting.a)
        },
        Operation("a beginning without its end") { setting in
            setting.object.willChangeValue(forKey: setting.field.key)
            setting.object.willChangeValue(forKey: setting.field.key)
            setting.field.set(setting.object, setting.b)
            setting.object.didChangeValue(forKey: setting.field.key)
            setting.object.name = "other"
            guard case .unbalancedChange(_, setting.field.key, _, _)? = thrown({ try setting.context.save() }) else {
                Issue.record("the save did not fail")
                return .init(setting.b, over: setting.b)
            }
            setting.object.didChangeValue(forKey: setting.field.key)
            try setting.context.save()
            return .init(setting.b, over: setting.b)
        },
        Operation("a conflict that is decided for the object") {
            $0.write($0.b)
            let other = $0.container.newContext()
            let twin = try #require(try other.existingObject(with: $0.object.objectID) as? Probe)
            twin.write($0.field, $0.c)
            try other.save()
            $0.contexts[0].mergePolicy = .objectTrump
            try $0.saveAll()
            return .init($0.b, over: $0.b)
        },
        Operation("a failed save") { setting in
            setting.write(setting.b)
            setting.context.undoManager?.beginUndoGrouping()
            setting.object.willChangeValue(forKey: "name")
            #expect(thrown { try setting.context.save() } != nil)
            setting.object.didChangeValue(forKey: "name")
            setting.context.undoManager?.endUndoGrouping()
            return .init(setting.b, over: setting.a)
        },
    ]

    @Test(
        "C1 C2 C6 C8 a field has the value expected after every operation, however it is read, and nothing else is changed",
        arguments: Probe.fields, Place.allCases)
    func matrix(field: Probe.Field, place: Place) throws {
        for operation in Self.operations {
            let setting = try Setting(field, place)
            let outcome = try operation.run(setting)
            try expect(outcome, in: setting, after: operation.testDescription)
        }
    }

    /// Compares the object with what is expected, by every way to read it; then saves, and compares what another context reads.
    private func expect(_ outcome: Outcome, in setting: Setting, after operation: String) throws {
        let (object, field, context) = (setting.object, setting.field, setting.context)
        let comment = Comment(rawValue: "after \(operation)")
        #expect(object.read(field) == outcome.value, comment)
        #expect(field.get(object) == outcome.value, comment)
        #expect(try object.value(forKey: field.key) == outcome.value, comment)
        #expect(try object.primitiveValue(forKey: field.key) == outcome.value, comment)
        #expect(try object.committedValues(forKeys: [field.key])[field.key] == outcome.committed, comment)
        #expect(object.changedValues()[field.key] == (outcome.value == outcome.committed ? Value?.none : outcome.value), comment)
        if field.description.isPacked { try expectColumn(outcome.value, in: context, setting, comment) }
        for other in Probe.fields where other.key != field.key {
            // A lane that lies in one field with another must not be touched by it.
            #expect(try object.value(forKey: other.key) == other.initial, comment)
        }
        try setting.saveAll()
        #expect(object.read(field) == outcome.value && !object.hasPersistentChangedValues && !context.hasChanges, comment)
        for level in setting.contexts {
            #expect(try level.existingObject(with: object.objectID).value(forKey: field.key) == outcome.value, comment)
        }
        let other = setting.container.newContext()
        let reloaded = try #require(try other.existingObject(with: object.objectID) as? Probe)
        #expect(reloaded.read(field) == outcome.value, comment)
        if field.description.isPacked { try expectColumn(outcome.value, in: other, setting, comment) }
    }

    private func expectColumn(_ value: Value, in context: ManagedObjectContext, _ setting: Setting, _ comment: Comment) throws {
        let column = try context.column("Probe", setting.field.key)
        let wanted: Double? =
            switch value {
            case .double(let number): number
            case .float(let number): Double(number)
            default: nil
            }
        #expect(column.count == 1 && column[0]?.bitPattern == wanted?.bitPattern, comment)
    }

    @Test("C4 C6 a new object has its defaults in its fields, and undo, redo, saves and children keep what is set", arguments: Probe.fields)
    func insertion(field: Probe.Field) throws {
        let value = try #require(field.values.first { $0 != field.initial })
        for depth in 0..<3 {
            let container = try Probe.container()
            var contexts = [container.newContext()]
            for _ in 0..<depth { contexts.append(ManagedObjectContext(parent: contexts[contexts.count - 1])) }
            let context = contexts[depth]
            context.undoManager = ObjectUndoManager()
            let object = Probe(context: context)
            #expect(object.read(field) == field.initial && field.get(object) == field.initial)
            context.processPendingChanges()
            object.write(field, value)
            context.processPendingChanges()
            context.undo()
            #expect(object.read(field) == field.initial)
            context.undo()
            #expect(context.insertedObjects.isEmpty)
            context.redo()
            context.redo()
            #expect(object.read(field) == value && object.isInserted)
            for level in contexts.reversed() { try level.save() }
            let other = container.newContext()
            let reloaded = try #require(try other.existingObject(with: object.objectID) as? Probe)
            #expect(reloaded.read(field) == value)
        }
    }
}
