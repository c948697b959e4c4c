/// The part of an index file that says where everything else is. Read when a store is opened; its size follows the catalog's, not the store's.
struct IndexRoot {
    /// Where in the log the contents of a catalog section stand.
    struct CatalogPlace: Equatable {
        let offset: UInt64
        let byteCount: Int
    }

    /// Entries of a fixed size, one after the other, at an offset of the index file.
    struct Table: Equatable {
        var offset = 0
        var count = 0
    }

    struct Entity {
        let code: EntityCode
        /// -1 when there never was one.
        let highestRow: Int64
        let liveCount: Int
        /// An entry for each 512 rows.
        let rows: Table
        /// An entry for each chunk.
        let chunks: Table
        /// Slots by row, and behind them rows by slot; empty where they are the same.
        let slots: Table
    }

    /// A sorted run: leaves, and a fence for each.
    struct Run {
        let entryCount: Int
        let fences: Table
        let leavesEnd: Int
    }

    var catalogs: [CatalogPlace] = []
    var metadata = CommitMetadata()
    /// The frame that the first byte of each 64 KB of the log belongs to.
    var anchors = Table()
    var entities: [Entity] = []
    var reverse: [(key: ReverseKey, run: Run)] = []
    var links: [(code: UInt16, members: Run, owners: Run)] = []
    var keys: [(code: UInt16, run: Run)] = []

    func encode(into buffer: ByteBuffer) {
        func put(_ number: Int) { buffer.appendVarint(UInt64(number)) }
        func put(_ table: Table) {
            put(table.offset)
            put(table.count)
        }
        func put(_ run: Run) {
            put(run.entryCount)
            put(run.fences)
            put(run.leavesEnd)
        }
        put(catalogs.count)
        for place in catalogs {
            buffer.appendVarint(place.offset)
            put(place.byteCount)
        }
        metadata.encode(into: buffer)
        put(anchors)
        put(entities.count)
        for entity in entities {
            put(Int(entity.code))
            buffer.appendVarint(UInt64(entity.highestRow + 1))
            put(entity.liveCount)
            for table in [entity.rows, entity.chunks, entity.slots] { put(table) }
        }
        put(reverse.count)
        for (key, run) in reverse {
            put(Int(key.source))
            buffer.append(key.field)
            put(Int(key.target))
            put(run)
        }
        put(links.count)
        for (code, members, owners) in links {
            put(Int(code))
            put(members)
            put(owners)
        }
        put(keys.count)
        for (code, run) in keys {
            put(Int(code))
            put(run)
        }
    }

    init() {}

    init(_ reader: inout ByteReader) throws(ByteError) {
        for _ in 0..<(try reader.count(atMost: reader.remaining)) {
            catalogs.append(CatalogPlace(offset: try reader.varint(), byteCount: try reader.count(atMost: Format.payloadLimit)))
        }
        metadata = try CommitMetadata(&reader)
        anchors = try Self.table(&reader)
        for _ in 0..<(try reader.count(atMost: 65_536)) {
            let code = try reader.varint16()
            let highest = Int64(try reader.count(atMost: Int(Format.highestRow) + 1)) - 1
            entities.append(
                Entity(
                    code: code, highestRow: highest, liveCount: try reader.count(atMost: Int(highest + 1)), rows: try Self.table(&reader),
                    chunks: try Self.table(&reader), slots: try Self.table(&reader)))
        }
        for _ in 0..<(try reader.count(atMost: reader.remaining)) {
            let key = ReverseKey(source: try reader.varint16(), field: try reader.string(), target: try reader.varint16())
            reverse.append((key, try Self.run(&reader)))
        }
        for _ in 0..<(try reader.count(atMost: reader.remaining)) {
            links.append((try reader.varint16(), try Self.run(&reader), try Self.run(&reader)))
        }
        for _ in 0..<(try reader.count(atMost: reader.remaining)) { keys.append((try reader.varint16(), try Self.run(&reader))) }
        guard reader.isAtEnd else { throw .invalid }
    }

    /// Whether every table lies inside the file, so that no count is larger than what is there, and every run has as many leaves as its entries
    /// fill.
    func fits(_ file: IndexFile) -> Bool {
        func fits(_ run: Run, _ fenceByteCount: Int, _ entriesPerLeaf: Int = MappedRun.entriesPerLeaf) -> Bool {
            file.holds(run.fences, of: fenceByteCount) && run.fences.count == (run.entryCount + entriesPerLeaf - 1) / entriesPerLeaf
        }
        return file.holds(anchors, of: 16)
            && entities.allSatisfy {
                file.holds($0.rows, of: 16) && file.holds($0.chunks, of: 16) && file.holds($0.slots, of: 8)
                    && $0.liveCount <= $0.rows.count * PagedArray.fanOut
            }
            && reverse.allSatisfy { fits($0.run, 16) } && links.allSatisfy { fits($0.members, 24) && fits($0.owners, 24) }
            && keys.allSatisfy { fits($0.run, 16, MappedKeys.entriesPerLeaf) }
    }

    /// No table can have more entries than this; offsets are checked where they are used.
    private static let countLimit = 1 << 40

    private static func table(_ reader: inout ByteReader) throws(ByteError) -> Table {
        Table(offset: try reader.count(atMost: 1 << 56), count: try reader.count(atMost: countLimit))
    }

    private static func run(_ reader: inout ByteReader) throws(ByteError) -> Run {
        Run(entryCount: try reader.count(atMost: countLimit), fences: try table(&reader), leavesEnd: try reader.count(atMost: 1 << 56))
    }
}
