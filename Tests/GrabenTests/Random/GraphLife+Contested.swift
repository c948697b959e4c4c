import Graben
import GrabenFixtures
import GrabenLog
import GrabenModel

extension GraphLife {
    /// A root context, a child of it, that one's child, and another root, which all insert, change and delete the same few joints.
    ///
    /// The model knows of each context what it shows and what that is based on, so it knows what a save has to come to: where both sides changed a value
    /// to different ones, or one deleted what the other changed, the save names these objects and changes nothing, or its policy decides; all else is merged.
    func contested(_ container: PersistentContainer, _ choices: Choices, _ circumstances: Circumstances) throws {
        var contest = try Contest(container, choices, circumstances)
        while choices.nextStep() {
            if contest.isOver { contest = try Contest(container, choices, circumstances) }
            let place = Int(choices.below(4))
            switch choices.below(13) {
            case 0...6: try contest.change(place)
            case 12: try contest.insert(place)
            case 7: try contest.delete(place)
            case 8: try contest.refresh(place)
            case 9: try contest.rollback(place)
            default: try contest.save(place)
            }
            try contest.compare()
        }
    }
}

/// Four contexts over the same joints, and a model of them.
private final class Contest {
    /// What a context has of each joint; nil where that is deleted, or was inserted elsewhere and is not known here yet.
    typealias World = [[Value]?]

    private static let keys = ["name", "x", "y"]

    private struct Member {
        let context: ManagedObjectContext
        let parent: Int?
        var base: World
        var here: World
        /// What was changed here and is gone above, and so for those below: the next save says so.
        var waiting: Set<Int> = []
        /// Held, so that what an object is based on does not change while nobody looks.
        var objects: [ManagedObject?] = []
    }

    private let choices: Choices
    private let circumstances: GraphLife.Circumstances
    private var ids: [ObjectID]
    private var members: [Member] = []
    private var stored: World
    private var log: [String] = []

    init(_ container: PersistentContainer, _ choices: Choices, _ circumstances: GraphLife.Circumstances) throws {
        (self.choices, self.circumstances) = (choices, circumstances)
        let root = container.newContext()
        let joints = try (0..<6).map { _ in try root.insertObject(entity: "Joint") }
        try root.save()
        ids = joints.map(\.objectID)
        stored = try joints.map { joint in try Self.keys.map { try joint.value(forKey: $0) } }
        let child = ManagedObjectContext(parent: root)
        let contexts = [root, child, ManagedObjectContext(parent: child), container.newContext()]
        members = zip(contexts, [nil, 0, 1, nil]).map { Member(context: $0, parent: $1, base: stored, here: stored) }
        for place in members.indices { try realise(place) }
    }

    /// What a context is based on: its parent, or the store.
    private func above(_ place: Int) -> World {
        guard let parent = members[place].parent else { return stored }
        return ids.indices.map { members[parent].waiting.contains($0) ? nil : members[parent].here[$0] }
    }

    /// Whether there is too little left to be fought for.
    var isOver: Bool { stored.prefix(3).contains(nil) }

    private func realise(_ place: Int) throws {
        let member = members[place]
        members[place].objects = ids.indices.map { member.here[$0] == nil ? nil : member.context.object(with: ids[$0]) }
        for object in members[place].objects { _ = try object?.value(forKey: "name") }
    }

    // MARK: What is done

    /// A joint, mostly one of the few that are fought for most.
    private func pick() -> Int { Int(choices.below(choices.below(3) > 0 ? 3 : UInt32(ids.count))) }

    func change(_ place: Int) throws {
        let index = pick()
        let key = Int(choices.below(UInt32(Self.keys.count)))
        let number = choices.below(3)
        guard members[place].here[index] != nil, let object = members[place].objects[index], !members[place].waiting.contains(index)
        else { return }
        let value: Value = key > 0 ? .double(Double(number)) : number == 0 ? .null : .string("\(number)")
        log.append("\(place): \(index).\(Self.keys[key]) = \(value.summary)")
        try object.setValue(value, forKey: Self.keys[key])
        members[place].here[index]?[key] = value
    }

    func insert(_ place: Int) throws {
        guard ids.count < 16 else { return }
        let joint = try members[place].context.insertObject(entity: "Joint")
        log.append("\(place): insert \(ids.count)")
        ids.append(joint.objectID)
        stored.append(nil)
        for other in members.indices {
            members[other].base.append(nil)
            members[other].here.append(nil)
            members[other].objects.append(nil)
        }
        members[place].here[ids.count - 1] = try Self.keys.map { try joint.value(forKey: $0) }
        members[place].objects[ids.count - 1] = joint
    }

    func delete(_ place: Int) throws {
        let index = pick()
        // Some are left to be fought for.
        guard members[place].here[index] != nil, let object = members[place].objects[index], choices.below(3) == 0,
            !members[place].waiting.contains(index)
        else { return }
        log.append("\(place): delete \(index)")
        members[place].context.delete(object)
        members[place].context.processPendingChanges()
        members[place].here[index] = nil
    }

    func refresh(_ place: Int) throws {
        log.append("\(place): refresh")
        try takeAbove(place)
    }

    func rollback(_ place: Int) throws {
        log.append("\(place): rollback")
        members[place].context.rollback()
        members[place].here = members[place].base
        // What comes back to a context comes back to those below.
        var level: Int? = place
        while let place = level {
            try takeAbove(place)
            level = members.firstIndex { $0.parent == place }
        }
    }

    /// Has what is above under the changes of the context's own.
    private func takeAbove(_ place: Int) throws {
        members[place].context.refreshAllObjects()
        let above = above(place)
        members[place].waiting = []
        for index in ids.indices {
            let member = members[place]
            if let there = above[index] {
                members[place].here[index] = merged(member.base[index], member.here[index], there)
                members[place].base[index] = there
            } else if member.here[index] == nil || member.base[index] == nil {
                // Deleted here too, which stays so should it come back there; or new.
                continue
            } else if member.here[index] == member.base[index] {
                (members[place].here[index], members[place].base[index]) = (nil, nil)
            } else {
                members[place].waiting.insert(index)
            }
        }
        try realise(place)
    }

    /// A joint as it is with the changes of one side over those of the other.
    private func merged(_ base: [Value]?, _ here: [Value]?, _ there: [Value]) -> [Value]? {
        guard let base else { return there }
        guard let here else { return nil }
        return Self.keys.indices.map { here[$0] != base[$0] ? here[$0] : there[$0] }
    }

    func save(_ place: Int) throws {
        let above = above(place)
        var conflicts: [Int: [Int]] = [:]
        var isDeletion = false
        for index in ids.indices where members[place].here[index] != members[place].base[index] {
            guard let base = members[place].base[index] else { continue }
            guard let here = members[place].here[index] else {
                // Deleted here.
                if let there = above[index], there != base { (conflicts[index], isDeletion) = ([], true) }
                continue
            }
            guard let there = above[index] else {
                (conflicts[index], isDeletion) = ([], true)
                continue
            }
            let both = Self.keys.indices.filter { here[$0] != base[$0] && there[$0] != base[$0] && here[$0] != there[$0] }
            // The mistake made on purpose.
            if !both.isEmpty, !circumstances.isPlanted { conflicts[index] = both }
        }
        let policies: [MergePolicy] = [.error, .storeTrump, .objectTrump]
        let choice = isDeletion ? 0 : Int(choices.below(3))
        log.append("\(place): save, policy \(choice)")
        members[place].context.mergePolicy = policies[choice]
        do throws(GrabenError) {
            try members[place].context.save()
        } catch {
            guard case .conflict(let found) = error, choice == 0 else { throw difference("the save of context \(place) fails: \(error)") }
            guard Set(found.map(\.objectID)) == Set(conflicts.keys.map { ids[$0] }) else {
                throw difference("context \(place) found conflicts of \(found.map(\.description)), and not of \(conflicts.keys.sorted())")
            }
            try compare()
            return try rollback(place)
        }
        if choice == 0, !conflicts.isEmpty { throw difference("context \(place) did not find the conflicts of \(conflicts.keys.sorted())") }
        var saved = above
        var shown = members[place].parent.map { members[$0].here } ?? stored
        for index in ids.indices where members[place].here[index] != members[place].base[index] {
            guard let there = above[index] else {
                if members[place].base[index] == nil {
                    (saved[index], shown[index]) = (members[place].here[index], members[place].here[index])
                }
                continue
            }
            saved[index] = merged(members[place].base[index], members[place].here[index], there)
            if choice == 1 { for key in conflicts[index] ?? [] { saved[index]?[key] = there[key] } }
            shown[index] = saved[index]
        }
        if let parent = members[place].parent { members[parent].here = shown } else { stored = saved }
        if members[place].context.hasChanges { throw difference("context \(place) has changes after a save") }
        (members[place].here, members[place].base, members[place].waiting) = (saved, saved, [])
        members[place].context.refreshAllObjects()
        try realise(place)
        if let parent = members[place].parent { try realise(parent) }
    }

    // MARK: What is compared

    /// Compares what every context shows.
    func compare() throws {
        for (place, member) in members.enumerated() {
            for (index, expected) in member.here.enumerated() {
                guard let expected else {
                    if let object = member.context.registeredObject(for: ids[index]), !object.isFault, !object.isDeleted, !object.hasChanges
                    {
                        throw difference("context \(place) has \(index), which was deleted")
                    }
                    continue
                }
                guard let object = member.objects[index] else { throw difference("context \(place) has no \(index)") }
                let found = try Self.keys.map { try object.value(forKey: $0) }
                if found != expected {
                    throw difference("context \(place), \(index): \(found.map(\.summary)) and not \(expected.map(\.summary))")
                }
            }
        }
    }

    private func difference(_ what: String) -> GraphLife.Difference {
        GraphLife.Difference(description: ([what, "after"] + log.suffix(60)).joined(separator: "\n"))
    }
}
