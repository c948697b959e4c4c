import GrabenFixtures
import Testing

@testable import GrabenLog

/// A store with its history as plain dictionaries, one after each commit.
private struct History {
    let log: [UInt8]
    let index: [UInt8]
    /// What held after each commit, and before the first.
    let models: [StoreModel]
    /// The bytes of each commit.
    let frames: [Range<Int>]
    /// Every name and every position that was ever written of a joint, within commits too.
    private(set) var names: [Row: Set<String?>] = [:]
    private(set) var positions: [Row: [Set<UInt64>]] = [:]

    init(seed: UInt64, commits: Int, compacts: Bool = false) throws {
        var generator = SplitMix64(seed: seed)
        let system = MemoryFileSystem(reservation: 1 << 28)
        var options = LogOptions()
        options.partByteCount = seed % 3 == 0 ? 200 : Format.partByteCount
        let log = try Log.open(path: "a", in: system, options: options)
        var models = [StoreModel()]
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            for row in 0..<4 as Range<Row> { builder.appendRecord(layout: Drawing.groupLayout, row: row, isInsert: true) { _ in .null } }
        }
        var model = try StoreModel(log.newest)
        models.append(model)
        for step in 0..<commits {
            model = try log.commit { (_, builder: inout CommitBuilder) in
                var next = model
                next.change(&builder, &generator, rows: 60)
                // Now and then far more than a block.
                if step % 10 == 5 {
                    for row in 0..<60 as Range<Row> where next.joints[row] != nil {
                        let name = (0..<1000).map { _ in String(UnicodeScalar(UInt8(97 + generator.pick(26)))) }.joined()
                        builder.rename(row, name)
                        next.joints[row]?.name = name
                    }
                }
                return next
            }.0
            while models.count <= Int(log.newest.commitNumber) { models.append(model) }
            models[Int(log.newest.commitNumber)] = model
        }
        if compacts { _ = try log.compact() }
        frames = log.commits().map { Int($0.offset)..<Int($0.offset + $0.byteCount) }
        try log.close()
        self.log = try #require(system.contents("a"))
        index = try #require(system.contents("a-index"))
        self.models = compacts ? [StoreModel(), model] : models
        try readAll(header: log.newest.header)
    }

    private mutating func readAll(header: FileHeader) throws {
        try self.log.withUnsafeBytes { raw in
            let base = try #require(raw.baseAddress)
            var walk = FrameWalk(base, limit: UInt64(raw.count), salt: header.salt)
            while case .frame(let frame)? = walk.next() {
                var sections = SectionCursor(base + Int(frame.payloadOffset), to: frame.payloadLength)
                while case (let kind, var section)? = try sections.next() {
                    if kind == .records {
                        while !section.isAtEnd {
                            let head = try RecordHead(&section)
                            guard head.layoutNumber == 1, !head.isTombstone else { continue }
                            names[head.row, default: []].insert(try RecordView(head: head, layout: Drawing.jointLayout).string(0))
                        }
                    } else if kind == .patch {
                        _ = try section.skip(6)
                        let rows = try RowListCoding.decode(&section, atMost: 9999)
                        for lane in 0..<3 {
                            for index in 0..<rows.count {
                                let bits: UInt64 = try section.integer()
                                positions[rows.row(index), default: [[], [], []]][lane].insert(bits)
                            }
                        }
                    }
                }
            }
        }
    }
}

private struct Repaired {
    let report: LogRepair
    let model: StoreModel
    let log: Log

    init(_ log: [UInt8], index: [UInt8]?) throws {
        let system = MemoryFileSystem(reservation: 1 << 28)
        try system.setContents("a", log)
        if let index { try system.setContents("a-index", index) }
        report = try Log.repair(path: "a", to: "b", in: system)
        #expect(system.contents("a") == log && system.contents("a-index") == index)
        #expect(!system.exists("a-lock") && !system.exists("b-lock") && !system.exists("b-repair"))
        let check = try Log.check(path: "b", in: system)
        #expect(check.findings == [] && check.notes == [])
        self.log = try Log.open(path: "b", in: system, options: LogOptions(readOnly: true))
        model = try StoreModel(self.log.newest)
    }
}

@Suite("Repairing a log")
struct RepairTests {
    @Test("a sound log comes out as it is, under the next epoch", arguments: [1, 3] as [UInt64])
    func sound(seed: UInt64) throws {
        let history = try History(seed: seed, commits: 40)
        for index in [nil, history.index] {
            let repaired = try Repaired(history.log, index: index)
            #expect(repaired.report.isLossless && repaired.report.commits.isEmpty && repaired.report.objects.isEmpty)
            #expect(repaired.model == history.models.last)
            try repaired.model.checkIndexes(repaired.log.newest)
            #expect(repaired.log.epoch == 2 && repaired.log.newest.commitNumber == UInt64(history.models.count - 1))
        }
    }

    @Test(
        "what is undamaged comes out as it was, and nothing comes out that never was",
        arguments: 0..<(TestShare.isBrief ? 3 : 24) as Range<UInt64>)
    func randomDamage(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed &* 77)
        let history = try History(seed: seed, commits: 40, compacts: seed % 6 == 5)
        for round in 0..<6 {
            var bytes = history.log
            var damaged = Set<Int>()
            for _ in 0...generator.pick(3) {
                let place = Format.headerByteCount + generator.pick(bytes.count - Format.headerByteCount)
                let count = [1, 8, 100, 3000][generator.pick(4)]
                let range = place..<min(place + count, bytes.count)
                for index in range { bytes[index] = count == 1 ? bytes[index] ^ 16 : generator.chance(50) ? 0 : UInt8(generator.pick(256)) }
                for (commit, frame) in history.frames.enumerated() where frame.overlaps(range) { damaged.insert(commit + 1) }
            }
            let index = round % 2 == 0 ? history.index : nil
            let repaired: Repaired
            do { repaired = try Repaired(bytes, index: index) } catch LogError.damaged {
                // The catalog is in the first commit.
                #expect(damaged.contains(1))
                continue
            }
            if damaged.isEmpty { #expect(repaired.report.isLossless) }
            // One that stands in a bad block may be wrong in a name.
            if damaged.contains(1) { continue }
            // Nothing may tell that the last commits were durable once: then they count as a torn tail, as in an opening.
            if repaired.report.isLossless {
                let last =
                    repaired.report.tornTail == nil || history.models.count == 2
                    ? history.models.count - 1 : Int(repaired.report.lastCommit)
                #expect(repaired.model == history.models[last])
                continue
            }
            compare(repaired, history, damaged)
        }
    }

    /// The last commit that left something else than the one before.
    private func lastChange<V: Equatable>(_ history: History, _ value: (StoreModel) -> V) -> Int {
        for commit in history.models.indices.dropFirst().reversed() where value(history.models[commit - 1]) != value(history.models[commit])
        {
            return commit
        }
        return 0
    }

    private func compare(_ repaired: Repaired, _ history: History, _ damaged: Set<Int>) {
        let final = history.models[history.models.count - 1]
        for row in 0..<60 as Range<Row> {
            let now = repaired.model.joints[row]
            let wasThere = lastChange(history) { $0.joints[row] == nil }
            let named = max(wasThere, lastChange(history) { $0.joints[row]?.name })
            if !damaged.contains(named) { #expect(now?.name == final.joints[row]?.name && (now == nil) == (final.joints[row] == nil)) }
            if let now { #expect(history.names[row]?.contains(now.name) == true) }
            // Where a commit that moved it is damaged, each number is one it once had.
            if let now {
                for lane in 0..<3 {
                    let value = now.position[lane]
                    #expect(value == 0 || history.positions[row]?[lane].contains(value.bitPattern) == true)
                }
                let moved = max(wasThere, lastChange(history) { $0.joints[row]?.position }, lastChange(history) { $0.joints[row]?.weight })
                if !damaged.contains(moved), let then = final.joints[row] {
                    #expect(now.position.map(\.bitPattern) == then.position.map(\.bitPattern) && now.weight == then.weight)
                }
            }
        }
        for row in 0..<40 as Range<Row> where !damaged.contains(lastChange(history) { $0.lines[row] }) {
            let (now, then) = (repaired.model.lines[row], final.lines[row])
            #expect((now == nil) == (then == nil))
            for (a, b) in [(now?.start, then?.start), (now?.end, then?.end)] where a != b {
                // It leads nowhere, for the joint is lost, or never was.
                #expect(a == nil && b.map { repaired.model.joints[$0] == nil } ?? true)
            }
        }
        for owner in 0..<4 as Range<Row> {
            for member in 0..<12 as Range<Row> where !damaged.contains(lastChange(history) { $0.members[owner]?[member] }) {
                let (now, then) = (repaired.model.members[owner]?[member], final.members[owner]?[member])
                if now != then { #expect(now == nil && (repaired.model.joints[member] == nil || damaged.contains(1))) }
            }
        }
    }

    @Test("one bad byte in a large commit costs what stands in its block, and the index finds what is behind it", arguments: [false, true])
    func oneBlock(compacts: Bool) throws {
        let system = MemoryFileSystem(reservation: 1 << 28)
        let log = try Log.open(path: "a", in: system)
        var generator = SplitMix64(seed: 9)
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            for row in 0..<4000 as Range<Row> { builder.insertJoint(row, "joint number \(row)", (Double(row), 2, 3)) }
        }
        if compacts { _ = try log.compact() }
        try log.close()
        let (bytes, index) = (try #require(system.contents("a")), try #require(system.contents("a-index")))
        for _ in 0..<(TestShare.isBrief ? 3 : 20) {
            var bad = bytes
            // Among the records, behind the catalog; compacted they are in compressed blocks, several of which lie in one that has a checksum.
            let place = 4096 + 20_000 + generator.pick(compacts ? 10_000 : 80_000)
            bad[place] ^= 1
            let with = try Repaired(bad, index: index)
            #expect(with.model.joints.count > (compacts ? 0 : 4000 - 16_384 / 20 - 2) && with.model.joints.count < 4000)
            #expect(with.report.counts[.object] == 4000 - with.model.joints.count)
            #expect(with.report.commits.first?.lost?.inserted == 4000 - with.model.joints.count)
            let without = try Repaired(bad, index: nil)
            #expect(without.model.joints.count <= with.model.joints.count && !without.report.isLossless)
        }
    }

    @Test("a bad header page, index or close marker loses nothing; the identity is found in the index")
    func edges() throws {
        let history = try History(seed: 4, commits: 10)
        var bytes = history.log
        for place in 0..<4096 { bytes[place] = 0xEE }
        let with = try Repaired(bytes, index: history.index)
        #expect(with.report.isLossless && with.model == history.models.last && with.report.notes.count == 1)
        let uuid = try open(log: history.log, index: nil).storeUUID
        #expect(with.log.storeUUID == uuid && with.log.epoch == 2)
        let without = try Repaired(bytes, index: nil)
        #expect(without.model == history.models.last && without.log.storeUUID != uuid)
        bytes = history.log
        bytes[bytes.count - 20] ^= 1
        #expect(try Repaired(bytes, index: history.index).report.isLossless)
        var index = history.index
        for place in stride(from: 5000, to: index.count, by: 3) { index[place] = 1 }
        #expect(try Repaired(history.log, index: index).model == history.models.last)
        // A header of a frame, which its own checksum and nothing else covers.
        let frame = history.frames[5].lowerBound
        for place in [frame, frame + 9, frame + 17, frame + 25, frame + 33, frame + 61] {
            bytes = history.log
            bytes[place] ^= 2
            let repaired = try Repaired(bytes, index: nil)
            #expect(repaired.report.isLossless && repaired.model == history.models.last, "\(place - frame) \(repaired.report)")
        }
    }

    @Test("a torn tail is no loss")
    func tornTail() throws {
        let history = try History(seed: 7, commits: 10)
        let end = history.frames[8].upperBound
        let torn = Array(history.log.prefix(end + 100))
        let repaired = try Repaired(torn, index: nil)
        #expect(repaired.report.isLossless && repaired.report.tornTail == UInt64(end)..<UInt64(end + 100))
        #expect(repaired.model == history.models[9])
    }

    // Parts of a commit that failed stayed on the disk, and a power loss kept some of those that were written in their place. Opening tells them apart
    // by the table each part names; a repair of such a file took them for one commit and made objects of both, without a word.
    @Test(
        "parts of a commit that failed make no commit with those of the one in its place; where both were durable, it is said",
        arguments: [false, true])
    func partsOfTwoCommits(isDurable: Bool) throws {
        struct Stop: Error {}
        let system = MemoryFileSystem(reservation: 1 << 24)
        var options = LogOptions()
        options.partByteCount = 1
        let log = try Log.open(path: "a", in: system, options: options)
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            builder.insertJoint(0, "before")
        }
        let start = Int(log.newest.endOffset)
        let before = try StoreModel(log.newest)
        func fill(_ builder: inout CommitBuilder, _ name: String) {
            for row in 1..<6 as Range<Row> {
                builder.appendRecord(layout: Drawing.jointLayout, row: row, isInsert: true) { _ in .string("\(name)\(row)") }
            }
        }
        var given: [UInt8]?
        #expect(throws: (any Error).self) {
            try log.commit { (_: LogSnapshot, builder: inout CommitBuilder) throws in
                fill(&builder, "old")
                given = system.contents("a")
                throw Stop()
            }
        }
        try log.change { fill(&$0, "new") }
        let end = Int(log.newest.endOffset)
        // A later commit says that all before it was durable.
        if isDurable { try log.change { $0.rename(0, "after") } }
        let after = try StoreModel(log.newest)
        var whole = try #require(system.contents("a"))
        try log.close()
        // No close marker, which would call it durable too.
        if !isDurable { whole = Array(whole.prefix(end)) }
        let old = try #require(given)
        var (repairs, losses) = (0, 0)
        for end in stride(from: start, through: min(old.count, end), by: TestShare.isBrief ? 40 : 8) {
            var bytes = whole
            bytes.replaceSubrange(start..<end, with: old[start..<end])
            let repaired = try Repaired(bytes, index: nil)
            repairs += 1
            if bytes == whole {
                #expect(repaired.report.isLossless && repaired.model == after)
            } else if isDurable {
                losses += 1
                #expect(!repaired.report.isLossless && !repaired.report.commits.isEmpty, "\(end)")
            } else {
                losses += 1
                #expect(repaired.report.tornTail == UInt64(start)..<UInt64(whole.count) && repaired.model == before, "\(end)")
            }
        }
        #expect(losses > (TestShare.isBrief ? 2 : 10) && losses < repairs)
    }

    @Test("without a catalog nothing is made; a file in the way, a writer and a foreign file are refused")
    func refusals() throws {
        let history = try History(seed: 8, commits: 5)
        var bytes = history.log
        for place in history.frames[0] { bytes[place] = 0 }
        let system = MemoryFileSystem(reservation: 1 << 28)
        try system.setContents("a", bytes)
        #expect {
            try Log.repair(path: "a", to: "b", in: system)
        } throws: { error in
            if case .damaged(_, _, let reason)? = error as? LogError { return reason.contains("no description") }
            return false
        }
        #expect(!system.exists("b") && !system.exists("b-repair"))
        try system.setContents("b", [1, 2, 3])
        #expect(throws: LogError.alreadyExists(path: "b")) { try Log.repair(path: "a", to: "b", in: system) }
        #expect(system.contents("b") == [1, 2, 3])
        try system.setContents("c", [UInt8](repeating: 5, count: 9999))
        #expect(throws: LogError.self) { try Log.repair(path: "c", to: "d", in: system) }
        #expect(!system.exists("d"))
        try system.setContents("e", history.log)
        let log = try Log.open(path: "e", in: system)
        #expect(throws: LogError.self) { try Log.repair(path: "e", to: "f", in: system) }
        try log.close()
        var calls = 0
        let report = try Log.repair(path: "e", to: "f", in: system) { _ in
            calls += 1
            return calls < 3
        }
        #expect(report.isCancelled && !system.exists("f") && !system.exists("f-repair"))
    }

    @Test("no writer begins while a store is repaired, and readers do; nothing that stood beside the new name is replaced or removed")
    func company() throws {
        let history = try History(seed: 9, commits: 6)
        let system = MemoryFileSystem(reservation: 1 << 28)
        try system.setContents("a", history.log)
        var wasRefused = false
        var wasRead = false
        _ = try Log.repair(path: "a", to: "b", in: system) { _ in
            do { _ = try Log.open(path: "a", in: system) } catch { if case LogError.locked? = error as? LogError { wasRefused = true } }
            wasRead =
                (try? Log.open(path: "a", in: system, options: LogOptions(readOnly: true)))?.newest.commitNumber
                == UInt64(history.models.count - 1)
            return true
        }
        #expect(wasRefused && wasRead)
        try Log.open(path: "a", in: system).close()
        for taken in ["c-repair", "c"] {
            try system.setContents(taken, [1, 2, 3])
            try system.setContents("c-index", [4, 5])
            #expect(throws: LogError.alreadyExists(path: taken)) { try Log.repair(path: "a", to: "c", in: system) }
            #expect(system.contents(taken) == [1, 2, 3] && system.contents("c-index") == [4, 5])
            #expect(system.exists("c") == (taken == "c"))
        }
    }

    @Test("no bytes can make a check or a repair trap or hang", arguments: 0..<(TestShare.isBrief ? 2 : 8) as Range<UInt64>)
    func hostile(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let history = try History(seed: seed, commits: 12)
        for _ in 0..<60 {
            var bytes = history.log
            for _ in 0..<generator.pick(6) { bytes[generator.pick(bytes.count)] ^= UInt8(1 + generator.pick(255)) }
            if generator.chance(60), let frame = history.frames.randomElement(using: &generator) {
                for _ in 0..<3 { bytes[frame.lowerBound + 64 + generator.pick(max(frame.count - 72, 1))] = UInt8(generator.pick(256)) }
                reseal(&bytes, at: frame.lowerBound)
            }
            if generator.chance(20) { bytes.removeLast(generator.pick(bytes.count)) }
            let system = MemoryFileSystem(reservation: 1 << 28)
            try system.setContents("a", bytes)
            if generator.chance(50) { try system.setContents("a-index", history.index) }
            _ = try? Log.check(path: "a", in: system)
            guard (try? Log.repair(path: "a", to: "b", in: system)) != nil else { continue }
            let findings = try Log.check(path: "b", in: system).findings
            #expect(findings == [])
        }
    }
}
