import GrabenFixtures
import Testing

@testable import GrabenLog

/// A store as plain dictionaries, and random commits that change both it and a log.
struct StoreModel: Equatable {
    struct Joint: Equatable {
        var name: String?
        var position: [Double]
        var weight: Float?
    }
    struct Line: Equatable {
        var start: Row?
        var end: Row?
    }
    var joints: [Row: Joint] = [:]
    var lines: [Row: Line] = [:]
    var members: [Row: [Row: Int64]] = [:]
    var hasCatalog = false

    /// Changes the model and fills the builder with the same change.
    mutating func change(_ builder: inout CommitBuilder, _ generator: inout SplitMix64, rows: Row = 3000) {
        if !hasCatalog {
            builder.setCatalog(Drawing.catalog)
            hasCatalog = true
        }
        for _ in 0...generator.pick(4) {
            switch generator.pick(8) {
            case 0, 1:
                let row = Row(generator.pick(Int(rows)))
                let joint = Joint(
                    name: generator.chance(20) ? nil : "J\(generator.pick(1000))",
                    position: [generator.number(), generator.number(), generator.number()],
                    weight: generator.chance(50) ? Float(generator.pick(9)) : nil)
                let isInsert = joints[row] == nil
                builder.appendRecord(layout: Drawing.jointLayout, row: row, isInsert: isInsert) { _ in
                    joint.name.map { .string($0) } ?? .null
                }
                builder.move(row, (joint.position[0], joint.position[1], joint.position[2]), w: joint.weight)
                joints[row] = joint
            case 2:
                guard let row = joints.keys.sorted().randomElement(using: &generator) else { continue }
                let point = [generator.number(), generator.number(), generator.number()]
                builder.move(row, (point[0], point[1], point[2]), w: joints[row]?.weight)
                joints[row]?.position = point
            case 3:
                guard let row = joints.keys.sorted().randomElement(using: &generator) else { continue }
                builder.appendTombstone(layout: Drawing.jointLayout, row: row)
                joints[row] = nil
            case 4, 5:
                let row = Row(generator.pick(40))
                let line = Line(start: generator.chance(10) ? nil : Row(generator.pick(20)), end: Row(generator.pick(20)))
                builder.putLine(row, isInsert: lines[row] == nil, line.start, line.end)
                lines[row] = line
            case 6:
                guard let row = lines.keys.sorted().randomElement(using: &generator) else { continue }
                builder.appendTombstone(layout: Drawing.lineLayout, row: row)
                lines[row] = nil
            default:
                let owner = Row(generator.pick(4))
                let member = Row(generator.pick(12))
                let order = Int64(generator.pick(100)) - 50
                let isRemoved = generator.chance(40)
                builder.appendLink(
                    Drawing.members, owner: (Drawing.group, owner), member: (Drawing.joint, member), order: order, removed: isRemoved)
                members[owner, default: [:]][member] = isRemoved ? nil : order
                if members[owner]?.isEmpty == true { members[owner] = nil }
            }
        }
    }

    /// The same reading of a snapshot.
    init(_ snapshot: LogSnapshot) throws {
        hasCatalog = snapshot.catalog.version > 0
        var rows: [Row] = []
        snapshot.forEachLiveRow(Drawing.joint) { row in
            rows.append(row)
            return true
        }
        for row in rows {
            joints[row] = Joint(name: try snapshot.name(row), position: try snapshot.position(row), weight: try snapshot.weight(row))
        }
        rows = []
        snapshot.forEachLiveRow(Drawing.line) { row in
            rows.append(row)
            return true
        }
        for row in rows {
            let record = try #require(try snapshot.record(Drawing.line, row))
            lines[row] = Line(start: record.reference(0)?.row, end: record.reference(1)?.row)
        }
        for owner in 0..<4 as Range<Row> {
            let found = snapshot.members(of: ObjectKey(Drawing.group, owner), through: Drawing.members)
            #expect(found.map(\.order) == found.map(\.order).sorted())
            if !found.isEmpty { members[owner] = Dictionary(uniqueKeysWithValues: found.map { ($0.row, $0.order) }) }
        }
    }

    init() {}

    /// What the indexes must answer.
    func checkIndexes(_ snapshot: LogSnapshot) throws {
        for target in 0..<20 as Range<Row> {
            let starts = lines.filter { $0.value.start == target }.keys.sorted()
            #expect(try snapshot.sources(of: target, through: Drawing.startKey) == starts)
            #expect(try snapshot.sourceCount(of: target, through: Drawing.endKey) == lines.count { $0.value.end == target })
            for line in lines.keys {
                #expect(try snapshot.containsSource(line, of: target, through: Drawing.endKey) == (lines[line]?.end == target))
            }
        }
        for member in 0..<12 as Range<Row> {
            let owners = members.filter { $0.value[member] != nil }.keys.sorted()
            let found = snapshot.owners(of: ObjectKey(Drawing.joint, member), through: Drawing.members)
            #expect(found.map(\.row) == owners)
            for owner in 0..<4 as Range<Row> {
                let isMember = snapshot.containsMember(
                    ObjectKey(Drawing.joint, member), of: ObjectKey(Drawing.group, owner), through: Drawing.members)
                #expect(isMember == owners.contains(owner))
            }
        }
        try checkKeys(snapshot)
        #expect(snapshot.liveCount(Drawing.joint) == joints.count)
        #expect(snapshot.liveCount(Drawing.line) == lines.count)
    }
}

extension StoreModel {
    /// What the ordered indexes must answer, by comparing every object.
    func checkKeys(_ snapshot: LogSnapshot) throws {
        func named(_ isWanted: (String?) -> Bool) -> [Row] {
            let found = joints.filter { isWanted($0.value.name) }
            return found.sorted { ($0.value.name ?? "", $0.key) < ($1.value.name ?? "", $1.key) }.map(\.key)
        }
        func rows(_ range: KeyRange, limit: Int = .max) throws -> [Row] { try snapshot.rows(range, in: Drawing.byName, limit: limit) }
        for number in stride(from: 0, to: 1000, by: 83) {
            #expect(try rows(KeyRange(equalTo: [.string("J\(number)")])) == named { $0 == "J\(number)" })
        }
        for joint in joints.values.prefix(5) {
            #expect(try rows(KeyRange(equalTo: [joint.name.map { .string($0) } ?? .null])) == named { $0 == joint.name })
        }
        for prefix in ["", "J", "J1", "J99", "K"] {
            #expect(try rows(KeyRange(prefix: prefix)) == named { $0?.hasPrefix(prefix) == true })
        }
        for (low, high) in [("J2", "J4"), ("J", "J500"), ("A", "Z"), ("J9", "J1")] {
            for (isLowerOpen, isUpperOpen) in [(false, false), (true, true)] {
                let range = KeyRange(from: [.string(low)], to: [.string(high)], isLowerOpen: isLowerOpen, isUpperOpen: isUpperOpen)
                let expected = named { name in
                    guard let name else { return false }
                    return (isLowerOpen ? name > low : name >= low) && (isUpperOpen ? name < high : name <= high)
                }
                #expect(try rows(range) == expected)
                #expect(try rows(range, limit: 3) == Array(expected.prefix(3)))
            }
        }
        #expect(try rows(KeyRange(from: nil, to: nil)) == named { $0 == nil } + named { $0 != nil })
        for end in 0..<20 as Range<Row> {
            let found = lines.filter { $0.value.end == end }
            let sorted = found.sorted { ($0.value.start.map { Int($0) } ?? -1, $0.key) < ($1.value.start.map { Int($0) } ?? -1, $1.key) }
            #expect(try snapshot.rows(KeyRange(equalTo: [.reference(Drawing.joint, end)]), in: Drawing.byEnds) == sorted.map(\.key))
            let key = KeyRange(equalTo: [.reference(Drawing.joint, end), .reference(Drawing.joint, 3)])
            #expect(try snapshot.rows(key, in: Drawing.byEnds) == found.filter { $0.value.start == 3 }.keys.sorted())
        }
    }
}

extension SplitMix64 {
    mutating func number() -> Double {
        let choices: [Double] = [0, -0.0, 1.5, .infinity, Double(pick(1000)) / 8]
        return choices[pick(choices.count)]
    }
}
