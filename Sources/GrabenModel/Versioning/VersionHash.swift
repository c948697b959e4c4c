/// A digest of what a model, or an entity, says about stored data.
///
/// Two models with equal hashes read and write the same stores. Not covered: userInfo, class names, default values, delete rules,
/// renaming identifiers, transient attributes and fetched properties, none of which decides what is stored; nor the order of declaration.
/// It is FNV-1a of 128 bits over a canonical text, so it tells versions apart by accident, not against an adversary.
public struct VersionHash: Sendable, Hashable {
    /// The upper 64 bits.
    public let high: UInt64
    /// The lower 64 bits.
    public let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    init(of text: String) {
        // Offset basis and prime as Fowler, Noll and Vo give them for 128 bits.
        var hash = UInt128(0x6c62_272e_07bb_0142) << 64 | UInt128(0x62b8_2175_6295_c58d)
        let prime = UInt128(1) << 88 | UInt128(0x13b)
        for byte in text.utf8 {
            hash = (hash ^ UInt128(byte)) &* prime
        }
        high = UInt64(truncatingIfNeeded: hash >> 64)
        low = UInt64(truncatingIfNeeded: hash)
    }

    init(of entities: [Entity]) {
        self.init(of: entities.map { "\($0.name) \($0.versionHash)\n" }.sorted().joined())
    }
}

extension VersionHash: CustomStringConvertible {
    /// 32 hexadecimal digits.
    public var description: String {
        [high, low].map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

extension VersionHash {
    /// The hash of an entity given the hash of its super-entity, through which a change there reaches every entity below.
    init(of entity: EntityDescription, superentity: VersionHash?) {
        var lines: [String] = []
        // Names are identifiers, without spaces, so that no two descriptions give one line.
        for attribute in entity.attributes where !attribute.isTransient {
            var line = "attribute \(attribute.name) \(attribute.type.rawValue)"
            line += attribute.isOptional ? " optional" : " required"
            if attribute.isPacked { line += " packed" }
            lines.append(line)
        }
        for relationship in entity.relationships {
            var line = "relationship \(relationship.name) to \(relationship.destination) inverse \(relationship.inverse ?? "-")"
            line += relationship.isOptional ? " optional" : " required"
            if relationship.isToMany {
                line += " many \(relationship.minCount) \(relationship.maxCount)"
                if relationship.isOrdered { line += " ordered" }
            } else {
                // A to-one says 0 or 1 for its greatest count and means the same by both.
                line += " one \(relationship.minCount)"
            }
            lines.append(line)
        }
        for key in entity.uniquenessConstraints {
            lines.append("unique \(key.sorted().joined(separator: " "))")
        }
        var text = "entity \(entity.name)\(entity.isAbstract ? " abstract" : "")\n"
        if let superentity { text += "super \(entity.superentity ?? "") \(superentity)\n" }
        text += lines.sorted().map { $0 + "\n" }.joined()
        self.init(of: text)
    }
}
