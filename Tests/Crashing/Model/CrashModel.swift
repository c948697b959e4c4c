package import GrabenLog

/// A store as plain arrays: what the log, its index and its columns have to say after a commit.
///
/// Joints and lines stand at their rows, up to the highest one that was ever saved, so that this is compared as well.
package struct CrashModel: Equatable, Sendable {
    package struct Joint: Equatable, Sendable {
        var name: String?
        var note: [UInt8]?
        /// x, y and z as bits: 0, -0 and each NaN are different.
        var point: [UInt64]
        var weight: UInt32?
    }

    package struct Line: Equatable, Sendable {
        var start: Row?
        var end: Row?
    }

    package static let groups = 4
    package static let membersOfGroups = 12

    package var joints: [Joint?] = []
    package var lines: [Line?] = []
    /// The order keys by owner and member.
    package var members = [[Int64?]](repeating: [Int64?](repeating: nil, count: membersOfGroups), count: groups)
    package var hasCatalog = false

    package init() {}

    /// What a snapshot says.
    package init(_ snapshot: LogSnapshot) throws(LogError) {
        hasCatalog = snapshot.catalog.version > 0
        for row in 0..<(snapshot.highestRow(CrashSchema.joint).map { $0 + 1 } ?? 0) {
            joints.append(try Self.joint(row, snapshot))
        }
        for row in 0..<(snapshot.highestRow(CrashSchema.line).map { $0 + 1 } ?? 0) {
            guard let record = try snapshot.record(CrashSchema.line, row) else {
                lines.append(nil)
                continue
            }
            lines.append(Line(start: record.reference(0)?.row, end: record.reference(1)?.row))
        }
        guard hasCatalog else { return }
        for owner in members.indices {
            for member in snapshot.members(of: ObjectKey(CrashSchema.group, Row(owner)), through: CrashSchema.members) {
                guard member.entity == CrashSchema.joint, Int(member.row) < Self.membersOfGroups else {
                    throw .invalid(what: "a group has a member that nobody put there", path: "the snapshot")
                }
                members[owner][Int(member.row)] = member.order
            }
        }
    }

    private static func joint(_ row: Row, _ snapshot: LogSnapshot) throws(LogError) -> Joint? {
        guard let record = try snapshot.record(CrashSchema.joint, row) else { return nil }
        let slot = snapshot.slot(CrashSchema.joint, row)
        let chunk = try snapshot.chunk(CrashSchema.joint, slot / slotsPerChunk)
        let place = slot % slotsPerChunk
        let layout = CrashSchema.jointLayout
        var joint = Joint(name: record.string(0), note: record.withBytes(1) { Array($0) }, point: [0, 0, 0], weight: nil)
        for lane in 0..<3 { joint.point[lane] = chunk.loadUnaligned(fromByteOffset: layout.laneOffsets[lane] + place * 8, as: UInt64.self) }
        if let validity = layout.validityOffsets[3],
            chunk.load(fromByteOffset: validity + place / 8, as: UInt8.self) >> UInt8(place % 8) & 1 != 0
        {
            joint.weight = chunk.loadUnaligned(fromByteOffset: layout.laneOffsets[3] + place * 4, as: UInt32.self)
        }
        return joint
    }

    // MARK: Comparing

    /// How a snapshot differs from this; nil when it does not. Looks at objects, columns, links and every index.
    package func difference(from snapshot: LogSnapshot) -> String? {
        do throws(LogError) { return try readDifference(from: snapshot) } catch { return "it cannot be read: \(error.description)" }
    }

    /// The same, but throws what reading throws.
    package func readDifference(from snapshot: LogSnapshot) throws(LogError) -> String? {
        let found = try CrashModel(snapshot)
        guard found == self else { return difference(from: found) }
        return try indexDifference(from: snapshot)
    }

    private func difference(from found: CrashModel) -> String {
        if found.hasCatalog != hasCatalog { return "the catalog is \(found.hasCatalog ? "there" : "missing")" }
        if found.joints.count != joints.count { return "the highest joint is \(found.joints.count - 1), not \(joints.count - 1)" }
        if found.lines.count != lines.count { return "the highest line is \(found.lines.count - 1), not \(lines.count - 1)" }
        for (row, joint) in joints.enumerated() where joint != found.joints[row] {
            return "joint \(row) is \(String(describing: found.joints[row])), not \(String(describing: joint))"
        }
        for (row, line) in lines.enumerated() where line != found.lines[row] {
            return "line \(row) is \(String(describing: found.lines[row])), not \(String(describing: line))"
        }
        return "the links are \(found.members), not \(members)"
    }

    private func indexDifference(from snapshot: LogSnapshot) throws(LogError) -> String? {
        guard hasCatalog else { return nil }
        var starts: [Row: [Row]] = [:]
        var ends: [Row: [Row]] = [:]
        for (row, line) in lines.enumerated() {
            if let start = line?.start { starts[start, default: []].append(Row(row)) }
            if let end = line?.end { ends[end, default: []].append(Row(row)) }
        }
        for target in 0..<Row(max(joints.count, 20)) {
            if try snapshot.sources(of: target, through: CrashSchema.start) != starts[target] ?? [] {
                return "the lines that start at joint \(target) are others"
            }
            if try snapshot.sourceCount(of: target, through: CrashSchema.end) != ends[target]?.count ?? 0 {
                return "as many lines do not end at joint \(target)"
            }
        }
        for member in 0..<Self.membersOfGroups {
            let owners = members.indices.filter { members[$0][member] != nil }
            let found = snapshot.owners(of: ObjectKey(CrashSchema.joint, Row(member)), through: CrashSchema.members)
            if found.map({ Int($0.row) }).sorted() != owners { return "joint \(member) is in other groups" }
        }
        var named: [String?: [Row]] = [:]
        for (row, joint) in joints.enumerated() {
            if let joint { named[joint.name, default: []].append(Row(row)) }
        }
        for (name, rows) in named {
            let key = KeyRange(equalTo: [name.map { .string($0) } ?? .null])
            if try snapshot.rows(key, in: CrashSchema.byName) != rows { return "the joints named \(name ?? "null") are others" }
        }
        return nil
    }
}
