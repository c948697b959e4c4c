import Foundation
import Graben
import GrabenFixtures
import GrabenLog
import Testing

/// A kind of random life: contexts on one side, plain dictionaries on the other, the same done to both.
enum GraphLife: String, Sendable {
    case oneContext, reopening, engine, child, together, siblings, family, contested

    /// In what the two sides differed.
    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    /// What a life is lived with besides its choices.
    struct Circumstances: Sendable, CustomTestStringConvertible {
        var seed: UInt64 = 0
        /// Whether the store's file is exchanged for a compacted one under the contexts now and then.
        var isCompacted = false
        var isMerging = true
        /// Whether the test holds on to every object, so that none is let go.
        var isHolding = false
        /// A mistake made on purpose, to see what becomes of a failing life: the dictionaries forget to roll back, or what is in conflict.
        var isPlanted = false

        var testDescription: String {
            "\(seed)" + (isCompacted ? ", compacted" : "") + (isMerging ? "" : ", not merging") + (isHolding ? ", holding" : "")
        }

        /// How the circumstances are written in a test.
        var source: String {
            var parts: [String] = []
            if isCompacted { parts.append("isCompacted: true") }
            if !isMerging { parts.append("isMerging: false") }
            if isHolding { parts.append("isHolding: true") }
            if isPlanted { parts.append("isPlanted: true") }
            return ".init(\(parts.joined(separator: ", ")))"
        }
    }

    /// Lives a life; a failing one is lived again, shorter and shorter, and reported with the shortest as a test to keep.
    func check(_ circumstances: Circumstances, steps: Int) {
        guard let (failure, shortest) = failure(circumstances, steps: steps) else { return }
        Issue.record("\(self), seed \(circumstances.seed): \(failure)\n\nthe shortest way there:\n\n\(source(shortest, circumstances))")
    }

    /// How a life fails, and the shortest choices that make it fail; nil where it does not.
    func failure(_ circumstances: Circumstances, steps: Int) -> (failure: String, shortest: [[UInt32]])? {
        let choices = Choices(seed: circumstances.seed, steps: steps)
        do {
            try live(choices, circumstances)
            return nil
        } catch {
            var shrinker = Shrinker { steps in
                do { try live(Choices(steps), circumstances) } catch { return true }
                return false
            }
            return ("\(error)", shrinker.shortest(choices.steps))
        }
    }

    /// A life as a test that lives it again.
    func source(_ steps: [[UInt32]], _ circumstances: Circumstances) -> String {
        """
            @Test("a life that failed")
            func life() throws {
                try GraphLife.\(rawValue).live(Choices(\(steps)), \(circumstances.source))
            }
        """
    }

    // MARK: The lives

    /// Lives a life as its choices say.
    ///
    /// - Throws: `Difference`, or what an operation throws that should not.
    func live(_ choices: Choices, _ circumstances: Circumstances) throws {
        let folder = try self == .reopening ? TemporaryFolder() : nil
        let location = folder.map { .file($0.path("life.graben")) } ?? (self == .engine ? StoreLocation.engine(TableEngine()) : .inMemory)
        let container = try GraphSchema.container(location)
        switch self {
        case .oneContext, .reopening, .engine: try alone(container, location, choices, circumstances)
        case .child: try child(container, choices, circumstances)
        case .together: try together(container, choices, circumstances)
        case .siblings: try siblings(container, choices, circumstances)
        case .family: try family(container, choices, circumstances)
        case .contested: try contested(container, choices, circumstances)
        }
    }

    func driver(
        _ context: ManagedObjectContext, _ book: GraphDriver.IDBook, _ choices: Choices, _ circumstances: Circumstances, undo: Bool = true
    ) -> GraphDriver {
        let driver = GraphDriver(context, book: book, choices: choices, undo: undo)
        driver.isHolding = circumstances.isHolding
        driver.isPlanted = circumstances.isPlanted
        return driver
    }

    func maybeCompact(_ container: PersistentContainer, _ driver: GraphDriver, oneIn turns: UInt32, _ isCompacted: Bool) throws {
        guard isCompacted, driver.random.below(turns) == 0 else { return }
        driver.log.append("compact")
        try container.compact()
    }

    /// Throws the differences, where there are any, with what led there.
    func compare(_ driver: GraphDriver, _ what: String = "") throws {
        let differences = try driver.differences()
        if differences.isEmpty, driver.errors.isEmpty { return }
        let wrong = differences.prefix(12) + driver.errors.prefix(3).map { "reported \($0)" }
        let history = driver.log.suffix(40).joined(separator: "\n")
        throw Difference(description: "\(what)\n\(wrong.joined(separator: "\n"))\nafter\n\(history)")
    }

    private func alone(
        _ first: PersistentContainer, _ location: StoreLocation, _ choices: Choices, _ circumstances: Circumstances
    ) throws {
        var container = first
        let driver = driver(container.newContext(), .init(), choices, circumstances)
        while choices.nextStep() {
            try maybeCompact(container, driver, oneIn: 20, circumstances.isCompacted)
            switch choices.below(40) {
            case 0, 1: try driver.save()
            case 2: try driver.batch()
            case 3 where self != .oneContext:
                try container.close()
                container = try GraphSchema.container(location)
                driver.move(to: container)
            default: try driver.operate()
            }
            if choices.below(4) == 0 { try compare(driver) }
        }
        try compare(driver, "at the end")
    }

    private func child(_ container: PersistentContainer, _ choices: Choices, _ circumstances: Circumstances) throws {
        let book = GraphDriver.IDBook()
        let root = driver(container.newContext(), book, choices, circumstances, undo: false)
        let child = driver(ManagedObjectContext(parent: root.context), book, choices, circumstances)
        while choices.nextStep() {
            try maybeCompact(container, child, oneIn: 20, circumstances.isCompacted)
            if choices.below(12) == 0 {
                try child.save()
                root.log = child.log + ["root"]
                (root.world, root.settled) = (child.world, child.world)
                try compare(root, "in the parent")
                if choices.below(2) == 0 {
                    try root.save()
                    try compare(root, "in the parent, saved")
                    let other = driver(container.newContext(), book, choices, circumstances, undo: false)
                    (other.world, other.settled, other.saved) = (root.saved, root.saved, root.saved)
                    try compare(other, "in another context")
                }
            } else {
                try child.operate()
            }
            if choices.below(4) == 0 { try compare(child) }
        }
    }

    private func together(_ container: PersistentContainer, _ choices: Choices, _ circumstances: Circumstances) throws {
        let (merging, isCompacted) = (circumstances.isMerging, circumstances.isCompacted)
        let book = GraphDriver.IDBook()
        let drivers = [0, 1].map { _ in driver(container.newContext(), book, choices, circumstances, undo: false) }
        for driver in drivers { driver.context.automaticallyMergesChangesFromParent = merging }
        var step = 0
        while choices.nextStep() {
            step += 1
            let (first, second) = (drivers[step % 2], drivers[1 - step % 2])
            for _ in 0..<6 { try first.edits() }
            try maybeCompact(container, first, oneIn: 2, isCompacted)
            try first.save()
            try maybeCompact(container, first, oneIn: 2, isCompacted)
            second.saved = first.saved
            second.forgetUnsaved()
            if !merging { second.refreshAll() }
            try compare(second, "before")
            for _ in 0..<10 {
                for (half, driver) in [(0, first), (1, second)] where choices.below(3) > 0 { try driver.editHalf(half) }
            }
            // What is expected of both together: every thing of one half is as its own context has it, and joints follow their lines.
            var both = first.saved
            for (half, driver) in [(0, first), (1, second)] {
                for (key, thing) in driver.world.things where key % 2 == half {
                    both.things[key]?.values = thing.values
                    for name in ["start", "end"] where thing.entity == "Line" { both.set(key, name, to: thing.one[name]) }
                }
            }
            try maybeCompact(container, first, oneIn: 2, isCompacted)
            try first.save()
            try maybeCompact(container, first, oneIn: 2, isCompacted)
            try second.save()
            try maybeCompact(container, first, oneIn: 2, isCompacted)
            for driver in [second, first] {
                driver.saved = both
                driver.forgetUnsaved()
                driver.log = first.log.suffix(20) + ["the other"] + second.log.suffix(20)
                if !merging { driver.refreshAll() }
                try compare(driver, driver === first ? "first" : "second")
            }
        }
    }

    private func siblings(_ container: PersistentContainer, _ choices: Choices, _ circumstances: Circumstances) throws {
        let book = GraphDriver.IDBook()
        let drivers = [0, 1].map { _ in driver(container.newContext(), book, choices, circumstances) }
        var step = 0
        while choices.nextStep() {
            step += 1
            let (active, other) = (drivers[step % 2], drivers[1 - step % 2])
            for _ in 0..<12 {
                try maybeCompact(container, active, oneIn: 12, circumstances.isCompacted)
                if choices.below(12) == 0 { try active.save() } else { try active.operate() }
                if choices.below(4) == 0 { try compare(active) }
            }
            try active.save()
            try maybeCompact(container, active, oneIn: 3, circumstances.isCompacted)
            other.context.undoManager?.removeAllActions()
            other.saved = active.saved
            other.forgetUnsaved()
            other.log = active.log + ["the other context"]
            try compare(other, "in the other context")
        }
    }
}
