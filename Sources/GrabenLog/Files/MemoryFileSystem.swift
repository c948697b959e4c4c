internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Files that live in this process only: in-memory stores run on them, and the tests.
package final class MemoryFileSystem: LogFileSystem {
    private let files = Mutex<[String: MemoryInode]>([:])
    /// The address space each file reserves, which is the size it can grow to; pages cost memory only once written.
    private let reservation: Int

    package init(reservation: Int = 1 << 36) { self.reservation = reservation }

    package func open(_ path: String, _ mode: OpenMode) throws(LogError) -> any LogFile {
        let found = files.withLock { $0[path] }
        switch (mode, found) {
        case (.create, .some): throw .alreadyExists(path: path)
        case (.readWrite, nil), (.readOnly, nil): throw .noSuchFile(path: path)
        case (.replace, let inode?):
            try inode.truncate(to: 0, path: path)
            return MemoryFile(path: path, inode: inode, isWritable: true, system: self)
        case (.create, nil), (.replace, nil):
            let inode = try MemoryInode(reservation: reservation, path: path)
            files.withLock { $0[path] = inode }
            return MemoryFile(path: path, inode: inode, isWritable: true, system: self)
        case (.readWrite, let inode?), (.readOnly, let inode?):
            return MemoryFile(path: path, inode: inode, isWritable: mode == .readWrite, system: self)
        }
    }

    package func exists(_ path: String) -> Bool { files.withLock { $0[path] != nil } }

    package func rename(_ path: String, to newPath: String) throws(LogError) {
        let found = files.withLock { files in
            guard let inode = files.removeValue(forKey: path) else { return false }
            files[newPath] = inode
            return true
        }
        if !found { throw .noSuchFile(path: path) }
    }

    package func remove(_ path: String) throws(LogError) { files.withLock { _ = $0.removeValue(forKey: path) } }
    package func syncDirectory(of path: String) throws(LogError) {}

    /// The whole contents of a file; nil when there is none.
    package func contents(_ path: String) -> [UInt8]? { files.withLock { $0[path] }?.contents }

    /// Creates or replaces a file.
    package func setContents(_ path: String, _ bytes: [UInt8]) throws(LogError) {
        let inode = try MemoryInode(reservation: max(reservation, bytes.count), path: path)
        let failure: LogError? = bytes.withUnsafeBytes { raw in
            do throws(LogError) { try inode.write(raw, at: 0, path: path) } catch { return error }
            return nil
        }
        if let failure { throw failure }
        files.withLock { $0[path] = inode }
    }

    fileprivate func names(_ inode: MemoryInode, _ path: String) -> Bool { files.withLock { $0[path] === inode } }
}

/// The bytes of a file in memory: one reservation, so that what is mapped never moves.
///
/// Readers touch only bytes below a size they have been told, writers only those above; so they need no lock between them.
private final class MemoryInode: @unchecked Sendable {
    private let base: UnsafeMutableRawPointer
    private let capacity: Int
    private let length = Mutex(0)
    let lock = Mutex(Lock())

    /// Which handles hold the writer's lock, and which keep writers away.
    struct Lock {
        var writer: ObjectIdentifier?
        var sharers = Set<ObjectIdentifier>()
    }

    init(reservation: Int, path: String) throws(LogError) {
        var size = max(reservation, 1 << 20)
        while true {
            #if canImport(Darwin)
                let flags = MAP_PRIVATE | MAP_ANON | MAP_NORESERVE
            #else
                let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
            #endif
            let address = mmap(nil, size, PROT_READ | PROT_WRITE, flags, -1, 0)
            if let address, address != MAP_FAILED {
                base = address
                capacity = size
                return
            }
            // A process with little address space gets a smaller limit for the store instead of none.
            guard size > 1 << 26 else { throw .system(operation: "reserving memory for", path: path, number: errno) }
            size /= 2
        }
    }

    deinit { munmap(base, capacity) }

    var size: Int { length.withLock { $0 } }
    var contents: [UInt8] { Array(UnsafeRawBufferPointer(start: base, count: size)) }
    var start: UnsafeRawPointer { UnsafeRawPointer(base) }
    var limit: Int { capacity }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64, path: String) throws(LogError) {
        guard let start = Int(exactly: offset), start <= capacity, bytes.count <= capacity - start else {
            throw .system(operation: "writing", path: path, number: ENOSPC)
        }
        if let source = bytes.baseAddress { (base + start).copyMemory(from: source, byteCount: bytes.count) }
        length.withLock { $0 = max($0, start + bytes.count) }
    }

    func truncate(to size: UInt64, path: String) throws(LogError) {
        guard let size = Int(exactly: size), size <= capacity else { throw .system(operation: "resizing", path: path, number: ENOSPC) }
        length.withLock { length in
            // What comes back when the file grows again must read as zeros.
            if size < length { (base + size).initializeMemory(as: UInt8.self, repeating: 0, count: length - size) }
            length = size
        }
    }
}

private final class MemoryFile: LogFile {
    private let name: Mutex<String>
    private let inode: MemoryInode
    private let isWritable: Bool
    private let system: MemoryFileSystem

    init(path: String, inode: MemoryInode, isWritable: Bool, system: MemoryFileSystem) {
        name = Mutex(path)
        self.inode = inode
        self.isWritable = isWritable
        self.system = system
    }

    deinit {
        let me = ObjectIdentifier(self)
        inode.lock.withLock {
            if $0.writer == me { $0.writer = nil }
            $0.sharers.remove(me)
        }
    }

    func size() throws(LogError) -> UInt64 { UInt64(inode.size) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(LogError) -> Int {
        let size = inode.size
        guard let start = Int(exactly: offset), start < size else { return 0 }
        let count = min(buffer.count, size - start)
        buffer.copyMemory(from: UnsafeRawBufferPointer(start: inode.start + start, count: count))
        return count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(LogError) {
        guard isWritable else { throw .system(operation: "writing", path: path, number: EBADF) }
        try inode.write(bytes, at: offset, path: path)
    }

    var gainsFromPreallocation: Bool { false }
    func sync() throws(LogError) {}

    func truncate(to size: UInt64) throws(LogError) {
        guard isWritable else { throw .system(operation: "shortening", path: path, number: EBADF) }
        try inode.truncate(to: size, path: path)
    }

    func map(offset: UInt64, length: Int) throws(LogError) -> MappedRegion {
        guard let start = Int(exactly: offset), length > 0, start < inode.limit else {
            throw .system(operation: "mapping", path: path, number: ENOMEM)
        }
        let inode = inode
        return MappedRegion(base: inode.start + start, fileOffset: offset, length: min(length, inode.limit - start)) {
            // The closure's only work is to have kept the memory.
            withExtendedLifetime(inode) {}
        }
    }

    func lockExclusive() throws(LogError) -> Bool {
        let me = ObjectIdentifier(self)
        return inode.lock.withLock { lock in
            guard lock.writer == nil || lock.writer == me, lock.sharers.isEmpty || lock.sharers == [me] else { return false }
            lock.sharers = []
            lock.writer = me
            return true
        }
    }

    func lockShared() throws(LogError) -> Bool {
        let me = ObjectIdentifier(self)
        return inode.lock.withLock { lock in
            guard lock.writer == nil || lock.writer == me else { return false }
            lock.writer = nil
            lock.sharers.insert(me)
            return true
        }
    }

    func isLockedElsewhere() throws(LogError) -> Bool {
        let me = ObjectIdentifier(self)
        return inode.lock.withLock { $0.writer != nil && $0.writer != me }
    }

    var path: String { name.withLock { $0 } }
    func wasRenamed(to path: String) { name.withLock { $0 = path } }
    func isStillNamed() -> Bool { system.names(inode, path) }
}
