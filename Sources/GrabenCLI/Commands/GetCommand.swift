import Graben
import GrabenDrawing
import GrabenLog
import GrabenModel
import GrabenPredicate

/// One object, with both ends of its relationships.
enum GetCommand {
    static func run(_ session: Session) throws {
        let store = try OpenStore(session)
        let object = try find(session, store)
        if session.invocation.has("json") {
            try json(object, store, JSONWriter(session.output), session)
        } else {
            try text(object, store, session)
        }
    }

    // MARK: Finding

    private static func find(_ session: Session, _ store: OpenStore) throws -> ManagedObject {
        let operands = Array(session.invocation.operands.dropFirst())
        guard operands.count > 1 else { return try object(operands.first ?? "", in: store) }
        let entity = try store.entity(operands[0])
        if operands.count == 2, !operands[1].contains("=") {
            let found = operands[1].contains("/") ? try object(operands[1], in: store) : try object(operands[1], of: entity, in: store)
            guard found.entity.isKind(of: store.model.entities[entity.index]) else {
                throw CLIError(.notFound, "object.not-found", "\(operands[1].shown) is a \(found.entity.name), no \(entity.name)")
            }
            return found
        }
        let words = operands.dropFirst().joined(separator: " ")
        let parts = try operands.dropFirst().map { try part($0, entity) }
        let numbers = Set(parts.map(\.property.number))
        if numbers.count == parts.count, entity.uniqueKeys.contains(where: { Set($0.properties) == numbers }) {
            // One look-up in the index of the constraint.
            let values = Dictionary(parts.map { ($0.property.name, $0.value) }) { first, _ in first }
            guard let object = try store.context.object(entity: entity.name, where: values) else {
                throw CLIError(.notFound, "object.not-found", "no \(entity.name) has \(words.shown)", file: store.path)
            }
            return try store.context.existingObject(with: object.objectID)
        }
        let predicate = ObjectPredicate.all(try parts.map { try ObjectPredicate(key: $0.property.name, .equal, $0.value) })
        let ids = try Selection(entity, matching: predicate, limit: 2).ids(in: store)
        guard let id = ids.first else {
            throw CLIError(.notFound, "object.not-found", "no \(entity.name) has \(words.shown)", file: store.path)
        }
        guard ids.count == 1 else {
            throw CLIError.usage(
                "ambiguous", "more than one \(entity.name) has \(words.shown)",
                hint: "graben query '\(store.path)' \(entity.name) --where …")
        }
        return try store.context.existingObject(with: id)
    }

    /// A property and the value it is to have.
    private static func part(_ text: String, _ entity: Entity) throws -> (property: Property, value: Value) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { throw CLIError.usage("bad-value", "\(text.shown) is no KEY=VALUE", hint: "graben help get") }
        guard let property = entity.property(named: parts[0]) else {
            throw CLIError(
                .usage, "key.unknown",
                "\(entity.name) has no property \(parts[0].shown)"
                    + suggestion(entity.nearestPropertyName(to: parts[0])))
        }
        guard let attribute = property.attribute else {
            throw CLIError.usage("bad-value", "\(entity.name).\(property.name) is no attribute, and no key")
        }
        guard let value = CellParser.value(of: parts[1], as: attribute.type) else {
            throw CLIError.usage(
                "bad-value", "\(entity.name).\(property.name) takes \(CellParser.form(of: attribute.type)), not \(parts[1].shown)")
        }
        return (property, value)
    }

    /// The object that `Entity/row` or a URI names.
    private static func object(_ text: String, in store: OpenStore) throws -> ManagedObject {
        if text.hasPrefix("graben://") {
            guard let id = store.coordinator.objectID(for: text) else {
                throw CLIError(.notFound, "object.not-found", "\(text.shown) is no object of '\(store.path)'", file: store.path)
            }
            return try store.context.existingObject(with: id)
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { throw CLIError.usage("bad-value", "\(text.shown) is no id", hint: "graben help get") }
        return try object(parts[1], of: try store.entity(parts[0]), in: store)
    }

    private static func object(_ row: String, of entity: Entity, in store: OpenStore) throws -> ManagedObject {
        guard let number = UInt32(row) else {
            throw CLIError.usage(
                "bad-value", "\(row.shown) is neither a row number nor KEY=VALUE",
                hint: EntityKey.attribute(of: entity).map { "graben get '\(store.path)' \(entity.name) '\($0)=\(row)'" })
        }
        for candidate in entity.concreteDescendants {
            let uri = "graben://\(store.log.storeUUID.uuidString.lowercased())/\(store.model.entities[candidate].name)/\(number)"
            guard let id = store.coordinator.objectID(for: uri), try exists(id, in: store) else { continue }
            return try store.context.existingObject(with: id)
        }
        throw CLIError(.notFound, "object.not-found", "'\(store.path)' has no \(entity.name) \(number)", file: store.path)
    }

    /// Asked by a fetch, because a context reports an object that is not there.
    private static func exists(_ id: ObjectID, in store: OpenStore) throws -> Bool {
        let entity = store.model.entities[Int(id.entityNumber)]
        guard let code = store.log.catalog.entity(named: entity.name)?.code else { return false }
        return store.log.newest.contains(code, id.row)
    }

    // MARK: Showing

    private static func text(_ object: ManagedObject, _ store: OpenStore, _ session: Session) throws {
        let output = session.output
        let entity = object.entity
        let width = entity.properties.map(\.name.displayWidth).max() ?? 0
        func label(_ name: String) -> String { "  " + name + String(repeating: " ", count: width - name.displayWidth) + "  " }
        let heading = session.terminal.heading(store.names.shortID(object.objectID))
        try output.write("\(heading)  \(object.objectID.uriRepresentation)\n")
        for property in entity.properties {
            switch property.kind {
            case .attribute(let attribute):
                let value = try object.value(forKey: property.name)
                let text = value.isNull ? "nil" : ValueText.text(value).withoutControls
                let unit = attribute.userInfo["unit"].map { value.isNull ? "" : " \($0)" } ?? ""
                try output.write(label(property.name) + text + unit.withoutControls + "\n")
            case .relationship(let relationship, _):
                let ids = try members(object, property)
                let inverse = relationship.inverse.map { " (inverse \($0))" } ?? ""
                guard relationship.isToMany else {
                    let text = try ids.first.map { try describe($0, store) } ?? "nil"
                    try output.write(label(property.name) + text + inverse + "\n")
                    continue
                }
                try output.write(label(property.name) + "\(ids.count) \(relationship.destination)\(inverse)\n")
                for id in ids { try output.write(label("") + "  " + (try describe(id, store)) + "\n") }
            case .fetched(let fetched, _):
                guard session.invocation.has("fetched") else {
                    try output.write(label(property.name) + "fetched \(fetched.destination); --fetched evaluates it\n")
                    continue
                }
                let ids = try members(object, property)
                try output.write(label(property.name) + "\(ids.count) \(fetched.destination) (fetched)\n")
                for id in ids { try output.write(label("") + "  " + (try describe(id, store)) + "\n") }
            }
        }
    }

    /// A related object in a line: its id, its key, and for an object that lies between others the names of those.
    private static func describe(_ id: ObjectID, _ store: OpenStore) throws -> String {
        let object = store.context.object(with: id)
        var text = store.names.shortID(id)
        if let key = try store.names.key(of: id) { text += "  \(key)" }
        let ends = try object.entity.properties.filter(\.isToOne).compactMap { property -> String? in
            guard case .reference(let end) = try object.value(forKey: property.name) else { return nil }
            return "\(property.name) \(try store.names.name(end))"
        }
        return (text + (ends.isEmpty ? "" : "  (\(ends.joined(separator: ", ")))")).withoutControls
    }

    private static func members(_ object: ManagedObject, _ property: Property) throws -> [ObjectID] {
        try object.value(forKey: property.name).objectIDs
    }

    private static func json(_ object: ManagedObject, _ store: OpenStore, _ json: JSONWriter, _ session: Session) throws {
        let properties = object.entity.properties
        try json.beginObject()
        try json.field("entity", object.entity.name)
        try json.field("id", object.objectID.uriRepresentation)
        try json.key("attributes")
        try json.beginObject()
        for property in properties where property.attribute != nil {
            try json.key(property.name)
            try json.value(try object.value(forKey: property.name))
        }
        try json.endObject()
        try json.key("relationships")
        try json.beginObject()
        for property in properties {
            guard let relationship = property.relationship else { continue }
            try json.key(property.name)
            try json.beginObject()
            try json.field("destination", relationship.destination)
            try json.field("inverse", relationship.inverse)
            try json.field("toMany", relationship.isToMany)
            try json.key("objects")
            try related(try members(object, property), store, json)
            try json.endObject()
        }
        try json.endObject()
        if session.invocation.has("fetched") {
            try json.key("fetched")
            try json.beginObject()
            for property in properties where property.fetched != nil {
                try json.key(property.name)
                try related(try members(object, property), store, json)
            }
            try json.endObject()
        }
        try json.endObject()
        try json.newline()
    }

    private static func related(_ ids: [ObjectID], _ store: OpenStore, _ json: JSONWriter) throws {
        try json.beginArray()
        for id in ids {
            try json.beginObject()
            try json.field("id", id.uriRepresentation)
            try json.field("name", try store.names.key(of: id))
            try json.endObject()
        }
        try json.endArray()
    }
}
