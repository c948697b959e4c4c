import GrabenFixtures
import Testing

@testable import GrabenLog

@Suite("History that compactions keep")
struct RetentionTests {
    /// A log, what it was after each of its commits, and what must still be told of them.
    private final class Life {
        let system = MemoryFileSystem(reservation: 1 << 30)
        var options: LogOptions
        var log: Log
        var models: [StoreModel] = [StoreModel()]
        var generator: SplitMix64

        init(seed: UInt64, _ options: LogOptions) throws {
            self.options = options
            generator = SplitMix64(seed: seed)
            log = try Log.open(path: "a", in: system, options: options)
        }

        func change() throws {
            let base = models[models.count - 1]
            // One that comes to nothing is no commit.
            let number = UInt64(models.count)
            while log.newest.commitNumber < number {
                let next = try log.commit { (_, builder: inout CommitBuilder) in
                    var next = base
                    next.change(&builder, &generator)
                    return next
                }
                if log.newest.commitNumber == number { models.append(next.0) }
            }
        }

        func reopen() throws {
            try log.close()
            log = try Log.open(path: "a", in: system, options: options)
        }

        /// Compares the log as it is, and as of every commit it still has, with what it was then.
        func check() throws {
            let newest = models.count - 1
            #expect(try StoreModel(log.newest) == models[newest])
            try models[newest].checkIndexes(log.newest)
            #expect(try log.check() == [])
            let oldest = Int(log.oldestHistory)
            for number in stride(from: max(oldest, 1), through: newest, by: max(1, (newest - oldest) / 40)) {
                let past = try Log.open(path: "a", in: system, options: LogOptions(readOnly: true, asOf: .commit(UInt64(number))))
                #expect(try StoreModel(past.newest) == models[number])
            }
            #expect(throws: LogError.self) {
                _ = try Log.open(path: "a", in: system, options: LogOptions(readOnly: true, asOf: .commit(UInt64(max(oldest, 1)) - 1)))
            }
            try checkHistory(since: oldest)
            if oldest > 0 {
                #expect(throws: LogError.historyExpired(path: "a", since: UInt64(oldest) - 1, oldest: UInt64(oldest))) {
                    try log.history(since: UInt64(oldest) - 1)
                }
            }
        }

        /// Every joint and line that a commit made, changed or removed is in what history says of it, and nothing that it did not touch.
        func checkHistory(since start: Int) throws {
            var number = start
            for transaction in try log.history(since: UInt64(start)) {
                number += 1
                #expect(transaction.info.number == UInt64(number))
                #expect(!transaction.info.isCompacted)
                let contents = try transaction.contents()
                let (before, after) = (models[number - 1], models[number])
                compare(contents[Drawing.joint], before.joints, after.joints)
                compare(contents[Drawing.line], before.lines, after.lines)
                #expect(try transaction.catalog().version == (after.hasCatalog ? 1 : 0))
                #expect(contents.changedCatalog == (before.hasCatalog != after.hasCatalog))
            }
            #expect(number == models.count - 1)
        }

        private func compare<T: Equatable>(_ told: EntityContents?, _ before: [Row: T], _ after: [Row: T]) {
            let contents = told ?? EntityContents(entity: 0)
            let updated = Set(contents.updated.map(\.row))
            for row in Set(before.keys).union(after.keys) where before[row] != after[row] {
                switch (before[row], after[row]) {
                case (nil, _?): #expect(contents.inserted.contains(row))
                case (_?, nil): #expect(contents.deleted.contains(row))
                // Within one of these commits a row may be deleted and made anew.
                default: #expect(updated.contains(row) || contents.inserted.contains(row) && contents.deleted.contains(row))
                }
            }
            for row in updated { #expect(before[row] != nil || after[row] != nil || contents.inserted.contains(row)) }
        }
    }

    @Test("a log that keeps its last commits tells and opens all of them after any compactions", arguments: [1, 2, 3, 4] as [UInt64])
    func lastCommits(seed: UInt64) throws {
        var options = LogOptions(retention: .commits(12))
        options.partByteCount = seed == 2 ? 64 : Format.partByteCount
        options.mappingByteCount = seed == 3 ? 1 : 256 << 20
        let life = try Life(seed: seed, options)
        for step in 1...150 {
            try life.change()
            if step % 17 == 16 {
                let before = life.log.newest
                try life.log.compact()
                #expect(life.log.oldestHistory == UInt64(max(step - 12, 0)))
                #expect(life.log.newest.commitNumber == before.commitNumber)
                #expect(life.log.newest.next == nil)
                try life.check()
            }
            if step % 40 == 35 {
                try life.reopen()
                try life.check()
            }
        }
        try life.reopen()
        try life.check()
    }

    @Test("a purge removes history before its bound and nothing behind it, whatever is to be kept otherwise")
    func purge() throws {
        let life = try Life(seed: 9, LogOptions(retention: .everything))
        for _ in 0..<40 { try life.change() }
        let size = life.log.newest.endOffset
        #expect(try life.log.compact()?.byteCountAfter == size, "there is nothing to be removed")
        #expect(life.log.epoch == 1)
        try life.log.compact(keepingAfter: 25)
        #expect(life.log.oldestHistory == 25)
        try life.check()
        for _ in 0..<10 { try life.change() }
        try life.log.compact()
        try life.log.compact(keepingAfter: 7)
        #expect(life.log.oldestHistory == 25 && life.log.epoch == 2)
        try life.log.compact(keepingAfter: 50)
        #expect(life.log.oldestHistory == 50)
        try life.check()
        try life.reopen()
        try life.check()
    }

    @Test("history is kept from the first commit on that is young enough")
    func byTime() throws {
        let life = try Life(seed: 5, LogOptions(retention: .duration(3600)))
        for _ in 0..<20 { try life.change() }
        try life.log.compact()
        #expect(life.log.oldestHistory == 0, "nothing is an hour old")
        let times = Array(life.log.commits()).map(\.time)
        life.options.retention = .since(times[10].nextDown)
        try life.reopen()
        try life.log.compact()
        let kept = try #require(times.firstIndex { $0 >= times[10].nextDown })
        #expect(life.log.oldestHistory == UInt64(kept))
        try life.check()
    }

    @Test("commits made while history is carried over are behind it")
    func meanwhile() throws {
        let life = try Life(seed: 6, LogOptions(retention: .commits(300)))
        for _ in 0..<400 { try life.change() }
        let old = life.log.newest
        var failure: (any Error)?
        var calls = 0
        try life.log.compact { _ in
            calls += 1
            if calls % 30 == 0 { do { try life.change() } catch { failure = error } }
            return calls < 10_000
        }
        if let failure { throw failure }
        #expect(calls > 200 && life.log.oldestHistory == 100)
        #expect(life.log.newest.commitNumber > 405)
        var node = old.next
        var count = 400
        while let next = node {
            count += 1
            #expect(next.commitNumber == UInt64(count))
            node = next.next
        }
        #expect(count == life.models.count - 1, "the chain leads across")
        try life.check()
        #expect(try life.log.compact { _ in false } == nil)
        try life.check()
    }

    @Test("a file that compacts itself is no longer than twice what lives, the slack and the history it keeps")
    func automatic() throws {
        var options = LogOptions(compactsAutomatically: true, retention: .commits(50))
        options.compactionByteCount = 1 << 16
        options.writesIndex = false
        let system = MemoryFileSystem(reservation: 1 << 28)
        let log = try Log.open(path: "a", in: system, options: options)
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            for row in 0..<500 as Range<Row> { builder.insertJoint(row, "J\(row)") }
        }
        for step in 0..<600 {
            try log.change { builder in for row in 0..<60 as Range<Row> { builder.rename(row, "step \(step) of \(row)") } }
            log.checkpointing.lock.withLock {
                while log.checkpointing.isCheckingCompaction || log.checkpointing.isCompacting { log.checkpointing.lock.wait() }
            }
            guard step > 60 else { continue }
            #expect(Int(log.newest.commitNumber) - Int(log.oldestHistory) >= 50)
            let newest = log.newest
            let kept = try newest.endOffset - log.compactionBase(of: newest).end
            let live = try newest.liveByteCount()
            #expect(newest.endOffset - kept <= 2 * live + UInt64(options.compactionByteCount * 9 / 8) + kept / 50, "step \(step)")
        }
        #expect(log.epoch > 3 && log.oldestHistory > 400)
        #expect(try log.summary().compactionFailure == nil)
        try log.close()
    }
}
