import Graben
import GrabenFixtures
import Testing

/// A few thousand random operations for each seed, on contexts and on a plain dictionary model, compared in everything every few steps.
@Suite("A random life of a drawing")
struct RandomGraphTests {
    typealias Circumstances = GraphLife.Circumstances

    /// Each seed; every other one holds on to all objects, so that none is let go and read anew.
    private static func lives(_ seeds: [UInt64], compacted: [UInt64]) -> [Circumstances] {
        TestShare.of(seeds, brief: 1).map { Circumstances(seed: $0, isHolding: $0 % 2 == 0) }
            + TestShare.of(compacted, brief: 1).map { Circumstances(seed: $0, isCompacted: true, isHolding: $0 % 2 == 0) }
    }

    @Test(
        "one context and the model of dictionaries agree after any operations",
        arguments: lives([1, 2, 3, 4, 5, 538], compacted: [61, 62]))
    func oneContext(life: Circumstances) { GraphLife.oneContext.check(life, steps: TestShare.steps(1200, brief: 600)) }

    @Test("a store in a file that is reopened again and again holds what was saved", arguments: lives([11, 12], compacted: [63, 64]))
    func reopening(life: Circumstances) { GraphLife.reopening.check(life, steps: 600) }

    @Test("a store on an engine that is reopened again and again holds what was saved", arguments: lives([13], compacted: [65]))
    func engine(life: Circumstances) { GraphLife.engine.check(life, steps: TestShare.steps(1200, brief: 300)) }

    @Test("a child's saves reach its parent, and the parent's saves the store", arguments: lives([21, 22, 510], compacted: [91, 92]))
    func childContext(life: Circumstances) { GraphLife.child.check(life, steps: 600) }

    @Test(
        "two contexts that change different things at the same time lose nothing",
        arguments: lives([41, 42, 43, 44], compacted: [81, 82, 83, 84]), [true, false])
    func together(life: Circumstances, merging: Bool) {
        var life = life
        life.isMerging = merging
        GraphLife.together.check(life, steps: 60)
    }

    @Test(
        "a root, its child, that one's child and another root are changed at once, and each sees its own changes over those of the others",
        arguments: lives([101, 102], compacted: [111]))
    func family(life: Circumstances) { GraphLife.family.check(life, steps: TestShare.steps(1000, brief: 200)) }

    @Test(
        "where a family and another root insert, change and delete the same things, a save merges, or names exactly what is in conflict",
        arguments: lives([121, 122, 123], compacted: [131]))
    func contested(life: Circumstances) { GraphLife.contested.check(life, steps: TestShare.steps(2500, brief: 400)) }

    @Test("two contexts that merge each other's saves see the same drawing", arguments: lives([31, 32, 33], compacted: [71, 72, 73]))
    func siblings(life: Circumstances) { GraphLife.siblings.check(life, steps: 60) }

    @Test(
        "a life that fails is made as short as it gets, and is printed as a test that fails the same way",
        arguments: TestShare.of([5, 6, 7] as [UInt64], brief: 1))
    func shrinking(seed: UInt64) throws {
        let planted = Circumstances(seed: seed, isPlanted: true)
        let (failure, shortest) = try #require(GraphLife.oneContext.failure(planted, steps: 400))
        #expect(failure.contains("rollback"))
        // Something changed, and a rollback.
        #expect(shortest.count <= 2 && shortest.joined().count <= 12, "\(shortest)")
        #expect(throws: GraphLife.Difference.self) { try GraphLife.oneContext.live(Choices(shortest), planted) }
        #expect(throws: Never.self) { try GraphLife.oneContext.live(Choices(shortest), Circumstances()) }
        let source = GraphLife.oneContext.source(shortest, planted)
        #expect(source.contains("GraphLife.oneContext.live(Choices([["), "\(source)")
        #expect(source.contains("isPlanted: true"))
    }

    @Test(
        "a mistake is found in every kind of life that rolls back or conflicts",
        arguments: [GraphLife.oneContext, .reopening, .engine, .child, .siblings, .family, .contested])
    func planted(life: GraphLife) {
        #expect(throws: GraphLife.Difference.self) { try life.live(Choices(seed: 1, steps: 2000), Circumstances(isPlanted: true)) }
    }

    @Test("choices that are read again are those that were drawn; beyond their end they are 0")
    func choices() {
        let drawn = Choices(seed: 9, steps: 3)
        var numbers: [UInt32] = []
        while drawn.nextStep() { for bound in [2, 10, 1000] as [UInt32] { numbers.append(drawn.below(bound)) } }
        let again = Choices(drawn.steps)
        var same: [UInt32] = []
        while again.nextStep() { for bound in [2, 10, 1000] as [UInt32] { same.append(again.below(bound)) } }
        #expect(numbers == same && numbers.count == 9)
        let short = Choices([[5]])
        #expect(short.nextStep() && short.below(4) == 1 && short.below(4) == 0 && !short.nextStep())
    }
}
