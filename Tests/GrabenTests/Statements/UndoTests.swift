import Graben
import Testing

@Suite("Undo")
struct UndoTests {
    private func context(_ container: PersistentContainer) -> ManagedObjectContext {
        let context = container.newContext()
        context.undoManager = ObjectUndoManager()
        return context
    }

    @Test("S58 without an undo manager undo does nothing, and rollback works")
    func none() throws {
        let context = try Network.container().newContext()
        #expect(context.undoManager == nil)
        let joint = Joint(context: context)
        try context.save()
        joint.x = 1
        context.undo()
        context.redo()
        #expect(joint.x == 1)
        context.rollback()
        #expect(joint.x == 0)
    }

    @Test("S59 what lies between two ends of events is one step; groups make one step of several events, nested ones too")
    func steps() throws {
        let context = context(try Network.container())
        let joint = Joint(context: context)
        joint.x = 1
        joint.name = "a"
        context.processPendingChanges()
        joint.x = 2
        context.processPendingChanges()
        context.undo()
        #expect(joint.x == 1 && joint.name == "a")
        context.undo()
        #expect(context.insertedObjects.isEmpty)
        context.redo()
        context.redo()
        #expect(joint.x == 2 && context.insertedObjects == [joint])
        let undo = try #require(context.undoManager)
        joint.y = 9
        undo.beginUndoGrouping()
        joint.x = 3
        context.processPendingChanges()
        undo.beginUndoGrouping()
        joint.x = 4
        undo.endUndoGrouping()
        joint.name = "b"
        undo.setActionName("Move")
        undo.endUndoGrouping()
        #expect(undo.undoActionName == "Move")
        undo.undo()
        #expect(joint.x == 2 && joint.name == "a" && joint.y == 9 && undo.redoActionName == "Move")
        undo.undo()
        #expect(joint.y == 0)
        undo.redo()
        undo.redo()
        #expect(joint.x == 4 && joint.name == "b" && !undo.canRedo)
    }

    @Test("S60 withoutUndo brackets changes off; what came before and after stays undoable")
    func disabled() throws {
        let context = context(try Network.container())
        let joint = Joint(context: context)
        try context.save()
        joint.x = 1
        context.withoutUndo { joint.y = 1 }
        joint.z = 1
        context.undo()
        #expect(joint.position == [1, 1, 0])
        context.undo()
        #expect(joint.position == [0, 1, 0])
    }

    @Test("S61 rollback empties the undo stack, restores committed values and reads nothing from the store")
    func rollback() throws {
        let context = context(try Network.container())
        let (kept, gone) = (Joint(context: context), Joint(context: context))
        kept.name = "a"
        try context.save()
        kept.name = "b"
        kept.x = 1
        context.delete(gone)
        let new = Joint(context: context)
        context.processPendingChanges()
        let reads = context.statistics.storeReads
        context.rollback()
        #expect(context.statistics.storeReads == reads)
        #expect(kept.name == "a" && kept.x == 0 && !gone.isDeleted && new.managedObjectContext == nil && !context.hasChanges)
        context.redo()
        context.undo()
        #expect(kept.name == "a" && context.undoManager?.canUndo == false && context.undoManager?.canRedo == false)
    }

    @Test("S62 B9 undo of a delete restores the same instance, both sides of its relationships and their order, also after a save")
    func deletion() throws {
        for saves in [false, true] {
            let container = try GraphSchema.container(.inMemory)
            let context = context(container)
            let (tag, route) = (try context.insertObject(entity: "Tag"), try context.insertObject(entity: "Route"))
            let joints = try (0..<4).map { _ in try context.insertObject(entity: "Joint") }
            let stops = try (0..<4).map { _ in try context.insertObject(entity: "Stop") }
            for (index, stop) in stops.enumerated() {
                route.orderedToMany("stops").insert(stop, at: 0)
                tag.orderedToMany("ranking").insert(joints[index], at: 0)
                joints[index].toMany("friends").insert(joints[0])
            }
            let line = try context.insertObject(entity: "Line")
            line.setToOne("start", joints[1])
            line.setToOne("end", joints[2])
            try context.save()
            try joints[1].setValue("edited", forKey: "name")
            context.processPendingChanges()
            let order = tag.orderedToMany("ranking", as: ManagedObject.self).ids
            let stopOrder = route.orderedToMany("stops", as: ManagedObject.self).ids
            let friends = joints[0].toMany("friends", as: ManagedObject.self).ids
            context.delete(joints[1])
            context.delete(stops[2])
            context.processPendingChanges()
            #expect(tag.orderedToMany("ranking", as: ManagedObject.self).count == 3 && line.isDeleted)
            if saves { try context.save() }
            context.undo()
            #expect(context.object(with: joints[1].objectID) === joints[1] && !joints[1].isDeleted && !line.isDeleted)
            #expect(tag.orderedToMany("ranking", as: ManagedObject.self).ids == order)
            #expect(route.orderedToMany("stops", as: ManagedObject.self).ids == stopOrder)
            #expect(joints[0].toMany("friends", as: ManagedObject.self).ids == friends)
            #expect(joints[1].toMany("outgoing", as: ManagedObject.self).ids == [line.objectID])
            #expect(joints[2].toMany("incoming", as: ManagedObject.self).ids == [line.objectID])
            #expect(try joints[1].value(forKey: "name") == "edited")
            context.undo()
            #expect(try joints[1].value(forKey: "name") == .null)
            context.redo()
            try context.save()
            let other = container.newContext()
            #expect(other.object(with: tag.objectID).orderedToMany("ranking", as: ManagedObject.self).ids == order)
            #expect(other.object(with: route.objectID).orderedToMany("stops", as: ManagedObject.self).ids == stopOrder)
            #expect(try other.object(with: joints[1].objectID).value(forKey: "name") == "edited")
            #expect(try other.object(with: line.objectID).value(forKey: "start") == .reference(joints[1].objectID))
        }
    }

    @Test("S63 undo and redo call awake(fromSnapshotEvents:) and no other awakening hook")
    func hooks() throws {
        let context = context(try Node.container())
        let node = Node(context: context)
        try context.save()
        node.title = "a"
        context.processPendingChanges()
        node.calls = []
        context.undo()
        context.redo()
        #expect(node.calls == ["awake \(SnapshotEvents.undoUpdate.rawValue)", "awake \(SnapshotEvents.undoUpdate.rawValue)"])
        context.delete(node)
        context.processPendingChanges()
        node.calls = []
        context.undo()
        #expect(node.calls == ["awake \(SnapshotEvents.undoDeletion.rawValue)"])
    }

    @Test("S64 transient changes are undone too")
    func transients() throws {
        let context = context(try Node.container())
        let node = Node(context: context)
        node.scratch = 1
        try context.save()
        node.scratch = 2
        context.undo()
        #expect(node.scratch == 1)
        context.redo()
        #expect(node.scratch == 2)
    }

    @Test("S65 a save keeps the undo stack, and the next save writes what was undone")
    func acrossSave() throws {
        let container = try Network.container()
        let context = context(container)
        let joint = Joint(context: context)
        try context.save()
        joint.x = 1
        joint.name = "a"
        try context.save()
        context.undo()
        #expect(context.hasChanges && joint.x == 0 && joint.name == nil)
        try context.save()
        let other = container.newContext()
        #expect(try (other.existingObject(with: joint.objectID) as? Joint)?.name == nil)
        #expect(try other.column("Joint", "x") == [0])
        context.redo()
        #expect(joint.x == 1 && joint.name == "a")
        context.undo()
        context.undo()
        #expect(context.deletedObjects == [joint], "undo of a saved insertion is a deletion")
        try context.save()
        #expect(try container.newContext().count(for: Joint.fetchRequest()) == 0)
        context.redo()
        try context.save()
        #expect(try container.newContext().count(for: Joint.fetchRequest()) == 1)
    }

    @Test("B10 a drag of many joints through many steps in a group is one step with one old value per joint, and one patch at save")
    func drag() throws {
        let container = try Network.container()
        let context = context(container)
        let joints = (0..<3000).map { index in
            let joint = Joint(context: context)
            joint.x = Double(index)
            return joint
        }
        try context.save()
        let undo = try #require(context.undoManager)
        undo.removeAllActions()
        for step in 0..<20 {
            if step % 2 == 0 {
                context.translate(joints, by: [1, 2, 3])
            } else {
                context.translate(joints.map(\.objectID), by: [1, 2, 3])
            }
        }
        var events: [ContextChanges] = []
        let token = context.onDidChange { events.append($0) }
        context.processPendingChanges()
        token.cancel()
        #expect(undo.undoDepth == 1 && events.count == 1 && events.first?.moved.count == 3000)
        #expect(joints[7].position == [27, 40, 60] && context.positions(of: joints)[7] == [27, 40, 60])
        try context.save()
        #expect(context.statistics.commits == 2)
        #expect(try container.newContext().column("Joint", "x").compactMap { $0 }.sorted() == (0..<3000).map { Double($0) + 20 })
        context.undo()
        #expect(joints.enumerated().allSatisfy { $0.element.position == [Double($0.offset), 0, 0] })
        context.redo()
        #expect(joints.enumerated().allSatisfy { $0.element.position == [Double($0.offset) + 20, 40, 60] })
    }

    @Test("undo levels are bounded, and other actions share the stack")
    func bounded() throws {
        let context = context(try Network.container())
        let undo = try #require(context.undoManager)
        let joint = Joint(context: context)
        try context.save()
        undo.levelsOfUndo = 3
        for index in 1...5 {
            joint.x = Double(index)
            context.processPendingChanges()
        }
        for _ in 0..<5 { undo.undo() }
        #expect(joint.x == 2)
        // What was taken back is bounded too, and goes from the far end.
        undo.levelsOfUndo = 2
        for _ in 0..<5 { undo.redo() }
        #expect(joint.x == 4 && undo.undoDepth == 2 && undo.redoDepth == 0)
        var value = 1
        func set(_ new: Int) {
            let old = value
            undo.registerUndo(named: "Set") { set(old) }
            value = new
        }
        set(5)
        #expect(!undo.canRedo)
        undo.undo()
        #expect(value == 1)
        undo.redo()
        #expect(value == 5)
    }
}
