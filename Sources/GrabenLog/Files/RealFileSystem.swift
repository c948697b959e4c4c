internal import CGraben
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The operating system's files.
package struct RealFileSystem: LogFileSystem {
    private let mapsSparsely: Bool

    /// - Parameter mapsSparsely: whether the kernel is to map no more than what is about a place that is touched, and never a large page, and to let
    ///   it go again: for whoever looks at a few places and is asked how much memory that took. Scans are slower by a fault every 64 KB.
    package init(mapsSparsely: Bool = false) { self.mapsSparsely = mapsSparsely }

    package func open(_ path: String, _ mode: OpenMode) throws(LogError) -> any LogFile {
        var flags: Int32 =
            switch mode {
            case .create: O_RDWR | O_CREAT | O_EXCL
            case .readWrite: O_RDWR
            case .readOnly: O_RDONLY
            case .replace: O_RDWR | O_CREAT | O_TRUNC
            }
        // Or a pipe would be waited for, before anyone can see that it is one.
        flags |= O_NONBLOCK
        while true {
            #if canImport(Darwin)
                let descriptor = Darwin.open(path, flags | O_CLOEXEC, 0o644)
            #elseif canImport(Musl)
                let descriptor = Musl.open(path, flags | O_CLOEXEC, 0o644)
            #else
                let descriptor = Glibc.open(path, flags | O_CLOEXEC, 0o644)
            #endif
            if descriptor >= 0 {
                return try RealFile(descriptor: descriptor, path: path, mapsSparsely: mapsSparsely)
            }
            switch errno {
            case EINTR: continue
            case ENOENT where mode != .create && mode != .replace: throw .noSuchFile(path: path)
            case EEXIST: throw .alreadyExists(path: path)
            default: throw .system(operation: mode == .create ? "creating" : "opening", path: path, number: errno)
            }
        }
    }

    package func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    package func rename(_ path: String, to newPath: String) throws(LogError) {
        #if canImport(Darwin)
            let result = Darwin.rename(path, newPath)
        #elseif canImport(Musl)
            let result = Musl.rename(path, newPath)
        #else
            let result = Glibc.rename(path, newPath)
        #endif
        guard result == 0 else { throw .system(operation: "renaming", path: path, number: errno) }
    }

    package func remove(_ path: String) throws(LogError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw .system(operation: "removing", path: path, number: errno) }
    }

    package func syncDirectory(of path: String) throws(LogError) {
        let directory = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let file = try open(directory, .readOnly)
        try file.sync()
    }
}

/// A file of the operating system.
final class RealFile: LogFile {
    private let name: Mutex<String>
    private let descriptor: Int32
    /// The process that took the writer's lock, or keeps writers away, through this file; 0 when none did.
    private let holder = Atomic<Int32>(0)

    private let mapsSparsely: Bool

    /// Which file it is, whatever name it has.
    private let identity: (device: dev_t, inode: ino_t)

    /// Takes the descriptor. Refuses what is neither a file nor a directory: a disk's device has no length of its own and would pass for an empty
    /// store.
    init(descriptor: Int32, path: String, mapsSparsely: Bool) throws(LogError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let number = errno
            close(descriptor)
            throw .system(operation: "asking for the kind of", path: path, number: number)
        }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG || kind == S_IFDIR else {
            close(descriptor)
            throw .notAStore(path: path, reason: "it is a device or a pipe, not a file")
        }
        identity = (status.st_dev, status.st_ino)
        self.descriptor = descriptor
        self.mapsSparsely = mapsSparsely
        name = Mutex(path)
    }

    var path: String { name.withLock { $0 } }
    func wasRenamed(to path: String) { name.withLock { $0 = path } }

    deinit {
        // Mappings keep the open file and with it its lock, and snapshots outlive the log; so the lock is given back by name. A forked child
        // must not do that for its parent.
        if holder.load(ordering: .relaxed) == Platform.processID {
            var lock = Self.writerLock(F_UNLCK)
            _ = fcntl(descriptor, Self.setLock, &lock)
        }
        close(descriptor)
    }

    private func failure(_ operation: String) -> LogError { .system(operation: operation, path: path, number: errno) }

    func size() throws(LogError) -> UInt64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("reading the size of") }
        return UInt64(max(0, status.st_size))
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(LogError) -> Int {
        var done = 0
        while done < buffer.count {
            guard let start = buffer.baseAddress, let position = off_t(exactly: offset + UInt64(done)) else { break }
            let result = pread(descriptor, start + done, buffer.count - done, position)
            if result < 0 {
                if errno == EINTR { continue }
                throw failure("reading")
            }
            if result == 0 { break }
            done += result
        }
        return done
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(LogError) {
        var done = 0
        while done < bytes.count {
            guard let start = bytes.baseAddress, let position = off_t(exactly: offset + UInt64(done)) else {
                throw .system(operation: "writing", path: path, number: EFBIG)
            }
            let result = pwrite(descriptor, start + done, bytes.count - done, position)
            if result < 0 {
                if errno == EINTR { continue }
                throw failure("writing")
            }
            done += result
        }
        if bytes.count >= longWrite { beginWriting(bytes.count, at: offset) }
    }

    func beginWriting(_ count: Int, at offset: UInt64) { graben_begin_writing(descriptor, Int64(clamping: offset), Int64(count)) }

    var gainsFromPreallocation: Bool { true }

    /// The zeros in pieces: the kernel keeps together what was written at once, and looks through all of it for the little that is new at each sync,
    /// which for a megabyte takes as long as a tenth of the sync.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64, zerosBehind count: Int) throws(LogError) {
        try write(bytes, at: offset)
        let piece = 1 << 16
        let zeros = [UInt8](repeating: 0, count: piece)
        var place = offset + UInt64(bytes.count)
        let end = place + UInt64(count)
        while place < end {
            let next = min(end, (place / UInt64(piece) + 1) * UInt64(piece))
            let result: Result<Void, LogError> = zeros.withUnsafeBytes { raw in
                Result { () throws(LogError) in try write(UnsafeRawBufferPointer(rebasing: raw.prefix(Int(next - place))), at: place) }
            }
            try result.get()
            place = next
        }
    }

    func sync() throws(LogError) {
        // Not repeated after an error: the kernel may have dropped the pages.
        #if canImport(Darwin)
            // fsync does not reach the medium there.
            guard fcntl(descriptor, F_FULLFSYNC) == 0 || fsync(descriptor) == 0 else { throw failure("syncing") }
        #else
            guard fdatasync(descriptor) == 0 else { throw failure("syncing") }
        #endif
    }

    func truncate(to size: UInt64) throws(LogError) {
        guard let length = off_t(exactly: size) else { throw .system(operation: "shortening", path: path, number: EFBIG) }
        guard ftruncate(descriptor, length) == 0 else { throw failure("shortening") }
    }

    func map(offset: UInt64, length: Int) throws(LogError) -> MappedRegion {
        guard let position = off_t(exactly: offset), length > 0 else { throw .system(operation: "mapping", path: path, number: EINVAL) }
        if mapsSparsely { return try mapApart(position, length) }
        let address = mmap(nil, length, PROT_READ, MAP_SHARED, descriptor, position)
        guard let address, address != MAP_FAILED else { throw failure("mapping") }
        // The bits travel as a number because a raw pointer is not Sendable and the closure is.
        let bits = UInt(bitPattern: address)
        return MappedRegion(base: UnsafeRawPointer(address), fileOffset: offset, length: length) {
            if let address = UnsafeMutableRawPointer(bitPattern: bits) { munmap(address, length) }
        }
    }

    /// Maps the file where its large pages are none in memory: what has been written in one go lies in the page cache in pieces of up to two
    /// megabytes, and one look would else count as that much.
    private func mapApart(_ position: off_t, _ length: Int) throws(LogError) -> MappedRegion {
        let large = 1 << 21
        let room = length + 2 * large
        let flags = MAP_PRIVATE | MAP_ANON | MAP_NORESERVE
        guard let start = mmap(nil, room, PROT_NONE, flags, -1, 0), start != MAP_FAILED else { throw failure("mapping") }
        let bits = UInt(bitPattern: start)
        let aligned = (bits + UInt(large - 1)) / UInt(large) * UInt(large)
        // A place in the file and its address never are at the same distance from such a piece's beginning.
        let apart = aligned + UInt(position) % UInt(large) / UInt(mappingGranularity) * UInt(mappingGranularity) + UInt(mappingGranularity)
        guard let place = UnsafeMutableRawPointer(bitPattern: apart),
            let address = mmap(place, length, PROT_READ, MAP_SHARED | MAP_FIXED, descriptor, position), address != MAP_FAILED
        else {
            let error = failure("mapping")
            munmap(start, room)
            throw error
        }
        let leave: () -> Void = {
            if let place = UnsafeMutableRawPointer(bitPattern: apart) { madvise(place, length, MADV_DONTNEED) }
        }
        return MappedRegion(base: UnsafeRawPointer(address), fileOffset: UInt64(position), length: length, leave: leave) {
            if let start = UnsafeMutableRawPointer(bitPattern: bits) { munmap(start, room) }
        }
    }

    #if canImport(Darwin)
        // macOS has OFD locks as well, under numbers of its own.
        private static let setLock: Int32 = 90
        private static let getLock: Int32 = 92
    #else
        // F_OFD_SETLK and F_OFD_GETLK, which the C library's overlay does not import.
        private static let setLock: Int32 = 37
        private static let getLock: Int32 = 36
    #endif

    private static func writerLock(_ kind: Int32 = F_WRLCK) -> flock {
        var lock = flock()
        lock.l_type = Int16(kind)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 0
        lock.l_len = 1
        return lock
    }

    func lockExclusive() throws(LogError) -> Bool { try takeLock(F_WRLCK) }
    func lockShared() throws(LogError) -> Bool { try takeLock(F_RDLCK) }

    private func takeLock(_ kind: Int32) throws(LogError) -> Bool {
        var lock = Self.writerLock(kind)
        if fcntl(descriptor, Self.setLock, &lock) == 0 {
            holder.store(Platform.processID, ordering: .relaxed)
            return true
        }
        if errno == EAGAIN || errno == EACCES { return false }
        throw failure("locking")
    }

    func isLockedElsewhere() throws(LogError) -> Bool {
        var lock = Self.writerLock()
        guard fcntl(descriptor, Self.getLock, &lock) == 0 else { throw failure("asking for the lock of") }
        return lock.l_type == Int16(F_WRLCK)
    }

    func isStillNamed() -> Bool {
        var named = stat()
        return stat(path, &named) == 0 && named.st_ino == identity.inode && named.st_dev == identity.device
    }
}
