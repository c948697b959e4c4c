import GrabenModel

/// Compares a class with the entity it is bound to.
enum ClassBinding {
    /// Every way in which class and entity disagree, each in a sentence: the place, what the class says, what the model says, what to do.
    static func problems(_ info: EntityInfo, superinfo: EntityInfo?) -> [String] {
        declarationProblems(info, superinfo: superinfo) + accessorProblems(info) + laneProblems(info, superinfo)
            + superclassProblems(info, superinfo)
    }

    /// What hand-written accessors say of attributes.
    private static func accessorProblems(_ info: EntityInfo) -> [String] {
        let (objectClass, entity) = (info.objectClass, info.entity)
        func missing(_ key: String, _ what: String) -> String {
            let nearest = entity.nearestPropertyName(to: key).map { "; did you mean \"\($0)\"?" } ?? ""
            return "\(objectClass) names \(what) for \"\(key)\", which \(info.name) does not have\(nearest)"
        }
        var problems: [String] = []
        for accessor in objectClass.primitiveAccessors {
            guard let property = entity.property(named: accessor.key) else {
                problems.append(missing(accessor.key, "a primitive accessor"))
                continue
            }
            guard let attribute = property.attribute else {
                problems.append("\(objectClass) names a primitive accessor for \(info.name).\(accessor.key), which is no attribute")
                continue
            }
            let place = "\(info.name).\(accessor.key): the primitive accessor of the class \(objectClass)"
            let optional = attribute.isOptional ? ", optional" : ", not optional"
            if let type = accessor.attributeType, !type.holdsSameValues(as: attribute.type) {
                problems.append(
                    "\(place) is of \(type.rawValue), the model says \(attribute.type.rawValue)\(optional); give the field that type, or "
                        + "change the model")
            } else if accessor.attributeType != nil, attribute.isOptional, !accessor.isOptional {
                // The other way round does no harm: validation refuses the nil.
                problems.append(
                    "\(place) is not optional, the model says \(attribute.type.rawValue), optional, and nil would turn into a value; make "
                        + "the field optional, or the attribute not")
            }
        }
        if objectClass.entityDescription == nil {
            for key in objectClass.accessorKeys where entity.propertyNumber(named: key) == nil {
                problems.append(missing(key, "an accessor"))
            }
        }
        return problems
    }

    /// What hand-written packed accessors say by their numbers.
    private static func laneProblems(_ info: EntityInfo, _ superinfo: EntityInfo?) -> [String] {
        guard let names = info.objectClass.packedAttributes else { return [] }
        let lanes = info.laneProperties.map { info.properties[$0].name }
        // A class bound to a sub-entity's ancestor knows the lanes up to its own.
        if names == Array(lanes.prefix(names.count)), superinfo?.objectClass == info.objectClass || names.count == lanes.count { return [] }
        return [
            "\(info.objectClass) numbers its packed attributes \(names), but \(info.name) has \(lanes) in that order; declare them in the "
                + "order of the model, inherited ones first"
        ]
    }

    private static func superclassProblems(_ info: EntityInfo, _ superinfo: EntityInfo?) -> [String] {
        let objectClass = info.objectClass
        guard let superinfo, superinfo.objectClass != objectClass, superinfo.objectClass != ManagedObject.self else { return [] }
        if !isKind(objectClass, of: superinfo.objectClass) {
            return [
                "\(objectClass) of \(info.name) does not inherit from \(superinfo.objectClass) of \(superinfo.name), though \(info.name) "
                    + "is a sub-entity of it"
            ]
        }
        if objectClass.observesAccess, !superinfo.objectClass.observesAccess, !superinfo.laneProperties.isEmpty {
            return [
                "\(objectClass) observes access, but inherits fast getters from \(superinfo.objectClass), which does not; turn it on there"
            ]
        }
        return []
    }

    /// Walks the super-classes: Swift has no way to ask a class known only at run time.
    static func isKind(_ objectClass: AnyClass, of other: AnyClass) -> Bool {
        var current: AnyClass? = objectClass
        while let candidate = current {
            if candidate == other { return true }
            current = _getSuperclass(candidate)
        }
        return false
    }
}

extension AttributeType {
    /// Whether an accessor of one type reads and writes what an attribute of the other holds: integers of every width are read alike, and a
    /// text is a URI's.
    fileprivate func holdsSameValues(as other: AttributeType) -> Bool {
        self == other || (integerRange != nil && other.integerRange != nil) || (self == .string && other == .uri)
    }
}
