/// Compares a class with the entity it is bound to.
enum ClassBinding {
    /// Every way in which class and entity disagree.
    static func problems(_ info: EntityInfo, superinfo: EntityInfo?) -> [String] {
        let objectClass = info.objectClass
        var problems = declarationProblems(info)
        for accessor in objectClass.primitiveAccessors {
            guard let number = info.entity.propertyNumber(named: accessor.key) else {
                let nearest = info.entity.nearestPropertyName(to: accessor.key).map { "; did you mean \"\($0)\"?" } ?? ""
                problems.append(
                    "\(objectClass) names a primitive accessor for \"\(accessor.key)\", which \(info.name) does not have\(nearest)")
                continue
            }
            if info.properties[number].attribute == nil {
                problems.append("\(objectClass) names a primitive accessor for \(info.name).\(accessor.key), which is no attribute")
            }
        }
        if let names = objectClass.packedAttributes {
            let lanes = info.laneProperties.map { info.properties[$0].name }
            // A class bound to a sub-entity's ancestor knows the lanes up to its own.
            if names != Array(lanes.prefix(names.count)) || (superinfo?.objectClass != objectClass && names.count != lanes.count) {
                problems.append(
                    "\(objectClass) numbers its packed attributes \(names), but \(info.name) has \(lanes) in that order")
            }
        }
        if let superinfo, superinfo.objectClass != objectClass, superinfo.objectClass != ManagedObject.self {
            if !isKind(objectClass, of: superinfo.objectClass) {
                problems.append("\(objectClass) of \(info.name) does not inherit from \(superinfo.objectClass) of \(superinfo.name)")
            } else if objectClass.observesAccess, !superinfo.objectClass.observesAccess, !superinfo.laneProperties.isEmpty {
                problems.append(
                    "\(objectClass) observes access, but inherits fast getters from \(superinfo.objectClass), which does not; turn it on there"
                )
            }
        }
        return problems
    }

    /// Walks the super-classes: Swift has no way to ask a class known only at run time.
    private static func isKind(_ objectClass: AnyClass, of other: AnyClass) -> Bool {
        var current: AnyClass? = objectClass
        while let candidate = current {
            if candidate == other { return true }
            current = _getSuperclass(candidate)
        }
        return false
    }
}
