import Graben
import GrabenLog
import GrabenModel

/// Operations beyond single edits.
extension GraphDriver {
    /// One random operation other than saving.
    func operate() throws {
        switch random.below(46) {
        case 0: rollback()
        case 1...6: undo()
        case 7...10: redo()
        case 11: refresh()
        case 12: refreshAll()
        case 13: drop()
        case 14: if random.below(4) == 0 { reset() }
        case 15: discard()
        case 16: try copy()
        case 17: try group()
        case 18: fire()
        default: try edits()
        }
    }

    /// Several events as one step.
    func group() throws {
        guard let undo = context.undoManager else { return try edits() }
        endEvent()
        let (before, undoBefore, redoBefore) = (world, undoWorlds, redoWorlds)
        log.append("group")
        undoWorlds = []
        undo.beginUndoGrouping()
        for _ in 0...random.below(4) { try edits() }
        log.append("end of group")
        undo.endUndoGrouping()
        let isStep = !undoWorlds.isEmpty
        undoWorlds = isStep ? (undoBefore + [before]).suffix(Self.levels) : undoBefore
        redoWorlds = isStep ? [] : redoBefore
    }

    /// Copies some things with the relationships among them.
    func copy() throws {
        endEvent()
        let keys = own.filter { _ in random.below(6) == 0 }
        guard !keys.isEmpty, own.count < (part.of == 1 ? 45 : 15) else { return }
        let copies = try context.copy(keys.compactMap { object($0) })
        var new: [Int: Int] = [:]
        for (key, object) in zip(keys, copies.objects) { new[key] = note(object.objectID) }
        log.append("copy \(keys) as \(keys.compactMap { new[$0] })")
        world.copy(new)
        endEvent()
    }

    /// Takes back the changes of one object, which may be a new one. Steps that speak of them are of no use any more.
    func discard() {
        endEvent()
        guard let key = pick(own.filter { object($0)?.hasChanges == true }), let object = object(key) else { return }
        log.append("discard \(key)")
        context.discardChanges(of: object)
        if saved.things[key] == nil { world.vanish(key) } else { world.restore(key, from: saved) }
        context.processPendingChanges()
        forgetSteps()
    }

    /// Realises many objects, which changes nothing that can be seen.
    func fire() {
        endEvent()
        let objects = world.things.keys.sorted().filter { _ in random.below(2) == 0 }.compactMap { object($0) }
        log.append("fire \(objects.count)")
        context.fireFaults(of: objects)
        if objects.contains(where: \.isFault) { wrongs.append("a fault is left after all were fired") }
        do { try context.prefetch("outgoing.end.tags", of: objects.filter { $0.entity.name == "Joint" }) } catch { errors.append(error) }
    }

    /// Saves, and changes many objects by a request in a commit of its own, which the context takes in.
    func batch() throws {
        try save()
        context.undoManager?.removeAllActions()
        // The others change what all contexts have.
        switch part.of > 1 ? 0 : random.below(3) {
        case 0:
            let names = (0...random.below(2)).map { "batch \($0)" }
            let ids = try context.execute(.insert(entity: "Tag", names.map { ["name": .string($0)] }))
            for (id, name) in zip(ids, names) {
                let key = note(id)
                log.append("batch insert Tag as \(key)")
                world.insert("Tag", as: key)
                world.things[key]?.values["name"] = .string(name)
            }
        case 1:
            let entity = GraphSchema.concrete[Int(random.below(UInt32(GraphSchema.concrete.count)))]
            guard let attribute = pick(GraphSchema.attributes(entity)) else { break }
            let value = GraphSchema.value(attribute, &random)
            log.append("batch set \(entity).\(attribute.name) = \(value.summary)")
            try context.execute(.update(entity: entity, where: nil, set: [attribute.name: value]))
            for key in world.keys(GraphSchema.kinds(entity)) { world.things[key]?.values[attribute.name] = value }
        default:
            let entity = pick(["Tag", "Stop", "Joint"]) ?? "Tag"
            log.append("batch delete \(entity) named a")
            try context.execute(.delete(entity: entity, where: try ObjectPredicate(format: "name == 'a'")))
            for key in world.keys(GraphSchema.kinds(entity)) where world.things[key]?.values["name"] == .string("a") { world.delete(key) }
        }
        saved = world
        forgetSteps()
    }

    private func forgetSteps() {
        context.undoManager?.removeAllActions()
        settled = world
        (undoWorlds, redoWorlds) = ([], [])
    }
}
