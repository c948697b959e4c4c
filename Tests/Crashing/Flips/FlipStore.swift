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

    /// A store of a few objects, or of some thousands with chunks.
    package init(seed: UInt64, isLarge: Bool, isClosed: Bool) throws(LogError) {
        let system = MemoryFileSystem(reservation: 1 << 26)
        let log = try Log.open(path: "flipped", in: system, options: LogOptions(preallocation: 0))
        var random = SplitMix64(seed: seed)
        var habits = CrashModel.Habits()
        (habits.writesChunks, habits.insertsMany) = (isLarge, isLarge)
        if isLarge { (habits.jointLimit, habits.lineLimit) = (1_400, 1_400) } else { (habits.jointLimit, habits.lineLimit) = (6, 6) }
        var models: [UInt64: CrashModel] = [0: CrashModel()]
        var model = CrashModel()
        for _ in 0..<(isLarge ? 400 : 5) {
            do {
                model = try log.commit { (_, builder: inout CommitBuilder) in
                    var next = model
                    next.change(&builder, &random, habits)
                    return next
                }.0
            } catch {
                if case .log(let error) = error { throw error }
            }
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
