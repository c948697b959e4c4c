package import GrabenPredicate

/// An entity as predicates see it: they know properties by name and are given their numbers.
package struct EntitySchema: PredicateSchema {
    package let model: ResolvedModel
    package let entity: Entity

    package init(model: ResolvedModel, entity: Entity) {
        self.model = model
        self.entity = entity
    }

    package var name: String { entity.name }

    package var propertyNames: [String] { entity.properties.map(\.name) }

    package func property(named name: String) -> PredicateProperty? {
        guard let property = entity.property(named: name) else { return nil }
        let kind: PredicatePropertyKind =
            switch property.kind {
            case .attribute(let attribute): .attribute(attribute.type.predicateFamily)
            case .fetched: .fetched
            case .relationship(let relationship, let link):
                if relationship.isToMany {
                    .toMany(EntitySchema(model: model, entity: model.entities[link.destination]), ordered: relationship.isOrdered)
                } else {
                    .toOne(EntitySchema(model: model, entity: model.entities[link.destination]))
                }
            }
        return PredicateProperty(index: property.number, kind: kind)
    }
}

extension ResolvedModel {
    /// The entity as predicates see it.
    package func schema(of entity: Entity) -> EntitySchema { EntitySchema(model: self, entity: entity) }
}

extension AttributeType {
    /// What the type's values compare with; nil for transformable ones, which may be anything.
    package var predicateFamily: PredicateFamily? {
        switch self {
        case .int16, .int32, .int64, .double, .float, .decimal, .boolean: .number
        case .string, .uri: .string
        case .date: .date
        case .data: .data
        case .uuid: .uuid
        case .transformable: nil
        }
    }
}
