import Graben

extension GraphLife {
    /// A root context, a child of it, that one's child, and another root, all with unsaved changes at once. Each changes things of its own, so that what all
    /// have is known: whatever one saves comes to the others under what they have changed.
    ///
    /// The parents have no undo: what a child has saved into them is theirs to take back then, which is another story.
    func family(_ container: PersistentContainer, _ choices: Choices, _ circumstances: Circumstances) throws {
        let root = container.newContext()
        let child = ManagedObjectContext(parent: root)
        let contexts = [root, child, ManagedObjectContext(parent: child), container.newContext()]
        let book = GraphDriver.IDBook()
        let members = contexts.enumerated().map { place, context in
            let driver = driver(context, book, choices, circumstances, undo: place > 1)
            driver.part = (place, contexts.count)
            return Member(driver, parent: nil)
        }
        (members[1].parent, members[2].parent) = (members[0], members[1])
        while choices.nextStep() {
            let member = members[Int(choices.below(UInt32(members.count)))]
            try maybeCompact(container, member.driver, oneIn: 40, circumstances.isCompacted)
            switch choices.below(24) {
            case 0, 1: try save(member, members)
            case 2 where member.parent == nil: try save(member, members, byBatch: true)
            case 3...12: try member.driver.edits()
            default:
                try member.catchUp(members)
                try member.operate()
            }
            if choices.below(5) == 0 {
                try member.catchUp(members)
                try compare(member.driver, "context \(member.driver.part.remainder)")
            }
        }
        // Everything reaches everyone.
        for member in members.reversed() { try save(member, members) }
        for member in members {
            try member.catchUp(members)
            try compare(member.driver, "context \(member.driver.part.remainder), at the end")
        }
    }

    private func save(_ member: Member, _ members: [Member], byBatch: Bool = false) throws {
        try member.catchUp(members)
        let log = member.driver.log
        do {
            if byBatch { try member.driver.batch() } else { try member.driver.save() }
        } catch {
            let lines = members.map { "context \($0.driver.part.remainder):\n" + $0.driver.log.suffix(60).joined(separator: "\n") }
            throw Difference(description: "context \(member.driver.part.remainder) cannot save: \(error)\n\(lines.joined(separator: "\n"))")
        }
        if let parent = member.parent {
            // The parent has it as changes of its own.
            parent.driver.endEvent()
            for part in member.parts { parent.driver.take(part, of: member.driver.world, isSaved: false) }
            parent.driver.log = log.suffix(20) + ["into the parent"]
        }
        for other in members where other !== member { other.isBehind = true }
    }

    /// A context with those whose changes it gets.
    private final class Member {
        let driver: GraphDriver
        weak var parent: Member?
        /// Whether another context has saved since it last looked.
        var isBehind = false

        init(_ driver: GraphDriver, parent: Member?) {
            self.driver = driver
            self.parent = parent
        }

        /// The parts that come from this context: its own and those of the contexts below.
        var parts: [Int] {
            switch driver.part.remainder {
            case 0: [0, 1, 2]
            case 1: [1, 2]
            default: [driver.part.remainder]
            }
        }

        /// Takes in what others have.
        func catchUp(_ members: [Member]) throws {
            driver.endEvent()
            if let parent {
                // What the parent has may have changed without a save.
                try parent.catchUp(members)
                driver.log.append("catch up with the parent")
                driver.context.refreshAllObjects()
                for part in 0..<driver.part.of where !parts.contains(part) { driver.take(part, of: parent.driver.world, isSaved: true) }
                return
            }
            guard isBehind else { return }
            isBehind = false
            driver.log.append("catch up")
            _ = try driver.context.count(for: FetchRequest<ManagedObject>(entity: "Tag"))
            for other in members where other.parent == nil && other !== self {
                for part in other.parts { driver.take(part, of: other.driver.saved, isSaved: true) }
            }
        }

        /// An operation that its parents and children can live with.
        func operate() throws {
            let isParent = parts.count > 1
            if isParent, driver.world.things != driver.saved.things { return try driver.edits() }
            try driver.operate()
        }
    }
}

extension GraphDriver {
    /// Has a part of the world as another context has it: as saved, or as a change that is not saved here.
    fileprivate func take(_ number: Int, of other: GraphWorld, isSaved: Bool) {
        func taking(_ world: GraphWorld) -> GraphWorld {
            var world = world
            world.things = world.things.filter { $0.key % part.of != number }
            for (key, thing) in other.things where key % part.of == number { world.things[key] = thing }
            return world
        }
        (world, settled) = (taking(world), taking(settled))
        if isSaved { saved = taking(saved) }
        undoWorlds = undoWorlds.map(taking)
        redoWorlds = redoWorlds.map(taking)
    }
}
