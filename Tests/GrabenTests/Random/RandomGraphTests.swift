import Foundation
import Graben
import GrabenFixtures
import GrabenLog
import Testing

/// A few thousand random operations for each seed, on a context and on a plain dictionary model, compared in everything every few steps.
@Suite("A random life of a drawing")
struct RandomGraphTests {
    /// Ends the test at the first difference, naming the seed, the step and what led there.
    static func expectSame(_ driver: GraphDriver, seed: UInt64, step: Int, _ what: String = "") throws {
        let differences = try driver.differences()
        guard differences.isEmpty else {
            let history = driver.log.suffix(40).joined(separator: "\n")
            Issue.record("seed \(seed), step \(step) \(what)\n\(differences.prefix(12).joined(separator: "\n"))\nafter\n\(history)")
            throw Stop()
        }
        if let error = driver.errors.first {
            Issue.record("seed \(seed), step \(step): reported \(error)\nafter\n\(driver.log.suffix(30).joined(separator: "\n"))")
            throw Stop()
        }
    }

    struct Stop: Error {}

    /// One random life; in some the store's file is exchanged for a compacted one under the contexts now and then.
    struct Life: Sendable, CustomTestStringConvertible {
        let seed: UInt64
        let isCompacted: Bool
        var testDescription: String { isCompacted ? "\(seed), compacted" : "\(seed)" }

        func maybeCompact(_ container: PersistentContainer, _ driver: GraphDriver, oneIn turns: UInt32) throws {
            guard isCompacted, driver.random.below(turns) == 0 else { return }
            driver.log.append("compact")
            try container.compact()
        }
    }

    private static func lives(_ seeds: [UInt64], compacted: [UInt64]) -> [Life] {
        seeds.map { Life(seed: $0, isCompacted: false) } + compacted.map { Life(seed: $0, isCompacted: true) }
    }

    /// One random operation other than saving.
    static func operate(_ driver: GraphDriver) throws {
        switch driver.random.below(40) {
        case 0: driver.rollback()
        case 1...6: driver.undo()
        case 7...10: driver.redo()
        case 11: driver.refresh()
        case 12: driver.refreshAll()
        case 13: driver.drop()
        case 14: if driver.random.below(4) == 0 { driver.reset() }
        default: try driver.edits()
        }
    }

    @Test(
        "one context and the model of dictionaries agree after any operations",
        arguments: lives([1, 2, 3, 4, 5, 538], compacted: [61, 62]))
    func oneContext(life: Life) throws {
        let seed = life.seed
        let container = try GraphSchema.container(.inMemory)
        let driver = GraphDriver(container.newContext(), book: .init(), seed: seed)
        for step in 0..<1200 {
            try life.maybeCompact(container, driver, oneIn: 20)
            if driver.random.below(20) == 0 { try driver.save() } else { try Self.operate(driver) }
            if driver.random.below(4) == 0 { try Self.expectSame(driver, seed: seed, step: step) }
        }
    }

    @Test("a store in a file that is reopened again and again holds what was saved", arguments: lives([11, 12], compacted: [63, 64]))
    func reopening(life: Life) throws {
        let seed = life.seed
        let folder = try TemporaryFolder()
        let location = StoreLocation.file(folder.path("life.graben"))
        var container = try GraphSchema.container(location)
        let driver = GraphDriver(container.newContext(), book: .init(), seed: seed)
        for step in 0..<600 {
            try life.maybeCompact(container, driver, oneIn: 20)
            switch driver.random.below(40) {
            case 0...3: try driver.save()
            case 4:
                try container.close()
                container = try GraphSchema.container(location)
                driver.move(to: container)
            default: try Self.operate(driver)
            }
            if driver.random.below(4) == 0 { try Self.expectSame(driver, seed: seed, step: step) }
        }
    }

    @Test("a child's saves reach its parent, and the parent's saves the store", arguments: lives([21, 22, 510], compacted: [91, 92]))
    func childContext(life: Life) throws {
        let seed = life.seed
        let container = try GraphSchema.container(.inMemory)
        let book = GraphDriver.IDBook()
        let root = GraphDriver(container.newContext(), book: book, seed: seed + 1000, undo: false)
        let child = GraphDriver(ManagedObjectContext(parent: root.context), book: book, seed: seed)
        for step in 0..<600 {
            try life.maybeCompact(container, child, oneIn: 20)
            if child.random.below(12) == 0 {
                try child.save()
                root.log = child.log + ["root"]
                (root.world, root.settled) = (child.world, child.world)
                try Self.expectSame(root, seed: seed, step: step, "in the parent")
                if child.random.below(2) == 0 {
                    try root.save()
                    try Self.expectSame(root, seed: seed, step: step, "in the parent, saved")
                    let other = GraphDriver(container.newContext(), book: book, seed: 1, undo: false)
                    (other.world, other.settled, other.saved) = (root.saved, root.saved, root.saved)
                    try Self.expectSame(other, seed: seed, step: step, "in another context")
                }
            } else {
                try Self.operate(child)
            }
            if child.random.below(4) == 0 { try Self.expectSame(child, seed: seed, step: step) }
        }
    }

    @Test(
        "two contexts that change different things at the same time lose nothing",
        arguments: lives([41, 42, 43], compacted: [81, 82, 83]),
        [true, false])
    func together(life: Life, merging: Bool) throws {
        let seed = life.seed
        let container = try GraphSchema.container(.inMemory)
        let book = GraphDriver.IDBook()
        let drivers = [0, 1].map { GraphDriver(container.newContext(), book: book, seed: seed + $0 * 100, undo: false) }
        for driver in drivers { driver.context.automaticallyMergesChangesFromParent = merging }
        for step in 0..<60 {
            let (first, second) = (drivers[step % 2], drivers[1 - step % 2])
            for _ in 0..<6 { try first.edits() }
            try life.maybeCompact(container, first, oneIn: 2)
            try first.save()
            try life.maybeCompact(container, first, oneIn: 2)
            second.saved = first.saved
            second.forgetUnsaved()
            if !merging { second.refreshAll() }
            try Self.expectSame(second, seed: seed, step: step, "before")
            for _ in 0..<10 {
                for (half, driver) in [(0, first), (1, second)] where driver.random.below(3) > 0 { try driver.editHalf(half) }
            }
            // What is expected of both together: every thing of one half is as its own context has it, and joints follow their lines.
            var both = first.saved
            for (half, driver) in [(0, first), (1, second)] {
                for (key, thing) in driver.world.things where key % 2 == half {
                    both.things[key]?.values = thing.values
                    for name in ["start", "end"] where thing.entity == "Line" { both.set(key, name, to: thing.one[name]) }
                }
            }
            try life.maybeCompact(container, first, oneIn: 2)
            try first.save()
            try life.maybeCompact(container, first, oneIn: 2)
            try second.save()
            try life.maybeCompact(container, first, oneIn: 2)
            for driver in [second, first] {
                driver.saved = both
                driver.forgetUnsaved()
                driver.log = first.log.suffix(20) + ["the other"] + second.log.suffix(20)
                if !merging { driver.refreshAll() }
                try Self.expectSame(driver, seed: seed, step: step, driver === first ? "first" : "second")
            }
        }
    }

    @Test("two contexts that merge each other's saves see the same drawing", arguments: lives([31, 32, 33], compacted: [71, 72, 73]))
    func siblings(life: Life) throws {
        let seed = life.seed
        let container = try GraphSchema.container(.inMemory)
        let book = GraphDriver.IDBook()
        let drivers = [0, 1].map { GraphDriver(container.newContext(), book: book, seed: seed + $0 * 100) }
        for step in 0..<60 {
            let (active, other) = (drivers[step % 2], drivers[1 - step % 2])
            for turn in 0..<12 {
                try life.maybeCompact(container, active, oneIn: 12)
                if active.random.below(12) == 0 { try active.save() } else { try Self.operate(active) }
                if active.random.below(4) == 0 { try Self.expectSame(active, seed: seed, step: step * 100 + turn) }
            }
            try active.save()
            try life.maybeCompact(container, active, oneIn: 3)
            other.context.undoManager?.removeAllActions()
            other.saved = active.saved
            other.forgetUnsaved()
            other.log = active.log + ["the other context"]
            try Self.expectSame(other, seed: seed, step: step, "in the other context")
        }
    }
}
