import GrabenLog
import GrabenModel

/// Makes right in a repaired store what only the model knows of: sides of relationships that do not agree since one version was lost, and unique
/// keys that two objects have.
struct StoreMender {
    private let store: PersistentStore
    private let snapshot: LogSnapshot
    private let checker: StoreChecker
    /// Fields to be made null, by object.
    private var nulls: [ObjectKey: Set<String>] = [:]
    private var removed: [(link: LinkRelationship, owner: ObjectKey, member: ObjectKey, order: Int64)] = []

    /// Mends a store in one commit. A file whose model cannot be read is left as it is, and the report says so.
    static func mend(_ log: Log, _ path: String, _ report: inout LogRepair) throws(LogError) {
        let container: PersistentContainer
        do { container = try PersistentContainer(log: log, StoreConfiguration(.file(path))) } catch {
            report.notes.append("the model in the file cannot be read, so that relationships and unique keys were not compared: \(error)")
            return
        }
        guard let store = container.coordinator.stores.first else { return }
        var mender = StoreMender(store: store, snapshot: log.newest)
        var found = report
        try mender.findReferences(&found)
        try mender.findLinks(&found)
        try mender.findKeys(&found)
        report = found
        try mender.write(log)
    }

    private init(store: PersistentStore, snapshot: LogSnapshot) {
        self.store = store
        self.snapshot = snapshot
        checker = StoreChecker(store)
    }

    private func stored(_ code: EntityCode) -> StoredEntity? { store.entityNumber(of: code).flatMap { store.stored(entity: $0) } }

    private mutating func setNull(_ object: ObjectKey, _ name: String, _ loss: LogRepair.Object.Loss, _ report: inout LogRepair) {
        nulls[object, default: []].insert(name)
        report.add(loss, object.entity, object.row, name)
    }

    // MARK: Finding

    private mutating func forEachRow(
        _ entity: StoredEntity, _ body: (inout StoreMender, Row, RecordView) throws(LogError) -> Void
    ) throws(LogError) {
        var rows: [Row] = []
        snapshot.forEachLiveRow(entity.code) { row in
            rows.append(row)
            return true
        }
        for row in rows {
            if let record = try snapshot.record(entity.code, row) { try body(&self, row, record) }
        }
    }

    /// To-ones that lead to an object of a wrong entity, or to one that does not lead back.
    private mutating func findReferences(_ report: inout LogRepair) throws(LogError) {
        var found = report
        for entity in store.entityList {
            let properties = entity.info.properties.filter { $0.kind == .toOne }
            if properties.isEmpty { continue }
            try forEachRow(entity) { (mender, row, record) throws(LogError) in
                for property in properties {
                    guard let target = try entity.reference(property, of: record),
                        let other = mender.store.stored(entity: Int(target.entityNumber))
                    else { continue }
                    let object = ObjectKey(entity.code, row)
                    guard mender.snapshot.contains(other.code, target.row) else {
                        // Deleted, and the change that followed from it is lost, unless the delete rule changes nothing.
                        if mender.store.inverse(of: property)?.relationship.map({ $0.deleteRule != .noAction }) ?? false {
                            mender.setNull(object, property.name, .reference, &found)
                        }
                        continue
                    }
                    let destination = mender.store.modelEntities[property.destination]
                    guard destination.concreteDescendants.contains(Int(target.entityNumber)) else {
                        mender.setNull(object, property.name, .reference, &found)
                        continue
                    }
                    guard let inverse = mender.store.inverse(of: property), let id = mender.store.id(entity.code, row) else { continue }
                    if try !mender.checker.leadsBack(target, by: inverse, to: id) {
                        mender.setNull(object, property.name, .reference, &found)
                    }
                }
            }
        }
        report = found
    }

    /// Members of an ordered relationship whose own reference leads elsewhere, and links of objects that were deleted, where the change that followed
    /// from it is lost.
    private mutating func findLinks(_ report: inout LogRepair) throws(LogError) {
        var failure: LogError?
        for entity in store.entityList {
            for property in entity.info.properties where property.kind == .toMany {
                guard let link = entity.ownedLink(property), let inverse = store.inverse(of: property) else { continue }
                var unanswered: [(ObjectKey, ObjectKey, Int64)] = []
                snapshot.forEachLink(link) { owner, member, order in
                    guard owner.entity == entity.code, let other = stored(member.entity), let id = store.id(owner.entity, owner.row) else {
                        return true
                    }
                    do throws(LogError) {
                        guard let record = try snapshot.record(member.entity, member.row) else {
                            if inverse.relationship?.deleteRule != .noAction { unanswered.append((owner, member, order)) }
                            return true
                        }
                        if !snapshot.contains(owner.entity, owner.row) {
                            if property.relationship?.deleteRule != .noAction { unanswered.append((owner, member, order)) }
                        } else if inverse.link?.storage == .field,
                            try other.reference(other.info.properties[inverse.number], of: record) != id
                        {
                            unanswered.append((owner, member, order))
                        }
                    } catch { failure = error }
                    return failure == nil
                }
                for (owner, member, order) in unanswered {
                    removed.append((link, owner, member, order))
                    report.add(.link, owner.entity, owner.row, property.name)
                }
            }
        }
        if let failure { throw failure }
    }

    /// Of objects with one unique key, all but the one that was inserted last lose it.
    private mutating func findKeys(_ report: inout LogRepair) throws(LogError) {
        for entity in store.modelEntities {
            for key in entity.uniqueKeys where key.declaringEntity == entity.index {
                // A part that may be without a value, where there is one.
                let parts = key.properties.map { entity.properties[$0] }.filter { $0.field != nil }
                guard let part = parts.first(where: { $0.attribute?.isOptional ?? true }) ?? parts.first else { continue }
                var newest: [[UInt8]: ObjectKey] = [:]
                for concrete in entity.concreteDescendants {
                    guard let stored = store.stored(entity: concrete) else { continue }
                    var rows: [Row] = []
                    snapshot.forEachLiveRow(stored.code) { row in
                        rows.append(row)
                        return true
                    }
                    for row in rows {
                        guard let bytes = try checker.key(key.properties, of: stored, row) else { continue }
                        let object = ObjectKey(stored.code, row)
                        guard let other = newest[bytes] else {
                            newest[bytes] = object
                            continue
                        }
                        // Places in the repaired file say nothing of the old one's order; rows do.
                        let loser = object.row < other.row ? object : other
                        newest[bytes] = object.row < other.row ? other : object
                        setNull(loser, part.name, .key, &report)
                    }
                }
            }
        }
    }

    // MARK: Writing

    private func write(_ log: Log) throws(LogError) {
        if nulls.isEmpty, removed.isEmpty { return }
        do {
            _ = try log.commit(author: "repair") { (newest, commit: inout CommitBuilder) throws(LogError) in
                for (object, names) in nulls.sorted(by: { $0.key < $1.key }) {
                    guard let record = try newest.record(object.entity, object.row) else { continue }
                    let fields = names.compactMap { record.layout.fieldIndex($0) }.filter { record.layout.fields[$0].isOptional }
                    if !fields.isEmpty { try commit.appendCopy(of: record, settingNull: fields.sorted()) }
                }
                for (link, owner, member, order) in removed {
                    commit.appendLink(
                        link, owner: (owner.entity, owner.row), member: (member.entity, member.row), order: order, removed: true)
                }
            }
        } catch {
            switch error {
            case .body(let error), .log(let error): throw error
            case .refused(let error): throw .invalid(what: "\(error)", path: log.path)
            }
        }
    }
}

extension StoredEntity {
    /// The links of a relationship whose owners are this entity's objects; nil where it is kept otherwise.
    fileprivate func ownedLink(_ property: PropertyInfo) -> LinkRelationship? {
        switch relationships[property.number] {
        case .owner(let link), .both(let link): link
        case .field, .reverse, .member, nil: nil
        }
    }
}
