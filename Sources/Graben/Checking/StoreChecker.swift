import GrabenLog
import GrabenModel

/// Verifies what only the model knows of: that objects can be read, that references lead somewhere, that both ends of a relationship agree, that
/// unique keys are unique, and that relationships have as many members as they must and may.
struct StoreChecker {
    let store: PersistentStore
    let snapshot: LogSnapshot
    private let progress: (Double) -> Bool
    private let total: Int
    private var done = 0

    init(_ store: PersistentStore, _ progress: @escaping (Double) -> Bool = { _ in true }) {
        self.store = store
        self.progress = progress
        snapshot = store.newestSnapshot
        var total = 0
        for entity in store.entityList { total += snapshot.liveCount(entity.code) }
        self.total = max(total, 1)
    }

    mutating func run(_ report: inout StoreReport) {
        for entity in store.entityList {
            snapshot.forEachLiveRow(entity.code) { row in
                check(entity, row, &report)
                done += 1
                if done % 1024 == 0, !progress(Double(done) / Double(total) * 0.9) { report.isCancelled = true }
                return !report.isCancelled
            }
            if report.isCancelled { return }
        }
        checkLinks(&report)
        checkKeys(&report)
    }

    func finding(
        _ kind: StoreFinding.Kind, _ message: String, _ entity: StoredEntity, _ row: Row, _ property: String? = nil
    ) -> StoreFinding {
        var finding = StoreFinding(kind, message)
        finding.entity = entity.info.name
        finding.row = row
        finding.property = property
        return finding
    }

    /// What people call an object: entity and row.
    func name(_ id: ObjectID) -> String {
        "\(store.stored(entity: Int(id.entityNumber))?.info.name ?? "\(id.entityNumber)")/\(id.row)"
    }

    // MARK: Objects

    private func check(_ entity: StoredEntity, _ row: Row, _ report: inout StoreReport) {
        report.objectCount += 1
        do throws(LogError) {
            guard let record = try snapshot.record(entity.code, row) else {
                return report.add(finding(.object, "the object has no record", entity, row))
            }
            if entity.layout.lanes.count > 0 {
                _ = try snapshot.chunk(entity.code, snapshot.slot(entity.code, row) / slotsPerChunk)
            }
            for property in entity.info.properties where property.isPersistent && property.kind != .packed {
                do throws(LogError) {
                    if property.kind == .toMany {
                        try checkMembers(of: entity, row, property, &report)
                        continue
                    }
                    let value = try entity.value(property, of: record)
                    if property.kind == .toOne { try checkTarget(value, of: entity, row, property, &report) }
                } catch {
                    report.add(finding(.object, error.description, entity, row, property.name))
                }
            }
        } catch {
            report.add(finding(.object, error.description, entity, row))
        }
    }

    private func exists(_ id: ObjectID) -> Bool {
        guard let code = store.stored(entity: Int(id.entityNumber))?.code else { return false }
        return snapshot.contains(code, id.row)
    }

    /// Whether a reference leads to an object of the right entity; reports it where not.
    private func leads(
        _ target: ObjectID, _ entity: StoredEntity, _ row: Row, _ property: PropertyInfo, _ inverse: Property?, _ report: inout StoreReport
    ) -> Bool {
        report.referenceCount += 1
        guard exists(target) else {
            if inverse?.relationship.map({ $0.deleteRule == .noAction }) ?? true {
                report.danglingCount += 1
            } else {
                report.add(finding(.reference, "refers to \(name(target)), which does not exist", entity, row, property.name))
            }
            return false
        }
        let destination = store.modelEntities[property.destination]
        guard destination.concreteDescendants.contains(Int(target.entityNumber)) else {
            report.add(finding(.reference, "refers to \(name(target)), which is no \(destination.name)", entity, row, property.name))
            return false
        }
        return true
    }

    private func checkTarget(
        _ value: Value, of entity: StoredEntity, _ row: Row, _ property: PropertyInfo, _ report: inout StoreReport
    ) throws(LogError) {
        guard case .reference(let target) = value else {
            if property.relationship?.isOptional == false {
                report.add(finding(.count, "leads nowhere, though it must lead to an object", entity, row, property.name))
            }
            return
        }
        let inverse = store.inverse(of: property)
        guard leads(target, entity, row, property, inverse, &report), let inverse,
            let id = store.id(entity.code, row), try !leadsBack(target, by: inverse, to: id)
        else { return }
        report.add(
            finding(.inverse, "refers to \(name(target)), whose \(inverse.name) does not lead back", entity, row, property.name))
    }

    /// Whether a relationship of an object that exists has another object in it.
    func leadsBack(_ target: ObjectID, by inverse: Property, to id: ObjectID) throws(LogError) -> Bool {
        guard let other = store.stored(entity: Int(target.entityNumber)) else { return false }
        let property = other.info.properties[inverse.number]
        switch inverse.link?.storage {
        case .field:
            guard let record = try snapshot.record(other.code, target.row) else { return false }
            return try other.reference(property, of: record) == id
        case .linksAsOwner, .linksAsMember: return try other.hasMember(of: target.row, property, id, in: snapshot)
        // Found by the very reference that leads there.
        case .reverse, nil: return true
        }
    }

    private func checkMembers(
        of entity: StoredEntity, _ row: Row, _ property: PropertyInfo, _ report: inout StoreReport
    ) throws(LogError) {
        let members = try entity.members(of: row, property, in: snapshot)
        if let relationship = property.relationship, !(members.isEmpty && relationship.isOptional) {
            let least = max(relationship.minCount, relationship.isOptional ? 0 : 1)
            if members.count < least {
                report.add(finding(.count, "has \(members.count) members, and must have \(least)", entity, row, property.name))
            } else if relationship.maxCount > 0, members.count > relationship.maxCount {
                report.add(
                    finding(.count, "has \(members.count) members, and may have \(relationship.maxCount)", entity, row, property.name))
            }
        }
        guard let id = store.id(entity.code, row) else { return }
        let inverse = store.inverse(of: property)
        for member in members {
            guard leads(member, entity, row, property, inverse, &report), let inverse, inverse.link?.storage == .field,
                property.link?.storage != .reverse, try !leadsBack(member, by: inverse, to: id)
            else { continue }
            report.add(
                finding(.inverse, "has \(name(member)), whose \(inverse.name) does not lead back", entity, row, property.name))
        }
    }

    /// Links of objects that do not exist: no object would tell of them.
    private func checkLinks(_ report: inout StoreReport) {
        for relationship in snapshot.catalog.links {
            snapshot.forEachLink(relationship) { owner, member, _ in
                guard !snapshot.contains(owner.entity, owner.row) else { return true }
                guard let entity = store.entityNumber(of: owner.entity).flatMap({ store.stored(entity: $0) }) else { return true }
                // Where the other side deletes nothing, a link may outlive its owner.
                let property = entity.info.properties.first { relationship.name.hasSuffix(".\($0.name)") && $0.kind == .toMany }
                if property?.relationship?.deleteRule == .noAction || property.flatMap({ store.inverse(of: $0) }) == nil {
                    report.danglingCount += 1
                    return true
                }
                report.add(
                    finding(
                        .link, "does not exist, and has member \(store.id(member.entity, member.row).map(name) ?? "\(member)")", entity,
                        owner.row, property?.name))
                return true
            }
        }
    }
}
