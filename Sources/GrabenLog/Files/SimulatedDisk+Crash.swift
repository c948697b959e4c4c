extension SimulatedDisk {
    /// What happens at a power loss to what had not been synced.
    package enum Loss: Sendable, CaseIterable {
        case dropped
        case kept
        /// Each write by itself is there or not.
        case subset
        /// Each sector of each write is there or not, in whatever order they went out, and a few only in part.
        case sectors
        /// The writes went out in order, and the last one that did only in part.
        case torn
        /// Each file and the directory fare in a way of their own.
        case mixed
    }

    /// The disk after a power loss that came after the first `count` events.
    package func crashImage(after count: Int, _ loss: Loss, using generator: inout some RandomNumberGenerator) throws(LogError)
        -> MemoryFileSystem
    {
        var replay = replay()
        replay.advance(to: count)
        return try MemoryFileSystem(holding: replay.image(loss, using: &generator), reservation: 1 << 30)
    }

    /// Everything recorded so far, to be walked through.
    package func replay() -> Replay { state.withLock { Replay(events: $0.events, contents: $0.initialContents, names: $0.initialNames) } }
}

extension MemoryFileSystem {
    /// A file system that holds these files, by path.
    package convenience init(holding files: [String: [UInt8]], reservation: Int) throws(LogError) {
        self.init(reservation: reservation)
        for (path, bytes) in files { try setContents(path, bytes) }
    }
}
