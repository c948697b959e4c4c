import GrabenFixtures
import StoreCrashing
import Synchronization
import Testing

@testable import GrabenLog

@Suite struct ReaderThreadTests {
    @Test("threads that keep reading pinned snapshots read the same while another commits, indexes, compacts and copies")
    func readers() throws {
        let folder = try TemporaryFolder()
        var options = LogOptions(preallocation: 4_096)
        options.checkpointByteCount = 4_000
        options.checkpointDelay = 0
        options.mappingByteCount = 1 << 16
        let path = folder.path("a.graben")
        let log = try Log.open(path: path, in: RealFileSystem(), options: options)
        /// What each commit came to.
        let models = Mutex<[UInt64: CrashModel]>([0: CrashModel()])
        let failures = Mutex<[String]>([])
        let pinned = Atomic<Int>(0)
        let isDone = Atomic<Bool>(false)
        let isRead = Atomic<Int>(0)
        @Sendable func note(_ text: String) {
            failures.withLock { if $0.count < 10 { $0.append(text) } }
        }
        let readers = (0..<4).map { number in
            CrashThread {
                var kept: [(snapshot: LogSnapshot, model: CrashModel)] = []
                var random = SplitMix64(seed: UInt64(number))
                do throws(LogError) {
                    while !isDone.load(ordering: .acquiring) {
                        let snapshot = log.newest
                        kept.append((snapshot, try CrashModel(snapshot)))
                        pinned.wrappingAdd(1, ordering: .relaxed)
                        // One of those that are held, however old, with all that its indexes say.
                        let (old, model) = kept[Int(random.below(UInt32(kept.count)))]
                        if let difference = try model.readDifference(from: old) { note("commit \(old.commitNumber), again: \(difference)") }
                        isRead.wrappingAdd(1, ordering: .relaxed)
                        if kept.count > 12 { kept.remove(at: Int(random.below(12))) }
                    }
                } catch { note(error.description) }
                for (snapshot, model) in kept {
                    let expected = models.withLock { $0[snapshot.commitNumber] }
                    if model != expected { note("commit \(snapshot.commitNumber) was read as another") }
                    if let difference = model.difference(from: snapshot) { note("commit \(snapshot.commitNumber), at last: \(difference)") }
                }
            }
        }
        var random = SplitMix64(seed: 9)
        var model = CrashModel()
        var habits = CrashModel.Habits()
        habits.writesChunks = true
        let compactor = CrashThread {
            while !isDone.load(ordering: .acquiring) {
                do throws(LogError) { try log.compact() } catch { note("compaction: \(error.description)") }
            }
        }
        for step in 0..<(TestShare.isBrief ? 80 : 300) {
            let number = try log.commit { (snapshot, builder: inout CommitBuilder) in
                model.change(&builder, &random, habits)
                return snapshot.commitNumber + 1
            }.0
            models.withLock { $0[number] = model }
            if step % 50 == 49 { try log.backup(to: folder.path("copy-\(step)"), in: RealFileSystem()) }
        }
        // Who is slow to begin shall have read something.
        while pinned.load(ordering: .relaxed) < 4, failures.withLock({ $0.isEmpty }) {}
        isDone.store(true, ordering: .releasing)
        for reader in readers { reader.join() }
        compactor.join()
        #expect(failures.withLock { $0 } == [])
        #expect(isRead.load(ordering: .relaxed) >= 4)
        #expect(model.difference(from: log.newest) == nil)
        try log.close()
        let again = try Log.open(path: path, in: RealFileSystem(), options: options)
        #expect(model.difference(from: again.newest) == nil)
    }
}
