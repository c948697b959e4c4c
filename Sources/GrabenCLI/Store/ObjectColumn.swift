import GrabenLog
import GrabenModel
import Graben

/// A column of a table of objects: the identity, the entity, or what a path of keys leads to.
struct ObjectColumn {
    enum Kind {
        case identity
        case entity
        /// To-ones followed by any property.
        case path([Property])
    }

    let title: String
    let kind: Kind
    /// Whether the column is aligned to the right.
    let isNumber: Bool
    /// The attribute its references are named by.
    private var key: String?
    /// Whether it names references by their ids, keys or not.
    private var isByID = false

    private init(_ title: String, _ kind: Kind, _ model: ResolvedModel) {
        self.title = title
        self.kind = kind
        guard case .path(let steps) = kind, let last = steps.last else {
            (isNumber, key) = (false, nil)
            return
        }
        isNumber =
            switch last.attribute?.type {
            case .int16, .int32, .int64, .double, .float, .decimal: true
            default: false
            }
        key = last.relationship == nil ? nil : EntityKey.attribute(of: last, in: model)
    }

    /// The same column with references named by their ids: a key need not be unique.
    var byID: ObjectColumn {
        var column = self
        column.isByID = true
        return column
    }

    var isIdentity: Bool { if case .identity = kind { true } else { false } }

    func value(of object: ManagedObject) throws -> Value {
        switch kind {
        case .identity: return .reference(object.objectID)
        case .entity: return .string(object.entity.name)
        case .path(let steps):
            var object = object
            for step in steps.dropLast() {
                guard case .reference(let id) = try object.value(forKey: step.name), let context = object.managedObjectContext else {
                    return .null
                }
                object = context.object(with: id)
            }
            guard let last = steps.last else { return .null }
            return try object.value(forKey: last.name)
        }
    }

    /// The value as text: ids short or as URIs, references by key.
    func text(_ value: Value, _ store: OpenStore, uris: Bool) throws -> String {
        return try ValueText.text(value) { id throws(CLIError) in
            do {
                if isIdentity { return uris ? id.uriRepresentation : store.names.shortID(id) }
                if !isByID, let name = try store.names.key(of: id, by: key) { return name }
                return uris ? id.uriRepresentation : store.names.shortID(id)
            } catch { throw CLIError(error) }
        }
    }
}

extension ObjectColumn {
    /// What the identity is called, beside the entity's own properties.
    static func identityTitle(_ entity: Entity) -> String { entity.propertyNumber(named: "id") == nil ? "id" : "$id" }
    static func entityTitle(_ entity: Entity) -> String { entity.propertyNumber(named: "entity") == nil ? "entity" : "$entity" }

    /// The columns of an entity where none are asked for: identity, stored attributes and to-ones, and to-manys where a cell can be a list.
    static func standard(_ entity: Entity, _ model: ResolvedModel, withLists: Bool, withEntity: Bool = false) -> [ObjectColumn] {
        var columns = [ObjectColumn(identityTitle(entity), .identity, model)]
        if withEntity { columns.insert(ObjectColumn(entityTitle(entity), .entity, model), at: 0) }
        for property in entity.properties where property.fetched == nil && !property.isTransient && (withLists || !property.isToMany) {
            columns.append(ObjectColumn(property.name, .path([property]), model))
        }
        return columns
    }

    /// The columns that `--columns` names.
    static func named(_ names: [String], _ entity: Entity, _ model: ResolvedModel) throws(CLIError) -> [ObjectColumn] {
        var columns: [ObjectColumn] = []
        for name in names {
            if name == identityTitle(entity) || name == "$id" {
                columns.append(ObjectColumn(name, .identity, model))
            } else if name == entityTitle(entity) || name == "$entity" {
                columns.append(ObjectColumn(name, .entity, model))
            } else {
                columns.append(ObjectColumn(name, .path(try path(name, entity, model)), model))
            }
        }
        return columns
    }

    /// The properties a key path leads through.
    private static func path(_ text: String, _ entity: Entity, _ model: ResolvedModel) throws(CLIError) -> [Property] {
        var steps: [Property] = []
        var current = entity
        let words = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        for (place, word) in words.enumerated() {
            let within = words.count > 1 ? " (in \(text.shown))" : ""
            guard let property = current.property(named: word) else {
                throw CLIError(
                    .usage, "key.unknown",
                    "\(current.name) has no property \(word.shown)\(within)"
                        + suggestion(current.nearestPropertyName(to: word)))
            }
            steps.append(property)
            guard place < words.count - 1 else { break }
            guard property.isToOne, let next = model.destination(of: property) else {
                throw CLIError(
                    .usage, "key.leads-nowhere", "\(current.name).\(word) is no to-one relationship, so \(text.shown) leads nowhere")
            }
            current = next
        }
        return steps
    }
}
