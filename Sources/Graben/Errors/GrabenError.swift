public import GrabenLog
public import GrabenModel
public import GrabenPredicate

/// What can go wrong with an object graph; each case says what to do about it.
public enum GrabenError: Error, Sendable {
    /// The store's file could not be read, written or locked.
    case store(LogError)
    /// An engine of the program's own failed, or delivered what cannot be; of a save nothing was kept.
    case engine(StoreEngineError)
    /// The model cannot be used.
    case model(ModelError)
    /// A predicate or sort order could not be read, bound or evaluated.
    case predicate(ObjectPredicateError)
    /// Objects break the model's rules; nothing was saved. The list holds every failure.
    case validation([ValidationFailure])
    /// Objects were changed here and by another commit since; nothing was saved.
    case conflict([SaveConflict])
    /// The entity has no property of that name.
    case unknownKey(entity: String, key: String, nearest: String?)
    /// The model has no entity of that name.
    case unknownEntity(name: String, nearest: String?)
    /// The value does not fit the property.
    case wrongType(entity: String, key: String, expected: String, found: String)
    /// The property cannot be set: a fetched property.
    case readOnlyProperty(entity: String, key: String)
    /// No record has that id in the context's snapshot.
    case objectNotFound(entity: String, uri: String)
    /// The object belongs to no context (any more).
    case noContext(entity: String, doing: String)
    /// Two objects cannot be related: they are of different contexts or stores, or one of them is deleted.
    case foreignObject(entity: String, key: String, reason: String)
    /// `didChangeValue` without its `willChangeValue`, or the other way round at a save.
    case unbalancedChange(entity: String, key: String, uri: String, reason: String)
    /// A class and the model it is bound to disagree; the list names every difference.
    case classMismatch([String])
    /// No store of the coordinator takes objects of the entity, or several do and none was named.
    case noStore(entity: String, reason: String)
    /// The store or context cannot be written.
    case readOnly(what: String, reason: String)
    /// A store was written under another model, and what it holds cannot be read under this one. The list has every difference, those that
    /// could be mapped too.
    case incompatibleModel(path: String, differences: [StoreModelDifference])
    /// The predicate or order of a fetched property could not be read, bound or evaluated.
    case fetchedProperty(entity: String, key: String, error: ObjectPredicateError)
    /// Fetched properties whose predicates need each other.
    case fetchedPropertyCycle(entity: String, key: String)
    /// A setter in `willSave` changed objects again and again.
    case endlessWillSave(entity: String, uri: String)
    /// A hook or a validation that runs inside a save asked for another one.
    case nestedSave
    /// Handlers of a context's changes answered each with another change, a thousand times.
    case endlessNotifications
    /// An undo or redo inside another one.
    case nestedUndo(doing: String)
    /// A class keeps an attribute in a field and does not name it in `primitiveAccessors`.
    case unnamedField(className: String, key: String)
    /// A request contradicts itself.
    case invalidRequest(reason: String)
    /// The task that waited for the answer was cancelled.
    case cancelled(what: String)
}

/// One rule of the model, or of a class, that one object breaks.
public struct ValidationFailure: Sendable, Equatable, CustomStringConvertible {
    /// The object's entity.
    public var entity: String
    /// The object.
    public var objectID: ObjectID
    /// The property, where the failure is of one.
    public var key: String?
    /// The value that was refused.
    public var value: Value
    /// The rule that is broken, in words.
    public var rule: String

    /// Entity, id and property, the rule that is broken, and the value.
    public var description: String {
        "\(entity) \(objectID.uriRepresentation)\(key.map { ", \($0)" } ?? ""): \(rule)\(value.isNull ? "" : " (is \(value.summary))")"
    }
}

/// One object that was changed here and elsewhere.
public struct SaveConflict: Sendable, Equatable, CustomStringConvertible {
    /// A property changed on both sides to different values.
    public struct Property: Sendable, Equatable {
        /// The property's name.
        public var key: String
        /// The value both sides began with.
        public var base: Value
        /// This context's value.
        public var here: Value
        /// The value of the newest commit.
        public var stored: Value
    }

    /// What happened on the two sides.
    public enum Kind: Sendable, Equatable {
        /// The same properties were changed on both sides.
        case changed([Property])
        /// Changed here, deleted by another commit.
        case deletedElsewhere
        /// Deleted here, changed by another commit.
        case changedElsewhere
        /// Deleted here; another commit made `referrer` refer to it.
        case newReferrer(referrer: ObjectID, key: String)
        /// Refers to `target`, which another commit deleted.
        case targetGone(target: ObjectID, key: String)
        /// Unchanged here and named to `detectConflicts(for:)`; changed by another commit.
        case readChanged([Property])
        /// Has the same values as `other` in properties that the model wants unique together.
        case duplicate(constraint: [String], values: [Value], other: ObjectID)
    }

    /// The object's entity.
    public var entity: String
    /// The object.
    public var objectID: ObjectID
    /// What happened on the two sides.
    public var kind: Kind

    /// Entity and id, and what was done to the object here and elsewhere.
    public var description: String {
        let object = "\(entity) \(objectID.uriRepresentation)"
        return switch kind {
        case .changed(let properties): object + " was changed here and by another commit: " + Self.list(properties)
        case .readChanged(let properties):
            object + " was to be as it was read (detectConflicts), and another commit changed it: " + Self.list(properties)
        case .deletedElsewhere: object + " was changed here and deleted by another commit"
        case .changedElsewhere: object + " was deleted here and changed by another commit"
        case .newReferrer(let referrer, let key):
            object + " was deleted here, and another commit made \(referrer.uriRepresentation) refer to it by \(key)"
        case .targetGone(let target, let key): object + " refers by \(key) to \(target.uriRepresentation), which another commit deleted"
        case .duplicate(let keys, let values, let other):
            object + " has the same " + keys.joined(separator: ", ") + " as \(other.uriRepresentation), which has to be unique: "
                + values.map(\.summary).joined(separator: ", ")
        }
    }

    private static func list(_ properties: [Property]) -> String {
        properties.map { "\($0.key) was \($0.base.summary), is \($0.here.summary) here and \($0.stored.summary) in the store" }
            .joined(separator: "; ")
    }

    /// Whether it is of a uniqueness constraint.
    var isDuplicate: Bool {
        if case .duplicate = kind { return true }
        return false
    }
}

extension GrabenError: CustomStringConvertible {
    /// What was being done, with what, what is wrong, and what to do next.
    public var description: String {
        switch self {
        case .store(let error): "\(error)"
        case .engine(let error): "\(error)"
        case .model(let error): "\(error)"
        case .predicate(let error): "\(error)"
        case .validation(let failures):
            "saving: \(failures.count == 1 ? "one value is" : "\(failures.count) values are") refused; nothing was saved\n"
                + failures.map { "  - \($0)" }.joined(separator: "\n")
        case .conflict(let conflicts):
            "saving: \(conflicts.count == 1 ? "one conflict" : "\(conflicts.count) conflicts"); nothing was saved. \(Self.remedy(conflicts))\n"
                + conflicts.map { "  - \($0)" }.joined(separator: "\n")
        case .unknownKey(let entity, let key, let nearest):
            "\(entity) has no property \"\(key)\"\(nearest.map { "; did you mean \"\($0)\"?" } ?? "")"
        case .unknownEntity(let name, let nearest):
            "the model has no entity \"\(name)\"\(nearest.map { "; did you mean \"\($0)\"?" } ?? "")"
        case .wrongType(let entity, let key, let expected, let found): "\(entity).\(key) takes \(expected), not \(found)"
        case .readOnlyProperty(let entity, let key):
            "\(entity).\(key) is a fetched property and cannot be set; change the objects it finds, then refresh the object"
        case .objectNotFound(let entity, let uri): "\(entity) \(uri) is not in the store at the context's snapshot"
        case .noContext(let entity, let doing): "\(doing): this \(entity) belongs to no context; fetch it again by its id"
        case .foreignObject(let entity, let key, let reason): "setting \(entity).\(key): \(reason)"
        case .unbalancedChange(let entity, let key, let uri, let reason): "\(entity) \(uri), key \"\(key)\": \(reason)"
        case .classMismatch(let differences):
            "classes and model disagree:\n" + differences.map { "  - \($0)" }.joined(separator: "\n")
        case .noStore(let entity, let reason): "inserting a \(entity): \(reason)"
        case .readOnly(let what, let reason): "\(what) cannot be written: \(reason)"
        case .incompatibleModel(let path, let differences):
            Self.text(path, differences)
        case .fetchedProperty(let entity, let key, let error): "evaluating the fetched property \(entity).\(key): \(error)"
        case .fetchedPropertyCycle(let entity, let key):
            "evaluating the fetched property \(entity).\(key) needs its own result; change one of the predicates involved"
        case .endlessWillSave(let entity, let uri):
            "\(entity) \(uri) is changed by every willSave(); set only what differs, or use a primitive setter"
        case .nestedSave: "saving: a save of this context is under way; a hook or a validation that it runs cannot save, didSave() can"
        case .endlessNotifications:
            "a handler of the context's changes answers every notification with another change; let it change only what differs"
        case .nestedUndo(let doing):
            "\(doing): an undo or redo of the same manager is under way; what it calls cannot ask for another, a handler of its end can"
        case .unnamedField(let className, let key):
            "\(className) changed \"\(key)\" without the store seeing a new value; if the class keeps it in a field, add "
                + ".init(\"\(key)\", …) to its primitiveAccessors, or it cannot be undone or refreshed"
        case .invalidRequest(let reason): reason
        case .cancelled(let what): "\(what): cancelled before it was done"
        }
    }
}

extension GrabenError {
    private static func remedy(_ conflicts: [SaveConflict]) -> String {
        let duplicates = conflicts.count(where: \.isDuplicate)
        let refresh = duplicates == conflicts.count ? "" : "Refresh the objects (merging your changes) and save again. "
        let rename = duplicates == 0 ? "" : "Give one of two objects another value, or discard its changes, and save again. "
        return refresh + rename + "A merge policy of the context decides without asking."
    }

    private static func text(_ path: String, _ differences: [StoreModelDifference]) -> String {
        func list(_ effect: StoreModelDifference.Effect) -> [String] { differences.filter { $0.effect == effect }.map { "  - \($0)" } }
        let mapped = list(.mapped)
        return
            (["opening \(path), which was written under another model: what it holds cannot be read under this one"] + list(.refused)
            + (mapped.isEmpty ? [] : ["what else differs would be mapped as objects are read"]) + mapped).joined(separator: "\n")
    }
}

extension Value {
    /// The value in a few words, for messages.
    package var summary: String {
        switch self {
        case .null: "nil"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .float(let value): "\(value)"
        case .double(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .string(let value): value.count > 60 ? "\"\(value.prefix(60))…\"" : "\"\(value)\""
        // What is no date of any calendar is no text of one either: its description would end the process.
        case .date(let value):
            abs(value.timeIntervalSinceReferenceDate) < 1e11 ? "\(value)" : "\(value.timeIntervalSinceReferenceDate) s since 2001"
        case .data(let value): "\(value.count) bytes"
        case .uuid(let value): "\(value)"
        case .uri(let value): value
        case .json(let value): "\(value.count) bytes of JSON"
        case .reference(let id): id.uriRepresentation
        case .references(let ids): "\(ids.count) objects"
        }
    }
}
