import Graben
import GrabenFixtures
import Testing

@Suite("Undo managers: shared, observed, bounded")
struct SharedUndoTests {
    private func contexts(_ container: PersistentContainer, _ count: Int) -> (ObjectUndoManager, [ManagedObjectContext]) {
        let undo = ObjectUndoManager()
        let contexts = (0..<count).map { _ in container.newContext() }
        for context in contexts { context.undoManager = undo }
        return (undo, contexts)
    }

    @Test("contexts that share a manager are undone in the order of their events; a group holds what any of them did")
    func shared() throws {
        let (undo, contexts) = contexts(try Network.container(), 2)
        let joints = contexts.map { Joint(context: $0) }
        contexts.forEach { $0.processPendingChanges() }
        undo.removeAllActions()
        joints[0].x = 1
        contexts[0].processPendingChanges()
        joints[1].x = 2
        contexts[1].processPendingChanges()
        undo.beginUndoGrouping()
        joints[0].x = 3
        joints[1].x = 4
        undo.endUndoGrouping()
        #expect(undo.undoDepth == 3)
        undo.undo()
        #expect(joints.map(\.x) == [1, 2])
        undo.undo()
        #expect(joints.map(\.x) == [1, 0])
        undo.undo()
        #expect(joints.map(\.x) == [0, 0])
        for _ in 0..<3 { undo.redo() }
        #expect(joints.map(\.x) == [3, 4] && !undo.canRedo)
    }

    @Test("a context that leaves a shared manager, or ends, takes its steps along and leaves the others'")
    func leaving() throws {
        let container = try Network.container()
        let (undo, contexts) = contexts(container, 2)
        let joint = Joint(context: contexts[0])
        contexts[0].processPendingChanges()
        var other: ManagedObjectContext? = container.newContext()
        other?.undoManager = undo
        _ = other.map { Joint(context: $0) }
        other?.processPendingChanges()
        _ = Joint(context: contexts[1])
        contexts[1].processPendingChanges()
        #expect(undo.undoDepth == 3)
        contexts[1].undoManager = nil
        #expect(undo.undoDepth == 2)
        weak let gone = other
        other = nil
        #expect(gone == nil && undo.undoDepth == 1)
        undo.undo()
        #expect(joint.managedObjectContext == nil && !undo.canUndo)
    }

    @Test("an undo of one context's change after another one's save of the same property is in conflict, and merged where they differ")
    func conflict() throws {
        let (_, contexts) = contexts(try Network.container(), 2)
        for context in contexts { context.automaticallyMergesChangesFromParent = false }
        let joint = Joint(context: contexts[0])
        joint.name = "a"
        try contexts[0].save()
        joint.name = "b"
        try contexts[0].save()
        let twin = try #require(try contexts[1].existingObject(with: joint.objectID) as? Joint)
        contexts[1].withoutUndo { twin.x = 7 }
        try contexts[1].save()
        contexts[0].undo()
        #expect(joint.name == "a")
        try contexts[0].save()
        contexts[1].refresh(twin, mergeChanges: false)
        #expect(twin.name == "a" && twin.x == 7)
        contexts[0].redo()
        contexts[1].withoutUndo { twin.name = "c" }
        try contexts[1].save()
        #expect(conflicts { try contexts[0].save() }?.count == 1)
    }

    @Test("what a manager tells surrounds what it does: groups, events, undo and redo, with names and levels")
    func notifications() throws {
        let (undo, contexts) = contexts(try Network.container(), 1)
        let joint = Joint(context: contexts[0])
        contexts[0].processPendingChanges()
        var heard: [UndoNotification] = []
        let token = undo.onNotification { heard.append($0) }
        func take() -> [UndoNotification] {
            defer { heard = [] }
            return heard
        }
        joint.x = 1
        contexts[0].processPendingChanges()
        #expect(take() == [.didOpenGroup(level: 1), .willCloseGroup(level: 1), .didCloseGroup(level: 1)])
        undo.beginUndoGrouping()
        undo.beginUndoGrouping()
        joint.x = 2
        undo.setActionName("Move")
        undo.endUndoGrouping()
        undo.setActionName("All")
        undo.endUndoGrouping()
        #expect(
            take() == [
                .checkpoint, .didOpenGroup(level: 1), .checkpoint, .didOpenGroup(level: 2), .checkpoint, .willCloseGroup(level: 2),
                .didCloseGroup(level: 2), .checkpoint, .willCloseGroup(level: 1), .didCloseGroup(level: 1),
            ])
        undo.undo()
        #expect(take() == [.checkpoint, .willUndo(name: "All"), .didUndo(name: "All")])
        undo.redo()
        #expect(take() == [.checkpoint, .willRedo(name: "All"), .didRedo(name: "All")])
        undo.redo()
        #expect(take() == [.checkpoint])
        token.cancel()
        undo.undo()
        #expect(heard.isEmpty && joint.x == 1)
    }

    @Test("an undo inside an undo is refused and reported, wherever it is asked for; at its end it is not")
    func nested() throws {
        let (undo, contexts) = contexts(try Network.container(), 1)
        var errors: [GrabenError] = []
        var reported = 0
        undo.errorHandler = { errors.append($0) }
        contexts[0].errorHandler = { _ in reported += 1 }
        let joint = Joint(context: contexts[0])
        try contexts[0].save()
        undo.removeAllActions()
        for x in 1...4 {
            joint.x = Double(x)
            contexts[0].processPendingChanges()
        }
        try joint.observe("x") { _ in
            undo.undo()
            contexts[0].redo()
        }
        var ends = 0
        let token = undo.onNotification {
            switch $0 {
            case .willUndo: undo.undo()
            case .didUndo:
                ends += 1
                if ends == 1 { undo.undo() }
            default: break
            }
        }
        undo.undo()
        token.cancel()
        #expect(joint.x == 2 && undo.undoDepth == 2 && undo.redoDepth == 2)
        #expect(errors.count == 6 && reported == 6)
        let texts = errors.map(\.description)
        #expect(texts.contains { $0.hasPrefix("undoing:") } && texts.contains { $0.hasPrefix("redoing:") })
    }

    @Test("what a handler changes before or during an undo goes into the step that does it again, and comes back with it")
    func changesInside() throws {
        let (undo, contexts) = contexts(try Network.container(), 2)
        let joints = contexts.map { Joint(context: $0) }
        contexts.forEach { $0.processPendingChanges() }
        undo.removeAllActions()
        joints[0].x = 1
        contexts[0].processPendingChanges()
        let token = undo.onNotification {
            guard case .willUndo = $0 else { return }
            joints[1].y += 1
            contexts[1].processPendingChanges()
        }
        undo.undo()
        token.cancel()
        #expect(joints[0].x == 0 && joints[1].y == 1 && undo.undoDepth == 0 && undo.redoDepth == 1)
        undo.redo()
        #expect(joints[0].x == 1 && joints[1].y == 0 && undo.undoDepth == 1)
    }

    // A redo with a group open threw that group away with everything in it.
    @Test("a redo while a group is open closes it first, and what was in it takes the place of what could be done again")
    func openGroup() throws {
        let (undo, contexts) = contexts(try Network.container(), 1)
        let joint = Joint(context: contexts[0])
        try contexts[0].save()
        undo.removeAllActions()
        joint.x = 1
        contexts[0].undo()
        undo.beginUndoGrouping()
        joint.y = 2
        contexts[0].redo()
        #expect(joint.x == 0 && joint.y == 2 && undo.groupingLevel == 0 && undo.undoDepth == 1 && !undo.canRedo)
        contexts[0].undo()
        #expect(joint.y == 0)
    }

    // The option was there and changed nothing.
    @Test("without grouping by event, what happens outside of groups is one step up to the next group, undo or redo")
    func manualGroups() throws {
        let (undo, contexts) = contexts(try Network.container(), 1)
        let joint = Joint(context: contexts[0])
        try contexts[0].save()
        undo.removeAllActions()
        undo.groupsByEvent = false
        for x in 1...3 {
            joint.x = Double(x)
            contexts[0].processPendingChanges()
        }
        undo.beginUndoGrouping()
        joint.x = 4
        undo.endUndoGrouping()
        for x in 5...6 {
            joint.x = Double(x)
            contexts[0].processPendingChanges()
        }
        #expect(undo.undoDepth == 3)
        for x in [4.0, 3, 0] {
            undo.undo()
            #expect(joint.x == x)
        }
    }

    // Each event of a group kept old values of its own: a drag of two hundred steps kept two hundred for each joint.
    @Test("B10 a drag of many events in a group keeps one old value for each coordinate and property, also when it is undone and redone")
    func drag() throws {
        let (undo, contexts) = contexts(try Network.container(), 1)
        let context = contexts[0]
        let joints = (0..<500).map { index in
            let joint = Joint(context: context)
            joint.position = [Double(index), 0, 0]
            return joint
        }
        try context.save()
        undo.removeAllActions()
        undo.beginUndoGrouping()
        for step in 0..<50 {
            context.translate(joints, by: [1, 2, 3])
            joints[step % 7].name = "step \(step)"
            context.processPendingChanges()
        }
        #expect(undo.keptValueCount == 500 * 3 + 7)
        undo.endUndoGrouping()
        #expect(undo.keptValueCount == 500 * 3 + 7 && undo.undoDepth == 1)
        context.undo()
        #expect(joints.enumerated().allSatisfy { $0.element.position == [Double($0.offset), 0, 0] && $0.element.name == nil })
        context.redo()
        #expect(joints.enumerated().allSatisfy { $0.element.position == [Double($0.offset) + 50, 100, 150] })
        #expect(joints[0].name == "step 49" && undo.keptValueCount == 500 * 3 + 7)
    }

    /// What can be seen of a drawing.
    private func state(_ joints: [Joint], _ lines: [Line]) -> [String] {
        joints.map { "\($0.position) \($0.name ?? "-") \($0.outgoing.ids.count) \($0.isDeleted || $0.managedObjectContext == nil)" }
            + lines.map { "\($0.start?.objectID.uriRepresentation ?? "-")" }
    }

    @Test("a group of any events is undone as a whole and done again as a whole", arguments: 1...12 as ClosedRange<UInt64>)
    func randomGroups(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let (undo, contexts) = contexts(try Network.container(), 1)
        let context = contexts[0]
        var joints = (0..<6).map { _ in Joint(context: context) }
        let lines = (0..<6).map { _ in Line(context: context) }
        try context.save()
        undo.removeAllActions()
        for _ in 0..<15 {
            let before = state(joints, lines)
            let known = joints.count
            undo.beginUndoGrouping()
            for _ in 0..<12 {
                let live = joints.filter { $0.managedObjectContext != nil && !$0.isDeleted }
                let joint = live.randomElement(using: &random)
                switch random.next() % 8 {
                case 0: context.translate(live.filter { _ in random.next() % 2 == 0 }, by: [1, 0, 2])
                case 1: joint?.y += 1
                case 2: joint?.name = "\(random.next() % 9)"
                case 3, 4: lines.filter { !$0.isDeleted }.randomElement(using: &random)?.start = joint
                case 5: context.withoutUndo { joint?.name = joint?.name }
                case 6: joints.append(Joint(context: context))
                default: if live.count > 4, let joint, joint.outgoing.isEmpty { context.delete(joint) }
                }
                context.processPendingChanges()
            }
            undo.endUndoGrouping()
            let after = state(joints, lines)
            guard undo.undoDepth > 0 else { continue }
            for _ in 0..<2 {
                context.undo()
                #expect(Array(state(joints, lines).prefix(known)) == Array(before.prefix(known)))
                #expect(state(joints, lines).suffix(lines.count) == before.suffix(lines.count))
                context.redo()
                #expect(state(joints, lines) == after)
            }
            undo.removeAllActions()
        }
    }
}
