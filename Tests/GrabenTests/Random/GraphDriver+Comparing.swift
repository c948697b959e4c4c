import Graben
import GrabenLog
import GrabenModel
import Testing

extension GraphDriver {
    /// Everything in which the context and the world differ.
    func differences() throws -> [String] {
        var found: [String] = []
        func check(_ isSame: Bool, _ text: @autoclosure () -> String) { if !isSame { found.append(text()) } }
        for entity in GraphSchema.concrete {
            let keys = world.keys([entity])
            var request = FetchRequest<ManagedObject>(entity: entity)
            request.includesSubentities = false
            let fetched = try context.fetchIDs(request)
            check(Set(fetched) == Set(keys.map(id)), "fetching \(entity) finds \(fetched.map { book.keys[$0] ?? -1 }), not \(keys)")
            check(fetched.count == keys.count, "fetching \(entity) finds \(fetched.count) ids, not \(keys.count)")
            check(try context.count(for: request) == keys.count, "count of \(entity)")
        }
        for key in world.things.keys.sorted() { found += try differences(of: key) }
        found += wrongs
        found += try columnDifferences()
        let inserted = Set(world.things.keys).subtracting(saved.things.keys)
        let deleted = Set(saved.things.keys).subtracting(world.things.keys)
        check(
            Set(context.insertedObjects.map(\.objectID)) == Set(inserted.map(id)),
            "insertedObjects \(context.insertedObjects.map { book.keys[$0.objectID] ?? -1 }), not \(inserted.sorted())")
        check(
            Set(context.deletedObjects.map(\.objectID)) == Set(deleted.map(id)),
            "deletedObjects \(context.deletedObjects.map { book.keys[$0.objectID] ?? -1 }), not \(deleted.sorted())")
        for key in deleted { check(object(key)?.isDeleted == true, "\(key) does not say it is deleted") }
        check(
            context.undoManager?.undoDepth ?? 0 == undoWorlds.count, "\(context.undoManager?.undoDepth ?? 0) steps, not \(undoWorlds.count)"
        )
        check(
            context.undoManager?.redoDepth ?? 0 == redoWorlds.count,
            "\(context.undoManager?.redoDepth ?? 0) redo steps, not \(redoWorlds.count)")
        check(context.undoManager?.canUndo ?? false == !undoWorlds.isEmpty, "canUndo with \(undoWorlds.count) steps")
        check(context.undoManager?.canRedo ?? false == !redoWorlds.isEmpty, "canRedo with \(redoWorlds.count) steps")
        return found
    }

    private func differences(of key: Int) throws -> [String] {
        guard let thing = world.things[key], let object = object(key) else { return ["no object for \(key)"] }
        var found: [String] = []
        func check(_ isSame: Bool, _ text: @autoclosure () -> String) { if !isSame { found.append("\(key) \(thing.entity) " + text()) } }
        check(!object.isDeleted, "says it is deleted")
        check(object.managedObjectContext === context, "is in no context")
        for (name, value) in thing.values.sorted(by: { $0.key < $1.key }) {
            let primitive = try object.primitiveValue(forKey: name)
            check(primitive == value, "\(name) is \(primitive.summary), not \(value.summary)")
            let keyed = try object.value(forKey: name)
            check(keyed == value, "\(name) by key is \(keyed.summary), not \(value.summary)")
        }
        var changed: [String: Value] = [:]
        let base = saved.things[key]
        for relation in GraphSchema.relations(thing.entity) {
            if relation.isToMany {
                let ids = (thing.many[relation.name] ?? []).map(id)
                let members = object.toMany(relation.name, as: ManagedObject.self)
                let want = relation.isOrdered ? ids : ids.sorted()
                check(
                    members.ids == want,
                    "\(relation.name) is \(members.ids.map { book.keys[$0] ?? -1 }), not \(thing.many[relation.name] ?? [])")
                check(members.count == ids.count, "\(relation.name) counts \(members.count), not \(ids.count)")
                for id in ids.prefix(3) where !context.object(with: id).isDeleted {
                    check(members.contains(context.object(with: id)), "\(relation.name) does not contain \(book.keys[id] ?? -1)")
                }
                if (base?.many[relation.name] ?? []) != (thing.many[relation.name] ?? []) { changed[relation.name] = .references(want) }
            } else {
                let value = try object.value(forKey: relation.name)
                let want: Value = thing.one[relation.name].map { .reference(id($0)) } ?? .null
                check(value == want, "\(relation.name) is \(value), not \(want)")
                if base?.one[relation.name] != thing.one[relation.name] { changed[relation.name] = want }
            }
        }
        guard let base else {
            check(object.isInserted, "is not inserted")
            return found
        }
        check(!object.isInserted, "is inserted")
        for (name, value) in thing.values where base.values[name] != value { changed[name] = value }
        let said = object.changedValues()
        check(said == changed, "changedValues are \(said.keys.sorted()), not \(changed.keys.sorted())")
        check(object.hasPersistentChangedValues == !changed.isEmpty, "hasPersistentChangedValues")
        if !changed.isEmpty { check(object.isUpdated, "is not updated") }
        let committed = try object.committedValues(forKeys: Array(base.values.keys))
        for (name, value) in base.values { check(committed[name] == value, "committed \(name) is \(committed[name]?.summary ?? "none")") }
        return found
    }

    /// Columns and gathers against plain loops over the world.
    private func columnDifferences() throws -> [String] {
        var found: [String] = []
        for (entity, lanes) in [("Joint", ["x", "y", "z", "h", "f"]), ("Special", ["x", "extra"]), ("Marker", ["u", "v"])] {
            let things = world.keys(GraphSchema.kinds(entity)).compactMap { world.things[$0] }
            try context.withColumns(ofEntity: entity) { columns in
                var count = 0
                for chunk in columns { count += chunk.count }
                if count != things.count { found.append("columns of \(entity) have \(count) rows, not \(things.count)") }
                for name in lanes {
                    let lane = try columns.lane(name)
                    var values: [UInt64: Int] = [:]
                    for thing in things { values[Self.bits(thing.values[name]), default: 0] += 1 }
                    for chunk in columns {
                        for slot in 0..<chunk.slotCount where chunk.isLive(slot) {
                            values[Self.bits(chunk[lane][slot].map { .double($0) } ?? .null), default: 0] -= 1
                        }
                    }
                    if values.values.contains(where: { $0 != 0 }) {
                        found.append("column \(entity).\(name) differs: \(values.filter { $0.value != 0 })")
                    }
                    let sum = things.reduce(0.0) { $0 + (Self.double($1.values[name]) ?? 0) }
                    let got = columns.sum(lane)
                    // How far two orders of addition may lie apart is in proportion to the sizes, not to the sum.
                    let size = things.reduce(0.0) { $0 + abs(Self.double($1.values[name]) ?? 0) }
                    let isSame = sum.isFinite ? abs(sum - got) <= size * 1e-12 : sum.isNaN ? got.isNaN : sum == got
                    // Sums of 1e300 and small numbers, or of both infinities, depend on the order of addition.
                    if !isSame, !things.contains(where: { abs(Self.double($0.values[name]) ?? 0) >= 1e300 }) {
                        found.append("sum of \(entity).\(name) is \(got), not \(sum)")
                    }
                }
            }
        }
        let keys = world.keys(["Joint", "Special"])
        let points = context.positions(of: keys.map(id))
        let objectPoints = context.positions(of: keys.compactMap { object($0) })
        for (index, key) in keys.enumerated() {
            let want = ["x", "y", "z"].map { Self.bits(world.things[key]?.values[$0]) }
            for point in [points[index], objectPoints[index]] where (0..<3).map({ Self.bits(.double(point[$0])) }) != want {
                found.append("position of \(key) is \(point)")
            }
        }
        return found
    }

    private static func double(_ value: Value?) -> Double? {
        switch value {
        case .double(let value): value
        case .float(let value): Double(value)
        default: nil
        }
    }

    private static func bits(_ value: Value?) -> UInt64 {
        guard let number = double(value) else { return .max }
        return number.isNaN ? Double.nan.bitPattern : number.bitPattern
    }
}
