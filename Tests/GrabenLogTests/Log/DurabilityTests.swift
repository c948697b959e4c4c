import GrabenFixtures
import Testing

@testable import GrabenLog

@Suite struct DurabilityTests {
    @Test("a lone full commit is exactly one write and one sync")
    func counts() throws {
        for preallocation in [0, 1 << 16] {
            let disk = SimulatedDisk()
            let log = try Log.open(path: "a", in: disk, options: LogOptions(preallocation: preallocation))
            try log.change { $0.setCatalog(Drawing.catalog) }
            for row in 0..<50 as Range<Row> {
                let (writes, syncs) = (disk.writeCount("a"), disk.syncCount("a"))
                try log.change { $0.insertJoint(row, "J", (1, 2, 3)) }
                #expect(disk.writeCount("a") == writes + 1)
                #expect(disk.syncCount("a") == syncs + 1)
            }
            let before = disk.eventCount
            let result = try log.commit { (snapshot, _: inout CommitBuilder) in snapshot.commitNumber }
            #expect(result.0 == 51)
            #expect(disk.eventCount == before)
        }
    }

    @Test("a body that throws appends nothing, not even the parts it had filled")
    func abort() throws {
        struct Stop: Error {}
        let disk = SimulatedDisk()
        var options = LogOptions()
        options.partByteCount = 100
        let log = try Log.open(path: "a", in: disk, options: options)
        try log.change { $0.setCatalog(Drawing.catalog) }
        for count in [1, 100] as [Row] {
            #expect(throws: CommitError<Stop>.self) {
                try log.commit { (_, builder: inout CommitBuilder) throws(Stop) in
                    for row in 0..<count { builder.insertJoint(row, "J") }
                    throw Stop()
                }
            }
        }
        #expect(log.newest.commitNumber == 1)
        try log.change { $0.insertJoint(5, "five") }
        #expect(log.newest.liveCount(Drawing.joint) == 1)
        try log.close()
        let again = try Log.open(path: "a", in: disk)
        #expect(again.newest.liveCount(Drawing.joint) == 1)
        #expect(try again.newest.name(5) == "five")
        #expect(try again.check() == [])
    }

    @Test("what the builder refuses is named and appends nothing")
    func refusals() throws {
        let log = try Log.open(path: "a", in: MemoryFileSystem())
        try log.change { $0.setCatalog(Drawing.catalog) }
        func refusal(_ body: (inout CommitBuilder) -> Void) -> String {
            do {
                try log.change(body)
                return ""
            } catch { return "\(error)" }
        }
        #expect(refusal { $0.appendRecord(layout: Drawing.jointLayout, row: 1, isInsert: true) { _ in .int(3) } }.contains("'name'"))
        let foreign = RecordLayout(number: 99, entity: 1, fields: [], lanes: [])
        #expect(refusal { $0.appendTombstone(layout: foreign, row: 1) }.contains("layout 99"))
        #expect(refusal { $0.setCatalog(Drawing.catalog) }.contains("version 1"))
        #expect(refusal { $0.appendPatch(layout: Drawing.jointLayout, lanes: [7], rows: [1], bits: [1]) }.contains("lane"))
        #expect(log.newest.commitNumber == 1)
    }

    @Test("a failed sync leaves its commit in doubt and poisons the log; nothing acknowledged is lost")
    func poison() throws {
        let disk = SimulatedDisk()
        let log = try Log.open(path: "a", in: disk)
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            builder.insertJoint(0, "kept")
        }
        disk.setFaults(.init(first: 0, call: .sync))
        do {
            try log.change { $0.insertJoint(1, "doubtful") }
            Issue.record("the commit succeeded")
        } catch {
            guard case CommitError<Never>.log(.inDoubt(_, 2, _)) = error else { throw error }
        }
        #expect(log.newest.commitNumber == 1)
        do {
            try log.change { $0.insertJoint(2, "late") }
            Issue.record("the commit succeeded")
        } catch {
            guard case CommitError<Never>.log(.poisoned) = error else { throw error }
        }
        var generator = SplitMix64(seed: 1)
        for loss in SimulatedDisk.Loss.allCases {
            let image = try disk.crashImage(after: disk.eventCount, loss, using: &generator)
            let again = try Log.open(path: "a", in: image)
            #expect([1, 2].contains(again.newest.commitNumber))
            #expect(try again.newest.name(0) == "kept")
        }
    }

    @Test("a failed write loses nothing and the next commit works")
    func failedWrite() throws {
        for forEver in [false, true] {
            let disk = SimulatedDisk()
            let log = try Log.open(path: "a", in: disk, options: LogOptions(preallocation: 4096))
            try log.change { builder in
                builder.setCatalog(Drawing.catalog)
                builder.insertJoint(0, "kept")
            }
            for round in 1..<30 as Range<Row> {
                // Both the write with zeros behind it and the one without fail.
                disk.setFaults(.init(first: 0, isForEver: true, call: .write))
                #expect(throws: CommitError<Never>.self) {
                    try log.commit { (_, builder: inout CommitBuilder) in
                        builder.insertJoint(100 + round, String(repeating: "x", count: 300))
                    }
                }
                if !forEver { disk.setFaults(nil) }
                if !forEver { try log.change { $0.insertJoint(round, "after") } }
            }
            disk.setFaults(nil)
            try log.change { $0.insertJoint(50, "room again") }
            #expect(log.newest.liveCount(Drawing.joint) == (forEver ? 2 : 31))
            var generator = SplitMix64(seed: 2)
            let image = try disk.crashImage(after: disk.eventCount, .dropped, using: &generator)
            let again = try Log.open(path: "a", in: image)
            #expect(again.newest.liveCount(Drawing.joint) == (forEver ? 2 : 31))
            #expect(try again.check() == [])
        }
    }

    @Test("no power loss loses an acknowledged commit or leaves a part of one", arguments: [1, 2, 3, 4] as [UInt64])
    func powerLoss(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let disk = SimulatedDisk(reservation: 1 << 28)
        var options = LogOptions(durability: seed == 4 ? .deferred : .full, preallocation: seed == 2 ? 0 : 2048)
        options.partByteCount = seed == 3 ? 50 : Format.partByteCount
        options.overlapByteCount = seed == 3 ? 80 : 1 << 20
        var log = try Log.open(path: "a", in: disk, options: options)
        var models = [StoreModel()]
        /// How many commits were acknowledged as durable after each event.
        var acknowledged: [(event: Int, commits: Int)] = [(disk.eventCount, 0)]
        for step in 0..<25 {
            let base = models[models.count - 1]
            let (model, _) = try log.commit { (_, builder: inout CommitBuilder) in
                var model = base
                model.change(&builder, &generator, rows: 30)
                return model
            }
            models.append(model)
            if options.durability == .deferred, step % 5 == 4 { try log.synchronize() }
            if options.durability == .full || step % 5 == 4 { acknowledged.append((disk.eventCount, models.count - 1)) }
            if step == 12 {
                try log.close()
                acknowledged.append((disk.eventCount, models.count - 1))
                log = try Log.open(path: "a", in: disk, options: options)
            }
        }
        var images = 0
        for event in acknowledged[0].event...disk.eventCount {
            let promised = acknowledged.last { $0.event <= event }?.commits ?? 0
            for loss in SimulatedDisk.Loss.allCases {
                for _ in 0..<(loss == .dropped || loss == .kept ? 1 : 4) {
                    let image = try disk.crashImage(after: event, loss, using: &generator)
                    let again = try Log.open(path: "a", in: image, options: options)
                    let survived = Int(again.newest.commitNumber)
                    #expect(survived >= promised, "event \(event), \(loss)")
                    guard survived < models.count else {
                        Issue.record("there are more commits than were made")
                        continue
                    }
                    #expect(try StoreModel(again.newest) == models[survived], "event \(event), \(loss)")
                    images += 1
                    if images % 25 == 0 {
                        // What was recovered must carry on.
                        try again.change { builder in
                            if again.catalog.version == 0 { builder.setCatalog(Drawing.catalog) }
                            builder.insertJoint(77, "after")
                        }
                        let once = try Log.open(path: "b", in: copy(image, "a", "b"), options: options)
                        #expect(try once.newest.name(77) == "after")
                    }
                }
            }
        }
        #expect(images > 500)
    }

    private func copy(_ system: MemoryFileSystem, _ from: String, _ to: String) throws -> MemoryFileSystem {
        try system.setContents(to, try #require(system.contents(from)))
        return system
    }

    @Test("whichever call fails, and once or for ever, no error is swallowed and nothing acknowledged is lost")
    func everyCallFails() throws {
        for (isForEver, inParts) in [(false, false), (true, false), (false, true), (true, true)] {
            var options = LogOptions(preallocation: 512)
            // Parts that another thread writes, while the commit's body goes on.
            if inParts { (options.partByteCount, options.overlapByteCount) = (60, 1) }
            for first in 0..<60 {
                var generator = SplitMix64(seed: 5)
                let disk = SimulatedDisk(reservation: 1 << 26)
                disk.setFaults(.init(first: first, isForEver: isForEver))
                var acknowledged = StoreModel()
                var doubtful: [StoreModel] = []
                do {
                    var log = try Log.open(path: "a", in: disk, options: options)
                    for step in 0..<12 {
                        var next = acknowledged
                        do {
                            next = try log.commit { (_, builder: inout CommitBuilder) in
                                var model = acknowledged
                                model.change(&builder, &generator, rows: 30)
                                next = model
                                return model
                            }.0
                            acknowledged = next
                            doubtful = []
                        } catch CommitError<Never>.log(.inDoubt) {
                            doubtful.append(next)
                        } catch {}
                        if step == 6 {
                            try log.close()
                            log = try Log.open(path: "a", in: disk, options: options)
                        }
                    }
                } catch {}
                disk.setFaults(nil)
                for loss in SimulatedDisk.Loss.allCases {
                    let image = try disk.crashImage(after: disk.eventCount, loss, using: &generator)
                    let again = try Log.open(path: "a", in: image)
                    let model = try StoreModel(again.newest)
                    #expect(model == acknowledged || doubtful.contains(model), "call \(first), \(loss)")
                }
            }
        }
    }

    @Test("deferred commits are synced within a second without being asked to")
    func deferred() async throws {
        let disk = SimulatedDisk()
        let log = try Log.open(path: "a", in: disk, options: LogOptions(durability: .deferred))
        try log.change { $0.setCatalog(Drawing.catalog) }
        let syncs = disk.syncCount("a")
        for row in 0..<100 as Range<Row> { try log.change { $0.insertJoint(row, nil) } }
        #expect(log.newest.liveCount(Drawing.joint) == 100)
        #expect(disk.syncCount("a") <= syncs + 1)
        for _ in 0..<40 where log.durableEnd < log.newest.endOffset { try await Task.sleep(for: .milliseconds(100)) }
        #expect(log.durableEnd == log.newest.endOffset)
    }

    @Test("deferred commits of a log that is let go of without closing are synced then")
    func droppedLog() throws {
        let disk = SimulatedDisk()
        var log: Log? = try Log.open(path: "a", in: disk, options: LogOptions(durability: .deferred))
        try log?.change { $0.setCatalog(Drawing.catalog) }
        try log?.change { $0.insertJoint(0, "kept") }
        log = nil
        var generator = SplitMix64(seed: 1)
        let image = try disk.crashImage(after: disk.eventCount, .dropped, using: &generator)
        #expect(try Log.open(path: "a", in: image).newest.name(0) == "kept")
    }

    @Test("a commit beyond sixteen megabytes is several frames, found again whole")
    func bigCommit() throws {
        let system = MemoryFileSystem()
        let log = try Log.open(path: "a", in: system)
        var generator = SplitMix64(seed: 2)
        // Noise, so that the value is not compressed.
        let name = String(decoding: (0..<16_000).map { _ in UInt8(33 + generator.pick(90)) }, as: UTF8.self)
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            for row in 0..<1500 as Range<Row> { builder.insertJoint(row, name) }
        }
        #expect(log.statistics.writes >= 2)
        #expect(Array(log.commits()).map(\.byteCount).reduce(0, +) > 16 << 20)
        let copy = MemoryFileSystem()
        try copy.setContents("a", try #require(system.contents("a")))
        let again = try Log.open(path: "a", in: copy)
        #expect(again.newest.commitNumber == 1)
        #expect(try again.newest.name(1499) == name)
        #expect(try again.check() == [])
    }
}
