import FoundationEssentials
import GrabenLog
import GrabenModel

extension RandomModel {
    /// A model of any shape that a Core Data model file can say: rules only where their types have them, and an order that can be read.
    mutating func exportable() -> ManagedObjectModel {
        var model = model()
        for index in model.entities.indices {
            model.entities[index].attributes = model.entities[index].attributes.map { exportable($0) }
            for place in model.entities[index].relationships.indices where !model.entities[index].relationships[place].isToMany {
                model.entities[index].relationships[place].maxCount = below(2) * 7
            }
            for place in model.entities[index].fetchedProperties.indices {
                model.entities[index].fetchedProperties[place].request = exportable(model.entities[index].fetchedProperties[place].request)
            }
        }
        for index in model.composites.indices {
            model.composites[index].elements = model.composites[index].elements.map { exportable($0) }
        }
        for index in model.fetchRequestTemplates.indices {
            model.fetchRequestTemplates[index].request = exportable(model.fetchRequestTemplates[index].request)
        }
        return model
    }

    private mutating func exportable(_ request: FetchRequestDescription) -> FetchRequestDescription {
        var request = request
        request.sort = (0..<below(3)).map { _ in ["name", "-layer.x", "z:natural", "-a:caseInsensitive"][below(4)] }
        if request.limit == 0 { request.limit = nil }
        return request
    }

    private mutating func exportable(_ attribute: AttributeDescription) -> AttributeDescription {
        var attribute = attribute
        if attribute.composite != nil { attribute.type = .transformable }
        let type = attribute.type
        func known(_ value: Value?) -> Value? {
            guard let value, !value.isNull, type.normalized(value) != nil else { return nil }
            return value
        }
        attribute.defaultValue = known(attribute.defaultValue)
        attribute.minimum = type.isOrdered ? known(attribute.minimum) : nil
        attribute.maximum = type.isOrdered ? known(attribute.maximum) : nil
        if !type.hasLength { (attribute.minimumLength, attribute.maximumLength) = (nil, nil) }
        return attribute
    }
}
