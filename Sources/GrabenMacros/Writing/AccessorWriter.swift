/// The bodies of getters and setters.
struct AccessorWriter {
    let place: ClassPlace
    let observesAccess: Bool
    /// Whether bodies can be inlined into other modules: the class and the property are public.
    let isInlinable: Bool

    /// A getter's body, and a setter's where the property can be set.
    struct Accessors {
        var get: String
        var set: String?
        /// What stands before `get`.
        var getAttributes = ""
    }

    func accessors(_ property: PropertyDeclaration) -> Accessors {
        switch property.kind {
        case .attribute(let part): attribute(property, part)
        case .packed(let packing): packed(property, packing)
        case .relationship(let part):
            if part.isToMany {
                Accessors(
                    get: "\(part.isOrdered ? "orderedToMany" : "toMany")(at: \(place.number(property.place)))",
                    set: "set\(part.isOrdered ? "OrderedToMany" : "ToMany")(at: \(place.number(property.place)), newValue)")
            } else {
                Accessors(
                    get: "toOne(at: \(place.number(property.place)))", set: "setToOne(at: \(place.number(property.place)), newValue)")
            }
        case .fetched(let part):
            Accessors(get: "\(part.isOne ? "fetchedObject" : "fetchedProperty")(at: \(place.number(property.place)))", set: nil)
        }
    }

    // MARK: Attributes

    private func attribute(_ property: PropertyDeclaration, _ part: AttributePart) -> Accessors {
        if let storage = part.storage { return stored([part.key], storage) }
        let number = place.number(property.place)
        return Accessors(
            get: "attribute(at: \(number), as: \(part.type).self)\(fallback(property, part))",
            set: part.derivation == nil ? "setAttribute(at: \(number), newValue)" : nil)
    }

    /// What a getter of a non-optional attribute answers where there is no value.
    func fallback(_ property: PropertyDeclaration, _ part: AttributePart) -> String {
        guard !property.isOptional else { return "" }
        if let value = part.defaultValue { return " ?? (\(value))" }
        return " ?? \(part.type).missingPrimitive"
    }

    /// A field of the class's own, with the accesses announced for each attribute it holds.
    private func stored(_ keys: [String], _ path: String) -> Accessors {
        let announced = keys.map(\.quoted)
        let begin = announced.map { "willAccessValue(forKey: \($0))" }
        let end = announced.map { "didAccessValue(forKey: \($0))" }
        let willChange = announced.map { "willChangeValue(forKey: \($0))" }
        let didChange = announced.map { "didChangeValue(forKey: \($0))" }
        return Accessors(
            get: (begin + ["defer { \(end.joined(separator: "; ")) }", "return self.\(path)"]).joined(separator: "\n"),
            set: (willChange + ["self.\(path) = newValue"] + didChange).joined(separator: "\n"))
    }

    // MARK: Lanes

    private func packed(_ property: PropertyDeclaration, _ packing: Packing) -> Accessors {
        if let storage = packing.storage { return stored(packing.lanes, storage) }
        guard packing.isVector else { return lane(packing, 0, property.place, isOptional: property.isOptional) }
        let lanes = packing.lanes.indices.map { lanePlace(packing, property.place, $0) }
        let type = "SIMD\(lanes.count)<\(packing.scalar.rawValue)>"
        let prefix = packing.scalar == .double ? "setPacked" : "setPackedFloat"
        let optional = property.isOptional
        let set = lanes.indices.map { index in
            "\(prefix)(\(place.lane(lanes[index])), \(optional ? "newValue.map { $0[\(index)] }" : "newValue[\(index)]"))"
        }.joined(separator: "\n")
        if optional {
            let read = packing.scalar == .double ? "packedOptional" : "packedOptionalFloat"
            let values = lanes.indices.map { "let lane\($0) = \(read)(\(place.lane(lanes[$0])))" }.joined(separator: ", ")
            let get = "guard \(values) else { return nil }\nreturn \(type)(\(lanes.indices.map { "lane\($0)" }.joined(separator: ", ")))"
            return observed(Accessors(get: get, set: set), packing.lanes)
        }
        let name = (packing.scalar == .double ? "packed" : "packedFloat") + "\(lanes.count)"
        let get = name == "packed3" ? plain(name, property.place) : "\(name)(at: \(place.whole(property.place)))"
        return observed(Accessors(get: get, set: set, getAttributes: inlining), packing.lanes)
    }

    /// One lane: a packed number, or a part of a vector.
    func lane(_ packing: Packing, _ index: Int, _ first: Place, isOptional: Bool) -> Accessors {
        let at = lanePlace(packing, first, index)
        let isDouble = packing.scalar == .double
        let set = "\(isDouble ? "setPacked" : "setPackedFloat")(\(place.lane(at)), newValue)"
        let accessors: Accessors
        if isOptional {
            accessors = Accessors(get: "\(isDouble ? "packedOptional" : "packedOptionalFloat")(\(place.lane(at)))", set: set)
        } else {
            let get = isDouble ? plain("packed", at) : "packedFloat(at: \(place.whole(at)))"
            accessors = Accessors(get: get, set: set, getAttributes: inlining)
        }
        return observed(accessors, [packing.lanes[index]])
    }

    /// A getter that takes a bare lane where the place is nothing more.
    private func plain(_ name: String, _ at: Place) -> String {
        place.superclass == nil && at.floats == 0 ? "\(name)(\(at.doubles))" : "\(name)(at: \(place.whole(at)))"
    }

    /// Attributes of a getter that is to be loads in the machine code of whoever calls it.
    private var inlining: String { observesAccess ? "" : isInlinable ? "@inlinable @inline(__always) " : "@inline(__always) " }

    /// A getter in a class that observes access calls the hooks; in others reading a lane calls nothing.
    private func observed(_ accessors: Accessors, _ keys: [String]) -> Accessors {
        guard observesAccess else { return accessors }
        var accessors = accessors
        let begin = keys.map { "willAccessValue(forKey: \($0.quoted))" }.joined(separator: "\n")
        let end = keys.map { "didAccessValue(forKey: \($0.quoted))" }.joined(separator: "; ")
        let body = accessors.get.contains("return ") ? accessors.get : "return \(accessors.get)"
        accessors.get = "\(begin)\ndefer { \(end) }\n\(body)"
        return accessors
    }

    private func lanePlace(_ packing: Packing, _ first: Place, _ index: Int) -> Place {
        first
            + Place(
                accessors: index, doubles: packing.scalar == .double ? index : 0, floats: packing.scalar == .float ? index : 0)
    }
}
