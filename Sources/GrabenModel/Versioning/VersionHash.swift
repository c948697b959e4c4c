/// A digest of what a model, or an entity, says about stored data.
///
/// Two models with equal hashes read and write the same stores. Not covered: userInfo, classes and what is generated of them, default
/// values, bounds and other rules of validation, delete rules, renaming identifiers, indexes, transient attributes, fetched properties and
/// request templates, none of which decides what is stored; nor the order of declaration.
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
    init(of entity: EntityDescription, superentity: VersionHash?, composites: [String: CompositeDescription]) {
        var lines: [String] = []
        // Names are identifiers, without spaces, so that no two descriptions give one line.
        for attribute in entity.attributes where !attribute.isTransient {
            var line = "attribute \(attribute.name) \(attribute.type.rawValue)"
            line += attribute.isOptional ? " optional" : " required"
            if attribute.isPacked { line += " packed" }
            if let expression = attribute.derivationExpression { line += " derived \(expression.debugDescription)" }
            if let name = attribute.composite { line += " of \(Self.text(ofComposite: name, composites))" }
            line += Self.text(ofModifier: attribute.versionHashModifier)
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
            line += Self.text(ofModifier: relationship.versionHashModifier)
            lines.append(line)
        }
        for key in entity.uniquenessConstraints {
            lines.append("unique \(key.sorted().joined(separator: " "))")
        }
        var text = "entity \(entity.name)\(entity.isAbstract ? " abstract" : "")\(Self.text(ofModifier: entity.versionHashModifier))\n"
        if let superentity { text += "super \(entity.superentity ?? "") \(superentity)\n" }
        text += lines.sorted().map { $0 + "\n" }.joined()
        self.init(of: text)
    }

    private static func text(ofModifier modifier: String?) -> String { modifier.map { " modifier \($0.debugDescription)" } ?? "" }

    /// The names and types of the elements, whatever the composite is called. Composites of a valid model have no cycles, but a few that
    /// each hold the next one twice would take for ever to spell out, so a composite is spelled out where it is met first.
    private static func text(ofComposite name: String, _ composites: [String: CompositeDescription]) -> String {
        var numbers: [String: Int] = [:]
        func spell(_ name: String) -> String {
            if let number = numbers[name] { return "#\(number)" }
            numbers[name] = numbers.count
            let elements = (composites[name]?.elements ?? []).sorted { $0.name < $1.name }.map { element in
                let type = element.composite.map(spell) ?? element.type.rawValue
                return "\(element.name) \(type)\(text(ofModifier: element.versionHashModifier))"
            }
            return "(\(elements.joined(separator: ", ")))"
        }
        return spell(name)
    }
}
