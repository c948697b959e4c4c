internal import GrabenModel

extension ClassMember {
    /// The accessor of an attribute kept in records or in memory.
    init(attribute: AttributeDescription, _ property: Property, _ addressing: Addressing, document: String) {
        let type = SwiftType(of: attribute)
        let place = addressing.argument(property)
        var isOptional = attribute.isOptionalInSwift
        var get = "attribute(\(place))"
        var set = "setAttribute(\(place), newValue)"
        switch type {
        case .plain:
            if !isOptional { get += " ?? \(attribute.type.swiftMissing)" }
        case .untyped:
            isOptional = false
            if case .name = addressing {
                get += " ?? .null"
            } else {
                (get, set) = ("attributeValue(\(place))", "setAttributeValue(\(place), newValue)")
            }
        case .raw(let name):
            // There is no raw value that every such type has.
            isOptional = true
            if case .name = addressing {
                let raw = attribute.type.swiftName ?? "Value"
                get = "attribute(\(place), as: \(raw).self).flatMap { \(name)(rawValue: $0) }"
                set = "setAttribute(\(place), newValue?.rawValue)"
            }
        case .coded:
            if case .name = addressing { (get, set) = ("transformable(\(place))", "setTransformable(\(place), newValue)") }
            // A composite has a value without any said; another type may have none.
            isOptional = isOptional || attribute.composite == nil
            if !isOptional { get += " ?? \(type.name)()" }
        }
        self.init(
            name: attribute.name, property: attribute.name, types: [type.name], document: document,
            head: "var \(attribute.name.swiftIdentifier): \(type.name.optional(isOptional))",
            // The store works out the value of a derived attribute; one that is set would be lost.
            body: .property(get: get, set: attribute.isDerived ? nil : set))
    }

    /// The accessor of a packed attribute, with its lane as a literal: the getter costs two loads then.
    init(packed attribute: AttributeDescription, lane: LanePlace, document: String) {
        let isDouble = attribute.type == .double
        let set = isDouble ? "setPacked(\(lane.number), newValue)" : "setPackedFloat(\(lane.number), newValue)"
        var get: String
        if attribute.isOptional {
            get = isDouble ? "packedOptional(\(lane.number))" : "packedOptionalFloat(\(lane.number))"
            if !attribute.isOptionalInSwift { get += " ?? 0" }
        } else if !isDouble {
            get = "packedFloat(afterDoubles: \(lane.doublesBefore), floats: \(lane.floatsBefore))"
        } else if lane.floatsBefore == 0 {
            get = "packed(\(lane.number))"
        } else {
            get = "packed(at: AccessorPlace(doubles: \(lane.doublesBefore), floats: \(lane.floatsBefore)))"
        }
        let type = isDouble ? "Double" : "Float"
        self.init(
            name: attribute.name, property: attribute.name, types: [type], document: document,
            head: "var \(attribute.name.swiftIdentifier): \(type.optional(attribute.isOptionalInSwift))",
            body: .property(get: get, set: set), isInlinable: true)
    }

    /// Two or three packed attributes as a point.
    init(point: PointGroup) {
        let lane = point.firstLane
        let get: String
        let set: String
        if point.keys.count == 3 {
            get = "packed3(\(lane))"
            set = "setPacked3(\(lane), newValue)"
        } else {
            get = "SIMD2(packed(\(lane)), packed(\(lane + 1)))"
            set = "setPacked(\(lane), newValue.x); setPacked(\(lane + 1), newValue.y)"
        }
        self.init(
            name: point.name, property: nil, types: ["SIMD\(point.keys.count)", "Double"],
            document: "The packed attributes \(point.keys.joined(separator: ", ")) as a point.",
            head: "var \(point.name.swiftIdentifier): SIMD\(point.keys.count)<Double>", body: .property(get: get, set: set),
            isInlinable: true)
    }
}

/// Where a packed attribute stands among its entity's lanes.
struct LanePlace {
    let number: Int
    let doublesBefore: Int
    var floatsBefore: Int { number - doublesBefore }

    init(_ number: Int, of entity: Entity) {
        self.number = number
        doublesBefore = entity.lanes.prefix(number).count { entity.properties[$0].attribute?.type == .double }
    }
}

extension String {
    fileprivate func optional(_ isOptional: Bool) -> String { isOptional ? self + "?" : self }
}

extension AttributeDescription {
    /// Whether its property is an Optional: where there may be no value, and the model does not ask for a plain number all the same.
    var isOptionalInSwift: Bool { isOptional && !(usesScalarType == true && type.isScalar) }
}

extension AttributeType {
    /// Whether a model can ask for its plain Swift type: 0, false or the beginning of 2001 stand for no value then.
    fileprivate var isScalar: Bool {
        switch self {
        case .int16, .int32, .int64, .double, .float, .boolean, .date: true
        case .decimal, .string, .data, .uuid, .uri, .transformable: false
        }
    }
}
