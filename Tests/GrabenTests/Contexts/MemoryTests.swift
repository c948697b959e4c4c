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
