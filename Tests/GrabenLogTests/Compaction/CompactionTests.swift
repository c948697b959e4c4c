import GrabenFixtures
import Testing

@testable import GrabenLog

@Suite struct CompactionTests {
    /// Changes a log and a model alike.
    private func change(
        _ log: Log, _ model: inout StoreModel, _ generator: inout SplitMix64, rows: Row = 3000
    ) throws {
        let base = model
        model = try log.commit { (_, builder: inout CommitBuilder) in
            var next = base
            next.change(&builder, &generator, rows: rows)
            return next
        }.0
    }

    @Test(
        "a log that is compacted now and then agrees with dictionaries, and so do snapshots from before",
        arguments: [1, 2, 3, 4] as [UInt64])
    func randomCompactions(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let system = MemoryFileSystem(reservation: 1 << 30)
        var options = LogOptions(durability: seed == 4 ? .deferred : .full)
        options.partByteCount = seed == 2 ? 64 : Format.partByteCount
        options.overlapByteCount = seed == 2 ? 100 : 1 << 20
        options.mappingByteCount = seed == 3 ? 1 : 256 << 20
        var log = try Log.open(path: "a", in: system, options: options)
        var model = StoreModel()
        var kept: [(LogSnapshot, StoreModel)] = []
        var compactions: UInt64 = 0
        for step in 1...240 {
            try change(log, &model, &generator)
            if step % 30 == 7 { kept.append((log.newest, model)) }
            if step % 20 == 11 {
                if step % 40 == 31 { try model.checkIndexes(log.newest) }
                let result = try #require(try log.compact())
                compactions += 1
                #expect(result.byteCountAfter <= result.byteCountBefore + 4096)
                #expect(log.newest.commitNumber == UInt64(step))
                #expect(log.epoch == compactions + 1)
                #expect(try StoreModel(log.newest) == model)
                try model.checkIndexes(log.newest)
                #expect(try log.check() == [])
            }
            if step % 40 == 25 {
                try log.close()
                log = try Log.open(path: "a", in: system, options: options)
                #expect(log.newest.commitNumber == UInt64(step))
                #expect(try StoreModel(log.newest) == model)
                try model.checkIndexes(log.newest)
            }
        }
        for (snapshot, then) in kept {
            #expect(try StoreModel(snapshot) == then)
            try then.checkIndexes(snapshot)
        }
        let numbers = Array(log.commits()).map(\.number)
        #expect(numbers == (231...240).map { UInt64($0) }, "the compaction's commit has the number of the last one before it")
        #expect(!system.exists("a-compact"))
    }

    @Test("commits made while the new file is written are in it, and the chain leads from old snapshots across the exchange")
    func commitsMeanwhile() throws {
        for seed in 1...6 as ClosedRange<UInt64> {
            var generator = SplitMix64(seed: seed)
            var options = LogOptions()
            options.partByteCount = seed % 2 == 0 ? 200 : Format.partByteCount
            options.mappingByteCount = seed % 3 == 0 ? 1 : 256 << 20
            let system = MemoryFileSystem(reservation: 1 << 30)
            let log = try Log.open(path: "a", in: system, options: options)
            var model = StoreModel()
            for _ in 0..<50 { try change(log, &model, &generator) }
            _ = try log.newest.sources(of: 1, through: Drawing.startKey)
            let before = log.newest
            let modelBefore = model
            let first = before.commitNumber
            var failure: (any Error)?
            var count = 0
            let result = try log.compact { _ in
                guard count < 60 else { return true }
                count += 1
                do {
                    // Large enough to be carried over in several rounds.
                    try log.change { builder in
                        for row in 5000..<5400 as Range<Row> {
                            builder.appendRecord(layout: Drawing.jointLayout, row: row, isInsert: false) { _ in .string("x\(count)") }
                            builder.appendTombstone(layout: Drawing.jointLayout, row: row)
                        }
                    }
                    try self.change(log, &model, &generator)
                } catch { failure = error }
                return true
            }
            if let failure { throw failure }
            #expect(count > 0)
            #expect(result.map { first + UInt64($0.carriedCommits) } == log.newest.commitNumber)
            #expect(result?.carriedCommits ?? 0 >= count)
            #expect(try StoreModel(log.newest) == model)
            try model.checkIndexes(log.newest)
            for _ in 0..<5 { try change(log, &model, &generator) }
            #expect(try StoreModel(log.newest) == model)
            #expect(try StoreModel(before) == modelBefore)
            try modelBefore.checkIndexes(before)
            var numbers: [UInt64] = []
            var step = before.next
            while let node = step {
                numbers.append(node.commitNumber)
                step = node.next
            }
            #expect(numbers == Array(first + 1...log.newest.commitNumber))
            #expect(!log.newest.isOfSameFile(as: before))
            try log.close()
            let again = try Log.open(path: "a", in: system, options: options)
            #expect(try StoreModel(again.newest) == model)
            #expect(try again.check() == [])
        }
    }

    @Test("a compaction that is given up leaves the log as it was, and nothing beside it")
    func cancellation() throws {
        var generator = SplitMix64(seed: 1)
        let system = MemoryFileSystem(reservation: 1 << 30)
        let log = try Log.open(path: "a", in: system)
        var model = StoreModel()
        for _ in 0..<50 { try change(log, &model, &generator) }
        let bytes = system.contents("a")
        #expect(try log.compact { _ in false } == nil)
        #expect(system.contents("a") == bytes)
        #expect(!system.exists("a-compact"))
        #expect(log.epoch == 1)
        try change(log, &model, &generator)
        #expect(try log.compact() != nil)
        #expect(try StoreModel(log.newest) == model)
    }

    @Test("a log that is being compacted cannot be compacted, one only read or closed neither, and an empty one stays as it is")
    func refusals() throws {
        let system = MemoryFileSystem(reservation: 1 << 30)
        let log = try Log.open(path: "a", in: system)
        #expect(try log.compact()?.carriedCommits == 0)
        #expect(log.epoch == 1)
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            builder.insertJoint(0, "a")
        }
        var second: LogError?
        try log.compact { _ in
            do throws(LogError) { try log.compact() } catch { second = error }
            return true
        }
        guard case .invalid? = second else { return #expect(Bool(false), "\(String(describing: second))") }
        #expect(log.epoch == 2)
        #expect(throws: LogError.self, "the lock is on the new file too") { try Log.open(path: "a", in: system) }
        let reader = try Log.open(path: "a", in: system, options: LogOptions(readOnly: true))
        #expect(try reader.newest.name(0) == "a")
        #expect(throws: LogError.self) { try reader.compact() }
        try log.close()
        #expect(throws: LogError.self) { try log.compact() }
    }

    @Test("rows keep their numbers, also those at the end that are deleted: none is handed out again")
    func rows() throws {
        let system = MemoryFileSystem(reservation: 1 << 30)
        var log = try Log.open(path: "a", in: system)
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            for row in 0..<5000 as Range<Row> { builder.insertJoint(row, "J\(row)", (Double(row), 0, 0)) }
        }
        try log.change { builder in
            for row in 0..<5000 as Range<Row> where row % 1000 != 7 { builder.appendTombstone(layout: Drawing.jointLayout, row: row) }
        }
        try log.compact()
        try log.close()
        log = try Log.open(path: "a", in: system)
        #expect(log.newest.liveCount(Drawing.joint) == 5)
        #expect(log.newest.highestRow(Drawing.joint) == 4999)
        for row in 0..<5000 as Range<Row> {
            #expect(try log.newest.name(row) == (row % 1000 == 7 ? "J\(row)" : nil))
            #expect(try log.newest.position(row) == [row % 1000 == 7 ? Double(row) : 0, 0, 0], "what was deleted is gone")
        }
        #expect(try log.reserveRows(entity: Drawing.joint, count: 1) == 5000..<5001)
    }

    @Test("rows that are not in the order of their slots keep their slots")
    func slots() throws {
        var options = LogOptions()
        options.writesIndex = false
        let layout = RecordLayout(number: 1, entity: 1, fields: [], lanes: [Lane(name: "x")])
        for rowCount in [900, 1024, 3000] {
            var generator = SplitMix64(seed: UInt64(rowCount))
            let system = MemoryFileSystem(reservation: 1 << 30)
            var log = try Log.open(path: "a", in: system, options: options)
            let rows = (0..<Row(rowCount)).shuffled(using: &generator)
            let heap = UnsafeMutableRawPointer.allocate(byteCount: layout.chunkByteCount, alignment: 64)
            defer { heap.deallocate() }
            try log.change { builder in
                builder.setCatalog(Catalog(version: 1, entities: [.init(code: 1, name: "P")], layouts: [layout]))
                for row in rows { builder.appendRecord(layout: layout, row: row, isInsert: true) { _ in .null } }
                for start in stride(from: 0, to: rows.count, by: slotsPerChunk) {
                    let list = Array(rows[start..<min(start + slotsPerChunk, rows.count)])
                    heap.initializeMemory(as: UInt8.self, repeating: 0, count: layout.chunkByteCount)
                    for (index, row) in list.enumerated() { heap.storeBytes(of: Double(row), toByteOffset: index * 8, as: Double.self) }
                    builder.appendChunk(layout: layout, rows: list, from: heap)
                }
            }
            try log.close()
            log = try Log.open(path: "a", in: system, options: options)
            let extra = Row(rowCount + 2000)
            try log.change { builder in
                for row in rows where row % 3 == 0 { builder.appendTombstone(layout: layout, row: row) }
                builder.appendRecord(layout: layout, row: extra, isInsert: true) { _ in .null }
                builder.appendPatch(layout: layout, lanes: [0], rows: [extra], bits: [Double(extra).bitPattern])
            }
            let slots = (0...extra).map { log.newest.slot(1, $0) }
            #expect(slots != (0...extra).map { Int($0) })
            for round in 0..<3 {
                if round == 2 {
                    try log.close()
                    log = try Log.open(path: "a", in: system, options: options)
                } else {
                    try log.compact()
                }
                #expect((0...extra).map { log.newest.slot(1, $0) } == slots)
                for row in 0...extra where log.newest.contains(1, row) {
                    let slot = log.newest.slot(1, row)
                    let chunk = try log.newest.chunk(1, slot / slotsPerChunk)
                    #expect(chunk.load(fromByteOffset: slot % slotsPerChunk * 8, as: Double.self) == Double(row))
                }
                #expect(log.newest.liveCount(1) == rows.count { $0 % 3 != 0 } + 1)
            }
        }
    }

    // A compaction looked at every row up to the highest one: of a file that had one object and claimed four billion rows it took many minutes.
    @Test("a file of one object is compacted at once, whatever its row", .timeLimit(.minutes(2)))
    func highestRow() throws {
        let system = MemoryFileSystem(reservation: 1 << 28)
        var options = LogOptions()
        options.writesIndex = false
        let log = try Log.open(path: "a", in: system, options: options)
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            builder.insertJoint(1 << 28, "J", (1, 2, 3))
        }
        try log.compact()
        #expect(log.newest.liveCount(Drawing.joint) == 1 && log.newest.highestRow(Drawing.joint) == 1 << 28)
        #expect(try log.newest.position(1 << 28) == [1, 2, 3])
        try log.close()
    }

    @Test("rows older than a lane keep the default it was added with")
    func defaults() throws {
        let system = MemoryFileSystem(reservation: 1 << 30)
        var log = try Log.open(path: "a", in: system)
        func layout(_ number: UInt32, _ lanes: [Lane]) -> RecordLayout { RecordLayout(number: number, entity: 1, fields: [], lanes: lanes) }
        let layouts = [
            layout(1, []), layout(2, [Lane(name: "x", defaultBits: 2.0.bitPattern)]),
            layout(3, [Lane(name: "x", defaultBits: 9.0.bitPattern), Lane(name: "y", isOptional: true, defaultBits: 3.0.bitPattern)]),
        ]
        for (version, layout) in layouts.enumerated() {
            try log.change { builder in
                builder.setCatalog(
                    Catalog(version: UInt32(version + 1), entities: [.init(code: 1, name: "P")], layouts: Array(layouts[...version])))
                let row = Row(version * 1500)
                builder.appendRecord(layout: layout, row: row, isInsert: true) { _ in .null }
                builder.appendRecord(layout: layout, row: row + 1, isInsert: true) { _ in .null }
                let lanes = Array(layout.lanes.indices)
                if version > 0 {
                    builder.appendPatch(
                        layout: layout, lanes: lanes, rows: [row, row + 1],
                        bits: lanes.flatMap { _ in [UInt64(0x401C_0000_0000_0000), 0x4020_0000_0000_0000] })
                }
            }
        }
        func values(_ log: Log) throws -> [[Double?]] {
            try (0..<3 as Range<Row>).map { version in
                let row = Int(version) * 1500
                let chunk = try log.newest.chunk(1, row / slotsPerChunk)
                let handle = ChunkHandle(mapped: chunk, at: 0, layout: layouts[2], usedSlots: slotsPerChunk)
                return [0, 1].map { lane in
                    let slot = row % slotsPerChunk
                    return handle.isValid(lane, slot) ? Double(bitPattern: handle.bits(lane, slot)) : nil
                }
            }
        }
        let expected = try values(log)
        #expect(expected == [[2, 3], [7, 3], [7, 7]])
        try log.compact()
        #expect(try values(log) == expected)
        try log.close()
        log = try Log.open(path: "a", in: system)
        #expect(try values(log) == expected)
        #expect(log.catalog.layouts.count == 3)
    }
}
