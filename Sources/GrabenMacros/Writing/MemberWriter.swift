/// The members that one property adds to its class: lanes of a vector, primitive accessors, what adds and removes members.
struct MemberWriter {
    let writer: AccessorWriter

    private var place: ClassPlace { writer.place }

    func members(_ property: PropertyDeclaration) -> [String] {
        switch property.kind {
        case .attribute(let part): [primitive(property, part)]
        case .packed(let packing):
            packing.lanes.indices.flatMap { lane($0, property, packing) }
        case .relationship(let part):
            part.isToMany ? mutators(property, part) : [primitive(property, to: part.destination)]
        case .fetched: []
        }
    }

    private func variable(_ access: String, _ name: String, _ type: String, _ accessors: AccessorWriter.Accessors) -> String {
        let set = accessors.set.map { "\nset {\n\($0)\n}" } ?? ""
        let getAttributes = access == "public " || access == "open " ? accessors.getAttributes : accessors.getAttributes.replacingInlinable
        return
            "\(access == "open " ? "public " : access)final var \(name.identifier): \(type) {\n\(getAttributes)get {\n\(accessors.get)\n}\(set)\n}"
    }

    // MARK: Attributes

    private func primitive(_ property: PropertyDeclaration, _ part: AttributePart) -> String {
        let type = part.type + (property.isOptional ? "?" : "")
        let accessors: AccessorWriter.Accessors
        if let storage = part.storage {
            accessors = .init(get: "self.\(storage)", set: "self.\(storage) = newValue")
        } else {
            let number = place.number(property.place)
            accessors = .init(
                get: "primitiveAttribute(at: \(number), as: \(part.type).self)\(writer.fallback(property, part))",
                set: "setPrimitiveAttribute(at: \(number), newValue)")
        }
        return variable(property.access, "primitive\(property.name.capitalizedFirst)", type, accessors)
    }

    private func lane(_ index: Int, _ property: PropertyDeclaration, _ packing: Packing) -> [String] {
        let key = packing.lanes[index]
        let scalar = packing.scalar.rawValue
        let type = scalar + (property.isOptional ? "?" : "")
        let name = packing.isVector ? key : property.name
        let number = place.number(property.place + Place(accessors: index))
        let primitive: AccessorWriter.Accessors
        var members: [String] = []
        if let storage = packing.storage {
            let field = packing.isVector ? "self.\(storage)[\(index)]" : "self.\(storage)"
            primitive = .init(get: field, set: "\(field) = newValue")
            if packing.isVector {
                let key = key.quoted
                members.append(
                    variable(
                        property.access, name, type,
                        .init(
                            get: "willAccessValue(forKey: \(key))\ndefer { didAccessValue(forKey: \(key)) }\nreturn \(field)",
                            set: "willChangeValue(forKey: \(key))\n\(field) = newValue\ndidChangeValue(forKey: \(key))")))
            }
        } else {
            let fallback = property.isOptional ? "" : " ?? 0"
            primitive = .init(
                get: "primitiveAttribute(at: \(number), as: \(scalar).self)\(fallback)",
                set: "setPrimitiveAttribute(at: \(number), newValue)")
            if packing.isVector {
                members.append(
                    variable(
                        property.access, name, type, writer.lane(packing, index, property.place, isOptional: property.isOptional)))
            }
        }
        members.append(variable(property.access, "primitive\(name.capitalizedFirst)", type, primitive))
        return members
    }

    // MARK: Relationships

    private func primitive(_ property: PropertyDeclaration, to destination: String) -> String {
        let number = place.number(property.place)
        return variable(
            property.access, "primitive\(property.name.capitalizedFirst)", "\(destination)?",
            .init(get: "primitiveToOne(at: \(number))", set: "setPrimitiveToOne(at: \(number), newValue)"))
    }

    private func mutators(_ property: PropertyDeclaration, _ part: RelationshipPart) -> [String] {
        let name = property.name.capitalizedFirst
        let access = property.access == "open " ? "public " : property.access
        let member = part.destination
        let all = "self.\(property.identifier)"
        let add = part.isOrdered ? "append" : "insert"
        return [
            "@discardableResult\n\(access)final func addTo\(name)(_ member: \(member)) -> Bool { \(all).\(add)(member) }",
            "\(access)final func addTo\(name)(_ members: some Sequence<\(member)>) { for member in members { \(all).\(add)(member) } }",
            "@discardableResult\n\(access)final func removeFrom\(name)(_ member: \(member)) -> Bool { \(all).remove(member) }",
            "\(access)final func removeFrom\(name)(_ members: some Sequence<\(member)>) { for member in members { \(all).remove(member) } }",
        ]
    }
}

extension String {
    /// Without what only public declarations may have.
    fileprivate var replacingInlinable: String { hasPrefix("@inlinable ") ? String(dropFirst("@inlinable ".count)) : self }
}
