import GrabenLog
import GrabenModel

/// What keeps objects in a file from being read as a newer model wants them.
extension CatalogBuilder {
    /// What an entity was called in the file, where it was renamed and nothing else has taken the name since.
    func formerName(of entity: Entity) -> String? {
        guard let name = entity.description.renamingIdentifier, name != entity.name, model.entity(named: name) == nil else { return nil }
        return name
    }

    /// What cannot be read as the model wants it, as far as layouts tell it.
    mutating func compare(_ known: RecordLayout, _ fields: [RecordField], _ lanes: [Lane], _ entity: Entity) {
        for field in fields {
            if let old = known.fields.first(where: { $0.name == field.name }) {
                if old.kind != field.kind { refuse(field.name, of: entity, Self.otherKind(old.kind, field.kind)) }
            } else if known.lanes.contains(where: { $0.name == field.name }) {
                refuse(
                    field.name, of: entity, "is packed in the file and not in the model: coordinates stay in their columns; keep it packed")
            } else {
                refuseRenamed(field.name, of: entity, known)
            }
        }
        for lane in lanes {
            if let old = known.lanes.first(where: { $0.name == lane.name }) {
                guard old.width != lane.width else { continue }
                refuse(
                    lane.name, of: entity, "is packed as \(old.width) in the file and as \(lane.width) in the model: \(Self.unconverted)")
            } else if known.fields.contains(where: { $0.name == lane.name }) {
                refuse(
                    lane.name, of: entity, "is packed in the model and not in the file: values stay in their records; keep it unpacked")
            } else {
                refuseRenamed(lane.name, of: entity, known)
            }
        }
    }

    private static let unconverted = "values are not converted when they are read; keep the type"

    private static func otherKind(_ old: FieldKind, _ new: FieldKind) -> String {
        switch (old, new) {
        case (.reference, .polymorphicReference):
            "leads to objects of one entity in the file and of several in the model: its references do not name an entity; give the "
                + "destination no sub-entities"
        case (.polymorphicReference, .reference):
            "leads to objects of several entities in the file and of one in the model; keep the destination's sub-entities"
        case (.reference, _), (.polymorphicReference, _): "is a relationship in the file and an attribute, \(new), in the model"
        case (_, .reference), (_, .polymorphicReference): "is an attribute, \(old), in the file and a relationship in the model"
        default: "is \(old) in the file and \(new) in the model: \(unconverted)"
        }
    }

    /// Read under its new name the property would have its default everywhere, and what the file has would be lost in silence.
    private mutating func refuseRenamed(_ name: String, of entity: Entity, _ known: RecordLayout) {
        guard let property = entity.property(named: name),
            let former = property.attribute?.renamingIdentifier ?? property.relationship?.renamingIdentifier, former != name,
            known.fields.contains(where: { $0.name == former }) || known.lanes.contains(where: { $0.name == former }),
            entity.property(named: former) == nil
        else { return }
        refuse(
            name, of: entity,
            "was called \(former) in the file: what a record or column holds is found by its name; keep the name \(former) in the model (an "
                + "attribute's variable can have another one: @Attribute(name: \"\(former)\"))")
    }

    /// Notes an obstacle once, at the entity that declares the property.
    private mutating func refuse(_ name: String, of entity: Entity, _ reason: String) {
        let declaring = entity.property(named: name).map { model.entities[$0.declaringEntity] } ?? entity
        let obstacle = StoreModelDifference(
            entity: declaring.name, property: name, effect: .refused,
            reason: reason + ", or give the new one another name, or load what graben dump writes into a new store")
        if !obstacles.contains(obstacle) { obstacles.append(obstacle) }
    }

    /// Relationships that are kept in another way than the file keeps them: their members would not be found.
    mutating func compareProperties(with stored: StoredModel) {
        for entity in model.entities {
            guard let old = stored.model.entity(named: entity.name) ?? formerName(of: entity).flatMap(stored.model.entity) else { continue }
            for property in entity.properties where property.declaringEntity == entity.index {
                guard let relationship = property.relationship, let link = property.link,
                    let former = old.property(named: property.name), let before = former.relationship, let beforeLink = former.link
                else { continue }
                let isSame =
                    beforeLink.storage == link.storage && (link.storage != .linksAsOwner || before.isOrdered == relationship.isOrdered)
                if isSame { continue }
                refuse(
                    property.name, of: entity,
                    "is \(before.summary) in the file and \(relationship.summary) in the model, which are kept in different ways: its members "
                        + "would not be found; keep what it is")
            }
        }
    }
}

/// The model in a file, as far as it can still be read: nil in a new file, and where a program of another time wrote what is no model now.
struct StoredModel {
    let model: ResolvedModel

    init?(_ tree: CBOR) {
        guard tree != .null, let model = try? ManagedObjectModel(tree: tree).resolved() else { return nil }
        self.model = model
    }
}

extension RelationshipDescription {
    /// What it is, in words.
    fileprivate var summary: String {
        let kind = isToMany ? "\(isOrdered ? "an ordered" : "a") to-many relationship" : "a to-one relationship"
        return "\(kind) to \(destination) \(inverse.map { "with the inverse \($0)" } ?? "without an inverse")"
    }
}
