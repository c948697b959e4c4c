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
    /// Whether texts are such that XML can hold them, and say something.
    var isForXML = false

    init(random: Seeded, isForXML: Bool = false) {
        self.random = random
        self.isForXML = isForXML
    }

    mutating func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &random) == 0 }
    mutating func below(_ n: Int) -> Int { Int.random(in: 0..<n, using: &random) }

    mutating func text() -> String {
        let pieces = ["a", "Z", "_", "9", " ", "\"", "\\", "/", "\n", "\u{1}", "é", "e\u{301}", "\u{1F6B0}", "$date", "%@", "\u{2028}"]
        let text = (0..<below(5)).map { _ in pieces[below(pieces.count)] }.joined()
        guard isForXML else { return text }
        return "t" + text.filter { $0 != "\u{1}" }
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

    mutating func foreignElement(depth: Int = 0) -> ForeignElement {
        ForeignElement(
            name(), attributes: namedTexts(), children: depth < 3 ? (0..<below(3)).map { _ in foreignElement(depth: depth + 1) } : [],
            text: chance(2) ? "" : name())
    }

    /// A name as XML has them, since what is foreign came from there.
    mutating func name() -> String { ["a", "note", "x-1", "Größe", "_b"][below(5)] }

    mutating func namedTexts() -> [String: String] {
        Dictionary((0..<below(3)).map { _ in ("kept" + name(), text()) }, uniquingKeysWith: { first, _ in first })
    }

    mutating func foreign() -> ForeignContent {
        guard chance(4) else { return ForeignContent() }
        return ForeignContent(attributes: namedTexts(), elements: (0..<below(3)).map { _ in .init(foreignElement()) })
    }

    mutating func attribute() -> AttributeDescription {
        let type = AttributeType.allCases[below(AttributeType.allCases.count)]
        var attribute = AttributeDescription(
            text(), type, isOptional: chance(2), defaultValue: optional { $0.value(type) }, isTransient: chance(4), isPacked: chance(3),
            minimum: optional { $0.value(type) }, maximum: optional { $0.value(type) }, minimumLength: optional { $0.below(9) - 3 },
            maximumLength: optional { $0.below(9) }, regularExpression: optional { $0.text() },
            derivationExpression: optional { $0.text() },
            composite: optional { $0.text() }, allowsExternalStorage: chance(4), isPreservedAfterDeletion: chance(4),
            valueTransformerName: optional { $0.text() }, valueClassName: optional { $0.text() }, usesScalarType: optional { $0.chance(2) },
            versionHashModifier: optional { $0.text() }, renamingIdentifier: optional { $0.text() }, userInfo: info())
        attribute.foreign = foreign()
        return attribute
    }

    mutating func relationship() -> RelationshipDescription {
        var relationship = RelationshipDescription(
            text(), to: text(), inverse: optional { $0.text() }, isToMany: chance(2), isOrdered: chance(2), isOptional: chance(2),
            minCount: below(4) - 1, maxCount: below(4), deleteRule: DeleteRule.allCases[below(4)],
            versionHashModifier: optional { $0.text() }, renamingIdentifier: optional { $0.text() }, userInfo: info())
        relationship.foreign = foreign()
        return relationship
    }

    mutating func request() -> FetchRequestDescription {
        FetchRequestDescription(
            text(), predicateFormat: optional { $0.text() }, sort: (0..<below(3)).map { _ in text() }, limit: optional { $0.below(9) - 1 },
            offset: below(3), batchSize: below(3), includesSubentities: chance(2), includesPropertyValues: chance(2),
            includesPendingChanges: chance(2), returnsObjectsAsFaults: chance(2), returnsDistinctResults: chance(2),
            result: FetchRequestDescription.Result.allCases[below(4)])
    }

    mutating func fetched() -> FetchedPropertyDescription {
        var fetched = FetchedPropertyDescription(text(), request(), autoRefresh: chance(2), userInfo: info())
        fetched.foreign = foreign()
        return fetched
    }

    mutating func index() -> IndexDescription {
        var index = IndexDescription(
            text(),
            (0..<below(3)).map { _ in
                let type = AttributeType.allCases[below(AttributeType.allCases.count)]
                return IndexDescription.Element(
                    chance(2) ? .property(text()) : .expression(text(), type), isAscending: chance(2), kind: chance(2) ? .sorted : .spatial)
            }, partialPredicateFormat: optional { $0.text() })
        index.foreign = foreign()
        return index
    }

    mutating func entity() -> EntityDescription {
        var entity = EntityDescription(
            text(), isAbstract: chance(2), superentity: optional { $0.text() }, managedObjectClassName: optional { $0.text() },
            attributes: (0..<below(5)).map { _ in attribute() }, relationships: (0..<below(3)).map { _ in relationship() },
            fetchedProperties: (0..<below(3)).map { _ in fetched() },
            uniquenessConstraints: (0..<below(3)).map { _ in (0..<below(3)).map { _ in text() } },
            indexes: (0..<below(3)).map { _ in index() }, codeGeneration: CodeGeneration.allCases[below(3)],
            versionHashModifier: optional { $0.text() }, renamingIdentifier: optional { $0.text() }, userInfo: info())
        entity.foreign = foreign()
        return entity
    }

    mutating func model() -> ManagedObjectModel {
        var model = ManagedObjectModel(
            entities: (0..<below(4)).map { _ in entity() },
            composites: (0..<below(3)).map { _ in
                var composite = CompositeDescription(text(), (0..<below(3)).map { _ in attribute() })
                composite.foreign = foreign()
                return composite
            },
            fetchRequestTemplates: (0..<below(3)).map { _ in
                var template = FetchRequestTemplate(text(), request())
                template.foreign = foreign()
                return template
            },
            configurations: (0..<below(3)).map { _ in
                var configuration = ConfigurationDescription(text(), entities: (0..<below(3)).map { _ in text() })
                configuration.foreign = foreign()
                return configuration
            },
            versionIdentifier: optional { $0.text() }, userInfo: info())
        model.foreign = foreign()
        return model
    }
}
