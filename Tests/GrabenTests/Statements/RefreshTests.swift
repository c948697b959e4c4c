import Graben
import Testing

@Suite("Refreshing, and what another context saved")
struct RefreshTests {
    private func saved(_ container: PersistentContainer) throws -> (ManagedObjectContext, Node) {
        let context = container.newContext()
        let node = Node(context: context)
        node.title = "first"
        node.x = 1
        try context.save()
        return (context, node)
    }

    /// Changes the node in a context of its own.
    private func elsewhere(_ container: PersistentContainer, _ node: Node, _ body: (Node) -> Void) throws {
        let context = container.newContext()
        body(try #require(try context.existingObject(with: node.objectID) as? Node))
        try context.save()
    }

    @Test("S66 refresh without merging drops changes and transients and makes the object a fault")
    func dropping() throws {
        let container = try Node.container()
        let (context, node) = try saved(container)
        node.title = "second"
        node.x = 2
        node.scratch = 5
        try elsewhere(container, node) { $0.level = 9 }
        context.refresh(node, mergeChanges: false)
        #expect(node.isFault && !node.hasChanges && !context.hasChanges)
        #expect(node.title == "first" && node.x == 1 && node.scratch == nil && node.level == 9)
        try context.save()
        #expect(context.statistics.commits == 1)
    }

    @Test("S66 an object whose relationships had changed is given back to both sides")
    func droppingRelationships() throws {
        let container = try GraphSchema.container(.inMemory)
        let context = container.newContext()
        let (a, b) = (try context.insertObject(entity: "Joint"), try context.insertObject(entity: "Joint"))
        let (line, tag) = (try context.insertObject(entity: "Line"), try context.insertObject(entity: "Tag"))
        line.setToOne("start", a)
        tag.toMany("joints").insert(a)
        try context.save()
        func members(_ object: ManagedObject, _ name: String) -> [ObjectID] { object.toMany(name, as: ManagedObject.self).ids }
        line.setToOne("start", b)
        #expect(members(a, "outgoing").isEmpty && members(b, "outgoing") == [line.objectID])
        context.refresh(line, mergeChanges: false)
        #expect(members(a, "outgoing") == [line.objectID] && members(b, "outgoing").isEmpty)
        tag.setToMany("joints", ToMany<ManagedObject>([b]))
        context.refresh(tag, mergeChanges: false)
        #expect(members(a, "tags") == [tag.objectID] && members(b, "tags").isEmpty && members(tag, "joints") == [a.objectID])
        context.delete(line)
        context.processPendingChanges()
        #expect(members(a, "outgoing").isEmpty)
        context.refresh(line, mergeChanges: false)
        #expect(members(a, "outgoing") == [line.objectID] && !line.isDeleted)
        #expect(try line.value(forKey: "start") == .reference(a.objectID))
        context.delete(a)
        context.processPendingChanges()
        context.refresh(tag, mergeChanges: false)
        #expect(members(tag, "joints").isEmpty, "what is deleted here does not come back into a relationship")
        try context.save()
        let other = container.newContext()
        #expect(members(other.object(with: tag.objectID), "joints").isEmpty)
    }

    @Test("S67 refresh with merging reloads and puts local changes on top; transients survive; nothing conflicts")
    func merging() throws {
        let container = try Node.container()
        let (context, node) = try saved(container)
        node.title = "mine"
        node.x = 2
        node.scratch = 5
        try elsewhere(container, node) {
            $0.title = "theirs"
            $0.level = 9
            $0.y = 70
        }
        context.refresh(node, mergeChanges: true)
        #expect(node.title == "mine" && node.level == 9 && node.x == 2 && node.y == 70 && node.scratch == 5)
        #expect(node.changedValues() == ["title": "mine", "x": 2.0])
        #expect(try node.committedValues(forKeys: ["title", "y"]) == ["title": "theirs", "y": 70.0])
        try context.save()
        let other = container.newContext()
        let twin = try #require(try other.existingObject(with: node.objectID) as? Node)
        #expect(twin.title == "mine" && twin.level == 9 && twin.position == [2, 70, 0])
    }

    @Test("S68 S70 refreshAllObjects keeps pending changes, turns clean objects into faults and reads the newest commit")
    func all() throws {
        let container = try Node.container()
        let (context, node) = try saved(container)
        let clean = Node(context: context)
        try context.save()
        clean.scratch = 4
        try context.save()
        node.title = "mine"
        node.scratch = 5
        try elsewhere(container, clean) { $0.title = "theirs" }
        context.refreshAllObjects()
        #expect(clean.isFault && !node.isFault && node.title == "mine" && node.scratch == 5 && node.isUpdated)
        #expect(clean.title == "theirs" && clean.scratch == nil)
    }

    @Test("S71 a plain fetch leaves realised objects as they are, packed values included, and a save compares with their commit")
    func keepsValues() throws {
        let container = try Node.container()
        let (context, node) = try saved(container)
        context.automaticallyMergesChangesFromParent = false
        let network = try Network.container()
        _ = network
        try elsewhere(container, node) {
            $0.title = "theirs"
            $0.x = 9
        }
        var request = FetchRequest<Node>()
        #expect(try context.fetch(request) == [node] && node.title == "first" && node.x == 1)
        node.level = 6
        try context.save()
        #expect(node.title == "theirs" && node.x == 9 && node.level == 6, "a save takes in what others saved of the same object")
        try elsewhere(container, node) { $0.title = "again" }
        _ = try context.fetch(request)
        node.title = "mine"
        guard case .conflict(let conflicts)? = thrown({ try context.save() }), conflicts.count == 1,
            case .changed(let properties) = conflicts[0].kind
        else {
            Issue.record("an edit made on old values was saved over a newer one")
            return
        }
        #expect(properties.map(\.key) == ["title"] && properties[0].base == "theirs" && properties[0].here == "mine")
        #expect(properties[0].stored == "again" && conflicts[0].objectID == node.objectID)
        context.refresh(node, mergeChanges: true)
        try context.save()
        try elsewhere(container, node) { $0.title = "last" }
        request.shouldRefreshRefetchedObjects = true
        _ = try context.fetch(request)
        #expect(node.title == "last")
    }

    @Test("S71 packed columns of a class without fields keep their realised values too, and faults read the new ones")
    func keepsPacked() throws {
        let container = try Network.container()
        let context = container.newContext()
        context.automaticallyMergesChangesFromParent = false
        let (read, fault) = (Joint(context: context), Joint(context: context))
        try context.save()
        context.refresh(fault, mergeChanges: false)
        _ = read.name
        let other = container.newContext()
        let unheard = context.onDidChange { _ in }
        other.translate([read.objectID, fault.objectID], by: [1, 2, 3])
        try other.save()
        var moved: [ObjectID] = []
        let token = context.onDidChange { moved += $0.moved }
        defer { [unheard, token].forEach { $0.cancel() } }
        _ = try context.fetchIDs(FetchRequest<Joint>())
        #expect(read.position == [0, 0, 0] && fault.position == [1, 2, 3] && fault.isFault)
        #expect(Set(moved) == [read.objectID, fault.objectID], "rows whose packed values changed are listed, faults included")
        read.x = 5
        guard case .conflict? = thrown({ try context.save() }) else {
            Issue.record("an edit made on old packed values was saved over newer ones")
            return
        }
        read.x = 0
        read.name = "fine"
        try context.save()
        #expect(read.position == [1, 2, 3])
    }

    @Test("S119 a snapshot advances as a whole, and a pinned one only at save")
    func pinned() throws {
        let container = try Node.container()
        let (first, node) = try saved(container)
        let context = container.newContext()
        context.isPinned = true
        let twin = try #require(try context.existingObject(with: node.objectID) as? Node)
        node.title = "second"
        let late = Node(context: first)
        try first.save()
        #expect(try context.count(for: FetchRequest<Node>()) == 1)
        context.refresh(twin, mergeChanges: false)
        #expect(twin.title == "first", "a pinned context's refresh reads the pinned commit again")
        context.refreshAllObjects()
        #expect(twin.title == "first")
        twin.level = 8
        try context.save()
        #expect(try context.count(for: FetchRequest<Node>()) == 2)
        #expect(twin.title == "second" && twin.level == 8)
        _ = late
    }

    @Test("S73 S119 an object that another context deleted keeps its values, says it is deleted, and no fetch returns it")
    func deletedElsewhere() throws {
        let container = try Node.container()
        let (context, node) = try saved(container)
        let fault = Node(context: context)
        fault.title = "fault"
        try context.save()
        context.refresh(fault, mergeChanges: false)
        let other = container.newContext()
        for object in [node, fault] { other.delete(other.object(with: object.objectID)) }
        try other.save()
        #expect(try context.fetch(FetchRequest<Node>()).isEmpty)
        for (object, title) in [(node, "first"), (fault, "fault")] {
            #expect(object.isDeleted && object.title == title && object.managedObjectContext === context)
        }
        #expect(node.x == 1)
        #expect(!context.hasChanges)
        node.title = "resurrected"
        guard case .conflict(let conflicts)? = thrown({ try context.save() }), conflicts.first?.kind == .deletedElsewhere else {
            Issue.record("a deleted object was written again")
            return
        }
        context.rollback()
        try context.save()
        #expect(try container.newContext().count(for: FetchRequest<Node>()) == 0)
    }

    @Test("S75 only a property changed on both sides to different values conflicts; the error names it with all three values")
    func conflicts() throws {
        let container = try Node.container()
        let (context, node) = try saved(container)
        node.title = "mine"
        node.x = 5
        node.level = 3
        node.load = 4
        try elsewhere(container, node) {
            $0.title = "theirs"
            $0.x = 6
            $0.level = 3
            $0.weight = 1
        }
        guard case .conflict(let conflicts)? = thrown({ try context.save() }), conflicts.count == 1,
            case .changed(let properties) = conflicts[0].kind
        else {
            Issue.record("no conflict")
            return
        }
        #expect(Set(properties.map(\.key)) == ["title", "x"])
        let x = try #require(properties.first { $0.key == "x" })
        #expect(x.base == 1.0 && x.here == 5.0 && x.stored == 6.0)
        #expect(node.title == "mine" && node.x == 5 && context.updatedObjects == [node])
        context.refresh(node, mergeChanges: true)
        try context.save()
        #expect(node.title == "mine" && node.x == 5 && node.weight == 1 && node.load == 4)
    }

    @Test("S75 deleting what another context changed, and changing what it deleted, conflict")
    func deletionConflicts() throws {
        let container = try Node.container()
        let (context, node) = try saved(container)
        let second = Node(context: context)
        try context.save()
        context.delete(node)
        second.title = "mine"
        try elsewhere(container, node) { $0.x = 8 }
        let other = container.newContext()
        other.delete(other.object(with: second.objectID))
        try other.save()
        guard case .conflict(let conflicts)? = thrown({ try context.save() }) else {
            Issue.record("no conflict")
            return
        }
        #expect(conflicts.map(\.kind) == [.changedElsewhere, .deletedElsewhere])
        #expect(conflicts.map(\.objectID) == [node.objectID, second.objectID])
        context.rollback()
        context.refresh(node, mergeChanges: true)
        context.delete(node)
        try context.save()
    }

    // What another commit had done to the object was deleted in silence. Met by undoing the insertion of an object that was saved and refreshed.
    @Test("S75 an insertion that is undone as a fault conflicts with what another context did to the object since")
    func undoneInsertion() throws {
        let container = try Node.container()
        let context = container.newContext()
        context.undoManager = ObjectUndoManager()
        let node = Node(context: context)
        node.title = "first"
        try context.save()
        context.automaticallyMergesChangesFromParent = false
        context.refresh(node, mergeChanges: false)
        context.undo()
        #expect(node.isDeleted)
        try elsewhere(container, node) { $0.title = "theirs" }
        _ = try context.count(for: FetchRequest<Node>())
        guard case .conflict(let conflicts)? = thrown({ try context.save() }) else {
            Issue.record("no conflict")
            return
        }
        #expect(conflicts.map(\.kind) == [.changedElsewhere])
    }

    @Test("S78 two contexts that change different objects, or different properties of one, do not conflict")
    func noConflict() throws {
        let container = try Node.container()
        let (context, node) = try saved(container)
        let second = Node(context: context)
        try context.save()
        node.title = "mine"
        try elsewhere(container, second) { $0.title = "theirs" }
        try elsewhere(container, node) { $0.y = 1 }
        try context.save()
        #expect(node.y == 1 && second.title == "theirs" && node.title == "mine")
    }

    @Test("S75 members added and removed on both sides of a many-to-many are merged; two new orders conflict")
    func memberMerges() throws {
        let container = try GraphSchema.container(.inMemory)
        let context = container.newContext()
        let tag = try context.insertObject(entity: "Tag")
        let joints = try (0..<6).map { _ in try context.insertObject(entity: "Joint") }
        for joint in joints.prefix(3) {
            tag.toMany("joints").insert(joint)
            tag.orderedToMany("ranking").append(joint)
            joints[0].toMany("friends").insert(joint)
        }
        try context.save()
        let other = container.newContext()
        other.automaticallyMergesChangesFromParent = false
        func there(_ object: ManagedObject) -> ManagedObject { other.object(with: object.objectID) }
        func members(_ object: ManagedObject, _ name: String) -> [ObjectID] { object.toMany(name, as: ManagedObject.self).ids }
        // There: 3 is added, 0 removed. Here: 4 is added, 1 removed.
        for name in ["joints", "ranking"] { _ = members(there(tag), name) }
        there(tag).toMany("joints").insert(there(joints[3]))
        there(tag).toMany("joints").remove(there(joints[0]))
        there(tag).orderedToMany("ranking").append(there(joints[3]))
        there(joints[0]).toMany("friends").insert(there(joints[3]))
        tag.toMany("joints").insert(joints[4])
        tag.toMany("joints").remove(joints[1])
        tag.orderedToMany("ranking").append(joints[4])
        joints[0].toMany("friends").remove(joints[1])
        try context.save()
        try other.save()
        let third = container.newContext()
        #expect(members(third.object(with: tag.objectID), "joints") == [2, 3, 4].map { joints[$0].objectID })
        #expect(Set(members(third.object(with: tag.objectID), "ranking")) == Set([0, 1, 2, 3, 4].map { joints[$0].objectID }))
        #expect(members(third.object(with: joints[0].objectID), "friends") == [0, 2, 3].map { joints[$0].objectID })
        #expect(members(third.object(with: joints[1].objectID), "friends").isEmpty)
        other.refreshAllObjects()
        there(tag).orderedToMany("ranking", as: ManagedObject.self).move(from: 0, to: 2)
        _ = try context.fetchIDs(FetchRequest<ManagedObject>(entity: "Tag"))
        #expect(members(tag, "joints") == [2, 3, 4].map { joints[$0].objectID })
        tag.orderedToMany("ranking", as: ManagedObject.self).move(from: 1, to: 0)
        try other.save()
        guard case .conflict(let conflicts)? = thrown({ try context.save() }), case .changed(let found)? = conflicts.first?.kind else {
            Issue.record("two orders were merged in silence")
            return
        }
        #expect(found.map(\.key) == ["ranking"])
    }

    @Test("S120 a deletion of what another context began to refer to, and a reference to what it deleted, conflict and name both")
    func referrers() throws {
        let container = try Network.container()
        let context = container.newContext()
        let (a, b, line) = (Joint(context: context), Joint(context: context), Line(context: context))
        try context.save()
        let other = container.newContext()
        let twin = try #require(other.object(with: line.objectID) as? Line)
        twin.start = other.object(with: a.objectID) as? Joint
        try other.save()
        context.delete(a)
        guard case .conflict(let found)? = thrown({ try context.save() }) else {
            Issue.record("no conflict")
            return
        }
        #expect(found.map(\.kind) == [.newReferrer(referrer: line.objectID, key: "start")] && found[0].objectID == a.objectID)
        context.rollback()
        context.refreshAllObjects()
        other.delete(other.object(with: b.objectID))
        line.end = b
        try other.save()
        guard case .conflict(let second)? = thrown({ try context.save() }) else {
            Issue.record("no conflict")
            return
        }
        #expect(second.contains { $0.kind == .targetGone(target: b.objectID, key: "end") && $0.objectID == line.objectID })
    }

    @Test("a bulk edit by id conflicts with another context's move of the same rows, and merges with one of others")
    func bulkConflicts() throws {
        let container = try Network.container()
        let context = container.newContext()
        let ids = (0..<4).map { _ in Joint(context: context).objectID }
        try context.save()
        let (one, two) = (container.newContext(), container.newContext())
        one.translate([ids[0], ids[1]], by: [1, 0, 0])
        two.translate([ids[2]], by: [2, 0, 0])
        #expect(one.hasChanges && two.hasChanges)
        try one.save()
        try two.save()
        #expect(try container.newContext().column("Joint", "x") == [1, 1, 2, 0])
        one.translate([ids[0]], by: [5, 0, 0])
        _ = try two.fetchIDs(FetchRequest<Joint>())
        two.translate([ids[0], ids[3]], by: [7, 0, 0])
        try two.save()
        guard case .conflict(let conflicts)? = thrown({ try one.save() }) else {
            Issue.record("an unsaved bulk edit overwrote another context's")
            return
        }
        #expect(conflicts.map(\.objectID) == [ids[0]])
        one.rollback()
        #expect(!one.hasChanges)
        _ = try one.fetchIDs(FetchRequest<Joint>())
        #expect(try one.column("Joint", "x") == [8, 1, 2, 7])
    }
}
