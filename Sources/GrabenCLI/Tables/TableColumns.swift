import GrabenModel

/// What one column of a table, or one key of its JSON objects, says about an object.
enum ColumnUse {
    /// The name other rows refer to the object by.
    case identity
    /// The entity, in JSON lines.
    case entity
    case attribute(Property, AttributeDescription)
    /// A to-one, by the destination's attribute of that name, where it has one that serves.
    case toOne(Property, key: String?)
    /// A to-many, in JSON lines, that no to-one of the other side says.
    case toMany(Property)
    /// A to-many that its inverse fills.
    case nothing
}

/// Finds out what the columns of an entity's tables mean.
struct TableColumns {
    let entity: Entity
    let model: ResolvedModel
    let file: String

    /// What each column of a header says; one column may say both an attribute and a to-one.
    func uses(ofHeader header: [String?]) throws(CLIError) -> [[ColumnUse]] {
        var uses: [[ColumnUse]] = []
        var seen: Set<String> = []
        for (place, title) in header.enumerated() {
            guard let title else { throw problem("column \(place + 1) has no name in the header", nil) }
            guard seen.insert(title).inserted else { throw problem("the column \(title.shown) occurs twice", title) }
            uses.append(try self.uses(of: title, among: Set(header.compactMap { $0 }), isJSON: false))
        }
        return uses
    }

    /// What a column says among others.
    func uses(of title: String, among titles: Set<String>, isJSON: Bool) throws(CLIError) -> [ColumnUse] {
        if title == ObjectColumn.identityTitle(entity) || title == "$id" { return [.identity] }
        if title == ObjectColumn.entityTitle(entity) || title == "$entity" { return [.entity] }
        var uses: [ColumnUse] = []
        if let property = entity.property(named: title) { uses.append(try use(of: property, isJSON: isJSON)) }
        for property in entity.properties where property.isToOne && property.name != title && !titles.contains(property.name) {
            if property.relationship?.userInfo["column"] == title { uses.append(try use(of: property, isJSON: isJSON)) }
        }
        guard uses.isEmpty else { return uses }
        throw problem("\(entity.name) has no property \(title.shown)\(suggestion(entity.nearestPropertyName(to: title)))", title)
    }

    private func use(of property: Property, isJSON: Bool) throws(CLIError) -> ColumnUse {
        switch property.kind {
        case .attribute(let attribute):
            if attribute.isTransient { throw problem("\(entity.name).\(property.name) is transient and never stored", property.name) }
            return .attribute(property, attribute)
        case .relationship(let relationship, _):
            if property.isToOne { return .toOne(property, key: EntityKey.attribute(of: property, in: model)) }
            guard isJSON else {
                let inverse = relationship.inverse.map { "; its inverse \(relationship.destination).\($0) fills it" } ?? ""
                throw problem("\(entity.name).\(property.name) refers to many objects and takes no column\(inverse)", property.name)
            }
            let inverse = model.inverse(of: property)
            return relationship.isOrdered || inverse?.isToOne != true ? .toMany(property) : .nothing
        case .fetched: throw problem("\(entity.name).\(property.name) is a fetched property and never stored", property.name)
        }
    }

    private func problem(_ what: String, _ column: String?) -> CLIError {
        CLIError(.badData, "table.column", "\(file): \(what)", file: file, line: 1, column: column)
    }
}
