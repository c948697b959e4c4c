package import GrabenFixtures
package import GrabenLog

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The process that is killed: it commits as fast as it can, from several threads, writes an index and compacts all the while, and says the
/// number of each commit once it is acknowledged.
///
/// What a commit does follows from the seed, its number and the store before it, so that who kills knows what has to be there.
package final class KillChild: @unchecked Sendable {  // The model is changed in bodies of commits, which the log runs one by one.
    package static func options(seed: UInt64) -> LogOptions {
        var random = SplitMix64(seed: seed)
        var options = LogOptions(preallocation: [0, 4_096, 1 << 16][Int(random.below(3))], compactsAutomatically: random.below(4) > 0)
        options.durability = random.below(4) == 0 ? .deferred : .full
        options.partByteCount = random.below(3) == 0 ? 300 : 1 << 24
        options.checkpointByteCount = 1_500
        options.checkpointDelay = 0
        options.compactionByteCount = 8_000
        return options
    }

    /// The random numbers of one commit.
    package static func random(seed: UInt64, commit: UInt64) -> SplitMix64 { SplitMix64(seed: seed &+ commit &* 0xD134_2543_DE82_EF95) }

    private let log: Log
    private let seed: UInt64
    private var model: CrashModel

    private init(_ log: Log, seed: UInt64) throws(LogError) {
        self.log = log
        self.seed = seed
        model = try CrashModel(log.newest)
    }

    /// Commits until it is killed, or nobody listens any more. Answers the status to exit with.
    package static func run(path: String, seed: UInt64, round: UInt64) -> Int32 {
        do throws(LogError) {
            let log = try Log.open(path: path, in: RealFileSystem(), options: options(seed: round))
            let child = try KillChild(log, seed: seed)
            let threads = (0..<Int(1 + round % 3)).map { _ in CrashThread { child.commitForEver() } }
            for thread in threads { thread.join() }
            return 0
        } catch {
            say("failed: \(error.description)")
            return 1
        }
    }

    private func commitForEver() {
        for count in 1...100_000 {
            do {
                let number = try log.commit { (snapshot, builder: inout CommitBuilder) in
                    var random = Self.random(seed: seed, commit: snapshot.commitNumber + 1)
                    model.change(&builder, &random, CrashModel.Habits())
                    return snapshot.commitNumber + 1
                }.0
                if log.options.durability == .full {
                    say("\(number)")
                } else if count % 4 == 0 {
                    try log.synchronize()
                    say("\(number)")
                }
                if count % 40 == 0, !log.options.compactsAutomatically { _ = try? log.compact() }
            } catch { return say("failed: \(error)") }
        }
    }
}
