import Graben
import GrabenFixtures
import Testing

@Suite("Notifications of a context")
struct NotificationTests {
    @Test("S111 a token that is cancelled or released ends its handler, and none keeps its context alive")
    func tokens() throws {
        weak var gone: ManagedObjectContext?
        var counts = [0, 0, 0]
        var last: NotificationToken?
        do {
            let context = try Network.container().newContext()
            gone = context
            let kept = context.onDidChange { _ in counts[0] += 1 }
            var released: NotificationToken? = context.onDidChange { _ in counts[1] += 1 }
            let cancelled = context.onDidChange { _ in counts[2] += 1 }
            let joint = Joint(context: context)
            context.processPendingChanges()
            released = nil
            _ = released
            cancelled.cancel()
            cancelled.cancel()
            joint.x = 1
            context.processPendingChanges()
            #expect(counts == [2, 1, 1])
            last = kept
        }
        #expect(gone == nil)
        last?.cancel()
    }

    @Test("a handler that cancels another one keeps it from being called; one that adds another does not call it for the same event")
    func changingHandlers() throws {
        let context = try Network.container().newContext()
        var calls: [String] = []
        var second: NotificationToken?
        var third: NotificationToken?
        let first = context.onDidChange { _ in
            calls.append("first")
            second?.cancel()
            if third == nil { third = context.onDidChange { _ in calls.append("third") } }
        }
        second = context.onDidChange { _ in calls.append("second") }
        let joint = Joint(context: context)
        context.processPendingChanges()
        #expect(calls == ["first"])
        joint.x = 1
        context.processPendingChanges()
        #expect(calls == ["first", "first", "third"])
        first.cancel()
        third?.cancel()
    }

    // Handlers were called inside one another: the second one heard of the first one's change before the change that caused it.
    @Test("every handler hears of everything in the order in which it happened, whatever handlers do")
    func order() throws {
        let context = try Network.container().newContext()
        let joint = Joint(context: context)
        try context.save()
        var heard: [[String]] = [[], []]
        var depth = 0
        func hear(_ place: Int, _ text: String) {
            #expect(depth == 0, "called inside another handler")
            heard[place].append(text)
        }
        func say(_ change: ContextChanges) -> String { change.updated.isEmpty ? "inserted \(change.inserted.count)" : "updated" }
        let tokens = [
            context.onDidChange { change in
                hear(0, say(change))
                guard !change.updated.isEmpty else { return }
                depth += 1
                _ = Joint(context: context)
                try? context.save()
                depth -= 1
            },
            context.onDidChange { hear(1, say($0)) },
            context.onDidSave { save in
                hear(0, "saved \(save.inserted.count)")
                hear(1, "saved \(save.inserted.count)")
            },
        ]
        joint.name = "a"
        context.processPendingChanges()
        #expect(heard[0] == ["updated", "inserted 1", "saved 1"] && heard[1] == heard[0])
        tokens.forEach { $0.cancel() }
    }

    @Test("handlers that answer each notification with another change are stopped, and the error says so")
    func endless() throws {
        let context = try Network.container().newContext()
        var errors: [GrabenError] = []
        context.errorHandler = { errors.append($0) }
        let joint = Joint(context: context)
        context.processPendingChanges()
        var calls = 0
        let token = context.onDidChange { _ in
            calls += 1
            joint.x += 1
            context.processPendingChanges()
        }
        joint.x = 1
        context.processPendingChanges()
        #expect(calls == 1000 && joint.x == Double(calls + 1))
        guard case .endlessNotifications? = errors.first, errors.count == 1 else {
            Issue.record("reported \(errors)")
            return
        }
        token.cancel()
        try context.save()
    }

    @Test("a handler of the coming save changes what is saved, hears what that is, and cannot save")
    func willSave() throws {
        let container = try Network.container()
        let context = container.newContext()
        let (joint, gone) = (Joint(context: context), Joint(context: context))
        try context.save()
        var heard: [ContextSave] = []
        var nested: GrabenError?
        let token = context.onWillSave { save in
            heard.append(save)
            joint.name = "stamped"
            nested = thrown { try context.save() }
        }
        try context.save()
        #expect(heard.isEmpty, "there was nothing to save")
        joint.x = 1
        context.delete(gone)
        let new = Joint(context: context)
        try context.save()
        let save = try #require(heard.first)
        #expect(heard.count == 1 && save.inserted == [new.objectID] && save.updated == [joint.objectID] && save.deleted == [gone.objectID])
        guard case .nestedSave? = nested else {
            Issue.record("a save inside was \(String(describing: nested))")
            return
        }
        token.cancel()
        #expect(try container.newContext().fetch(Joint.fetchRequest(where: "name == 'stamped'")).map(\.x) == [1])
    }

    @Test("a save that fails tells of its coming and not of its end")
    func failing() throws {
        let context = try Registered.container().newContext()
        var calls: [String] = []
        let tokens = [context.onWillSave { _ in calls.append("will") }, context.onDidSave { _ in calls.append("did") }]
        try context.make("Part", ["code": .string("a")])
        try context.make("Part", ["code": .string("a")])
        #expect(conflicts { try context.save() } != nil)
        #expect(calls == ["will"])
        tokens.forEach { $0.cancel() }
    }

    // MARK: Sequences

    @Test("sequences of changes and saves give each notification in order, and end with the context")
    func sequences() async throws {
        let container = try Network.container()
        let (changes, saves, ids) = try {
            let context = container.newContext()
            let sequences = (context.changes, context.saves)
            var ids: [ObjectID] = []
            for _ in 0..<3 {
                ids.append(Joint(context: context).objectID)
                try context.save()
            }
            return (sequences.0, sequences.1, ids)
        }()
        var inserted: [ObjectID] = []
        for await change in changes { inserted += change.inserted }
        var saved: [ObjectID] = []
        for await save in saves { saved += save.inserted }
        #expect(inserted == ids && saved == ids)
    }

    @Test("a reader of a sequence waits for the next notification, and stops waiting when its task is cancelled")
    func waiting() async throws {
        let background = try Network.container().newBackgroundContext()
        let changes = background.performAndWait { $0.changes }
        let reader = Task {
            var count = 0
            for await change in changes {
                count += change.inserted.count
                if count >= 5 { break }
            }
            return count
        }
        for _ in 0..<5 { await background.perform { _ = Joint(context: $0) } }
        #expect(await reader.value == 5)
        let waiting = Task {
            for await _ in changes { return false }
            return true
        }
        await Task.yield()
        waiting.cancel()
        #expect(await waiting.value)
    }

    @Test(
        "a slow reader gets what it missed joined: applied to what it knew, it yields what there is",
        arguments: 1...8 as ClosedRange<UInt64>)
    func joined(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let (changes, known, moved) = try {
            let context = try Network.container().newContext()
            context.undoManager = ObjectUndoManager()
            let changes = context.changes
            var touched: Set<ObjectID> = []
            var joints: [Joint] = []
            let token = context.onDidChange { touched.formUnion($0.updated + $0.moved) }
            for _ in 0..<200 {
                joints.removeAll { $0.isDeleted || $0.managedObjectContext == nil }
                switch random.next() % 6 {
                case 0, 1: joints.append(Joint(context: context))
                case 2: if let joint = joints.randomElement(using: &random) { context.delete(joint) }
                case 3: if let joint = joints.randomElement(using: &random) { joint.x += 1 }
                case 4: context.undo()
                default: context.redo()
                }
                context.processPendingChanges()
            }
            token.cancel()
            let all = Set(try context.fetchIDs(Joint.fetchRequest()))
            return (changes, all, touched)
        }()
        var found: Set<ObjectID> = []
        var told: Set<ObjectID> = []
        var count = 0
        for await change in changes {
            count += 1
            let before = found
            for id in change.inserted { #expect(found.insert(id).inserted, "inserted twice") }
            for id in change.deleted { #expect(found.remove(id) != nil, "deleted and never inserted") }
            #expect(Set(change.inserted).isDisjoint(with: change.deleted))
            for id in change.updated { #expect(before.contains(id), "updated and not there") }
            told.formUnion(change.updated + change.moved + change.inserted)
        }
        #expect(found == known && count <= 17)
        #expect(moved.intersection(known).isSubset(of: told))
    }
}
