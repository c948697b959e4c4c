internal import FoundationEssentials
package import GrabenFixtures
package import GrabenLog

extension CrashModel {
    /// What a commit may be made of.
    package struct Habits: Sendable {
        /// Rows of joints are below this.
        package var jointLimit = 30
        package var lineLimit = 40
        /// Whether joints have coordinates; where not, all are 0.
        package var hasCoordinates = true
        /// Whether coordinates are written as whole chunks now and then.
        package var writesChunks = false
        /// Whether a commit may insert joints by the hundred.
        package var insertsMany = false

        package init() {}
    }

    /// Changes the model and fills a builder with the same change, which is never empty.
    package mutating func change(_ builder: inout CommitBuilder, _ random: inout SplitMix64, _ habits: Habits) {
        if !hasCatalog {
            builder.setCatalog(CrashSchema.catalog)
            hasCatalog = true
        }
        putJoint(&builder, &random, Row(random.below(UInt32(habits.jointLimit))), habits)
        for _ in 0..<random.below(4) {
            switch random.below(10) {
            case 0, 1: putJoint(&builder, &random, Row(random.below(UInt32(habits.jointLimit))), habits)
            case 2 where habits.hasCoordinates: moveJoint(&builder, &random)
            case 3:
                guard let row = live(joints, &random) else { continue }
                builder.appendTombstone(layout: CrashSchema.jointLayout, row: row)
                joints[Int(row)] = nil
            case 4, 5: putLine(&builder, &random, Row(random.below(UInt32(habits.lineLimit))))
            case 6:
                guard let row = live(lines, &random) else { continue }
                builder.appendTombstone(layout: CrashSchema.lineLayout, row: row)
                lines[Int(row)] = nil
            case 7 where habits.writesChunks: writeChunk(&builder)
            case 8 where habits.insertsMany && joints.count < 900:
                for _ in 0..<300 { putJoint(&builder, &random, Row(joints.count), habits, isShort: true) }
            default: putLink(&builder, &random)
            }
        }
    }

    /// Inserts a joint behind all others with a note that cannot be compressed.
    package mutating func addNote(_ builder: inout CommitBuilder, _ random: inout SplitMix64, byteCount: Int) {
        let note = (0..<byteCount).map { _ in UInt8(random.below(256)) }
        builder.appendRecord(layout: CrashSchema.jointLayout, row: Row(joints.count), isInsert: true) { field in
            field == 0 ? .null : .data(Data(note))
        }
        joints.append(Joint(name: nil, note: note, point: [0, 0, 0], weight: nil))
    }

    private func live<T>(_ objects: [T?], _ random: inout SplitMix64) -> Row? {
        let rows = objects.indices.filter { objects[$0] != nil }
        return rows.isEmpty ? nil : Row(rows[Int(random.below(UInt32(rows.count)))])
    }

    private mutating func putJoint(
        _ builder: inout CommitBuilder, _ random: inout SplitMix64, _ row: Row, _ habits: Habits, isShort: Bool = false
    ) {
        var joint = Joint(name: nil, note: nil, point: [0, 0, 0], weight: nil)
        if random.below(5) > 0 { joint.name = "J\(random.below(1000))" }
        if !isShort, random.below(6) == 0 { joint.note = Self.note(&random) }
        for lane in 0..<3 where habits.hasCoordinates { joint.point[lane] = Self.number(&random) }
        if habits.hasCoordinates, random.below(2) == 0 { joint.weight = Float(random.below(9)).bitPattern }
        while joints.count <= Int(row) { joints.append(nil) }
        builder.appendRecord(layout: CrashSchema.jointLayout, row: row, isInsert: joints[Int(row)] == nil) { field in
            if field == 0 { return joint.name.map { .string($0) } ?? .null }
            return joint.note.map { .data(Data($0)) } ?? .null
        }
        if habits.hasCoordinates { Self.patch(&builder, row, joint) }
        joints[Int(row)] = joint
    }

    private mutating func moveJoint(_ builder: inout CommitBuilder, _ random: inout SplitMix64) {
        guard let row = live(joints, &random), var joint = joints[Int(row)] else { return }
        for lane in 0..<3 { joint.point[lane] = Self.number(&random) }
        Self.patch(&builder, row, joint)
        joints[Int(row)] = joint
    }

    private mutating func putLine(_ builder: inout CommitBuilder, _ random: inout SplitMix64, _ row: Row) {
        let line = Line(
            start: random.below(10) == 0 ? nil : Row(random.below(20)), end: random.below(10) == 0 ? nil : Row(random.below(20)))
        while lines.count <= Int(row) { lines.append(nil) }
        builder.appendRecord(layout: CrashSchema.lineLayout, row: row, isInsert: lines[Int(row)] == nil) { field in
            (field == 0 ? line.start : line.end).map { .reference(CrashSchema.joint, $0) } ?? .null
        }
        lines[Int(row)] = line
    }

    private mutating func putLink(_ builder: inout CommitBuilder, _ random: inout SplitMix64) {
        let owner = Row(random.below(UInt32(Self.groups)))
        let member = Row(random.below(UInt32(Self.membersOfGroups)))
        let order = Int64(random.below(100)) - 50
        let isRemoved = random.below(5) < 2
        builder.appendLink(
            CrashSchema.members, owner: (CrashSchema.group, owner), member: (CrashSchema.joint, member), order: order, removed: isRemoved)
        members[Int(owner)][Int(member)] = isRemoved ? nil : order
    }

    /// The first chunk again as it is, whole.
    private func writeChunk(_ builder: inout CommitBuilder) {
        let layout = CrashSchema.jointLayout
        let count = min(joints.count, slotsPerChunk)
        guard count > 0 else { return }
        let base = UnsafeMutableRawBufferPointer.allocate(byteCount: layout.chunkByteCount, alignment: 64)
        defer { base.deallocate() }
        base.initializeMemory(as: UInt8.self, repeating: 0)
        for place in 0..<count {
            guard let joint = joints[place] else { continue }
            for lane in 0..<3 {
                base.storeBytes(of: joint.point[lane], toByteOffset: layout.laneOffsets[lane] + place * 8, as: UInt64.self)
            }
            guard let weight = joint.weight, let validity = layout.validityOffsets[3] else { continue }
            base.storeBytes(of: weight, toByteOffset: layout.laneOffsets[3] + place * 4, as: UInt32.self)
            base[validity + place / 8] |= 1 << UInt8(place % 8)
        }
        guard let address = base.baseAddress else { return }
        builder.appendChunk(layout: layout, firstRow: 0, count: count, from: address)
    }

    private static func patch(_ builder: inout CommitBuilder, _ row: Row, _ joint: Joint) {
        builder.appendPatch(
            layout: CrashSchema.jointLayout, lanes: [0, 1, 2, 3], rows: [row],
            bits: joint.point + [UInt64(joint.weight ?? 0)], valid: [true, true, true, joint.weight != nil])
    }

    private static func number(_ random: inout SplitMix64) -> UInt64 {
        switch random.below(6) {
        case 0: 0
        case 1: (-0.0).bitPattern
        case 2: Double.infinity.bitPattern
        case 3: Double.nan.bitPattern
        default: (Double(random.below(1000)) / 8).bitPattern
        }
    }

    /// Bytes, some of which are long and compress well, some of which are long and do not.
    private static func note(_ random: inout SplitMix64) -> [UInt8] {
        switch random.below(4) {
        case 0: return [UInt8](repeating: UInt8(random.below(256)), count: 1_100 + Int(random.below(900)))
        case 1: return (0..<1_100).map { _ in UInt8(random.below(256)) }
        default: return (0..<random.below(40)).map { _ in UInt8(random.below(256)) }
        }
    }
}
