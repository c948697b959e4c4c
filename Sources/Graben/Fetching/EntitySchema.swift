import GrabenLog
import GrabenModel
import GrabenPredicate

/// An entity as predicates see it.
struct EntitySchema: PredicateSchema {
    let coordinator: PersistentStoreCoordinator
    let info: EntityInfo

    init(_ coordinator: PersistentStoreCoordinator, _ info: EntityInfo) {
        self.coordinator = coordinator
        self.info = info
    }

    var name: String { info.name }
    var propertyNames: [String] { info.properties.map(\.name) }

    func property(named name: String) -> PredicateProperty? {
        guard let number = info.entity.propertyNumber(named: name) else { return nil }
        let property = info.properties[number]
        let kind: PredicatePropertyKind =
            switch property.kind {
            case .attribute, .packed, .transient: .attribute(property.attribute?.type.family)
            case .toOne: .toOne(EntitySchema(coordinator, coordinator.infos[property.destination]))
            case .toMany: .toMany(EntitySchema(coordinator, coordinator.infos[property.destination]), ordered: property.isOrdered)
            case .fetched: .fetched
            }
        return PredicateProperty(index: number, kind: kind)
    }
}

extension AttributeType {
    var family: PredicateFamily? {
        switch self {
        case .int16, .int32, .int64, .double, .float, .decimal, .boolean: .number
        case .string, .uri: .string
        case .date: .date
        case .data, .transformable: .data
        case .uuid: .uuid
        }
    }
}
