import Graben
import GrabenFixtures
import Testing

/// One of a ring of guests; when it goes it looks at the one who has its place in the nursery next.
@Entity final class Guest: ManagedObject {
    @Packed var number: Double
    var name: String?
    @Relationship(inverse: "before") var after: Guest?
    @Relationship var before: Guest?
    override func willTurnIntoFault() {
        if let after { #expect(after.managedObjectContext == nil || after.number >= 0) }
    }
}

/// A guest who, when he goes, sends everyone home.
@Entity final class LastGuest: ManagedObject {
    var name: String?
    override func willTurnIntoFault() {
        guard name == "last", let context = managedObjectContext, context.transactionAuthor == nil else { return }
        context.transactionAuthor = "gone"
        context.reset()
    }
}

@Suite("Faults that come and go")
struct NurseryTests {
    /// More than twice as many as a nursery has places, so that rows share them.
    private let count = 2_500

    /// Joints whose x is their number, and a context that knows none of them.
    private func savedJoints() throws -> (container: PersistentContainer, context: ManagedObjectContext, ids: [ObjectID]) {
        let container = try Network.container()
        let first = container.newContext()
        for number in 0..<count { Joint(context: first).x = Double(number) }
        try first.save()
        let context = container.newContext()
        return (container, context, try context.fetchIDs(FetchRequest<Joint>()))
    }

    @Test("whoever holds an object gets the same one again, and every object reads its own row", arguments: 0..<4)
    func comeAndGo(seed: Int) throws {
        let (container, context, ids) = try savedJoints()
        var random = SplitMix64(seed: UInt64(seed) &+ 9)
        var held: [Int: Joint] = [:]
        var values = (0..<count).map { Double($0) }
        weak var watched: Joint?
        var watchedPlace = 0
        for step in 0..<20_000 {
            // Rows a whole nursery apart, as often as any others.
            let place = Int.random(in: 0..<2, using: &random) == 0 ? step * 1024 % count : Int.random(in: 0..<count, using: &random)
            let joint = try #require(context.object(with: ids[place]) as? Joint)
            if joint.x != values[place] || held[place] ?? joint !== joint || joint.objectID != ids[place] {
                Issue.record("step \(step): the object of row \(place) reads \(joint.x)")
            }
            switch Int.random(in: 0..<40, using: &random) {
            case 0..<4: held[place] = joint
            case 4..<6:
                values[place] += 0.5
                joint.x = values[place]
            case 6: held[place] = nil
            case 7: (watched, watchedPlace) = (joint, place)
            case 8: _ = joint.name
            case 9 where step % 7 == 0: try context.save()
            case 10 where step % 5 == 0: context.processPendingChanges()
            case 11 where step % 9 == 0: held = [:]
            default: break
            }
            if let watched, watched.x != values[watchedPlace] { Issue.record("step \(step): row \(watchedPlace) reads \(watched.x)") }
        }
        context.processPendingChanges()
        let known = Set(context.registeredObjects.map(\.objectID))
        #expect(held.keys.allSatisfy { known.contains(ids[$0]) } && known.count == context.registeredObjects.count)
        try context.save()
        let other = container.newContext()
        for (place, id) in ids.enumerated() { #expect((other.object(with: id) as? Joint)?.x == values[place]) }
    }

    @Test("objects that others hold when their places are needed are the same ones when they are asked for again")
    func heldWhileOthersCome() throws {
        let (_, context, ids) = try savedJoints()
        for place in 0..<400 {
            // All of one place: the third finds both held.
            let rows = [place, place + 512, place + 1024, place + 1536]
            let held = rows.compactMap { context.object(with: ids[$0]) as? Joint }
            for (row, joint) in zip(rows, held) {
                #expect(joint.x == Double(row) && context.object(with: ids[row]) === joint)
            }
        }
        context.processPendingChanges()
        #expect(context.registeredObjects.count < count)
    }

    @Test("an object with a weak reference goes, and does not come back as another row's")
    func weakReferences() throws {
        let (_, context, ids) = try savedJoints()
        weak var seen: Joint?
        for place in 0..<100 {
            seen = context.object(with: ids[place]) as? Joint
            // Rows that have the same places.
            _ = context.object(with: ids[place + 512])
            _ = context.object(with: ids[place + 1024])
            #expect(seen == nil || seen?.x == Double(place))
        }
    }

    @Test("hooks of objects that go may ask for those that take their places")
    func hooks() throws {
        let container = try PersistentContainer(for: Guest.self, stores: [StoreConfiguration(.inMemory)])
        let first = container.newContext()
        let guests = (0..<count).map { _ in Guest(context: first) }
        for (number, guest) in guests.enumerated() {
            guest.number = Double(number)
            guest.after = guests[(number + 1024) % count]
        }
        try first.save()
        let context = container.newContext()
        let ids = try context.fetchIDs(FetchRequest<Guest>())
        for step in 0..<10_000 {
            let place = step * 1024 % count
            let guest = try #require(context.object(with: ids[place]) as? Guest)
            _ = guest.name
            #expect(guest.number == Double(place) && context.object(with: ids[place]) === guest)
        }
        let known = context.registeredObjects.map(\.objectID)
        #expect(Set(known).count == known.count)
        context.processPendingChanges()
        #expect(context.registeredObjects.count < count)
    }

    // The table of the objects was freed while it let go of one of them, and written to after that. Met by a hook that resets its context when an
    // object nobody holds gives way to another.
    @Test("a hook of an object that gives way may reset the context")
    func resetting() throws {
        let container = try PersistentContainer(for: LastGuest.self, stores: [StoreConfiguration(.inMemory)])
        let first = container.newContext()
        for number in 0..<count { LastGuest(context: first).name = number == 0 ? "last" : "\(number)" }
        try first.save()
        let context = container.newContext()
        let ids = try context.fetchIDs(FetchRequest<LastGuest>())
        #expect((context.object(with: ids[0]) as? LastGuest)?.name == "last")
        // There are two places for each row.
        #expect((context.object(with: ids[512]) as? LastGuest)?.name == "512")
        let next = try #require(context.object(with: ids[1024]) as? LastGuest)
        #expect(context.transactionAuthor == "gone" && next.objectID == ids[1024])
        for place in [1024, 0, 2048, 7] {
            #expect((context.object(with: ids[place]) as? LastGuest)?.name == (place == 0 ? "last" : "\(place)"))
        }
        #expect(context.registeredObjects.count <= 4)
    }
}
