import Graben
import GrabenFixtures
import GrabenLog
import GrabenModel

/// Does the same to a context and to a `GraphWorld`, and compares the two.
final class GraphDriver {
    private(set) var context: ManagedObjectContext
    var world = GraphWorld()
    /// The world as of the last save.
    var saved = GraphWorld()
    /// The world at the end of the last event.
    var settled = GraphWorld()
    var undoWorlds: [GraphWorld] = []
    var redoWorlds: [GraphWorld] = []
    /// Ids by the world's keys, shared by the drivers of one store.
    let book: IDBook
    var random: Choices
    var errors: [GrabenError] = []
    /// What was wrong in the middle of an operation.
    var wrongs: [String] = []
    /// Whether every object that was asked for is kept.
    var isHolding = false
    private var held: [Int: ManagedObject] = [:]
    /// Whether the dictionaries forget to roll back.
    var isPlanted = false
    /// The things that this driver changes, by what their keys leave when divided; others belong to the drivers of other contexts.
    var part: (remainder: Int, of: Int) = (0, 1)
    /// What was done last, for the report of a failure.
    var log: [String] = [] {
        didSet { if log.count > 1000 { log.removeFirst(log.count / 2) } }
    }
    /// How many steps can be taken back; a life that kept all of them would take more memory with each step.
    static let levels = 16

    final class IDBook {
        var ids: [Int: ObjectID] = [:]
        var keys: [ObjectID: Int] = [:]
        var next = 0
    }

    init(_ context: ManagedObjectContext, book: IDBook, choices: Choices, undo: Bool = true) {
        self.context = context
        self.book = book
        random = choices
        prepare(undo: undo)
    }

    convenience init(_ context: ManagedObjectContext, book: IDBook, seed: UInt64, undo: Bool = true) {
        self.init(context, book: book, choices: Choices(seed: seed, steps: 0), undo: undo)
    }

    private func prepare(undo: Bool) {
        if undo {
            context.undoManager = ObjectUndoManager()
            context.undoManager?.levelsOfUndo = Self.levels
        }
        context.errorHandler = { [weak self] in
            self?.errors.append($0)
            self?.log.append("reported \($0)")
        }
    }

    /// Goes on in another container's context, in which only what was saved exists.
    func move(to container: PersistentContainer) {
        log.append("reopen")
        let uris = book.ids.mapValues(\.uriRepresentation)
        context.close()
        held = [:]
        context = container.newContext()
        prepare(undo: true)
        book.ids = [:]
        book.keys = [:]
        for (key, uri) in uris {
            guard let id = container.coordinator.objectID(for: uri) else { continue }
            book.ids[key] = id
            book.keys[id] = key
        }
        forgetUnsaved()
    }

    func object(_ key: Int) -> ManagedObject? {
        let object = book.ids[key].map { context.object(with: $0) }
        if isHolding { held[key] = object }
        return object
    }
    func id(_ key: Int) -> ObjectID { book.ids[key] ?? context.objectIDOfNothing }
    func pick<T>(_ list: [T]) -> T? { list.isEmpty ? nil : list[Int(random.below(UInt32(list.count)))] }

    // MARK: What it may change

    func owns(_ key: Int) -> Bool { key % part.of == part.remainder }
    /// The keys of its own things.
    var own: [Int] { world.things.keys.filter(owns).sorted() }
    func own(_ kinds: [String]) -> [Int] { world.keys(kinds).filter(owns) }

    // MARK: One random edit

    /// Makes random edits, which are one event.
    func edits() throws {
        var differed = false
        for _ in 0...random.below(3) {
            try edit()
            differed = differed || world != settled
        }
        // Whether an event that changed something and changed it back is a step is nobody's promise.
        if differed, world == settled { try insert("Tag") }
        endEvent()
    }

    /// Makes a random edit on both sides.
    private func edit() throws {
        switch random.below(20) {
        case 0...3:
            // Above forty things, or so many of its own, there is more deleted than inserted.
            let entity = GraphSchema.concrete[Int(random.below(UInt32(GraphSchema.concrete.count)))]
            if own.count < (part.of == 1 ? 40 : 12) || random.below(5) == 0 { try insert(entity) }
        case 4...8: try setValue()
        case 9...14: try relate()
        case 15: try translate()
        case 16, 17: try replaceMembers()
        default: if own.count > (part.of == 1 ? 8 : 4), let key = pick(own) { try delete(key) }
        }
    }

    func insert(_ entity: String) throws {
        let key = note(try context.insertObject(entity: entity).objectID)
        log.append("insert \(entity) as \(key)")
        world.insert(entity, as: key)
    }

    /// Gives a new object its key.
    func note(_ id: ObjectID) -> Int {
        while !owns(book.next) { book.next += 1 }
        let key = book.next
        book.next += 1
        if let old = book.keys[id] {
            let isReferred = world.things.values.contains { thing in
                thing.one.values.contains(old) || thing.many.values.contains { $0.contains(old) }
            }
            if isReferred { wrongs.append("the number of \(old), which something refers to, was handed out again") }
            book.ids[old] = nil
        }
        book.ids[key] = id
        book.keys[id] = key
        return key
    }

    /// Sets an attribute, or an end of a line, of a thing whose key leaves `remainder` when divided by two.
    func editHalf(_ remainder: Int) throws {
        let keys = world.things.keys.sorted().filter { $0 % 2 == remainder }
        let lines = keys.filter { world.things[$0]?.entity == "Line" }
        guard random.below(3) == 0, let line = pick(lines) else { return try setValue(among: keys) }
        let target = random.below(4) == 0 ? nil : pick(world.keys(["Joint", "Special"]))
        let name = random.below(2) == 0 ? "start" : "end"
        log.append("\(line).\(name) = \(target.map(String.init) ?? "nil")")
        object(line)?.setToOne(name, target.flatMap { object($0) })
        world.set(line, name, to: target)
    }

    private func setValue() throws { try setValue(among: own(GraphSchema.concrete)) }

    private func setValue(among keys: [Int]) throws {
        guard let key = pick(keys), let entity = world.things[key]?.entity,
            let attribute = pick(GraphSchema.attributes(entity))
        else { return }
        try set(key, attribute, GraphSchema.value(attribute, &random))
    }

    func set(_ key: Int, _ attribute: GraphSchema.Attribute, _ value: Value) throws {
        log.append("set \(key).\(attribute.name) = \(value.summary)")
        try object(key)?.setValue(value, forKey: attribute.name)
        world.things[key]?.values[attribute.name] = value
    }

    private func relate() throws {
        let owners = own(["Joint", "Special", "Line", "Tag", "Route", "Stop", "Marker"])
        guard let owner = pick(owners), let entity = world.things[owner]?.entity, let relation = pick(GraphSchema.relations(entity)),
            let object = object(owner)
        else { return }
        let target = pick(own(GraphSchema.kinds(relation.destination)))
        guard relation.isToMany else {
            let target = random.below(5) == 0 ? nil : target
            log.append("\(owner).\(relation.name) = \(target.map(String.init) ?? "nil")")
            object.setToOne(relation.name, target.flatMap { self.object($0) })
            world.set(owner, relation.name, to: target)
            return
        }
        let members = world.things[owner]?.many[relation.name] ?? []
        // Members that lead nowhere stay: there is no object to take out.
        if random.below(3) == 0, let member = pick(members.filter { world.things[$0] != nil }), let other = self.object(member) {
            log.append("\(owner).\(relation.name) -= \(member)")
            if relation.isOrdered {
                object.orderedToMany(relation.name).remove(other)
            } else {
                object.toMany(relation.name).remove(other)
            }
            world.remove(owner, relation.name, member)
        } else if relation.isOrdered, members.count > 1, random.below(3) == 0 {
            let (from, to) = (Int(random.below(UInt32(members.count))), Int(random.below(UInt32(members.count))))
            log.append("\(owner).\(relation.name) moves \(from) to \(to)")
            object.orderedToMany(relation.name).move(from: from, to: to)
            var moved = members
            moved.insert(moved.remove(at: from), at: to)
            world.things[owner]?.many[relation.name] = moved
        } else if let target, let other = self.object(target) {
            let place = relation.isOrdered && random.below(2) == 0 ? Int(random.below(UInt32(members.count + 1))) : nil
            log.append("\(owner).\(relation.name) += \(target) at \(place.map(String.init) ?? "end")")
            if relation.isOrdered {
                let list = object.orderedToMany(relation.name)
                if let place { list.insert(other, at: place) } else { list.append(other) }
            } else {
                object.toMany(relation.name).insert(other)
            }
            world.add(owner, relation.name, target, at: place)
        }
    }

    private func replaceMembers() throws {
        let owners = own(["Joint", "Special", "Tag", "Route"])
        guard let owner = pick(owners), let entity = world.things[owner]?.entity,
            let relation = pick(GraphSchema.relations(entity).filter { $0.isToMany && $0.inverse != nil })
        else { return }
        var members = own(GraphSchema.kinds(relation.destination)).filter { _ in random.below(4) == 0 }
        if relation.isOrdered { members.shuffle(using: &random) }
        log.append("\(owner).\(relation.name) = \(members)")
        try object(owner)?.setValue(.references(members.map(id)), forKey: relation.name)
        world.replace(owner, relation.name, with: members)
    }

    private func translate() throws {
        let keys = own(["Joint", "Special"]).filter { _ in random.below(3) == 0 }
        let delta = SIMD3(Double(random.below(3)), -1, 0.25)
        log.append("translate \(keys) by \(delta)")
        if random.below(2) == 0 {
            context.translate(keys.compactMap { object($0) }, by: delta)
        } else {
            context.translate(keys.map(id), by: delta)
        }
        for key in keys {
            for (lane, name) in ["x", "y", "z"].enumerated() {
                if case .double(let value)? = world.things[key]?.values[name] {
                    world.things[key]?.values[name] = .double(value + delta[lane])
                }
            }
        }
    }

    func delete(_ key: Int) throws {
        log.append("delete \(key)")
        let differed = world != settled
        if let object = object(key) { context.delete(object) }
        world.delete(key)
        if differed, world == settled { try insert("Tag") }
        endEvent()
    }

    // MARK: Events, undo, saving

    func endEvent() {
        context.processPendingChanges()
        guard world != settled else { return }
        log[log.count - 1] += " ."
        if context.undoManager != nil { undoWorlds = (undoWorlds + [settled]).suffix(Self.levels) }
        redoWorlds = []
        settled = world
    }

    func undo() {
        endEvent()
        log.append("undo")
        context.undo()
        guard let before = undoWorlds.popLast() else { return }
        redoWorlds.append(world)
        world = before
        settled = before
    }

    func redo() {
        endEvent()
        log.append("redo")
        context.redo()
        guard let after = redoWorlds.popLast() else { return }
        undoWorlds.append(world)
        world = after
        settled = after
    }

    func save() throws {
        endEvent()
        log.append("save")
        try context.save()
        saved = world
        if context.hasChanges { wrongs.append("there are changes after a save") }
    }

    func rollback() {
        endEvent()
        log.append("rollback")
        context.rollback()
        guard !isPlanted else { return (undoWorlds, redoWorlds) = ([], []) }
        forgetUnsaved()
    }

    func reset() {
        endEvent()
        log.append("reset")
        context.reset()
        forgetUnsaved()
    }

    func forgetUnsaved() {
        world = saved
        settled = saved
        (undoWorlds, redoWorlds) = ([], [])
    }

    /// Refreshes some objects: merging any of them, dropping only those without changes, which changes nothing that can be seen.
    func refresh() {
        endEvent()
        for key in world.things.keys.sorted() where random.below(3) == 0 {
            guard let object = object(key) else { continue }
            let merges = object.hasChanges || random.below(2) == 0
            log.append("refresh \(key) merging \(merges)")
            context.refresh(object, mergeChanges: merges)
            if !merges, !object.isFault { wrongs.append("\(key) is no fault after it was refreshed") }
        }
    }

    /// Drops the changes of one object. Steps that speak of them are of no use any more.
    func drop() {
        endEvent()
        guard let key = pick(saved.things.keys.sorted().filter { owns($0) && world.things[$0] != nil && object($0)?.hasChanges == true }),
            let object = object(key)
        else { return }
        log.append("drop \(key)")
        context.refresh(object, mergeChanges: false)
        world.restore(key, from: saved)
        context.processPendingChanges()
        context.undoManager?.removeAllActions()
        settled = world
        (undoWorlds, redoWorlds) = ([], [])
    }

    func refreshAll() {
        endEvent()
        log.append("refresh all")
        context.refreshAllObjects()
    }
}

extension ManagedObjectContext {
    /// An id that no store of the context has.
    var objectIDOfNothing: ObjectID { ObjectID(store: .max, entity: 0, row: 0) }
}
