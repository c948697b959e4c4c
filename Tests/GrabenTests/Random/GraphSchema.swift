import Graben
import GrabenFixtures
import GrabenLog
import GrabenModel

/// The model of the randomised test: every kind of attribute, column and relationship, and a sub-entity that inherits them.
enum GraphSchema {
    struct Attribute {
        let name: String
        let type: AttributeType
        var isOptional = true
        var isPacked = false
        var defaultValue: Value?

        /// What a new object holds.
        var initial: Value {
            if let defaultValue { return defaultValue }
            guard isPacked, !isOptional else { return .null }
            return type == .double ? .double(0) : .float(0)
        }
    }

    struct Relation {
        let name: String
        let destination: String
        var inverse: String?
        var isToMany = false
        var isOrdered = false
        var rule = DeleteRule.nullify
    }

    static let concrete = ["Joint", "Special", "Line", "Tag", "Route", "Stop", "Marker"]

    /// The concrete entities that a destination takes.
    static func kinds(_ entity: String) -> [String] { entity == "Joint" ? ["Joint", "Special"] : [entity] }

    static func attributes(_ entity: String) -> [Attribute] {
        let joint = [
            Attribute(name: "x", type: .double, isOptional: false, isPacked: true),
            Attribute(name: "y", type: .double, isOptional: false, isPacked: true),
            Attribute(name: "z", type: .double, isOptional: false, isPacked: true, defaultValue: 7.5),
            Attribute(name: "h", type: .double, isPacked: true),
            Attribute(name: "f", type: .float, isPacked: true, defaultValue: .float(-0.5)),
            Attribute(name: "name", type: .string),
            Attribute(name: "count", type: .int64, defaultValue: 3),
            Attribute(name: "data", type: .data),
        ]
        switch entity {
        case "Joint": return joint
        case "Special": return joint + [Attribute(name: "extra", type: .double, isPacked: true), Attribute(name: "note", type: .string)]
        case "Line": return [Attribute(name: "width", type: .double), Attribute(name: "on", type: .boolean, defaultValue: true)]
        case "Tag": return [Attribute(name: "name", type: .string, defaultValue: "tag")]
        case "Stop": return [Attribute(name: "name", type: .string)]
        case "Marker":
            return [
                Attribute(name: "u", type: .double, isOptional: false, isPacked: true),
                Attribute(name: "v", type: .double, isPacked: true, defaultValue: 2.0),
                Attribute(name: "level", type: .int64, defaultValue: 9),
            ]
        default: return []
        }
    }

    static func relations(_ entity: String) -> [Relation] {
        switch entity {
        case "Joint", "Special":
            [
                Relation(name: "outgoing", destination: "Line", inverse: "start", isToMany: true, rule: .cascade),
                Relation(name: "incoming", destination: "Line", inverse: "end", isToMany: true),
                Relation(name: "tags", destination: "Tag", inverse: "joints", isToMany: true),
                Relation(name: "friends", destination: "Joint", inverse: "friends", isToMany: true),
                Relation(name: "partner", destination: "Joint", inverse: "partner"),
                Relation(name: "marker", destination: "Marker", inverse: "joint", rule: .cascade),
                Relation(name: "ranked", destination: "Tag", inverse: "ranking", isToMany: true),
            ]
        case "Line":
            [
                Relation(name: "start", destination: "Joint", inverse: "outgoing"),
                Relation(name: "end", destination: "Joint", inverse: "incoming"),
            ]
        case "Tag":
            [
                Relation(name: "joints", destination: "Joint", inverse: "tags", isToMany: true),
                Relation(name: "ranking", destination: "Joint", inverse: "ranked", isToMany: true, isOrdered: true),
                Relation(name: "favourite", destination: "Joint"),
                Relation(name: "seen", destination: "Line", isToMany: true),
            ]
        case "Route": [Relation(name: "stops", destination: "Stop", inverse: "route", isToMany: true, isOrdered: true, rule: .cascade)]
        case "Stop": [Relation(name: "route", destination: "Route", inverse: "stops")]
        case "Marker": [Relation(name: "joint", destination: "Joint", inverse: "marker")]
        default: []
        }
    }

    static func relation(_ entity: String, _ name: String) -> Relation? { relations(entity).first { $0.name == name } }

    static let model = ManagedObjectModel(
        entities: concrete.map { entity in
            let inherited = entity == "Special" ? "Joint" : nil
            let known = Set(inherited.map { attributes($0).map(\.name) } ?? [])
            return EntityDescription(
                entity, superentity: inherited,
                attributes: attributes(entity).filter { !known.contains($0.name) }.map {
                    AttributeDescription(
                        $0.name, $0.type, isOptional: $0.isOptional, defaultValue: $0.defaultValue, isPacked: $0.isPacked)
                },
                relationships: inherited != nil
                    ? []
                    : relations(entity).map {
                        RelationshipDescription(
                            $0.name, to: $0.destination, inverse: $0.inverse, isToMany: $0.isToMany, isOrdered: $0.isOrdered,
                            deleteRule: $0.rule)
                    })
        })

    static func container(_ location: StoreLocation) throws -> PersistentContainer {
        try PersistentContainer(model: model, classes: ["Marker": FieldMarker.self], stores: [StoreConfiguration(location)])
    }

    /// A value for an attribute; small numbers often, so that values repeat, and the odd ones of floating point.
    static func value(_ attribute: Attribute, _ random: inout Choices) -> Value {
        if attribute.isOptional, random.below(6) == 0 { return .null }
        switch attribute.type {
        case .double:
            let odd = [0.0, -0.0, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, 1e300]
            return .double(random.below(5) == 0 ? odd[Int(random.below(7))] : Double(random.below(4)) - 1.5)
        case .float:
            let odd: [Float] = [0, -0.0, .nan, .infinity]
            return .float(random.below(4) == 0 ? odd[Int(random.below(4))] : Float(random.below(5)) / 2)
        case .int64: return .int(Int64(random.below(3)) * (random.below(5) == 0 ? .max / 3 : 1))
        case .boolean: return .bool(random.below(2) == 0)
        case .string:
            let texts = ["", "a", "é", "e\u{301}", "long " + String(repeating: "text ", count: 300)]
            return .string(texts[Int(random.below(5))])
        case .data: return .data(.init((0..<random.below(5)).map { UInt8($0) }))
        default: return .null
        }
    }
}

/// An object that keeps its attributes in fields of its own.
final class FieldMarker: ManagedObject {
    private var point: SIMD2<Double> = [-99, -99]
    private var hasV = false
    private var levelField = -99

    var primitiveU: Double {
        get { point.x }
        set { point.x = newValue }
    }
    var primitiveV: Double? {
        get { hasV ? point.y : nil }
        set {
            hasV = newValue != nil
            point.y = newValue ?? 0
        }
    }
    var primitiveLevel: Int? {
        get { levelField == -1 ? nil : levelField }
        set { levelField = newValue ?? -1 }
    }

    override class var primitiveAccessors: [PrimitiveAccessor] {
        [
            .init("u", get: { (object: FieldMarker) in object.primitiveU }, set: { $0.primitiveU = $1 }),
            .init("v", get: { (object: FieldMarker) in object.primitiveV }, set: { $0.primitiveV = $1 }),
            .init("level", \FieldMarker.primitiveLevel),
        ]
    }

    override func didTurnIntoFault() {
        (point, hasV, levelField) = ([-77, -77], true, -77)
    }
}
