import GrabenFixtures
import Testing

@testable import GrabenLog

@Suite("A log opened as of a commit")
struct AsOfTests {
    private static func asOf(_ moment: LogMoment) -> LogOptions { LogOptions(readOnly: true, asOf: moment) }

    @Test("a log as of any of its commits is what dictionaries were after it", arguments: [1, 2, 3] as [UInt64])
    func everyCommit(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let system = MemoryFileSystem(reservation: 1 << 30)
        var options = LogOptions()
        options.partByteCount = seed == 2 ? 64 : Format.partByteCount
        options.checkpointByteCount = seed == 3 ? 512 : 4 << 20
        options.checkpointDelay = 0
        var log = try Log.open(path: "a", in: system, options: options)
        var models: [StoreModel] = [StoreModel()]
        for step in 1...120 {
            let base = models[models.count - 1]
            let next = try log.commit { (_, builder: inout CommitBuilder) in
                var next = base
                next.change(&builder, &generator)
                return next
            }
            models.append(next.0)
            // Close markers stand between the commits, and an index covers some of them.
            if step % 25 == 0 {
                try log.close()
                log = try Log.open(path: "a", in: system, options: options)
            }
        }
        for isOpen in [true, false] {
            if !isOpen { try log.close() }
            for number in 1..<models.count {
                let past = try Log.open(path: "a", in: system, options: Self.asOf(.commit(UInt64(number))))
                #expect(past.newest.commitNumber == UInt64(number))
                #expect(past.health.asOf == UInt64(number))
                #expect(try StoreModel(past.newest) == models[number])
                if number % 30 == 1 { try models[number].checkIndexes(past.newest) }
            }
        }
        let bytes = try #require(system.contents("a"))
        #expect(throws: CommitError<Never>.self) { try Log.open(path: "a", in: system, options: Self.asOf(.commit(3))).change { _ in } }
        #expect(system.contents("a") == bytes)
    }

    @Test("a commit that is gone or not there yet is an error that names the oldest and the newest")
    func bounds() throws {
        let system = MemoryFileSystem(reservation: 1 << 28)
        let log = try Log.open(path: "a", in: system)
        #expect(throws: LogError.noSuchCommit(path: "a", wanted: "commit 1", oldest: 0, newest: 0)) {
            try Log.open(path: "a", in: system, options: Self.asOf(.commit(1)))
        }
        try log.change { $0.setCatalog(Drawing.catalog) }
        for row in 0..<10 as Range<Row> { try log.change { $0.insertJoint(row, "J\(row)") } }
        #expect(throws: LogError.noSuchCommit(path: "a", wanted: "commit 0", oldest: 1, newest: 11)) {
            try Log.open(path: "a", in: system, options: Self.asOf(.commit(0)))
        }
        try log.compact()
        for row in 10..<12 as Range<Row> { try log.change { $0.insertJoint(row, "J\(row)") } }
        for number in [10, 14] as [UInt64] {
            #expect(throws: LogError.noSuchCommit(path: "a", wanted: "commit \(number)", oldest: 11, newest: 13)) {
                try Log.open(path: "a", in: system, options: Self.asOf(.commit(number)))
            }
        }
        for number in 11...13 as ClosedRange<UInt64> {
            let past = try Log.open(path: "a", in: system, options: Self.asOf(.commit(number)))
            #expect(past.newest.liveCount(Drawing.joint) == Int(number) - 1)
        }
    }

    @Test("a time leads to the last commit made at or before it")
    func times() throws {
        let system = MemoryFileSystem(reservation: 1 << 28)
        let log = try Log.open(path: "a", in: system)
        try log.change { $0.setCatalog(Drawing.catalog) }
        for row in 0..<30 as Range<Row> { try log.change { $0.insertJoint(row, "J\(row)") } }
        let commits = Array(log.commits())
        for time in commits.map(\.time) + commits.map({ $0.time.nextUp }) + [commits[29].time + 1e6] {
            let expected = try #require(commits.last { $0.time <= time })
            let past = try Log.open(path: "a", in: system, options: Self.asOf(.time(time)))
            #expect(past.newest.commitNumber == expected.number)
        }
        #expect(throws: LogError.self) { try Log.open(path: "a", in: system, options: Self.asOf(.time(commits[0].time - 1))) }
    }

    @Test("damage behind a commit does not keep it closed, damage before it does")
    func damage() throws {
        let system = MemoryFileSystem(reservation: 1 << 28)
        let log = try Log.open(path: "a", in: system)
        try log.change { $0.setCatalog(Drawing.catalog) }
        for row in 0..<20 as Range<Row> { try log.change { $0.insertJoint(row, "J\(row)") } }
        let commits = Array(log.commits())
        try log.close()
        var bytes = try #require(system.contents("a"))
        bytes[Int(commits[10].offset) + 70] ^= 1
        try system.setContents("b", bytes)
        for number in 1...21 as ClosedRange<UInt64> {
            let open = { try Log.open(path: "b", in: system, options: Self.asOf(.commit(number))) }
            if number <= 10 {
                #expect(try open().newest.liveCount(Drawing.joint) == Int(number) - 1)
            } else {
                #expect("commit \(number)") {
                    _ = try open()
                } throws: {
                    if case .damaged? = $0 as? LogError { true } else { false }
                }
            }
        }
    }
}
