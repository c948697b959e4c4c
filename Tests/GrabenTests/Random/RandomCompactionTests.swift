import Foundation
import Graben
import GrabenFixtures
import GrabenLog
import Testing

/// The random lives of a drawing once more, with the store's file exchanged under the contexts now and then.
@Suite("A random life of a drawing that is compacted")
struct RandomCompactionTests {
    private func compact(_ container: PersistentContainer, _ driver: GraphDriver) throws {
        driver.log.append("compact")
        try container.compact()
    }

    @Test("a context whose store is compacted under it goes on as if nothing had happened", arguments: [61, 62, 63, 64] as [UInt64])
    func oneContext(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        let location = seed % 2 == 0 ? StoreLocation.inMemory : .file(folder.path("life.graben"))
        let container = try GraphSchema.container(location)
        let driver = GraphDriver(container.newContext(), book: .init(), seed: seed)
        for step in 0..<600 {
            switch driver.random.below(40) {
            case 0, 1: try driver.save()
            case 2, 3: try compact(container, driver)
            default: try RandomGraphTests.operate(driver)
            }
            if driver.random.below(4) == 0 { try RandomGraphTests.expectSame(driver, seed: seed, step: step) }
        }
    }

    @Test("contexts that merge each other's saves across compactions see the same drawing", arguments: [71, 72, 73] as [UInt64])
    func siblings(seed: UInt64) throws {
        let container = try GraphSchema.container(.inMemory)
        let book = GraphDriver.IDBook()
        let drivers = [0, 1].map { GraphDriver(container.newContext(), book: book, seed: seed + $0 * 100) }
        for step in 0..<50 {
            let (active, other) = (drivers[step % 2], drivers[1 - step % 2])
            for turn in 0..<12 {
                switch active.random.below(12) {
                case 0: try active.save()
                case 1: try compact(container, active)
                default: try RandomGraphTests.operate(active)
                }
                if active.random.below(4) == 0 { try RandomGraphTests.expectSame(active, seed: seed, step: step * 100 + turn) }
            }
            try active.save()
            if step % 3 == 0 { try compact(container, active) }
            other.context.undoManager?.removeAllActions()
            other.saved = active.saved
            other.forgetUnsaved()
            other.log = active.log + ["the other context"]
            try RandomGraphTests.expectSame(other, seed: seed, step: step, "in the other context")
        }
    }

    @Test(
        "contexts that change different things while the store is compacted lose nothing", arguments: [81, 82, 83] as [UInt64],
        [true, false])
    func together(seed: UInt64, merging: Bool) throws {
        let container = try GraphSchema.container(.inMemory)
        let book = GraphDriver.IDBook()
        let drivers = [0, 1].map { GraphDriver(container.newContext(), book: book, seed: seed + $0 * 100, undo: false) }
        for driver in drivers { driver.context.automaticallyMergesChangesFromParent = merging }
        for step in 0..<40 {
            let (first, second) = (drivers[step % 2], drivers[1 - step % 2])
            func maybeCompact() throws { if first.random.below(2) == 0 { try compact(container, first) } }
            for _ in 0..<6 { try first.edits() }
            try maybeCompact()
            try first.save()
            try maybeCompact()
            second.saved = first.saved
            second.forgetUnsaved()
            if !merging { second.refreshAll() }
            try RandomGraphTests.expectSame(second, seed: seed, step: step, "before")
            for _ in 0..<10 {
                for (half, driver) in [(0, first), (1, second)] where driver.random.below(3) > 0 { try driver.editHalf(half) }
            }
            var both = first.saved
            for (half, driver) in [(0, first), (1, second)] {
                for (key, thing) in driver.world.things where key % 2 == half {
                    both.things[key]?.values = thing.values
                    for name in ["start", "end"] where thing.entity == "Line" { both.set(key, name, to: thing.one[name]) }
                }
            }
            try maybeCompact()
            try first.save()
            try maybeCompact()
            try second.save()
            try maybeCompact()
            for driver in [second, first] {
                driver.saved = both
                driver.forgetUnsaved()
                driver.log = first.log.suffix(20) + ["the other"] + second.log.suffix(20)
                if !merging { driver.refreshAll() }
                try RandomGraphTests.expectSame(driver, seed: seed, step: step, driver === first ? "first" : "second")
            }
        }
    }

    @Test("a child context goes on while its parent's store is compacted", arguments: [91, 92] as [UInt64])
    func childContext(seed: UInt64) throws {
        let container = try GraphSchema.container(.inMemory)
        let book = GraphDriver.IDBook()
        let root = GraphDriver(container.newContext(), book: book, seed: seed + 1000, undo: false)
        let child = GraphDriver(ManagedObjectContext(parent: root.context), book: book, seed: seed)
        for step in 0..<400 {
            if child.random.below(20) == 0 { try compact(container, child) }
            if child.random.below(12) == 0 {
                try child.save()
                (root.world, root.settled) = (child.world, child.world)
                try RandomGraphTests.expectSame(root, seed: seed, step: step, "in the parent")
                if child.random.below(2) == 0 {
                    try root.save()
                    try RandomGraphTests.expectSame(root, seed: seed, step: step, "in the parent, saved")
                }
            } else {
                try RandomGraphTests.operate(child)
            }
            if child.random.below(4) == 0 { try RandomGraphTests.expectSame(child, seed: seed, step: step) }
        }
    }
}
