extension Log {
    /// Opens a store, creating it when it is missing and the options allow; replays the log.
    ///
    /// Throws `locked` when another handle writes it, `damaged` when bytes that were once durable are bad (open it read-only then),
    /// `notAStore` and `unsupportedVersion` for other files. O(size of the log).
    package static func open(path: String, in system: any LogFileSystem, options: LogOptions = LogOptions()) throws(LogError) -> Log {
        if options.readOnly || options.asOf != nil { return try openForReading(path, system, options) }
        // A compaction may rename another file over the path between opening and locking; then start over.
        for _ in 0..<100 {
            let file = try openOrCreate(path, system, options)
            guard try file.lockExclusive() else {
                throw .locked(path: path, holder: SideFile.holder(system, log: path, file))
            }
            guard file.isStillNamed() else { continue }
            return try openForWriting(file, path, system, options)
        }
        throw .system(operation: "locking", path: path, number: Platform.tryAgain)
    }

    private static func openOrCreate(_ path: String, _ system: any LogFileSystem, _ options: LogOptions) throws(LogError) -> any LogFile {
        do throws(LogError) {
            return try system.open(path, .readWrite)
        } catch {
            guard case .noSuchFile = error, options.createIfMissing else { throw error }
        }
        do throws(LogError) {
            return try system.open(path, .create)
        } catch {
            // Another process was faster.
            guard case .alreadyExists = error else { throw error }
            return try system.open(path, .readWrite)
        }
    }

    private static func openForWriting(
        _ file: any LogFile, _ path: String, _ system: any LogFileSystem, _ options: LogOptions
    ) throws(LogError) -> Log {
        var size = try file.size()
        if try isUnborn(file, size) {
            guard options.createIfMissing else { throw .notAStore(path: path, reason: "it is empty") }
            var header = FileHeader.fresh()
            if let uuid = options.storeUUID { header.uuid = uuid }
            try file.writeAll(header.encoded(), at: 0)
            try file.sync()
            try system.syncDirectory(of: path)
            size = try file.size()
        }
        let header = try FileHeader.read(file, path: path)
        let region = try map(file, 0, size, options)
        let index = IndexFile.open(log: path, in: system)
        let replay = try load(
            path: path, header: header, region: region, limit: size, knownDurable: 0, index: index,
            watch: RecoveryWatch(path, options))
        if let damage = replay.health.damage { throw .damaged(path: path, offset: damage.offset, reason: damage.reason) }
        // A torn tail goes before anything is appended: behind a new frame, what is left of it could continue that one after a crash.
        if !replay.restIsZero {
            try file.truncate(to: replay.tail)
            size = replay.tail
        }
        // After a crash the kernel may still hold commits no sync has returned for; nothing is called durable before one has.
        if !replay.health.wasClosedCleanly, !replay.restIsZero || size > UInt64(Format.headerByteCount) { try file.sync() }
        // An interrupted compaction left it; only the holder of the lock could be writing one.
        let trace = compactionPath(of: path)
        if system.exists(trace) { try? system.remove(trace) }
        // One that is there was left by a crash, and says too little.
        let isAsClosed = replay.health.wasClosedCleanly && size == replay.tail && !system.exists(SideFile.path(of: path))
        let sideFile = isAsClosed ? nil : try SideFile(system, log: path, salt: header.salt, durableEnd: replay.tail)
        let log = Log(
            path: path, options: options, system: system, file: file, replay: replay, size: size, sideFile: sideFile)
        // After a crash, so that the next one need not replay all of this again.
        log.checkpointIfNeeded(replay.snapshot)
        return log
    }

    private static func openForReading(_ path: String, _ system: any LogFileSystem, _ options: LogOptions) throws(LogError) -> Log {
        var (file, replay, limit) = try readReplay(path, system, options, asOf: options.asOf)
        if replay.health.asOf == nil { replay.health.readOnlyReason = "it was opened read-only" }
        if let damage = replay.health.damage { replay.health.readOnlyReason = "it is damaged at byte \(damage.offset)" }
        return Log(path: path, options: options, system: system, file: file, replay: replay, size: limit, sideFile: nil)
    }

    /// Replays the file at a path as a reader does that may stand beside a writer. Answers how far the file may be read, too.
    static func readReplay(
        _ path: String, _ system: any LogFileSystem, _ options: LogOptions, asOf moment: LogMoment?
    ) throws(LogError) -> (file: any LogFile, replay: Replay, limit: UInt64) {
        for _ in 0..<100 {
            let file = try system.open(path, .readOnly)
            let header = try FileHeader.read(file, path: path)
            var index = IndexFile.open(log: path, in: system)
            guard let extent = try readableExtent(of: file, header, system) else {
                Platform.pause()
                continue
            }
            // The writer put it there after it last said how far the log is durable.
            if extent.knownDurable > 0, let found = index, found.header.durableEnd > extent.limit { index = nil }
            let replay = try readReplay(path, file, header, extent, index, options, asOf: moment)
            // The writer closed it and another has opened it since, or the one that made the store has only begun.
            if extent.isAsClosed, !replay.health.wasClosedCleanly, replay.health.asOf == nil, replay.health.damage == nil {
                Platform.pause()
                continue
            }
            return (file, replay, replay.health.asOf == nil ? extent.limit : replay.tail)
        }
        throw .system(operation: "asking the writer for the durable end of", path: path, number: Platform.tryAgain)
    }

    /// How far a file may be read.
    private struct Extent {
        var limit: UInt64
        /// Of which so much is durable by what a writer says.
        var knownDurable: UInt64 = 0
        /// Whether a writer has the file and has written nothing, so that it is as it was closed.
        var isAsClosed = false
    }

    /// How far a file may be read that somebody may be writing; nil when that is just changing. Bytes past the durable end may be cut off by the
    /// writer at any moment, and must not be touched.
    private static func readableExtent(of file: any LogFile, _ header: FileHeader, _ system: any LogFileSystem) throws(LogError) -> Extent?
    {
        let size = try file.size()
        guard try file.isLockedElsewhere() else { return Extent(limit: size) }
        if let side = SideFile.read(system, log: file.path) {
            let isItsOwn = side.salt == header.salt && side.durableEnd <= size
            return isItsOwn ? Extent(limit: side.durableEnd, knownDurable: side.durableEnd) : nil
        }
        // The side file comes before anything is written; so what was there before one looked for it in vain is as a close left it, unless
        // that was still giving back the zeros behind.
        guard !system.exists(SideFile.path(of: file.path)), try file.size() == size else { return nil }
        return Extent(limit: size, isAsClosed: true)
    }

    private static func readReplay(
        _ path: String, _ file: any LogFile, _ header: FileHeader, _ extent: Extent, _ index: IndexFile?, _ options: LogOptions,
        asOf moment: LogMoment?
    ) throws(LogError) -> Replay {
        let (limit, knownDurable) = (extent.limit, extent.knownDurable)
        let region = try map(file, 0, max(limit, UInt64(Format.headerByteCount)), options)
        if let moment {
            return try load(
                asOf: moment, path: path, header: header, region: region, limit: limit, knownDurable: knownDurable, index: index,
                watch: RecoveryWatch(path, options))
        }
        let replay = try load(
            path: path, header: header, region: region, limit: limit, knownDurable: knownDurable, index: index,
            watch: RecoveryWatch(path, options))
        // With no writer there is nobody else to make the last commits durable; a close marker says that they are. A medium that cannot be
        // written has nothing to sync.
        if knownDurable == 0, !replay.health.wasClosedCleanly, limit > UInt64(Format.headerByteCount) { try? file.sync() }
        return replay
    }

    /// Maps the file from `offset` on, with room to grow.
    static func map(_ file: any LogFile, _ offset: UInt64, _ end: UInt64, _ options: LogOptions) throws(LogError) -> MappedRegion {
        let need = end - offset + UInt64(options.mappingByteCount)
        let length = (need + mappingGranularity - 1) / mappingGranularity * mappingGranularity
        guard let length = Int(exactly: length) else { throw .limit(what: "the file is too long to be mapped", path: file.path) }
        return try file.map(offset: offset, length: length)
    }

    /// Whether the file is one whose creation was interrupted: no longer than a header, without a valid one, and holding nothing of anyone's.
    private static func isUnborn(_ file: any LogFile, _ size: UInt64) throws(LogError) -> Bool {
        if size == 0 { return true }
        guard size <= UInt64(Format.headerByteCount) else { return false }
        let bytes = try file.readAll(at: 0, count: Int(size))
        // The page may have gone out in sectors, in any order, and one of them in part: the magic is there, or its beginning and nothing behind
        // it, and nothing where the page has nothing.
        let magic = zip(bytes, Format.fileMagic).prefix { $0 == $1 }.count
        let used = magic == Format.fileMagic.count ? 60 : magic
        guard bytes.prefix(Format.headerByteCount - 4).dropFirst(used).allSatisfy({ $0 == 0 }) else { return false }
        return bytes.withUnsafeBytes { (try? FileHeader($0, path: file.path)) == nil }
    }
}

extension FileHeader {
    static func read(_ file: any LogFile, path: String) throws(LogError) -> FileHeader {
        let size = Format.headerByteCount
        let result = withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { buffer in
            Result { () throws(LogError) -> FileHeader in
                let count = try file.read(into: buffer, at: 0)
                return try FileHeader(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)), path: path)
            }
        }
        return try result.get()
    }
}

extension LogFile {
    /// Up to `count` bytes, fewer at the end of the file.
    func readAll(at offset: UInt64, count: Int) throws(LogError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let result: Result<Int, LogError> = bytes.withUnsafeMutableBytes { raw in
            Result { () throws(LogError) -> Int in try read(into: raw, at: offset) }
        }
        return Array(bytes.prefix(try result.get()))
    }

    func writeAll(_ bytes: [UInt8], at offset: UInt64) throws(LogError) {
        let result: Result<Void, LogError> = bytes.withUnsafeBytes { raw in
            Result { () throws(LogError) -> Void in try write(raw, at: offset) }
        }
        try result.get()
    }
}
