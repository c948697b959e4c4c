import Graben
import GrabenModel
import Testing

/// Two contexts race, and the second one's policy decides. `Part` has a key, a note, a count and a packed coordinate.
@Suite("Merge policies")
struct MergePolicyTests {
    private let container: PersistentContainer
    private let one: ManagedObjectContext
    private let two: ManagedObjectContext

    init() throws {
        container = try Registered.container()
        one = container.newContext()
        two = container.newContext()
        // What a context has not merged it is in conflict with; merging by itself changes nothing of that (S80).
        two.automaticallyMergesChangesFromParent = false
    }

    /// An object as a third context finds it in the store.
    private func stored(_ object: ManagedObject, _ keys: String...) throws -> [Value] {
        let twin = try container.newContext().existingObject(with: object.objectID)
        return try keys.map { try twin.value(forKey: $0) }
    }

    /// A part that both contexts change: note and x on both sides, count by the first, owner by the second.
    private func contested(_ policy: MergePolicy) throws -> (here: ManagedObject, owner: ManagedObject) {
        let part = try one.make("Part", ["code": "p", "note": "base", "count": 1, "x": 1.0])
        let owner = try one.make("Owner", ["name": "o"])
        try one.save()
        let here = try two.existingObject(with: part.objectID)
        try here.setValue("here", forKey: "note")
        try here.setValue(3.0, forKey: "x")
        try here.setValue(.reference(owner.objectID), forKey: "owner")
        try part.setValue("there", forKey: "note")
        try part.setValue(2.0, forKey: "x")
        try part.setValue(7, forKey: "count")
        try one.save()
        two.mergePolicy = policy
        return (here, owner)
    }

    @Test("S76 store-trump takes the store's value of each property that both sides changed; all others survive from both sides")
    func storeTrump() throws {
        let (here, owner) = try contested(.storeTrump)
        try two.save()
        #expect(try stored(here, "note", "x", "count", "owner") == ["there", 2.0, 7, .reference(owner.objectID)])
        #expect(try here.value(forKey: "note") == "there" && here.value(forKey: "x") == 2.0 && !two.hasChanges)
    }

    @Test("S76 object-trump takes this context's value of each property that both sides changed; all others survive from both sides")
    func objectTrump() throws {
        let (here, owner) = try contested(.objectTrump)
        try two.save()
        #expect(try stored(here, "note", "x", "count", "owner") == ["here", 3.0, 7, .reference(owner.objectID)])
        #expect(try here.value(forKey: "count") == 7)
    }

    @Test("S77 overwrite writes the whole object over the record, properties included that were changed elsewhere alone")
    func overwrite() throws {
        let (here, owner) = try contested(.overwrite)
        try two.save()
        #expect(try stored(here, "note", "x", "count", "owner") == ["here", 3.0, 1, .reference(owner.objectID)])
    }

    @Test("S77 rollback drops the local object's changes, all of them, and saves the others")
    func rollback() throws {
        let (here, _) = try contested(.rollback)
        let other = try two.make("Part", ["code": "other"])
        try two.save()
        #expect(try stored(here, "note", "x", "count", "owner") == ["there", 2.0, 7, .null])
        #expect(try here.value(forKey: "note") == "there" && !here.hasChanges && stored(other, "code") == ["other"])
    }

    @Test("a custom policy sees each conflict with all values, and its own values are saved; one it refuses fails the save")
    func custom() throws {
        var seen: [SaveConflict] = []
        let (here, _) = try contested(.error)
        two.mergePolicy = .custom { conflict in
            seen.append(conflict)
            guard case .changed(let properties) = conflict.kind else { return .refuse }
            let notes = properties.first { $0.key == "note" }
            guard case .string(let mine)? = notes?.here, case .string(let theirs)? = notes?.stored else { return .refuse }
            return .values(["note": .string(theirs + "+" + mine)])
        }
        try two.save()
        #expect(seen.count == 1 && seen[0].objectID == here.objectID)
        #expect(try stored(here, "note", "x", "count") == ["there+here", 3.0, 7])
        try here.setValue("again", forKey: "note")
        one.refreshAllObjects()
        let twin = one.object(with: here.objectID)
        try twin.setValue("last", forKey: "note")
        try one.save()
        two.mergePolicy = .custom { _ in .refuse }
        #expect(conflicts { try two.save() }?.count == 1)
        #expect(try here.value(forKey: "note") == "again")
        two.mergePolicy = .custom { _ in .values(["note": 5]) }
        guard case .wrongType? = thrown({ try two.save() }) else {
            Issue.record("a value that does not fit was taken")
            return
        }
    }

    @Test("S80 contexts of a container merge by themselves, those made by hand do not, and either way two changes of one property conflict")
    func automatic() throws {
        #expect(container.newContext().automaticallyMergesChangesFromParent)
        #expect(!ManagedObjectContext(coordinator: container.coordinator).automaticallyMergesChangesFromParent)
        let part = try one.make("Part", ["code": "p", "note": "base"])
        try one.save()
        for merges in [true, false] {
            two.automaticallyMergesChangesFromParent = merges
            two.refreshAllObjects()
            let here = try two.existingObject(with: part.objectID)
            try part.setValue(.string("there \(merges)"), forKey: "note")
            try here.setValue(.string("here \(merges)"), forKey: "note")
            try one.save()
            #expect(conflicts { try two.save() }?.count == 1)
            two.rollback()
        }
    }

    @Test("S79 detectConflicts adds an unchanged object to the lock check of the next save, and of that one only")
    func watched() throws {
        let part = try one.make("Part", ["code": "p", "note": "base", "x": 1.0])
        let doomed = try one.make("Part", ["code": "d"])
        try one.save()
        let (here, gone) = (try two.existingObject(with: part.objectID), try two.existingObject(with: doomed.objectID))
        two.detectConflicts(for: here)
        two.detectConflicts(for: gone)
        try part.setValue(5.0, forKey: "x")
        one.delete(doomed)
        try one.save()
        try two.make("Part", ["code": "q"])
        let found = try #require(conflicts { try two.save() })
        #expect(found.map(\.objectID) == [part.objectID, doomed.objectID])
        guard case .readChanged(let properties) = found[0].kind, found[1].kind == .deletedElsewhere else {
            Issue.record("a watched object was not compared")
            return
        }
        #expect(properties.map(\.key) == ["x"] && properties[0].here == 1.0 && properties[0].stored == 5.0)
        two.mergePolicy = .storeTrump
        try two.save()
        #expect(try here.value(forKey: "x") == 5.0 && gone.isDeleted)
        two.mergePolicy = .error
        try part.setValue("later", forKey: "note")
        try one.save()
        try two.make("Part", ["code": "r"])
        try two.save()
    }

    // MARK: Deletions

    @Test(
        "S77 an object deleted elsewhere and changed here is let go by store-trump and rollback, and comes back by object-trump and overwrite"
    )
    func deletedElsewhere() throws {
        for (name, policy, survives) in [
            ("a", MergePolicy.storeTrump, false), ("b", .rollback, false), ("c", .objectTrump, true), ("d", .overwrite, true),
        ] {
            let part = try one.make("Part", ["code": .string(name), "note": "base", "x": 4.0])
            try one.save()
            two.refreshAllObjects()
            let here = try two.existingObject(with: part.objectID)
            try here.setValue("here", forKey: "note")
            one.delete(part)
            try one.save()
            two.mergePolicy = policy
            try two.save()
            #expect(!two.hasChanges)
            if survives {
                #expect(try stored(here, "code", "note", "x") == [.string(name), "here", 4.0] && !here.isDeleted)
            } else {
                #expect(here.isDeleted && thrown { _ = try container.newContext().existingObject(with: here.objectID) } != nil)
            }
        }
    }

    @Test("S120 an object deleted here that gained a referrer: store-trump takes the delete back, object-trump applies the delete rule")
    func newReferrer() throws {
        for (policy, survives) in [(MergePolicy.storeTrump, true), (.rollback, true), (.objectTrump, false), (.overwrite, false)] {
            let owner = try one.make("Owner", ["name": "o"])
            let (old, new) = (try one.make("Part", [:]), try one.make("Part", [:]))
            try old.setValue(.reference(owner.objectID), forKey: "owner")
            try one.save()
            two.refreshAllObjects()
            two.mergePolicy = policy
            let here = try two.existingObject(with: owner.objectID)
            two.delete(here)
            try new.setValue(.reference(owner.objectID), forKey: "owner")
            try one.save()
            try two.save()
            let reference: Value = survives ? .reference(owner.objectID) : .null
            #expect(try stored(old, "owner") == [reference] && stored(new, "owner") == [reference])
            #expect(here.isDeleted != survives || here.managedObjectContext == nil)
        }
    }

    @Test("S120 a reference set here whose target is gone: object-trump clears it, store-trump takes it back, and validation follows")
    func targetGone() throws {
        for (policy, remains) in [(MergePolicy.objectTrump, false), (.storeTrump, true)] {
            let (before, doomed) = (try one.make("Owner", [:]), try one.make("Owner", [:]))
            let part = try one.make("Part", [:])
            try part.setValue(.reference(before.objectID), forKey: "owner")
            try one.save()
            two.refreshAllObjects()
            two.mergePolicy = policy
            let here = try two.existingObject(with: part.objectID)
            try here.setValue(.reference(doomed.objectID), forKey: "owner")
            try here.setValue("kept", forKey: "note")
            one.delete(doomed)
            try one.save()
            try two.save()
            #expect(try stored(part, "owner", "note") == [remains ? .reference(before.objectID) : .null, "kept"])
            #expect(try stored(before, "parts") == [.references(remains ? [part.objectID] : [])])
        }
    }

    @Test(
        "S76 a deletion here of what another context changed: store-trump and rollback keep the object, object-trump and overwrite delete it"
    )
    func changedElsewhere() throws {
        for (policy, survives) in [(MergePolicy.storeTrump, true), (.rollback, true), (.objectTrump, false), (.overwrite, false)] {
            let part = try one.make("Part", ["note": "base", "x": 1.0])
            try one.save()
            two.refreshAllObjects()
            two.mergePolicy = policy
            let here = try two.existingObject(with: part.objectID)
            two.delete(here)
            try part.setValue(9.0, forKey: "x")
            try one.save()
            try two.save()
            let there = try? stored(part, "note", "x")
            #expect(there == (survives ? ["base", 9.0] : nil))
            if survives { #expect(try !here.isDeleted && here.value(forKey: "x") == 9.0) }
        }
    }

    // MARK: Uniqueness constraints

    @Test(
        "S81 a new object whose key is taken: object-trump gives the stored one its values, store-trump keeps those there are, overwrite all"
    )
    func insertedDuplicate() throws {
        for (policy, note, count) in [
            (MergePolicy.objectTrump, "here" as Value, 7 as Value), (.storeTrump, "there", 7), (.overwrite, "here", 0),
            (.rollback, "there", 7),
        ] {
            let there = try one.make("Part", ["code": "k", "note": "there", "count": 7, "x": 1.0])
            try one.save()
            let here = try two.make("Part", ["code": "k", "note": "here"])
            let owner = try two.make("Owner", ["name": "o"])
            try here.setValue(.reference(owner.objectID), forKey: "owner")
            two.mergePolicy = policy
            try two.save()
            #expect(try stored(there, "code", "note", "count") == ["k", note, count])
            #expect(here.managedObjectContext == nil && !two.hasChanges)
            if case .objectTrump = policy { #expect(try stored(there, "owner") == [.reference(owner.objectID)]) }
            try #expect(container.newContext().count(for: FetchRequest<ManagedObject>(entity: "Part")) == 1)
            one.refreshAllObjects()
            one.delete(there)
            try one.save()
        }
    }

    @Test("S81 what refers to a new object that gives way refers to the one that stays, and its members move there")
    func members() throws {
        var model = Registered.model
        model.entities[2].uniquenessConstraints = [["name"]]
        let container = try PersistentContainer(model: model, stores: [StoreConfiguration(.inMemory)])
        let (one, two) = (container.newContext(), container.newContext())
        let there = try one.make("Owner", ["name": "o"])
        try one.save()
        two.mergePolicy = .objectTrump
        let here = try two.make("Owner", ["name": "o"])
        let part = try two.make("Part", [:])
        try part.setValue(.reference(here.objectID), forKey: "owner")
        let seat = try two.make("Seat", ["number": 3, "of": .reference(here.objectID)])
        try two.save()
        let third = container.newContext()
        #expect(try third.object(with: part.objectID).value(forKey: "owner") == .reference(there.objectID))
        #expect(try third.object(with: seat.objectID).value(forKey: "of") == .reference(there.objectID))
        #expect(try third.object(with: there.objectID).value(forKey: "parts") == .references([part.objectID]))
    }

    @Test("S81 a saved object that takes a key: store-trump gives it its own back, object-trump deletes the one that had the key")
    func renamedDuplicate() throws {
        for (policy, codes) in [
            (MergePolicy.storeTrump, ["a", "b"] as [Value]), (.rollback, ["a", "b"]), (.objectTrump, ["b"]), (.overwrite, ["b"]),
        ] {
            let (a, b) = (try one.make("Part", ["code": "a"]), try one.make("Part", ["code": "b"]))
            try one.save()
            two.refreshAllObjects()
            let here = try two.existingObject(with: a.objectID)
            try here.setValue("b", forKey: "code")
            two.mergePolicy = policy
            try two.save()
            #expect(try container.newContext().values("code", of: "Part") == codes)
            one.refreshAllObjects()
            for part in [a, b] where !part.isDeleted { one.delete(part) }
            try one.save()
        }
    }

    @Test("S81 of two new objects with one key in one save the first stays; the policy decides whose values it has")
    func twoNew() throws {
        for (policy, note) in [(MergePolicy.objectTrump, "second" as Value), (.storeTrump, "first"), (.rollback, "first")] {
            two.mergePolicy = policy
            let first = try two.make("Part", ["code": "k", "note": "first"])
            try two.make("Part", ["code": "k", "note": "second"])
            try two.save()
            #expect(try container.newContext().values("note", of: "Part") == [note])
            two.delete(first)
            try two.save()
        }
    }

    @Test("S76 a child's policy decides conflicts with its parent, and the root's those with the store")
    func child() throws {
        let there = try one.make("Part", ["code": "k", "note": "there"])
        try one.save()
        two.refreshAllObjects()
        let child = ManagedObjectContext(parent: two)
        child.mergePolicy = .objectTrump
        try child.make("Part", ["code": "k", "note": "child"])
        try child.save()
        #expect(two.updatedObjects.map(\.objectID) == [there.objectID] && two.insertedObjects.isEmpty)
        try there.setValue("later", forKey: "note")
        try one.save()
        two.mergePolicy = .storeTrump
        try two.save()
        #expect(try stored(there, "note") == ["later"])
    }

    @Test("hooks and validation see what a policy decided: a decision that breaks a rule fails the save")
    func validated() throws {
        var model = Registered.model
        model.entities[0].relationships[0].isOptional = false
        let container = try PersistentContainer(model: model, stores: [StoreConfiguration(.inMemory)])
        let (one, two) = (container.newContext(), container.newContext())
        let (owner, other) = (try one.make("Owner", [:]), try one.make("Owner", [:]))
        try one.save()
        two.mergePolicy = .objectTrump
        let part = try two.make("Part", ["owner": .reference(owner.objectID)])
        one.delete(owner)
        try one.save()
        guard case .validation(let failures)? = thrown({ try two.save() }), failures.map(\.key) == ["owner"] else {
            Issue.record("an object without its owner was saved")
            return
        }
        try part.setValue(.reference(other.objectID), forKey: "owner")
        try two.save()
    }

    @Test("policies are no undo steps, and what they decided stays after an undo of what came before")
    func undo() throws {
        let (here, _) = try contested(.storeTrump)
        two.processPendingChanges()
        two.undoManager = ObjectUndoManager()
        try here.setValue("renamed", forKey: "code")
        try two.save()
        #expect(two.undoManager?.canUndo == true)
        two.undo()
        #expect(try here.value(forKey: "code") == "p" && here.value(forKey: "note") == "there" && two.undoManager?.canUndo == false)
    }

    // After 64 races lost to other commits a save gave up under a policy that decides everything. Met by one of several busy threads that had less of
    // the machine than the others.
    @Test("a save is made however many races it loses to other commits")
    func overtaken() throws {
        let part = try one.make("Part", ["code": "n", "count": 0])
        try one.save()
        let here = try two.existingObject(with: part.objectID)
        try here.setValue(1000, forKey: "count")
        var lost = 0
        func count(_ object: ManagedObject) throws {
            try object.setValue(.int(Int64(lost)), forKey: "count")
            try one.save()
        }
        lost = 1
        try count(part)
        two.mergePolicy = .custom { conflict in
            guard case .changed(let properties) = conflict.kind, properties.map(\.key) == ["count"] else { return .refuse }
            if lost < 200 {
                lost += 1
                do { try count(part) } catch { return .refuse }
            }
            return .values(["count": .int(1000 + Int64(lost))])
        }
        try two.save()
        #expect(lost == 200)
        #expect(try stored(part, "count") == [1200])
    }

    @Test("threads that count up one number under a custom policy lose no step")
    func threads() async throws {
        let container = container
        let part = try one.make("Part", ["code": "n", "count": 0])
        try one.save()
        let id = part.objectID
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Steps no sum of which is another: two sides that came to the same value would be in no conflict.
            for step in [1, 1000, 1_000_000, 1_000_000_000] as [Int64] {
                group.addTask {
                    let context = container.newContext()
                    context.mergePolicy = .custom { conflict in
                        guard case .changed(let properties) = conflict.kind, let count = properties.first,
                            case .int(let base) = count.base, case .int(let here) = count.here, case .int(let stored) = count.stored
                        else { return .refuse }
                        return .values(["count": .int(stored + here - base)])
                    }
                    let twin = try context.existingObject(with: id)
                    for _ in 0..<100 {
                        guard case .int(let count) = try twin.value(forKey: "count") else { return }
                        try twin.setValue(.int(count + step), forKey: "count")
                        try context.save()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try stored(part, "count") == [100_100_100_100])
    }
}
