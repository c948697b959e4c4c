import GrabenFixtures
import Synchronization
import Testing

@testable import GrabenLog

@Suite("A long recovery")
struct RecoveryProgressTests {
    /// A log of many commits and no index, as a crash leaves it.
    private func crashed(_ path: String, _ system: any LogFileSystem) throws {
        let log = try Log.open(path: path, in: system, options: LogOptions(durability: .deferred, writesIndex: false))
        try log.change { $0.setCatalog(Drawing.catalog) }
        for row in 0..<3000 as Range<Row> { try log.change { $0.insertJoint(row, "joint \(row)") } }
        try log.synchronize()
    }

    @Test("tells how far it is, and is ended by who opens the store, which leaves everything as it was")
    func cancelling() throws {
        let folder = try TemporaryFolder()
        for (path, system) in [("a", MemoryFileSystem() as any LogFileSystem), (folder.path("a"), RealFileSystem())] {
            try crashed(path, system)
            let before = try system.open(path, .readOnly).readAll(at: 0, count: 1 << 24)
            var options = LogOptions()
            options.recoveryDelay = .zero
            for readOnly in [false, true] {
                options.readOnly = readOnly
                options.recovery = { _ in false }
                #expect(throws: LogError.cancelled(path: path)) { try Log.open(path: path, in: system, options: options) }
                #expect(try system.open(path, .readOnly).readAll(at: 0, count: 1 << 24) == before)
            }
            // Again, and to the end.
            let told = Mutex<[Double]>([])
            options.readOnly = false
            options.recovery = { fraction in
                told.withLock { $0.append(fraction) }
                return true
            }
            let log = try Log.open(path: path, in: system, options: options)
            #expect(log.newest.liveCount(Drawing.joint) == 3000)
            let fractions = told.withLock { $0 }
            #expect(!fractions.isEmpty && fractions == fractions.sorted() && fractions.allSatisfy { $0 >= 0 && $0 <= 1 })
            try log.close()
        }
    }

    @Test("says nothing when it is short")
    func short() throws {
        let system = MemoryFileSystem()
        try crashed("a", system)
        let calls = Atomic<Int>(0)
        var options = LogOptions(readOnly: true)
        options.recoveryDelay = .seconds(60)
        options.recovery = { _ in
            calls.wrappingAdd(1, ordering: .relaxed)
            return false
        }
        #expect(try Log.open(path: "a", in: system, options: options).newest.commitNumber == 3001)
        #expect(calls.load(ordering: .relaxed) == 0)
    }
}
