@testable import GrabenLog

/// A small catalog: joints with coordinates, lines between them, and groups of anything.
enum Drawing {
    static let joint: EntityCode = 1
    static let line: EntityCode = 2
    static let group: EntityCode = 3

    static let jointLayout = RecordLayout(
        number: 1, entity: joint, fields: [RecordField(name: "name", kind: .string, isOptional: true)],
        lanes: [Lane(name: "x"), Lane(name: "y"), Lane(name: "z"), Lane(name: "w", width: .float, isOptional: true)])
    static let lineLayout = RecordLayout(
        number: 2, entity: line,
        fields: [
            RecordField(name: "start", kind: .reference, isOptional: true, destination: joint),
            RecordField(name: "end", kind: .reference, isOptional: true, destination: joint),
        ], lanes: [])
    static let groupLayout = RecordLayout(
        number: 3, entity: group,
        fields: [RecordField(name: "leader", kind: .polymorphicReference, isOptional: true)], lanes: [])
    static let members = LinkRelationship(code: 1, name: "Group.members", isOrdered: true)

    static let startKey = ReverseKey(source: line, field: "start", target: joint)
    static let endKey = ReverseKey(source: line, field: "end", target: joint)

    static let byName = KeyDeclaration(code: 7, entity: joint, parts: [.init(field: "name")])
    static let byEnds = KeyDeclaration(code: 8, entity: line, parts: [.init(field: "end"), .init(field: "start")], isUnique: true)

    static let catalog = Catalog(
        version: 1,
        entities: [.init(code: joint, name: "Joint"), .init(code: line, name: "Line"), .init(code: group, name: "Group")],
        layouts: [jointLayout, lineLayout, groupLayout], links: [members], references: [startKey, endKey], indexes: [byName, byEnds],
        model: ["name": "drawing"])
}

extension CommitBuilder {
    mutating func insertJoint(_ row: Row, _ name: String?, _ point: (Double, Double, Double) = (0, 0, 0), w: Float? = nil) {
        appendRecord(layout: Drawing.jointLayout, row: row, isInsert: true) { _ in name.map { .string($0) } ?? .null }
        move(row, point, w: w)
    }

    mutating func rename(_ row: Row, _ name: String?) {
        appendRecord(layout: Drawing.jointLayout, row: row, isInsert: false) { _ in name.map { .string($0) } ?? .null }
    }

    mutating func move(_ row: Row, _ point: (Double, Double, Double), w: Float? = nil) {
        appendPatch(
            layout: Drawing.jointLayout, lanes: [0, 1, 2, 3], rows: [row],
            bits: [point.0.bitPattern, point.1.bitPattern, point.2.bitPattern, UInt64((w ?? 0).bitPattern)],
            valid: [true, true, true, w != nil])
    }

    mutating func putLine(_ row: Row, isInsert: Bool = true, _ start: Row?, _ end: Row?) {
        appendRecord(layout: Drawing.lineLayout, row: row, isInsert: isInsert) { field in
            (field == 0 ? start : end).map { .reference(Drawing.joint, $0) } ?? .null
        }
    }
}

extension LogSnapshot {
    func name(_ row: Row) throws -> String? { try record(Drawing.joint, row)?.string(0) }

    func position(_ row: Row) throws -> [Double] {
        let slot = slot(Drawing.joint, row)
        let chunk = try chunk(Drawing.joint, slot / slotsPerChunk)
        let layout = table.newest(Drawing.joint) ?? Drawing.jointLayout
        return ["x", "y", "z"].compactMap { layout.laneIndex($0) }.map {
            chunk.load(fromByteOffset: layout.laneOffsets[$0] + slot % slotsPerChunk * 8, as: Double.self)
        }
    }

    func weight(_ row: Row) throws -> Float? {
        let slot = slot(Drawing.joint, row)
        let chunk = try chunk(Drawing.joint, slot / slotsPerChunk)
        let layout = table.newest(Drawing.joint) ?? Drawing.jointLayout
        guard let lane = layout.laneIndex("w"), let offset = layout.validityOffsets[lane] else { return nil }
        let place = slot % slotsPerChunk
        guard chunk.load(fromByteOffset: offset + place / 8, as: UInt8.self) >> UInt8(place % 8) & 1 != 0 else { return nil }
        return chunk.load(fromByteOffset: layout.laneOffsets[lane] + place * 4, as: Float.self)
    }
}

extension Log {
    @discardableResult
    func change(_ body: (inout CommitBuilder) -> Void) throws -> LogSnapshot {
        try commit { (_: LogSnapshot, builder: inout CommitBuilder) in body(&builder) }.1
    }
}
