import FoundationEssentials
import GrabenLog
import GrabenModel

/// Splitmix64: the same models in every run.
struct Seeded: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

/// Descriptions of every shape, sensible or not: what can be written must come back.
struct RandomModel {
    var random: Seeded

    mutating func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &random) == 0 }
    mutating func below(_ n: Int) -> Int { Int.random(in: 0..<n, using: &random) }

    mutating func text() -> String {
        let pieces = ["a", "Z", "_", "9", " ", "\"", "\\", "/", "\n", "\u{1}", "é", "e\u{301}", "\u{1F6B0}", "$date", "%@", "\u{2028}"]
        return (0..<below(5)).map { _ in pieces[below(pieces.count)] }.joined()
    }

    mutating func optional<T>(_ make: (inout RandomModel) -> T) -> T? { chance(2) ? make(&self) : nil }

    mutating func double() -> Double {
        switch below(4) {
        case 0:
            [
                0, -0.0, .nan, .infinity, -.infinity, .greatestFiniteMagnitude, Double.leastNonzeroMagnitude, 0.1, 1e18,
                -9_007_199_254_740_992,
            ][below(10)]
        case 1: Double(bitPattern: random.next())
        case 2: Double(below(1000))
        default: Double.random(in: -1e6...1e6, using: &random)
        }
    }

    mutating func bytes() -> Data { Data((0..<below(20)).map { _ in UInt8.random(in: 0...255, using: &random) }) }

    mutating func value(_ type: AttributeType) -> Value {
        if chance(8) { return .null }
        switch type {
        case .int16: return .int(Int64(Int16.random(in: .min ... .max, using: &random)))
        case .int32: return .int(Int64(Int32.random(in: .min ... .max, using: &random)))
        case .int64: return .int(chance(3) ? [.min, .max, 9_007_199_254_740_993][below(3)] : Int64(truncatingIfNeeded: random.next()))
        case .double: return .double(double())
        case .float: return .float(Float(double()))
        case .decimal:
            return .decimal(
                Decimal(sign: chance(2) ? .plus : .minus, exponent: below(60) - 30, significand: Decimal(random.next() >> below(64))))
        case .boolean: return .bool(chance(2))
        case .string: return .string(text())
        case .date: return .date(Date(timeIntervalSinceReferenceDate: chance(2) ? Double(below(1 << 30)) : double()))
        case .data: return .data(bytes())
        case .uuid: return .uuid(UUID())
        case .uri: return .uri("drawing:" + text())
        case .transformable: return .json(chance(2) ? Data("{\"a\":[1,2]}".utf8) : bytes())
        }
    }

    mutating func info() -> [String: String] {
        Dictionary((0..<below(3)).map { _ in (text(), text()) }, uniquingKeysWith: { first, _ in first })
    }

    mutating func attribute() -> AttributeDescription {
        let type = AttributeType.allCases[below(AttributeType.allCases.count)]
        return AttributeDescription(
            text(), type, isOptional: chance(2), defaultValue: optional { $0.value(type) }, isTransient: chance(4), isPacked: chance(3),
            minimum: optional { $0.value(type) }, maximum: optional { $0.value(type) }, minimumLength: optional { $0.below(9) - 3 },
            maximumLength: optional { $0.below(9) }, renamingIdentifier: optional { $0.text() }, userInfo: info())
    }

    mutating func model() -> ManagedObjectModel {
        let entities = (0..<below(4)).map { _ in
            EntityDescription(
                text(), isAbstract: chance(2), superentity: optional { $0.text() }, managedObjectClassName: optional { $0.text() },
                attributes: (0..<below(5)).map { _ in attribute() },
                relationships: (0..<below(3)).map { _ in
                    RelationshipDescription(
                        text(), to: text(), inverse: optional { $0.text() }, isToMany: chance(2), isOrdered: chance(2),
                        isOptional: chance(2), minCount: below(4) - 1, maxCount: below(4),
                        deleteRule: DeleteRule.allCases[below(4)], renamingIdentifier: optional { $0.text() }, userInfo: info())
                },
                fetchedProperties: (0..<below(3)).map { _ in
                    FetchedPropertyDescription(
                        text(), of: text(), predicateFormat: optional { $0.text() }, sort: (0..<below(3)).map { _ in text() },
                        limit: optional { $0.below(9) - 1 }, offset: below(3), userInfo: info())
                },
                uniquenessConstraints: (0..<below(3)).map { _ in (0..<below(3)).map { _ in text() } },
                renamingIdentifier: optional { $0.text() }, userInfo: info())
        }
        return ManagedObjectModel(entities: entities, userInfo: info())
    }
}
