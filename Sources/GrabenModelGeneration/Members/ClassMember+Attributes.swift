internal import GrabenModel

extension ClassMember {
    /// The accessor of an attribute kept in records or in memory.
    init(attribute: AttributeDescription, document: String) {
        let key = SwiftText.literal(attribute.name)
        let type = attribute.type.swiftType(of: attribute)
        let missing = attribute.isOptionalInSwift ? "" : " ?? \(attribute.type.swiftMissing)"
        self.init(
            name: attribute.name, property: attribute.name, types: [type], document: document,
            head: "var \(attribute.name.swiftIdentifier): \(type)\(attribute.isOptionalInSwift ? "?" : "")",
            // The store works out the value of a derived attribute; one that is set would be lost.
            body: .property(get: "attribute(\(key))\(missing)", set: attribute.isDerived ? nil : "setAttribute(\(key), newValue)"))
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
            // The fast getter reckons with doubles only before its own lane.
            get = "packedOptional(\(lane.number)) ?? 0"
        }
        let type = attribute.type.swiftType(of: attribute)
        self.init(
            name: attribute.name, property: attribute.name, types: [type], document: document,
            head: "var \(attribute.name.swiftIdentifier): \(type)\(attribute.isOptionalInSwift ? "?" : "")",
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

extension AttributeDescription {
    /// Whether its property is an Optional: where there may be no value, and the model does not ask for a plain number all the same.
    var isOptionalInSwift: Bool { isOptional && !(usesScalarType == true && type.isScalar) && type != .transformable }
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
