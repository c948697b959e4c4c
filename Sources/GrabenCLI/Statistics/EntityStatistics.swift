import FoundationEssentials
import Graben
import GrabenLog
import GrabenModel

/// What is counted of one attribute.
struct AttributeStatistics {
    let property: Property
    let type: AttributeType
    /// How many objects have no value.
    var nulls = 0
    /// How many numbers are none.
    var notNumbers = 0
    /// The least and the greatest value, of numbers and dates; of texts and bytes the least and greatest length; of booleans how many are true.
    var least: Value?
    var greatest: Value?
    var total = 0

    /// What `least` and `greatest` are of.
    var measures: String {
        switch type {
        case .string, .uri: "length"
        case .data, .transformable: "bytes"
        case .boolean: "true"
        default: "value"
        }
    }

    mutating func add(_ value: Value) {
        switch value {
        case .null: nulls += 1
        case .bool(let flag): total += flag ? 1 : 0
        case .int(let number):
            widen(.int(number)) {
                number < $0.integer ?? 0
            } isGreater: {
                number > $0.integer ?? 0
            }
        case .double(let number): widen(number, value)
        case .float(let number): widen(Double(number), value)
        case .date(let date): widen(date.timeIntervalSinceReferenceDate, value)
        case .decimal(let number):
            if number.isNaN {
                notNumbers += 1
            } else {
                func other(_ value: Value) -> Decimal { if case .decimal(let other) = value { other } else { 0 } }
                widen(value) {
                    number < other($0)
                } isGreater: {
                    number > other($0)
                }
            }
        case .string(let text), .uri(let text): widen(length: text.count)
        case .data(let data), .json(let data): widen(length: data.count)
        case .uuid, .reference, .references: break
        }
    }

    private mutating func widen(length: Int) {
        total += length
        let number = Int64(length)
        widen(.int(number)) {
            number < $0.integer ?? 0
        } isGreater: {
            number > $0.integer ?? 0
        }
    }

    private mutating func widen(_ number: Double, _ value: Value) {
        guard !number.isNaN else { return notNumbers += 1 }
        func other(_ value: Value) -> Double {
            switch value {
            case .double(let other): other
            case .float(let other): Double(other)
            case .date(let other): other.timeIntervalSinceReferenceDate
            default: 0
            }
        }
        widen(value) {
            number < other($0)
        } isGreater: {
            number > other($0)
        }
    }

    private mutating func widen(_ value: Value, isLess: (Value) -> Bool, isGreater: (Value) -> Bool) {
        if least.map(isLess) ?? true { least = value }
        if greatest.map(isGreater) ?? true { greatest = value }
    }
}

extension Value {
    fileprivate var integer: Int64? { if case .int(let number) = self { number } else { nil } }
}

/// What is counted of one relationship.
struct RelationshipStatistics {
    let property: Property
    /// How many objects have no member.
    var empty = 0
    var members = 0
    /// The greatest number of members an object has.
    var most = 0

    mutating func add(_ count: Int) {
        if count == 0 { empty += 1 }
        members += count
        most = max(most, count)
    }
}

/// What is counted of the objects of one entity, its sub-entities' apart.
struct EntityStatistics {
    let entity: Entity
    let size: EntitySize
    private(set) var objects = 0
    private(set) var attributes: [AttributeStatistics]
    private(set) var relationships: [RelationshipStatistics]

    init(_ entity: Entity, size: EntitySize) {
        self.entity = entity
        self.size = size
        attributes = entity.properties.compactMap { property in
            guard let attribute = property.attribute, !property.isTransient else { return nil }
            return AttributeStatistics(property: property, type: attribute.type)
        }
        relationships = entity.properties.filter { $0.relationship != nil }.map { RelationshipStatistics(property: $0) }
    }

    mutating func add(_ object: ManagedObject) throws {
        objects += 1
        for index in attributes.indices { attributes[index].add(try object.value(forKey: attributes[index].property.name)) }
        for index in relationships.indices {
            let name = relationships[index].property.name
            relationships[index].add(try object.value(forKey: name).objectIDs.count)
        }
    }
}
