import GrabenFixtures
import GrabenLog

/// The network as the storage layer holds it: no model and no objects, only layouts, records and chunks.
struct StorageNetwork {
    static let joint: EntityCode = 1
    static let line: EntityCode = 2
    static let jointLayout = RecordLayout(
        number: 1, entity: joint, fields: [RecordField(name: "name", kind: .string, isOptional: true)],
        lanes: [Lane(name: "x"), Lane(name: "y"), Lane(name: "z")])
    static let lineLayout = RecordLayout(
        number: 2, entity: line,
        fields: ["start", "end"].map { RecordField(name: $0, kind: .reference, isOptional: true, destination: joint) }, lanes: [])
    static let outgoing = ReverseKey(source: line, field: "start", target: joint)
    static let incoming = ReverseKey(source: line, field: "end", target: joint)
    static let catalog = Catalog(
        version: 1, entities: [CatalogEntity(code: joint, name: "Joint"), CatalogEntity(code: line, name: "Line")],
        layouts: [jointLayout, lineLayout], references: [outgoing, incoming])

    let network: RandomNetwork

    /// Creates a store with the whole network in one commit, and leaves it open.
    func load(_ path: String, withLines: Bool = true) throws -> Log {
        let log = try Log.open(path: path, in: RealFileSystem())
        let count = network.count
        _ = try log.reserveRows(entity: Self.joint, count: count)
        if withLines { _ = try log.reserveRows(entity: Self.line, count: count) }
        _ = try log.commit { (_, builder) in
            builder.setCatalog(Self.catalog)
            appendChunks(to: &builder)
            appendRecords(of: Self.jointLayout, .text, to: &builder) { row, slot, cells in
                (cells[0] + slot * 16).initializeMemory(as: String.self, to: network.name(row))
            }
            guard withLines else { return }
            appendRecords(of: Self.lineLayout, .word, to: &builder) { row, slot, cells in
                cells[0].storeBytes(of: Self.word(network.starts[row]), toByteOffset: slot * 8, as: UInt64.self)
                cells[1].storeBytes(of: Self.word(network.ends[row]), toByteOffset: slot * 8, as: UInt64.self)
            }
        }
        return log
    }

    /// A reference to a joint as columns have it: the entity's number above its row.
    @inline(__always)
    private static func word(_ row: UInt32) -> UInt64 { UInt64(joint) << 32 | UInt64(row) }

    /// Appends the records of all rows, 1,024 at a time from columns, as saves do with new objects. `fill` puts the values of a row into a slot
    /// of each field's cells; texts are too short to be freed.
    @inline(__always)
    private func appendRecords(
        of layout: RecordLayout, _ kind: FieldColumn.Cells, to builder: inout CommitBuilder,
        fill: (_ row: Int, _ slot: Int, _ cells: UnsafeMutablePointer<UnsafeMutableRawPointer>) -> Void
    ) {
        let cells = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: layout.fields.count)
        for field in layout.fields.indices { cells[field] = .allocate(byteCount: slotsPerChunk * 16, alignment: 16) }
        let nulls = UnsafeMutableRawPointer.allocate(byteCount: slotsPerChunk / 8, alignment: 8)
        nulls.initializeMemory(as: UInt8.self, repeating: 0, count: slotsPerChunk / 8)
        let given = UnsafeMutableRawPointer.allocate(byteCount: slotsPerChunk / 8, alignment: 8)
        defer {
            for field in layout.fields.indices { cells[field].deallocate() }
            for memory in [nulls, given] { memory.deallocate() }
            cells.deallocate()
        }
        let columns = RecordColumns(
            fields: layout.fields.indices.map { FieldColumn(kind, given: given, nulls: nulls, cells: cells[$0], isNullByDefault: true) },
            defaults: layout.fields.map { _ in .null }, codes: [nil, Self.joint, Self.line])
        for first in stride(from: 0, to: network.count, by: slotsPerChunk) {
            let count = min(slotsPerChunk, network.count - first)
            for byte in 0..<slotsPerChunk / 8 {
                let bits = min(max(count - byte * 8, 0), 8)
                given.storeBytes(of: UInt8(truncatingIfNeeded: 1 << bits - 1), toByteOffset: byte, as: UInt8.self)
            }
            for slot in 0..<count { fill(first + slot, slot, cells) }
            builder.appendInsertions(layout: layout, firstRow: Row(first), slots: given, columns: columns)
        }
    }

    private func appendChunks(to builder: inout CommitBuilder) {
        let layout = Self.jointLayout
        let chunk = UnsafeMutableRawPointer.allocate(byteCount: layout.chunkByteCount, alignment: 64)
        defer { chunk.deallocate() }
        for first in stride(from: 0, to: network.count, by: slotsPerChunk) {
            let count = min(slotsPerChunk, network.count - first)
            for (lane, values) in [network.x, network.y, network.z].enumerated() {
                (chunk + layout.laneOffsets[lane]).copyMemory(from: values + first, byteCount: count * MemoryLayout<Double>.size)
            }
            builder.appendChunk(layout: layout, firstRow: Row(first), count: count, from: chunk)
        }
    }

    /// The sum of a joint's coordinates, its record having been read as well.
    static func read(_ row: Row, _ snapshot: LogSnapshot) throws -> Double? {
        guard try snapshot.record(joint, row)?.string(0) != nil else { return nil }
        let slot = snapshot.slot(joint, row)
        let chunk = try snapshot.chunk(joint, slot / slotsPerChunk)
        return jointLayout.laneOffsets.reduce(0.0) { sum, offset in
            sum + chunk.load(fromByteOffset: offset + slot % slotsPerChunk * MemoryLayout<Double>.size, as: Double.self)
        }
    }

    /// Adds `delta` to one joint's z in a commit of its own.
    static func move(_ row: Row, by delta: Double, in log: Log) throws {
        _ = try log.commit { (snapshot: LogSnapshot, builder: inout CommitBuilder) throws(LogError) in
            let slot = snapshot.slot(joint, row)
            let chunk = try snapshot.chunk(joint, slot / slotsPerChunk)
            let offset = jointLayout.laneOffsets[2] + slot % slotsPerChunk * MemoryLayout<Double>.size
            let z = chunk.load(fromByteOffset: offset, as: Double.self)
            builder.appendPatch(layout: jointLayout, lanes: [2], rows: [row], bits: [(z + delta).bitPattern])
        }
    }
}
