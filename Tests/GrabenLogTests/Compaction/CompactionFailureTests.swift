import GrabenFixtures
import StoreCrashing
import Testing

@testable import GrabenLog

@Suite struct CompactionFailureTests {
    private func change(_ log: Log, _ model: inout StoreModel, _ generator: inout SplitMix64) throws {
        let base = model
        model = try log.commit { (_, builder: inout CommitBuilder) in
            var next = base
            next.change(&builder, &generator, rows: 30)
            return next
        }.0
    }

    @Test("a power loss at any moment of a compaction leaves one of both files, complete", arguments: [1, 2, 3] as [UInt64])
    func powerLoss(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let disk = SimulatedDisk(reservation: 1 << 28)
        var options = LogOptions(preallocation: seed == 2 ? 0 : 2048)
        options.partByteCount = seed == 3 ? 50 : Format.partByteCount
        options.checkpointByteCount = seed == 1 ? 512 : 4 << 20
        options.checkpointDelay = 0
        var log = try Log.open(path: "a", in: disk, options: options)
        var models: [UInt64: StoreModel] = [0: StoreModel()]
        var model = StoreModel()
        for _ in 0..<12 {
            try change(log, &model, &generator)
            models[log.newest.commitNumber] = model
        }
        if seed == 2 {
            try log.close()
            log = try Log.open(path: "a", in: disk, options: options)
        }
        let start = disk.eventCount
        var acknowledged: [(event: Int, commit: UInt64)] = [(start, log.newest.commitNumber)]
        for _ in 0..<2 {
            var meanwhile = 0
            try log.compact { _ in
                guard meanwhile < 3 else { return true }
                meanwhile += 1
                do { try self.change(log, &model, &generator) } catch { Issue.record(error) }
                models[log.newest.commitNumber] = model
                acknowledged.append((disk.eventCount, log.newest.commitNumber))
                return true
            }
            for _ in 0..<3 {
                try change(log, &model, &generator)
                models[log.newest.commitNumber] = model
                acknowledged.append((disk.eventCount, log.newest.commitNumber))
            }
        }
        try log.close()
        var epochs = Set<UInt64>()
        var images = 0
        for event in start...disk.eventCount {
            let promised = acknowledged.last { $0.event <= event }?.commit ?? 0
            for loss in SimulatedDisk.Loss.allCases {
                for _ in 0..<(loss == .dropped || loss == .kept ? 1 : 4) {
                    let image = try disk.crashImage(after: event, loss, using: &generator)
                    let again = try Log.open(path: "a", in: image, options: options)
                    let survived = again.newest.commitNumber
                    #expect(survived >= promised, "event \(event), \(loss)")
                    #expect(try StoreModel(again.newest) == models[survived], "event \(event), \(loss)")
                    #expect(!image.exists("a-compact"))
                    epochs.insert(again.epoch)
                    images += 1
                    if images % 25 == 0 {
                        try again.compact()
                        try again.change { $0.insertJoint(77, "after") }
                        try again.close()
                        #expect(try Log.open(path: "a", in: image, options: options).newest.name(77) == "after")
                    }
                }
            }
        }
        #expect(epochs == [1, 2, 3])
        #expect(images > 300)
    }

    @Test(
        "whichever call fails during a compaction, once or for ever, the store has everything that was acknowledged",
        arguments: [false, true])
    func everyCallFails(isForEver: Bool) throws {
        var outcomes = Set<String>()
        for first in 0..<60 {
            var generator = SplitMix64(seed: 5)
            let disk = SimulatedDisk(reservation: 1 << 26)
            var options = LogOptions(preallocation: 512)
            options.partByteCount = 300
            var model = StoreModel()
            do {
                let log = try Log.open(path: "a", in: disk, options: options)
                for _ in 0..<10 { try change(log, &model, &generator) }
                disk.setFaults(.init(first: first, isForEver: isForEver))
                do throws(LogError) {
                    try log.compact()
                    outcomes.insert("done")
                } catch {
                    if case .poisoned = error { outcomes.insert("poisoned") } else { outcomes.insert("failed") }
                }
                disk.setFaults(nil)
                #expect(try StoreModel(log.newest) == model)
                do {
                    try change(log, &model, &generator)
                } catch {
                    guard case CommitError<Never>.log(.poisoned) = error else { throw error }
                }
                try? log.close()
            }
            for loss in SimulatedDisk.Loss.allCases {
                let image = try disk.crashImage(after: disk.eventCount, loss, using: &generator)
                let again = try Log.open(path: "a", in: image, options: options)
                #expect(try StoreModel(again.newest) == model, "call \(first), \(loss)")
                #expect(try again.check() == [])
            }
        }
        #expect(outcomes.contains("done") && outcomes.contains("failed") && outcomes.contains("poisoned"))
    }

    @Test("a bad bit in a file just compacted is damage, not a torn tail that would be cut off with all of the store")
    func damage() throws {
        let system = MemoryFileSystem(reservation: 1 << 28)
        var options = LogOptions()
        options.writesIndex = false
        var generator = SplitMix64(seed: 3)
        let log = try Log.open(path: "a", in: system, options: options)
        var model = StoreModel()
        for _ in 0..<40 { try change(log, &model, &generator) }
        try log.compact()
        let bytes = try #require(system.contents("a"))
        let end = Int(log.newest.endOffset)
        for place in stride(from: Format.headerByteCount + 3, to: end, by: 61) {
            var bad = bytes
            bad[place] ^= 4
            try system.setContents("b", bad)
            do {
                // Zeros that fill up are covered by nothing.
                let again = try Log.open(path: "b", in: system, options: options)
                #expect(try StoreModel(again.newest) == model, "byte \(place)")
            } catch {
                guard case LogError.damaged = error else { throw error }
            }
        }
    }

    @Test("threads that commit while a real file is compacted again and again lose nothing")
    func threads() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a")
        let log = try Log.open(path: path, in: RealFileSystem())
        try log.change { $0.setCatalog(Drawing.catalog) }
        let workers = (0..<4 as Range<Row>).map { worker in
            CrashThread {
                do {
                    for round in 0..<150 as Range<Row> {
                        try log.change { builder in
                            builder.insertJoint(worker * 1000 + round, "W\(worker)", (Double(round), 0, 0))
                            if round > 0 { builder.appendTombstone(layout: Drawing.jointLayout, row: worker * 1000 + round - 1) }
                        }
                    }
                } catch { Issue.record(error) }
            }
        }
        for _ in 0..<12 { try log.compact() }
        for worker in workers { worker.join() }
        func check(_ log: Log) throws {
            #expect(log.newest.commitNumber == 601)
            #expect(log.newest.liveCount(Drawing.joint) == 4)
            for worker in 0..<4 as Range<Row> {
                #expect(try log.newest.name(worker * 1000 + 149) == "W\(worker)")
                #expect(try log.newest.position(worker * 1000 + 149) == [149, 0, 0])
            }
            #expect(try log.check() == [])
        }
        try check(log)
        try log.compact()
        try check(log)
        try log.close()
        try check(try Log.open(path: path, in: RealFileSystem()))
    }
}

@Suite struct BackupTests {
    @Test("a copy that a power loss or a failing call interrupts is no store, and one that was made is all of it")
    func interrupted() throws {
        var generator = SplitMix64(seed: 9)
        let system = MemoryFileSystem(reservation: 1 << 28)
        let log = try Log.open(path: "a", in: system)
        var model = StoreModel()
        for _ in 0..<30 {
            let base = model
            model = try log.commit { (_, builder: inout CommitBuilder) in
                var next = base
                next.change(&builder, &generator, rows: 30)
                return next
            }.0
        }
        let disk = SimulatedDisk(reservation: 1 << 26)
        #expect(try log.backup(to: "b", in: disk))
        for event in 0...disk.eventCount {
            for loss in SimulatedDisk.Loss.allCases {
                let image = try disk.crashImage(after: event, loss, using: &generator)
                do {
                    let copy = try Log.open(path: "b", in: image, options: LogOptions(createIfMissing: false))
                    #expect(try StoreModel(copy.newest) == model)
                    #expect(copy.health.wasClosedCleanly)
                } catch {
                    switch error {
                    // The header is written last, so all of it is there or the file is none of ours.
                    case LogError.noSuchFile, LogError.notAStore, LogError.damaged(_, 0, _): break
                    default: throw error
                    }
                    #expect(event < disk.eventCount || loss != .kept)
                }
            }
        }
        for first in 0..<10 {
            let failing = SimulatedDisk(reservation: 1 << 26)
            failing.setFaults(.init(first: first))
            do throws(LogError) { try log.backup(to: "b", in: failing) } catch {
                #expect(!failing.exists("b"))
            }
        }
    }
}
