import GrabenLog
import GrabenModel

/// The ordered indexes that a file keeps for a model: one for each concrete entity that a uniqueness constraint or an index holds for.
extension CatalogBuilder {
    /// Fills in the catalog's indexes and answers the uniqueness constraints as the file keeps them.
    ///
    /// An index that the file has already keeps its number; one that the model no longer asks for goes.
    mutating func addIndexes() -> [UniqueKeyGroup] {
        var indexer = Indexer(known: catalog.indexes)
        var groups: [UniqueKeyGroup] = []
        for entity in model.entities {
            for key in entity.uniqueKeys where key.declaringEntity == entity.index && !key.properties.isEmpty {
                var indexes: [Int: KeyDeclaration] = [:]
                for number in entity.concreteDescendants {
                    guard let code = codes[number] else { continue }
                    let parts = key.properties.map { part(model.entities[number].properties[$0], code) }
                    indexes[number] = indexer.declare(code, parts, isUnique: true)
                }
                groups.append(
                    UniqueKeyGroup(names: key.properties.map { entity.properties[$0].name }, properties: key.properties, indexes: indexes))
            }
        }
        for entity in model.entities {
            guard let code = codes[entity.index] else { continue }
            var ancestor: Entity? = entity
            while let declaring = ancestor {
                for index in declaring.description.indexes {
                    guard let properties = entity.properties(of: index) else { continue }
                    _ = indexer.declare(code, properties.map { part($0, code) }, isUnique: false)
                }
                ancestor = declaring.superentity
            }
        }
        catalog.indexes = indexer.declared
        return groups
    }

    /// Records in layouts without the field have the attribute's default, which the log does not know.
    private func part(_ property: Property, _ code: EntityCode) -> KeyDeclaration.Part {
        let isAbsent = catalog.layouts.contains { $0.entity == code && $0.fieldIndex(property.name) == nil }
        let absent = isAbsent ? property.attribute?.defaultValue : nil
        return KeyDeclaration.Part(field: property.name, absent: absent.map(StoredValue.init(attribute:)) ?? .null)
    }
}

/// Hands out numbers of indexes.
private struct Indexer {
    let known: [KeyDeclaration]
    private(set) var declared: [KeyDeclaration] = []
    private var lastCode: UInt16

    init(known: [KeyDeclaration]) {
        self.known = known
        lastCode = known.map(\.code).max() ?? 0
    }

    /// The index of these parts; where there is a unique one of them, that one.
    mutating func declare(_ entity: EntityCode, _ parts: [KeyDeclaration.Part], isUnique: Bool) -> KeyDeclaration {
        if let same = declared.first(where: { $0.entity == entity && $0.parts == parts }) { return same }
        if let old = known.first(where: { $0.entity == entity && $0.parts == parts && $0.isUnique == isUnique }) {
            declared.append(old)
            return old
        }
        if lastCode < .max {
            lastCode += 1
        } else {
            // Numbers of indexes that are declared no more; what an index file has under one is believed only where it is declared just so.
            let used = Set((known + declared).map(\.code))
            lastCode = (1...UInt16.max).first { !used.contains($0) } ?? .max
        }
        let index = KeyDeclaration(code: lastCode, entity: entity, parts: parts, isUnique: isUnique)
        declared.append(index)
        return index
    }
}

extension Entity {
    /// What an index is of, where it is one that the log keeps: of values in records, all of them, in their order.
    fileprivate func properties(of index: IndexDescription) -> [Property]? {
        guard index.partialPredicateFormat == nil, !index.elements.isEmpty else { return nil }
        var found: [Property] = []
        for element in index.elements {
            guard element.kind == .sorted, case .property(let name) = element.key, let property = property(named: name),
                property.field != nil
            else { return nil }
            found.append(property)
        }
        return found
    }
}

/// A uniqueness constraint as a file keeps it: no two objects of any of its entities have the same values in all of its properties.
struct UniqueKeyGroup: Sendable {
    /// The names of the properties.
    let names: [String]
    /// Their numbers, which are the same in every entity of the group: inherited ones come first.
    let properties: [Int]
    /// The index of each concrete entity, by the model's number.
    let indexes: [Int: KeyDeclaration]
}
