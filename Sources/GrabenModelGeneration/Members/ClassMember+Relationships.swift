internal import GrabenModel

extension ClassMember {
    /// The accessors of a relationship: one for a to-one; for a to-many, and those that add to it and take from it.
    static func members(
        of relationship: RelationshipDescription, _ property: Property, _ addressing: Addressing, type: String, document: String
    ) -> [ClassMember] {
        let key = addressing.argument(property)
        let name = relationship.name.swiftIdentifier
        guard relationship.isToMany else {
            return [
                ClassMember(
                    name: relationship.name, property: relationship.name, types: [type], document: document, head: "var \(name): \(type)?",
                    body: .property(get: "toOne(\(key))", set: "setToOne(\(key), newValue)"))
            ]
        }
        let (collection, read, write) =
            relationship.isOrdered ? ("OrderedToMany", "orderedToMany", "setOrderedToMany") : ("ToMany", "toMany", "setToMany")
        let members = ClassMember(
            name: relationship.name, property: relationship.name, types: [collection, type], document: document,
            head: "var \(name): \(collection)<\(type)>", body: .property(get: "\(read)(\(key))", set: "\(write)(\(key), newValue)"))
        return [members] + mutators(of: relationship, name: name, type: type)
    }

    private static func mutators(of relationship: RelationshipDescription, name: String, type: String) -> [ClassMember] {
        let stem = relationship.name.capitalizedFirst
        // A parameter of that name would hide the property.
        let name = ["object", "objects", "place"].contains(name) ? "self.\(name)" : name
        func function(_ name: String, _ labels: String, _ parameters: String, _ document: String, _ body: String) -> ClassMember {
            ClassMember(
                name: "\(name)(\(labels))", property: relationship.name, types: [type], document: document,
                head: "func \(name)(\(parameters))", body: .function([body]))
        }
        let add = relationship.isOrdered ? "append" : "insert"
        let place = relationship.isOrdered ? " at the end" : ""
        var functions = [
            function(
                "addTo\(stem)", "_:", "_ object: \(type)", "Adds a member to \(relationship.name)\(place) and sets the other side.",
                "\(name).\(add)(object)"),
            function(
                "addTo\(stem)", "_:", "_ objects: some Sequence<\(type)>",
                "Adds members to \(relationship.name)\(place) and sets the other sides.", "for object in objects { \(name).\(add)(object) }"
            ),
            function(
                "removeFrom\(stem)", "_:", "_ object: \(type)",
                "Takes a member out of \(relationship.name) and clears the other side.", "\(name).remove(object)"),
            function(
                "removeFrom\(stem)", "_:", "_ objects: some Sequence<\(type)>",
                "Takes members out of \(relationship.name) and clears the other sides.", "for object in objects { \(name).remove(object) }"),
        ]
        if relationship.isOrdered {
            functions.append(
                function(
                    "insertInto\(stem)", "_:at:", "_ object: \(type), at place: Int",
                    "Adds a member to \(relationship.name) at a place and sets the other side.", "\(name).insert(object, at: place)"))
            functions.append(
                function(
                    "removeFrom\(stem)", "at:", "at place: Int",
                    "Takes the member at a place out of \(relationship.name) and clears the other side; does nothing where there is none.",
                    "if let object = \(name)[place] { \(name).remove(object) }"))
        }
        return functions
    }

    /// The accessors of a fetched property: one that answers [] on an error, which goes to the context, and one that throws it. One with a limit of 1 is
    /// an object or nil.
    static func members(
        of fetched: FetchedPropertyDescription, _ property: Property, _ addressing: Addressing, type: String, document: String
    ) -> [ClassMember] {
        let function = "fetch\(fetched.name.capitalizedFirst)"
        let isOne = fetched.limit == 1
        let found = isOne ? "\(type)?" : "[\(type)]"
        return [
            ClassMember(
                name: fetched.name, property: fetched.name, types: [type], document: document,
                head: "var \(fetched.name.swiftIdentifier): \(found)",
                body: .property(get: "\(isOne ? "fetchedObject" : "fetchedProperty")(\(addressing.argument(property)))", set: nil)),
            ClassMember(
                name: "\(function)()", property: fetched.name, types: [type, "GrabenError"],
                document: "What the fetched property \(fetched.name) finds; throws where it cannot be evaluated.",
                head: "func \(function)() throws(GrabenError) -> \(found)",
                body: .function([
                    "try fetched(\(SwiftText.literal(fetched.name))\(isOne ? ", as: \(type).self).first" : ")")"
                ])),
        ]
    }
}
