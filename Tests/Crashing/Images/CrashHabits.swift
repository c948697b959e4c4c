package import GrabenFixtures
package import GrabenLog

/// How the store of one life is written.
package struct CrashHabits: Sendable {
    package var options = LogOptions()
    package var model = CrashModel.Habits()
    /// How many steps a life has.
    package var steps = 14

    package init() {}

    /// Habits drawn at random: durability, parts, preallocation, mappings, how often an index is due.
    package init(_ random: inout SplitMix64) {
        options.durability = random.below(3) == 0 ? .deferred : .full
        options.preallocation = [0, 700, 2_048, 5_000][Int(random.below(4))]
        // Parts of one entry each, of a few, and none.
        options.partByteCount = [1, 200, 1 << 24, 1 << 24][Int(random.below(4))]
        options.overlapByteCount = random.below(2) == 0 ? 100 : 1 << 20
        options.checkpointByteCount = [300, 900, 3_000][Int(random.below(3))]
        options.checkpointDelay = 0
        options.mappingByteCount = random.below(4) == 0 ? 1 << 16 : 1 << 24
        options.writesIndex = random.below(6) > 0
        model.writesChunks = random.below(3) == 0
        model.insertsMany = random.below(16) == 0
    }
}
