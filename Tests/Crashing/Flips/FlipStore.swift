internal import GrabenFixtures
package import GrabenLog

/// A store whose bits are turned over: its files, and what it says after each commit.
package struct FlipStore: Sendable {
    package let log: [UInt8]
    /// nil for a store that no one closed.
    package let index: [UInt8]?
    package let models: [UInt64: CrashModel]
    package let newest: UInt64
    /// Where the last commit begins: in a store that was not closed, bad bytes from here on may pass for a torn tail.
    package let lastCommit: UInt64
    package var path: String { "flipped" }

    package enum Size: Sendable {
        /// Six objects without coordinates.
        case small
        /// The same with coordinates, of which the index has a patched chunk.
        case patched
        /// Thousands of objects, with whole chunks and patched ones.
        case large
    }

    package init(seed: UInt64, size: Size, isClosed: Bool) throws(LogError) {
        let system = MemoryFileSystem(reservation: 1 << 26)
        let log = try Log.open(path: "flipped", in: system, options: LogOptions(preallocation: 0))
        var random = SplitMix64(seed: seed)
        var habits = CrashModel.Habits()
        (habits.jointLimit, habits.lineLimit) = size == .large ? (1_400, 1_400) : (6, 6)
        habits.hasCoordinates = size != .small
        (habits.writesChunks, habits.insertsMany) = (size == .large, size == .large)
        var models: [UInt64: CrashModel] = [0: CrashModel()]
        var model = CrashModel()
        for _ in 0..<(size == .large ? 400 : 5) {
            try log.commit(changing: &model, &random, habits)
            models[log.newest.commitNumber] = model
        }
        let last = Array(log.commits()).last
        lastCommit = last?.offset ?? 0
        let end = last.map { Int($0.offset + $0.byteCount) } ?? 0
        newest = log.newest.commitNumber
        self.models = models
        if isClosed { try log.close() }
        self.log = Array((system.contents("flipped") ?? []).prefix(isClosed ? .max : end))
        index = isClosed ? system.contents("flipped-index") : nil
    }
}
