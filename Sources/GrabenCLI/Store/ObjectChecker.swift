import Graben
import GrabenLog
import GrabenModel

/// Verifies what only the model knows of: that references lead somewhere, that both ends of a relationship agree, that unique keys are.
struct ObjectChecker {
    private let store: OpenStore
    private let progress: Progress
    private let snapshot: LogSnapshot
    /// The number of each entity in the file, by its number in the model.
    private let codes: [EntityCode?]

    init(_ store: OpenStore, _ progress: Progress) {
        self.store = store
        self.progress = progress
        snapshot = store.log.newest
        let catalog = store.log.catalog
        codes = store.model.entities.map { catalog.entity(named: $0.name)?.code }
    }

    mutating func run(_ report: inout CheckReport) throws {
        let total = codes.reduce(0) { $0 + ($1.map { snapshot.liveCount($0) } ?? 0) }
        for entity in store.concreteEntities {
            for id in try Selection(entity, includesSubentities: false).ids(in: store) {
                guard report.problems.count < CheckReport.limit else { return }
                report.objects += 1
                if report.objects % 1024 == 0 { progress.show("checking objects", Double(report.objects) / Double(max(total, 1))) }
                let object = store.context.object(with: id)
                for property in entity.properties where property.link != nil { try check(property, of: object, id, &report) }
            }
        }
        for entity in store.model.entities {
            for key in entity.uniqueKeys where key.declaringEntity == entity.index { try check(key, of: entity, &report) }
        }
    }

    private func exists(_ id: ObjectID) -> Bool {
        let entity = Int(id.entityNumber)
        guard entity < codes.count, let code = codes[entity] else { return false }
        return snapshot.contains(code, id.row)
    }

    private func check(_ property: Property, of object: ManagedObject, _ id: ObjectID, _ report: inout CheckReport) throws {
        let targets = try object.value(forKey: property.name).objectIDs
        guard !targets.isEmpty, let destination = store.model.destination(of: property) else { return }
        let place = store.names.shortID(id)
        let inverse = store.model.inverse(of: property)
        for target in targets {
            report.references += 1
            let name = store.names.shortID(target)
            guard exists(target) else {
                if inverse?.relationship.map({ $0.deleteRule == .noAction }) ?? true {
                    report.dangling += 1
                } else {
                    report.problems.append(
                        CheckProblem(.reference, "\(property.name) refers to \(name), which does not exist", object: place))
                }
                continue
            }
            guard destination.concreteDescendants.contains(Int(target.entityNumber)) else {
                report.problems.append(
                    CheckProblem(.reference, "\(property.name) refers to \(name), which is no \(destination.name)", object: place))
                continue
            }
            guard let inverse, try !leads(from: target, by: inverse, to: object) else { continue }
            report.problems.append(
                CheckProblem(.inverse, "\(property.name) refers to \(name), whose \(inverse.name) does not lead back", object: place))
        }
    }

    private func leads(from target: ObjectID, by inverse: Property, to object: ManagedObject) throws -> Bool {
        let other = store.context.object(with: target)
        switch inverse.link?.storage {
        case .field: return try other.value(forKey: inverse.name) == .reference(object.objectID)
        case .reverse: return other.toMany(inverse.name, as: ManagedObject.self).contains(object)
        // One link is both ends; the log's own check reads it from either side.
        case .linksAsOwner, .linksAsMember, nil: return true
        }
    }

    private func check(_ key: Entity.UniqueKey, of entity: Entity, _ report: inout CheckReport) throws {
        let names = key.properties.map { entity.properties[$0].name }
        try UniqueKeys.duplicates(names, of: entity, in: store.context) { id, other, value in
            guard report.problems.count < CheckReport.limit else { return }
            report.problems.append(
                CheckProblem(
                    .unique, "\(names.joined(separator: ", ")) \(value.shown) is also that of \(store.names.shortID(other))",
                    object: store.names.shortID(id)))
        }
    }
}
