import GrabenLog
import GrabenModel

extension ManagedObjectContext {
    /// Makes copies in this context of objects of any context, also of another container, with the relationships among them.
    ///
    /// Attributes (transient ones too, derived ones not), cycles, orders and many-to-manys come along; entities and properties are found by
    /// name. A copy is a new object, whose `awakeFromInsert()` runs before its values are set; it is saved with this context. What has to be
    /// unique is so no more in the same store: leave it out by `omitting`, or change it before saving.
    ///
    ///     let copies = try context.copy([joint], extent: .following(["outgoing", "Line.end"]))
    ///     copies[joint]?.name = "copy"
    ///
    /// - Parameters:
    ///   - extent: which other objects are copied too.
    ///   - outside: what becomes of references to objects that are not copied.
    ///   - omitting: attributes, by name or by entity and name, that keep what a new object has.
    ///   - store: where the copies go; needed only where several stores take an entity.
    /// - Throws: `GrabenError.unknownEntity`, `.unknownKey`, `.wrongType`, `.noStore` where this context's model or stores cannot take what the
    ///   objects hold; `.objectNotFound` for one that is deleted. Nothing is inserted then.
    /// - Complexity: O(objects + members).
    public func copy(
        _ objects: some Sequence<ManagedObject>, extent: CopyExtent = .given, outside: OutsideReferences = .dropped,
        omitting: Set<String> = [], into store: PersistentStore? = nil
    ) throws(GrabenError) -> ObjectCopies {
        guard !isClosed else { throw .noContext(entity: "context", doing: "copying") }
        let originals = try GraphCopy.originals(Array(objects), extent, coordinator)
        let copy = GraphCopy(context: self, outside: outside, omitted: omitting)
        var copies: [ManagedObject] = []
        do throws(GrabenError) {
            var byOriginal: [ObjectID: ManagedObject] = [:]
            for original in originals {
                let new = try insertObject(entity: original.info.name, into: store)
                copies.append(new)
                byOriginal[original.objectID] = new
                try copy.setValues(of: new, from: original)
            }
            // References before members: they say what most to-manys hold.
            for kind in [PropertyInfo.Kind.toOne, .toMany] {
                for (original, new) in zip(originals, copies) { try copy.relate(new, as: original, kind, byOriginal) }
            }
            return ObjectCopies(objects: copies, byOriginal: byOriginal)
        } catch {
            for new in copies { discardChanges(of: new) }
            throw error
        }
    }
}

/// One copying: which objects, and what of them.
private struct GraphCopy {
    let context: ManagedObjectContext
    let outside: OutsideReferences
    let omitted: Set<String>

    // MARK: Which objects

    static func originals(
        _ given: [ManagedObject], _ extent: CopyExtent, _ target: PersistentStoreCoordinator
    ) throws(GrabenError) -> [ManagedObject] {
        var found: [ManagedObject] = []
        var seen: Set<ObjectID> = []
        for object in given where seen.insert(object.objectID).inserted {
            object.fireIfNeeded()
            guard !object.isDeleted else { throw .objectNotFound(entity: object.info.name, uri: object.objectID.uriRepresentation) }
            found.append(object)
        }
        if case .following(let names) = extent { try check(names, found, target) }
        var place = 0
        while place < found.count, extent != .given {
            let object = found[place]
            place += 1
            guard let source = object.context else { continue }
            for number in object.info.relationships where follows(object.info.properties[number], of: object.info, extent) {
                for id in object.relatedIDs(number) where seen.insert(id).inserted {
                    let other = source.object(with: id)
                    other.fireIfNeeded()
                    if !other.isDeleted { found.append(other) }
                }
            }
        }
        return found
    }

    private static func follows(_ property: PropertyInfo, of info: EntityInfo, _ extent: CopyExtent) -> Bool {
        switch extent {
        case .given: return false
        case .everything: return true
        case .following(let names):
            return isNamed(property.name, of: info, in: names)
        }
    }

    /// Whether names hold that of a property, alone or behind its entity's or one above it.
    private static func isNamed(_ name: String, of info: EntityInfo, in names: some Collection<String>) -> Bool {
        if names.isEmpty { return false }
        if names.contains(name) { return true }
        return sequence(first: info.entity, next: \.superentity).contains { names.contains("\($0.name).\(name)") }
    }

    /// Names that are no relationship's would else follow nothing, in silence.
    private static func check(_ names: [String], _ objects: [ManagedObject], _ target: PersistentStoreCoordinator) throws(GrabenError) {
        for name in names {
            let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            let model = objects.first?.context?.coordinator ?? target
            let infos = parts.count == 2 ? [try model.info(named: parts[0])] : model.infos
            let key = parts.last ?? name
            guard parts.count <= 2,
                infos.contains(where: { info in
                    info.entity.propertyNumber(named: key).map { info.properties[$0].link != nil } ?? false
                })
            else {
                throw .invalidRequest(
                    reason: "copying: no relationship is called \(name); write its name, or its entity's and its own with a dot between")
            }
        }
    }

    // MARK: Values

    func setValues(of new: ManagedObject, from original: ManagedObject) throws(GrabenError) {
        for property in original.info.properties {
            switch property.kind {
            case .attribute, .packed, .transient:
                if property.attribute?.derivation != nil || Self.isNamed(property.name, of: original.info, in: omitted) { continue }
                try new.setValue(original.primitive(property.number), forKey: property.name)
            case .toOne, .toMany, .fetched: break
            }
        }
    }

    // MARK: Relationships

    func relate(
        _ new: ManagedObject, as original: ManagedObject, _ kind: PropertyInfo.Kind, _ copies: [ObjectID: ManagedObject]
    ) throws(GrabenError) {
        for number in original.info.relationships where original.info.properties[number].kind == kind {
            let name = original.info.properties[number].name
            let ids = original.relatedIDs(number)
            guard !ids.isEmpty else { continue }
            let property = new.info.properties[try new.info.number(name)]
            let inverse = property.link?.inverse.map { context.coordinator.infos[property.destination].properties[$0] }
            // An object has one partner, or one owner: the copy would take it from the original.
            let keepsOutside = outside == .kept && (inverse == nil || inverse?.kind == .toMany)
            let targets = ids.compactMap { id in copies[id] ?? (keepsOutside ? self.target(id, for: new) : nil) }
            switch property.kind {
            case .toOne:
                guard targets.count <= 1 else {
                    throw .wrongType(entity: new.info.name, key: name, expected: "one object", found: "\(targets.count) objects")
                }
                if let target = targets.first { try new.setTarget(property, target) }
            case .toMany:
                // The members' own references have said it.
                if inverse?.kind == .toOne, !property.isOrdered { continue }
                try new.setMembers(property.number, targets)
            case .attribute, .packed, .transient, .fetched:
                throw .wrongType(entity: new.info.name, key: name, expected: "another kind of value", found: "a relationship")
            }
        }
    }

    /// An object outside of what is copied, as the copies' context has it; nil where that has none, or not in the copy's store.
    private func target(_ id: ObjectID, for new: ManagedObject) -> ManagedObject? {
        guard id.storeNumber == new.objectID.storeNumber, let target = try? context.existingObject(with: id), !target.isDeleted else {
            return nil
        }
        return target
    }
}
