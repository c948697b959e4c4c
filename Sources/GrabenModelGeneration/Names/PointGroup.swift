internal import GrabenModel

/// Packed attributes that stand side by side and are read as one point.
struct PointGroup {
    let name: String
    let keys: [String]
    let firstLane: Int
}

extension PointGroup {
    /// The points an entity declares: those its userInfo names under `graben.points` (`position=x,y,z; speed=vx,vy`), and without such an entry
    /// x, y and z as `position` where they follow one another.
    static func groups(of entity: Entity, problems: inout [GenerationProblem]) -> [PointGroup] {
        guard let text = entity.description.userInfo["graben.points"] else {
            guard entity.property(named: "position") == nil, let found = PointGroup("position", ["x", "y", "z"], in: entity) else {
                return []
            }
            // Once, where the lanes are declared.
            return entity.property(named: "x")?.declaringEntity == entity.index ? [found] : []
        }
        var groups: [PointGroup] = []
        for entry in text.split(separator: ";") {
            let parts = entry.split(separator: "=", omittingEmptySubsequences: false).map { $0.trimmed }
            let keys = parts.count == 2 ? parts[1].split(separator: ",").map { $0.trimmed } : []
            guard parts.count == 2, parts[0].isSwiftIdentifier, keys.count == 2 || keys.count == 3 else {
                problems.append(
                    GenerationProblem(
                        "its userInfo entry graben.points has \(SwiftText.literal(String(entry))); write name=x,y or name=x,y,z",
                        entity: entity.name))
                continue
            }
            guard let group = PointGroup(parts[0], keys, in: entity) else {
                problems.append(
                    GenerationProblem(
                        "its point \(parts[0]) needs \(keys.joined(separator: ", ")) to be packed doubles that are not optional, declared "
                            + "one after the other, before any packed float", entity: entity.name))
                continue
            }
            groups.append(group)
        }
        return groups
    }

    private init?(_ name: String, _ keys: [String], in entity: Entity) {
        var lanes: [Int] = []
        for key in keys {
            guard let property = entity.property(named: key), let lane = property.lane, let attribute = property.attribute,
                attribute.type == .double, !attribute.isOptional, LanePlace(lane, of: entity).floatsBefore == 0
            else { return nil }
            lanes.append(lane)
        }
        guard let first = lanes.first, lanes == Array(first..<first + lanes.count) else { return nil }
        self.init(name: name, keys: keys, firstLane: first)
    }
}

extension Substring {
    /// The text without spaces at its ends.
    var trimmed: String {
        var text = drop { $0.isWhitespace }
        while text.last?.isWhitespace == true { text = text.dropLast() }
        return String(text)
    }
}
