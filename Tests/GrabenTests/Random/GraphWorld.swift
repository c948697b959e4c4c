import Graben
import GrabenLog
import GrabenModel

/// What the randomised test believes of a drawing: plain dictionaries, written without looking at how the library does it.
///
/// Undo is a stack of whole worlds, rollback is the last saved one, so nothing of the library's bookkeeping is repeated here.
struct GraphWorld: Equatable {
    struct Thing: Equatable {
        var entity: String
        var values: [String: Value]
        var one: [String: Int] = [:]
        /// Members; in order where the relationship is ordered, else ascending.
        var many: [String: [Int]] = [:]
    }

    var things: [Int: Thing] = [:]

    func keys(_ kinds: [String]) -> [Int] { things.keys.filter { kinds.contains(things[$0]?.entity ?? "") }.sorted() }

    // MARK: Relating

    /// Sets a to-one and the other side, taking the target away from whoever had it.
    mutating func set(_ owner: Int, _ name: String, to target: Int?) {
        guard let relation = relation(owner, name), things[owner]?.one[name] != target else { return }
        if let old = things[owner]?.one[name], let inverse = relation.inverse { release(old, inverse, owner) }
        things[owner]?.one[name] = target
        if let target, let inverse = relation.inverse { attach(target, inverse, owner, taking: name) }
    }

    /// Adds a member at a place (the end where nil) and sets the other side.
    mutating func add(_ owner: Int, _ name: String, _ member: Int, at place: Int? = nil) {
        guard let relation = relation(owner, name), !(things[owner]?.many[name] ?? []).contains(member) else { return }
        join(owner, relation, member, at: place)
        if let inverse = relation.inverse { attach(member, inverse, owner, taking: name) }
    }

    /// Takes a member out and clears the other side.
    mutating func remove(_ owner: Int, _ name: String, _ member: Int) {
        guard let relation = relation(owner, name), (things[owner]?.many[name] ?? []).contains(member) else { return }
        things[owner]?.many[name]?.removeAll { $0 == member }
        if let inverse = relation.inverse { release(member, inverse, owner) }
    }

    mutating func replace(_ owner: Int, _ name: String, with members: [Int]) {
        for member in things[owner]?.many[name] ?? [] where !members.contains(member) { remove(owner, name, member) }
        for member in members { add(owner, name, member) }
        if relation(owner, name)?.isOrdered == true { things[owner]?.many[name] = members }
    }

    private mutating func join(_ owner: Int, _ relation: GraphSchema.Relation, _ member: Int, at place: Int?) {
        var members = things[owner]?.many[relation.name] ?? []
        guard !members.contains(member) else { return }
        members.insert(member, at: min(place ?? members.count, members.count))
        if !relation.isOrdered { members.sort() }
        things[owner]?.many[relation.name] = members
    }

    private mutating func attach(_ thing: Int, _ name: String, _ owner: Int, taking back: String) {
        guard let relation = relation(thing, name) else { return }
        guard !relation.isToMany else { return join(thing, relation, owner, at: nil) }
        if let previous = things[thing]?.one[name], previous != owner { release(previous, back, thing) }
        things[thing]?.one[name] = owner
    }

    private mutating func release(_ thing: Int, _ name: String, _ other: Int) {
        guard let relation = relation(thing, name) else { return }
        if relation.isToMany {
            things[thing]?.many[name]?.removeAll { $0 == other }
        } else if things[thing]?.one[name] == other {
            things[thing]?.one[name] = nil
        }
    }

    private func relation(_ key: Int, _ name: String) -> GraphSchema.Relation? {
        things[key].flatMap { GraphSchema.relation($0.entity, name) }
    }

    // MARK: Deleting

    /// Deletes a thing and what its rules reach. References without an inverse are left leading nowhere.
    mutating func delete(_ key: Int) {
        var doomed = [key]
        var place = 0
        while place < doomed.count {
            let thing = doomed[place]
            place += 1
            guard let entity = things[thing]?.entity else { continue }
            for relation in GraphSchema.relations(entity) where relation.rule == .cascade {
                for other in targets(thing, relation) where things[other] != nil && !doomed.contains(other) { doomed.append(other) }
            }
        }
        for thing in doomed {
            guard let entity = things[thing]?.entity else { continue }
            for relation in GraphSchema.relations(entity) {
                guard let inverse = relation.inverse else { continue }
                for other in targets(thing, relation) { release(other, inverse, thing) }
            }
        }
        for thing in doomed { things[thing] = nil }
    }

    // MARK: Inserting and copying

    mutating func insert(_ entity: String, as key: Int) {
        things[key] = Thing(
            entity: entity,
            values: Dictionary(uniqueKeysWithValues: GraphSchema.attributes(entity).map { ($0.name, $0.initial) }),
            many: Dictionary(uniqueKeysWithValues: GraphSchema.relations(entity).filter(\.isToMany).map { ($0.name, []) }))
    }

    /// Copies things under new keys, with what they have of one another.
    mutating func copy(_ new: [Int: Int]) {
        let originals = things
        for (key, copy) in new {
            guard var thing = originals[key] else { continue }
            thing.one = thing.one.compactMapValues { new[$0] }
            for (name, members) in thing.many {
                let inside = members.compactMap { new[$0] }
                thing.many[name] = GraphSchema.relation(thing.entity, name)?.isOrdered == true ? inside : inside.sorted()
            }
            things[copy] = thing
        }
    }

    // MARK: Dropping changes

    /// Takes a thing away that was never saved; the delete rules have no say.
    mutating func vanish(_ key: Int) {
        guard let entity = things[key]?.entity else { return }
        for relation in GraphSchema.relations(entity) {
            guard let inverse = relation.inverse else { continue }
            for other in targets(key, relation) { release(other, inverse, key) }
        }
        things[key] = nil
    }

    /// Takes a thing back to what it was in `saved`, with the other sides of its relationships; what is deleted by now stays away.
    mutating func restore(_ key: Int, from saved: GraphWorld) {
        guard let thing = saved.things[key] else { return }
        var restored = thing
        for relation in GraphSchema.relations(thing.entity) {
            guard let inverse = relation.inverse else { continue }
            let before = saved.targets(key, relation).filter { things[$0] != nil }
            for other in targets(key, relation) where !before.contains(other) { release(other, inverse, key) }
            for other in before { attach(other, inverse, key, taking: relation.name) }
            if relation.isToMany { restored.many[relation.name] = before } else { restored.one[relation.name] = before.first }
        }
        things[key] = restored
    }

    private func targets(_ key: Int, _ relation: GraphSchema.Relation) -> [Int] {
        relation.isToMany ? things[key]?.many[relation.name] ?? [] : things[key]?.one[relation.name].map { [$0] } ?? []
    }
}
