internal import Synchronization

/// A disk for tests: it works like memory, remembers every call that changes something, can make calls fail, and can build what a power
/// loss at any moment might leave behind.
package final class SimulatedDisk: LogFileSystem {
    /// A call that changes the disk. Files are named by number, for a rename does not change which file is meant.
    enum Event: Sendable {
        case create(path: String, file: Int)
        case write(file: Int, offset: UInt64, bytes: [UInt8])
        case truncate(file: Int, size: UInt64)
        case sync(file: Int)
        /// A sync that answered an error: the kernel may have dropped what it was to write, and no later sync brings it back.
        case failedSync(file: Int)
        case rename(path: String, newPath: String, file: Int)
        case remove(path: String)
        case syncDirectory
    }

    /// Which calls of those that change something fail.
    package struct Faults: Sendable {
        package enum Call: Sendable { case any, write, sync }
        /// The number of the first call that fails, counting from 0 those of this kind.
        package var first: Int
        package var isForEver: Bool
        package var call: Call

        package init(first: Int, isForEver: Bool = false, call: Call = .any) {
            self.first = first
            self.isForEver = isForEver
            self.call = call
        }
    }

    /// What the disk calls done without doing it; for tests of the tests, which must notice.
    package enum Lie: Sendable {
        case fileSyncs
        case directorySyncs
    }

    struct State {
        /// What was durable when the recording began.
        var initialContents: [Int: [UInt8]] = [:]
        var initialNames: [String: Int] = [:]
        var events: [Event] = []
        var numbers: [String: Int] = [:]
        var files = 0
        var faults: Faults?
        var lie: Lie?
        var writeHook: (@Sendable (String) -> Void)?
        var syncHook: (@Sendable (String) -> Void)?
        /// How many bytes all files together may have.
        var capacity = Int.max
        /// How many each file has, by number.
        var lengths: [Int: Int] = [:]
        /// Calls that the faults are about, since those were set.
        var calls = 0
        var writes: [Int: Int] = [:]
        var syncs: [Int: Int] = [:]
    }

    let live: MemoryFileSystem
    let state = Mutex(State())

    package init(reservation: Int = 1 << 32) { live = MemoryFileSystem(reservation: reservation) }

    /// A disk on which these files are, by path, durable all of them: what a power loss left, say.
    package convenience init(holding files: [String: [UInt8]], reservation: Int) throws(LogError) {
        self.init(reservation: reservation)
        for (path, bytes) in files.sorted(by: { $0.key < $1.key }) {
            try live.setContents(path, bytes)
            state.withLock { state in
                state.files += 1
                state.numbers[path] = state.files
                state.initialNames[path] = state.files
                state.initialContents[state.files] = bytes
                state.lengths[state.files] = bytes.count
            }
        }
    }

    /// Makes the disk lie from now on, or with nil no more.
    package func setLie(_ lie: Lie?) { state.withLock { $0.lie = lie } }

    /// Has each write to a file announced, with its path, before it is made; with nil no more.
    package func setWriteHook(_ hook: (@Sendable (String) -> Void)?) { state.withLock { $0.writeHook = hook } }

    /// What is told of each sync.
    var syncHook: (@Sendable (String) -> Void)? { state.withLock { $0.syncHook } }

    /// The same for each sync, of a file or of the directory a file is in.
    package func setSyncHook(_ hook: (@Sendable (String) -> Void)?) { state.withLock { $0.syncHook = hook } }

    /// Lets all files together have so many bytes: a write beyond that takes what fits and fails.
    package func setCapacity(_ count: Int) { state.withLock { $0.capacity = count } }

    /// How many bytes all files have.
    package var byteCount: Int { state.withLock { $0.lengths.values.reduce(0, +) } }

    /// Makes calls fail from now on, or with nil no more.
    package func setFaults(_ faults: Faults?) {
        state.withLock {
            $0.faults = faults
            $0.calls = 0
        }
    }

    /// How many calls the faults set were about so far; those that failed are counted.
    package var callCount: Int { state.withLock { $0.calls } }
    package var eventCount: Int { state.withLock { $0.events.count } }
    package func writeCount(_ path: String) -> Int { state.withLock { state in state.numbers[path].flatMap { state.writes[$0] } ?? 0 } }
    package func syncCount(_ path: String) -> Int { state.withLock { state in state.numbers[path].flatMap { state.syncs[$0] } ?? 0 } }
    package func contents(_ path: String) -> [UInt8]? { live.contents(path) }

    /// Whether the call about to be made fails.
    fileprivate func fails(_ call: Faults.Call) -> Bool {
        state.withLock { state in
            guard let faults = state.faults, faults.call == .any || faults.call == call else { return false }
            defer { state.calls += 1 }
            return faults.isForEver ? state.calls >= faults.first : state.calls == faults.first
        }
    }

    fileprivate func record(_ event: Event) {
        state.withLock { state in
            state.events.append(event)
            switch event {
            case .write(let file, let offset, let bytes):
                state.writes[file, default: 0] += 1
                state.lengths[file] = max(state.lengths[file] ?? 0, Int(offset) + bytes.count)
            case .truncate(let file, let size): state.lengths[file] = Int(size)
            case .sync(let file): state.syncs[file, default: 0] += 1
            default: break
            }
        }
    }

    fileprivate func lies(_ lie: Lie) -> Bool { state.withLock { $0.lie == lie } }

    fileprivate func announceWrite(_ path: String) {
        if let hook = state.withLock({ $0.writeHook }) { hook(path) }
    }

    fileprivate func announceSync(_ path: String) {
        if let hook = state.withLock({ $0.syncHook }) { hook(path) }
    }

    /// How many of the bytes written at an offset there is room for.
    fileprivate func room(_ file: Int, _ offset: UInt64, _ count: Int) -> Int {
        state.withLock { state in
            guard state.capacity < .max else { return count }
            let length = state.lengths[file] ?? 0
            let others = state.lengths.values.reduce(0, +) - length
            return max(0, min(count, max(length, state.capacity - others) - Int(offset)))
        }
    }

    private static let ioError: Int32 = 5
    fileprivate static func failure(_ operation: String, _ path: String) -> LogError {
        .system(operation: operation, path: path, number: ioError)
    }

    // MARK: LogFileSystem

    package func open(_ path: String, _ mode: OpenMode) throws(LogError) -> any LogFile {
        let exists = live.exists(path)
        let creates = mode == .create || (mode == .replace && !exists)
        if creates || mode == .replace, fails(.any) { throw Self.failure("creating", path) }
        let file = try live.open(path, mode)
        let number = state.withLock { state in
            if creates {
                state.files += 1
                state.numbers[path] = state.files
                state.lengths[state.files] = 0
                state.events.append(.create(path: path, file: state.files))
            }
            return state.numbers[path] ?? 0
        }
        if mode == .replace, exists { record(.truncate(file: number, size: 0)) }
        return SimulatedFile(file, number: number, disk: self)
    }

    package func exists(_ path: String) -> Bool { live.exists(path) }

    package func rename(_ path: String, to newPath: String) throws(LogError) {
        if fails(.any) { throw Self.failure("renaming", path) }
        try live.rename(path, to: newPath)
        state.withLock { state in
            guard let number = state.numbers.removeValue(forKey: path) else { return }
            // Space is given back with the name, though who has the file open still holds it.
            if let replaced = state.numbers.updateValue(number, forKey: newPath) { state.lengths[replaced] = nil }
            state.events.append(.rename(path: path, newPath: newPath, file: number))
        }
    }

    package func remove(_ path: String) throws(LogError) {
        if fails(.any) { throw Self.failure("removing", path) }
        try live.remove(path)
        state.withLock { state in
            if let number = state.numbers.removeValue(forKey: path) { state.lengths[number] = nil }
            state.events.append(.remove(path: path))
        }
    }

    package func syncDirectory(of path: String) throws(LogError) {
        announceSync(path)
        if fails(.sync) { throw Self.failure("syncing the directory of", path) }
        if !lies(.directorySyncs) { record(.syncDirectory) }
    }
}

private final class SimulatedFile: LogFile {
    private let file: any LogFile
    private let number: Int
    private let disk: SimulatedDisk

    init(_ file: any LogFile, number: Int, disk: SimulatedDisk) {
        self.file = file
        self.number = number
        self.disk = disk
    }

    var path: String { file.path }
    var gainsFromPreallocation: Bool { true }
    func size() throws(LogError) -> UInt64 { try file.size() }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(LogError) -> Int {
        try file.read(into: buffer, at: offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(LogError) {
        disk.announceWrite(path)
        let fails = disk.fails(.write)
        let room = disk.room(number, offset, bytes.count)
        guard fails || room < bytes.count else {
            try file.write(bytes, at: offset)
            return disk.record(.write(file: number, offset: offset, bytes: Array(bytes)))
        }
        // A full disk takes what fits.
        let part = UnsafeRawBufferPointer(rebasing: bytes.prefix(fails ? min(room, bytes.count / 2) : room))
        try file.write(part, at: offset)
        disk.record(.write(file: number, offset: offset, bytes: Array(part)))
        throw .system(operation: "writing", path: path, number: 28)
    }

    func sync() throws(LogError) {
        disk.announceSync(path)
        if disk.fails(.sync) {
            disk.record(.failedSync(file: number))
            throw SimulatedDisk.failure("syncing", path)
        }
        if !disk.lies(.fileSyncs) { disk.record(.sync(file: number)) }
    }

    func truncate(to size: UInt64) throws(LogError) {
        if disk.fails(.any) { throw SimulatedDisk.failure("shortening", path) }
        try file.truncate(to: size)
        disk.record(.truncate(file: number, size: size))
    }

    func map(offset: UInt64, length: Int) throws(LogError) -> MappedRegion { try file.map(offset: offset, length: length) }
    func lockExclusive() throws(LogError) -> Bool { try file.lockExclusive() }
    func lockShared() throws(LogError) -> Bool { try file.lockShared() }
    func isLockedElsewhere() throws(LogError) -> Bool { try file.isLockedElsewhere() }
    func isStillNamed() -> Bool { file.isStillNamed() }
    func wasRenamed(to path: String) { file.wasRenamed(to: path) }
}
