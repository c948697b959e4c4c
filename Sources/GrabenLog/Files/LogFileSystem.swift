internal import Synchronization

/// How a file is opened.
package enum OpenMode: Sendable, Equatable {
    /// A new file; refused when there is one.
    case create
    case readWrite
    case readOnly
    /// A file emptied when it exists; for side files only, never for a log.
    case replace
}

/// The one door to the operating system. Three implementations: the real one, memory, and a simulated disk for the tests.
package protocol LogFileSystem: Sendable {
    func open(_ path: String, _ mode: OpenMode) throws(LogError) -> any LogFile
    func exists(_ path: String) -> Bool
    func rename(_ path: String, to newPath: String) throws(LogError)
    func remove(_ path: String) throws(LogError)
    /// Makes creations, renames and removals in the directory of `path` durable.
    func syncDirectory(of path: String) throws(LogError)
    /// Something that wakes when the log at a path, or its side file, may have changed; nil where the system offers nothing.
    func watch(_ path: String) -> (any LogWatch)?
}

extension LogFileSystem {
    package func watch(_ path: String) -> (any LogWatch)? { nil }
}

/// Wakes whoever waits for another process to commit.
package protocol LogWatch: Sendable {
    /// Notes what happens from now on. Comes before the look after which one would wait.
    func arm()
    /// Returns once something has happened, or after so many seconds.
    func wait(seconds: Double)
}

/// An open file. Positions are explicit, so any number of threads may use one.
package protocol LogFile: AnyObject, Sendable {
    var path: String { get }
    func size() throws(LogError) -> UInt64
    /// Fills the buffer as far as the file reaches; answers the bytes read.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(LogError) -> Int
    /// Writes all of the bytes or throws; when it throws, any part of them may have been written.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(LogError)
    /// The same, and zeros behind the bytes, over which others will be written a little at a time.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64, zerosBehind count: Int) throws(LogError)
    /// Whether zeros written ahead make later syncs cheaper.
    var gainsFromPreallocation: Bool { get }
    /// Asks the system to begin putting written bytes on the disk, and does not wait for it. Promises nothing. Writes of `longWrite` bytes and more
    /// need not ask.
    func beginWriting(_ count: Int, at offset: UInt64)
    /// Makes written data and the size needed to read it durable.
    func sync() throws(LogError)
    func truncate(to size: UInt64) throws(LogError)
    /// Maps a range for reading. The range may reach past the end of the file; only bytes inside the file may be touched. `offset` is a
    /// multiple of `mappingGranularity`.
    func map(offset: UInt64, length: Int) throws(LogError) -> MappedRegion
    /// Takes the writer's lock on byte 0; false when another handle holds it. The lock ends with the handle.
    func lockExclusive() throws(LogError) -> Bool
    /// Keeps writers away as long as the handle lasts; false when one holds the lock. Any number of handles may have this, and readers do not
    /// mind it.
    func lockShared() throws(LogError) -> Bool
    /// Whether another handle holds the writer's lock.
    func isLockedElsewhere() throws(LogError) -> Bool
    /// Who holds the writer's lock, in words; nil where that cannot be found out.
    func lockHolder() -> String?
    /// Whether the path still leads to this file: a rename may have put another in its place.
    func isStillNamed() -> Bool
    /// Says that a rename gave the file this path.
    func wasRenamed(to path: String)
}

extension LogFile {
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64, zerosBehind count: Int) throws(LogError) {
        try writeAll(Array(bytes) + [UInt8](repeating: 0, count: count), at: offset)
    }
    package func beginWriting(_ count: Int, at offset: UInt64) {}
    package func lockHolder() -> String? { nil }
}

/// The disk begins with a write of so many bytes at once: it works while the next part is made, and the sync has little left to wait for.
package let longWrite = 1 << 20

/// Offsets of mappings are multiples of this: the largest page size of the supported platforms.
package let mappingGranularity: UInt64 = 65_536

/// Mapped memory, unmapped when the last holder lets go. Its base never moves.
package final class MappedRegion: @unchecked Sendable {
    package let base: UnsafeRawPointer
    package let fileOffset: UInt64
    package let length: Int
    private let release: () -> Void
    /// Takes all of it out of the process's memory, into which it comes again where it is touched; nil where that is of no use.
    private let leave: (() -> Void)?
    private let checks = Atomic<Int>(0)

    package init(
        base: UnsafeRawPointer, fileOffset: UInt64, length: Int, leave: (() -> Void)? = nil, release: @escaping () -> Void
    ) {
        self.base = base
        self.fileOffset = fileOffset
        self.length = length
        self.leave = leave
        self.release = release
    }

    deinit { release() }

    /// Notes that some blocks were compared with their checksums: four times as much is looked at then as is asked for, and sixteen times as much
    /// is mapped. Where memory is dear, all of it leaves now and then.
    func noteCheck() {
        guard let leave, checks.wrappingAdd(1, ordering: .relaxed).newValue % 4 == 0 else { return }
        leave()
    }

    @inline(__always)
    func covers(_ offset: UInt64, _ count: Int) -> Bool {
        guard offset >= fileOffset else { return false }
        let start = offset - fileOffset
        return start <= UInt64(length) && UInt64(count) <= UInt64(length) - start
    }
}
