import GrabenLog
import GrabenModel

/// Both sides of relationships, kept at once.
extension ManagedObject {
    /// The object a to-one relationship refers to.
    final func target(_ number: Int) -> ManagedObject? {
        guard case .reference(let id) = primitive(number), let context = _table.context else { return nil }
        return context.object(with: id)
    }

    /// Adds a member and sets the other side; false where it was a member.
    @discardableResult
    final func relate(_ number: Int, to member: ManagedObject, at place: Int? = nil) throws(GrabenError) -> Bool {
        let property = info.properties[number]
        try checkRelatable(member, property.name)
        _ = try checked(.references([member.objectID]), for: property)
        guard let context, !hasMember(number, member.objectID) else { return false }
        guard !isAwakening else {
            setMembersRaw(number, memberIDs(number) + [member.objectID])
            return true
        }
        addMember(number, member.objectID, at: place)
        if let inverse = property.link?.inverse {
            context.withoutInverses { member.attach(inverse, to: self, replacing: number) }
        }
        return true
    }

    /// Takes a member out and clears the other side; false where it was none.
    @discardableResult
    final func unrelate(_ number: Int, from member: ManagedObject) -> Bool {
        guard let context, hasMember(number, member.objectID) else { return false }
        guard !isAwakening else {
            setMembersRaw(number, memberIDs(number).filter { $0 != member.objectID })
            return true
        }
        removeMember(number, member.objectID)
        if let inverse = info.properties[number].link?.inverse {
            context.withoutInverses { member.release(inverse, of: objectID) }
        }
        return true
    }

    /// Sets all members, both sides; repeats count once.
    final func setMembers(_ number: Int, _ members: [ManagedObject]) throws(GrabenError) {
        let property = info.properties[number]
        for member in members { try checkRelatable(member, property.name) }
        _ = try checked(.references(members.map(\.objectID)), for: property)
        guard let context else { throw .noContext(entity: info.name, doing: "setting \(property.name)") }
        guard !isAwakening else { return setMembersRaw(number, members.map(\.objectID)) }
        var seen = Set<ObjectID>()
        let unique = members.filter { seen.insert($0.objectID).inserted }
        for id in memberIDs(number) where !seen.contains(id) { unrelate(number, from: context.object(with: id)) }
        for member in unique { try relate(number, to: member) }
        if property.isOrdered { replaceMembers(number, with: unique.map(\.objectID)) }
    }

    /// The other side of `owner` taking this object in: the reference is set, and taken from whoever held it, or the owner becomes a member.
    fileprivate final func attach(_ inverse: Int, to owner: ManagedObject, replacing number: Int) {
        let property = info.properties[inverse]
        guard property.kind == .toOne else {
            if let context, attachQuickly(property, owner.objectID, in: context) { return }
            return addMember(inverse, owner.objectID)
        }
        if case .reference(let previous) = primitive(inverse), previous != owner.objectID, let context {
            context.object(with: previous).release(number, of: objectID)
        }
        setReference(inverse, .reference(owner.objectID))
    }

    /// Clears whatever of this side refers to `id`.
    final func release(_ number: Int, of id: ObjectID) {
        if info.properties[number].kind == .toMany {
            removeMember(number, id)
        } else if primitive(number) == .reference(id) {
            setReference(number, .null)
        }
    }

    /// Before a to-one gets another value from a child: what it refers to by now, which the child need not know of, lets go of the object.
    final func releaseTarget(_ number: Int, before value: Value) {
        guard let inverse = info.properties[number].link?.inverse, case .reference(let id) = primitive(number), value != .reference(id)
        else { return }
        context?.object(with: id).release(inverse, of: objectID)
    }

    private final func setReference(_ number: Int, _ value: Value) {
        let key = info.properties[number].name
        willChangeValue(forKey: key)
        setPrimitive(number, value)
        didChangeValue(forKey: key)
    }
}

extension ManagedObject {
    /// Before the object's changes are dropped: puts the other sides of its relationships back to what they were.
    final func giveBackMembers() {
        guard hasChanges, let context else { return }
        context.withoutInverses {
            for number in info.relationships {
                guard let inverse = info.properties[number].link?.inverse else { continue }
                let (now, before) = relationshipIDs(number)
                for id in now where !before.contains(id) { context.object(with: id).release(inverse, of: objectID) }
                for id in before where context.registeredObject(for: id)?.has(ObjectFlag.deleted) != true {
                    context.object(with: id).attach(inverse, to: self, replacing: number)
                }
            }
        }
    }

    /// After the object's changes were dropped: what is deleted in the context does not come back into its relationships.
    final func leaveDeletedMembers() {
        guard let context else { return }
        let deleted = Set(context.deletedObjects.map(\.objectID))
        guard !deleted.isEmpty else { return }
        for number in info.relationships where info.properties[number].link?.inverse != nil {
            for id in relationshipIDs(number).now where deleted.contains(id) {
                context.withoutInverses { release(number, of: id) }
            }
        }
    }

    /// What a relationship refers to, and what it referred to at the commit the object is based on.
    private final func relationshipIDs(_ number: Int) -> (now: [ObjectID], before: [ObjectID]) {
        let property = info.properties[number]
        guard property.kind == .toOne else { return (memberIDs(number), committedMemberIDs(number)) }
        fireIfNeeded()
        return (primitive(number).objectIDs, isInserted ? [] : baseValue(property, data).objectIDs)
    }

    /// The objects a relationship of either kind leads to.
    final func relatedIDs(_ number: Int) -> [ObjectID] {
        info.properties[number].kind == .toMany ? memberIDs(number) : primitive(number).objectIDs
    }
}

extension ManagedObjectContext {
    func withoutInverses(_ body: () -> Void) {
        let before = isMaintainingInverses
        isMaintainingInverses = true
        body()
        isMaintainingInverses = before
    }

    /// The other side of a to-one that changed from `old` to `new`.
    func maintainInverse(of object: ManagedObject, _ property: PropertyInfo, old: Value, new: Value, target: ManagedObject?) {
        guard let inverse = property.inverse else { return }
        let before = isMaintainingInverses
        isMaintainingInverses = true
        if case .reference(let id) = old { self.object(with: id).release(inverse, of: object.objectID) }
        if case .reference(let id) = new { (target ?? self.object(with: id)).attach(inverse, to: object, replacing: property.number) }
        isMaintainingInverses = before
    }

    /// Tears down the relationships of a deleted object by their delete rules.
    ///
    /// The object's own references stay: they are its last known values, and undo needs them.
    func propagateDeletion(of object: ManagedObject) {
        for number in object.info.relationships {
            let property = object.info.properties[number]
            guard let rule = property.relationship?.deleteRule, rule != .noAction else { continue }
            for id in object.relatedIDs(number) {
                let other = self.object(with: id)
                if rule == .cascade {
                    if !other.has(ObjectFlag.deleted) { delete(other) }
                } else if rule == .nullify || other.has(ObjectFlag.deleted) {
                    if let inverse = property.link?.inverse { withoutInverses { other.release(inverse, of: object.objectID) } }
                }
            }
        }
    }
}
