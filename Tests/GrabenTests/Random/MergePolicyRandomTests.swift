import Graben
import GrabenFixtures
import GrabenModel
import Testing

@Suite("Merge policies at random")
struct MergePolicyRandomTests {
    /// The rule of every policy for one object, property by property.
    private static func merged(_ base: [Value], here: [Value], there: [Value], _ policy: MergePolicy) -> [Value] {
        let isChanged = base.indices.map { (here: here[$0] != base[$0], there: there[$0] != base[$0]) }
        let conflicts = base.indices.filter { isChanged[$0].here && isChanged[$0].there && here[$0] != there[$0] }
        var result = base.indices.map { isChanged[$0].here ? here[$0] : there[$0] }
        guard !conflicts.isEmpty else { return result }
        switch policy {
        case .storeTrump: for index in conflicts { result[index] = there[index] }
        case .overwrite: result = here
        case .rollback: result = there
        case .objectTrump, .error, .custom: break
        }
        return result
    }

    @Test(
        "S76 S77 S78 whatever two contexts change, a policy decides what both changed, and nothing else is lost",
        arguments: TestShare.of([1, 2, 3, 4, 5, 6] as [UInt64], brief: 1),
        [MergePolicy.storeTrump, .objectTrump, .overwrite, .rollback].indices)
    func policies(seed: UInt64, number: Int) throws {
        let policy = [MergePolicy.storeTrump, .objectTrump, .overwrite, .rollback][number]
        var random = SplitMix64(seed: seed)
        let keys = ["note", "count", "x"]
        func value(_ key: String) -> Value {
            let number = random.next() % 3
            return key == "note"
                ? (number == 0 ? .null : .string("\(number)")) : key == "count" ? .int(Int64(number)) : .double(Double(number))
        }
        let container = try Registered.container()
        let (one, two) = (container.newContext(), container.newContext())
        two.automaticallyMergesChangesFromParent = seed % 2 == 0
        two.mergePolicy = policy
        let ids = try (0..<5).map { _ in try one.make("Part", [:]).objectID }
        try one.save()
        func values(_ context: ManagedObjectContext, _ id: ObjectID) throws -> [Value] {
            let object = try context.existingObject(with: id)
            return try keys.map { try object.value(forKey: $0) }
        }
        func change(_ context: ManagedObjectContext) throws {
            for id in ids where random.next() % 3 > 0 {
                for key in keys where random.next() % 2 == 0 { try context.existingObject(with: id).setValue(value(key), forKey: key) }
            }
        }
        for step in 0..<60 {
            one.refreshAllObjects()
            two.refreshAllObjects()
            let base = try ids.map { try values(two, $0) }
            try change(two)
            let here = try ids.map { try values(two, $0) }
            try change(one)
            let there = try ids.map { try values(one, $0) }
            try one.save()
            try two.save()
            let fresh = container.newContext()
            for (index, id) in ids.enumerated() {
                let expected = Self.merged(base[index], here: here[index], there: there[index], policy)
                #expect(try values(fresh, id) == expected, "step \(step), object \(index)")
                // A context that does not merge by itself keeps what it had of objects that only the other one changed, and a save of nothing
                // takes nothing in.
                guard two.automaticallyMergesChangesFromParent, here != base else { continue }
                #expect(try values(two, id) == expected, "step \(step), object \(index), in the context that saved")
            }
            #expect(!two.hasChanges)
        }
    }
}
