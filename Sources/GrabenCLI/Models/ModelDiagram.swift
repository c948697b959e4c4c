import GrabenDrawing
import GrabenModel

/// A model as boxes and arrows: entities with their properties; relationships, two that are each other's inverse as one arrow; inheritance.
enum ModelDiagram {
    static func diagram(of model: ResolvedModel, title: String) -> Diagram {
        var boxes: [Diagram.Box] = []
        var arrows: [Diagram.Arrow] = []
        var ends: [Int: Diagram.End] = [:]
        /// A property of an entity as one number.
        func key(_ entity: Int, _ property: Int) -> Int { entity << 32 | property }
        for entity in model.entities {
            let declared = entity.properties.filter { $0.declaringEntity == entity.index }
            for (row, property) in declared.enumerated() { ends[key(entity.index, property.number)] = Diagram.End(entity.index, row: row) }
            boxes.append(
                Diagram.Box(entity.name.withoutControls, isAbstract: entity.isAbstract, rows: declared.map { row(of: $0, in: entity) }))
        }
        for entity in model.entities {
            if let parent = entity.superentity {
                arrows.append(Diagram.Arrow(from: Diagram.End(entity.index), to: Diagram.End(parent.index), toHead: .parent))
            }
            for property in entity.properties where property.declaringEntity == entity.index {
                guard let link = property.link, let end = ends[key(entity.index, property.number)] else { continue }
                let head: Diagram.Head = property.isToMany ? .many : .one
                guard let inverse = link.inverse, let other = ends[key(link.destination, inverse)] else {
                    arrows.append(Diagram.Arrow(from: end, to: Diagram.End(link.destination), toHead: head))
                    continue
                }
                // Drawn from the side that comes first. One that is its own inverse has one end, and leads from it to the title.
                let order = (entity.index, property.number)
                if order == (link.destination, inverse) {
                    arrows.append(Diagram.Arrow(from: end, to: Diagram.End(entity.index), fromHead: head, toHead: head))
                } else if order < (link.destination, inverse) {
                    let back: Diagram.Head = model.inverse(of: property)?.isToMany == true ? .many : .one
                    arrows.append(Diagram.Arrow(from: end, to: other, fromHead: back, toHead: head))
                }
            }
        }
        return Diagram(title, boxes: boxes, arrows: arrows)
    }

    private static func row(of property: Property, in entity: Entity) -> Diagram.Row {
        let name = property.name.withoutControls.cut(to: 40)
        switch property.kind {
        case .attribute(let attribute):
            var kind = attribute.composite ?? attribute.type.rawValue
            if attribute.isOptional { kind += "?" }
            if attribute.isPacked { kind += " packed" }
            if attribute.isTransient { kind += " transient" }
            if attribute.isDerived { kind += " derived" }
            let isKey = entity.uniqueKeys.contains { $0.properties == [property.number] }
            return Diagram.Row(isKey ? name + " ●" : name, kind.withoutControls.cut(to: 40))
        case .relationship(let relationship, _):
            let kind =
                relationship.isToMany
                ? "\(relationship.isOrdered ? "ordered " : "")many \(relationship.destination)" : relationship.destination
            return Diagram.Row(name, kind.withoutControls.cut(to: 40), .link)
        case .fetched(let fetched, _):
            return Diagram.Row(name, "fetched \(fetched.destination)".withoutControls.cut(to: 40), .query)
        }
    }
}
