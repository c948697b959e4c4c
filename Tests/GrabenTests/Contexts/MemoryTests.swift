import Foundation
import Graben
import GrabenFixtures
import Observation
import Testing

@Suite("Memory")
struct MemoryTests {
    #if DEBUG
        /// A debug build takes its time; the bound is the same.
        private static let count = 40_000
    #else
        private static let count = 1_000_000
    #endif

    #if os(Linux)
        /// Anonymous memory of this process in bytes: what it has allocated, files that are mapped not counted.
        private static func anonymousMemory() throws -> Int {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
            return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) }) * 1024
        }

        @Test("a loop that reads every object, a million of them, by id or in pages, takes at most 32 MB above the open store")
        func reading() async throws {
            let folder = try TemporaryFolder()
            let path = folder.path("large.graben")
            let count = Self.count
            do {
                let container = try Network.container(.file(path))
                let context = container.newContext()
                for first in stride(from: 0, to: count, by: 50_000) {
                    for index in first..<min(first + 50_000, count) {
                        let joint = Joint(context: context)
                        joint.name = "joint number \(index)"
                        joint.x = Double(index)
                    }
                    try context.save()
                    context.reset()
                }
                try container.close()
            }
            // In a process of its own: what others allocated and gave back would hide what this takes.
            await #expect(processExitsWith: .success) { [path = path as String, count = count as Int] in
                let container = try Network.container(.file(path))
                let context = container.newContext()
                let first = try #require(try context.fetch(Joint.fetchRequest(where: "x == 0")).first)
                #expect(first.name == "joint number 0")
                let before = try MemoryTests.anonymousMemory()
                var (peak, sum, length) = (0, 0.0, 0)
                for (place, id) in try context.fetchIDs(Joint.fetchRequest()).enumerated() {
                    guard let joint = context.object(with: id) as? Joint else { continue }
                    sum += joint.x
                    length += joint.name?.utf8.count ?? 0
                    if place % 4096 == 0 { peak = max(peak, try MemoryTests.anonymousMemory()) }
                }
                #expect(sum == Double(count) * Double(count - 1) / 2 && length > count * 12)
                #expect(context.statistics.firedFaults >= count - 1)
                #expect(peak - before <= 32 << 20, "\((peak - before) >> 20) MB")
                // The same in pages of a fetch.
                for offset in stride(from: 0, to: min(count, 100_000), by: 10_000) {
                    var request = Joint.fetchRequest()
                    (request.fetchOffset, request.fetchLimit) = (offset, 10_000)
                    for joint in try context.fetch(request) { length += joint.name?.utf8.count ?? 0 }
                    peak = max(peak, try MemoryTests.anonymousMemory())
                }
                #expect(peak - before <= 32 << 20, "\((peak - before) >> 20) MB with pages")
            }
        }

        // A child that was refreshed while it had changed a chunk kept, with what that one had been copied from, every chunk it had ever been lent: 24 KB for each
        // chunk and refresh.
        @Test("a child that is refreshed again and again keeps nothing of what its parent lent it before")
        func refreshing() async {
            await #expect(processExitsWith: .success) {
                let root = try Network.container().newContext()
                let ids = (0..<8192).map { _ in Joint(context: root).objectID }
                let child = ManagedObjectContext(parent: root)
                let joints = stride(from: 0, to: ids.count, by: 1024).compactMap { child.object(with: ids[$0]) as? Joint }
                joints[0].x = 7
                func refresh() {
                    for round in 0..<40 {
                        child.refreshAllObjects()
                        joints[1].x = Double(round)
                        #expect(joints.map(\.x).reduce(0, +) == 7 + Double(round))
                    }
                }
                refresh()
                let before = try MemoryTests.anonymousMemory()
                for _ in 0..<3 { refresh() }
                let growth = try MemoryTests.anonymousMemory() - before
                #expect(growth < 4 << 20, "\(growth >> 10) KB")
            }
        }

        @Test("levelsOfUndo bounds the memory of a long life: what is beyond it is freed, values and objects")
        func undoing() async {
            await #expect(processExitsWith: .success) {
                let context = try Network.container().newContext()
                let undo = ObjectUndoManager()
                context.undoManager = undo
                undo.levelsOfUndo = 8
                let joints = (0..<4096).map { _ in Joint(context: context) }
                try context.save()
                func live(_ rounds: Int) throws {
                    for round in 0..<rounds {
                        context.translate(joints, by: [1, 2, 3])
                        context.processPendingChanges()
                        let new = (0..<10).map { _ in Joint(context: context) }
                        for joint in new { joint.name = "joint \(round) with a name that has memory of its own" }
                        context.processPendingChanges()
                        new.forEach(context.delete)
                        context.processPendingChanges()
                        guard round % 10 == 0 else { continue }
                        for _ in 0..<3 { context.undo() }
                        for _ in 0..<2 { context.redo() }
                        try context.save()
                    }
                }
                try live(20)
                weak var old: Joint?
                do {
                    let joint = Joint(context: context)
                    context.processPendingChanges()
                    context.delete(joint)
                    context.processPendingChanges()
                    old = joint
                }
                #expect(old != nil)
                let (before, values) = (try MemoryTests.anonymousMemory(), undo.keptValueCount)
                try live(60)
                #expect(undo.undoDepth + undo.redoDepth <= 8 && undo.keptValueCount <= values + 4096 * 3)
                #expect(old == nil)
                let growth = try MemoryTests.anonymousMemory() - before
                #expect(growth < 3 << 20, "\(growth >> 10) KB")
            }
        }
    #endif

    @Test("a context that is dropped is freed with all it had, whatever was set up in it, and so is the container")
    func dropped() throws {
        weak var root: ManagedObjectContext?
        weak var child: ManagedObjectContext?
        weak var coordinator: PersistentStoreCoordinator?
        weak var undo: ObjectUndoManager?
        weak var joint: Joint?
        weak var line: Line?
        do {
            let container = try Network.container()
            coordinator = container.coordinator
            let context = container.newContext()
            context.undoManager = ObjectUndoManager()
            context.usesObservation = true
            (root, undo) = (context, context.undoManager)
            let (a, b) = (Joint(context: context), Line(context: context))
            (joint, line) = (a, b)
            b.start = a
            try a.observe("name") { [unowned a] _ in a.x += 1 }
            try b.observe("start.name") { _ in }
            let tokens = [context.onDidChange { _ in }, context.onWillSave { _ in }, context.onDidSave { _ in }]
            let sequence = context.changes
            a.name = "a"
            try context.save()
            context.undo()
            context.redo()
            withObservationTracking {
                _ = (a.name, a.x, a.outgoing.count, a.neighbours.count)
            } onChange: {
            }
            try context.prefetch("outgoing.start", of: [a])
            let inner = ManagedObjectContext(parent: context)
            inner.undoManager = context.undoManager
            child = inner
            (try inner.existingObject(with: a.objectID) as? Joint)?.name = "inner"
            try inner.save()
            context.delete(b)
            context.detectConflicts(for: a)
            context.processPendingChanges()
            _ = (tokens, sequence)
        }
        #expect(root == nil && child == nil && undo == nil && coordinator == nil && joint == nil && line == nil)
    }

    @Test("objects that outlive their context keep their values, and nothing else keeps the context")
    func kept() throws {
        weak var context: ManagedObjectContext?
        var joint: Joint?
        do {
            let made = try Network.container().newContext()
            context = made
            joint = Joint(context: made)
            joint?.x = 5
            try made.save()
        }
        #expect(context == nil && joint?.x == 5 && joint?.managedObjectContext == nil)
    }
}
