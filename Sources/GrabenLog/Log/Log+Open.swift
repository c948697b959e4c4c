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
                let holder = SideFile.read(system, log: path)?.holder ?? "another process or another handle of this one"
                throw .locked(path: path, holder: holder)
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
            let page = FileHeader.fresh().encoded()
            try file.writeAll(page, at: 0)
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
        // After a crash the kernel may still hold commits no sync has returned for; nothing is called durable before one has.
        if !replay.health.wasClosedCleanly, size > UInt64(Format.headerByteCount) { try file.sync() }
        // An interrupted compaction left it; only the holder of the lock could be writing one.
        let trace = compactionPath(of: path)
        if system.exists(trace) { try? system.remove(trace) }
        let sideFile = try SideFile(system, log: path, salt: header.salt, durableEnd: replay.tail)
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
        let file = try system.open(path, .readOnly)
        let header = try FileHeader.read(file, path: path)
        var index = IndexFile.open(log: path, in: system)
        var limit = try file.size()
        var knownDurable: UInt64 = 0
        if try file.isLockedElsewhere() {
            // Bytes past the durable end may be cut off by the writer at any moment; they must not be touched.
            if let side = SideFile.read(system, log: path), side.salt == header.salt, side.durableEnd <= limit {
                limit = side.durableEnd
                knownDurable = side.durableEnd
                // The writer put it there after it last said how far the log is durable.
                if let found = index, found.header.durableEnd > limit { index = nil }
            } else {
                throw .system(operation: "asking the writer for the durable end of", path: path, number: Platform.tryAgain)
            }
        }
        let region = try map(file, 0, max(limit, UInt64(Format.headerByteCount)), options)
        if let moment {
            let replay = try load(
                asOf: moment, path: path, header: header, region: region, limit: limit, knownDurable: knownDurable, index: index,
                watch: RecoveryWatch(path, options))
            return (file, replay, replay.tail)
        }
        let replay = try load(
            path: path, header: header, region: region, limit: limit, knownDurable: knownDurable, index: index,
            watch: RecoveryWatch(path, options))
        // With no writer there is nobody else to make the last commits durable; a close marker says that they are. A medium that cannot be
        // written has nothing to sync.
        if knownDurable == 0, !replay.health.wasClosedCleanly, limit > UInt64(Format.headerByteCount) { try? file.sync() }
        return (file, replay, limit)
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
        let bytes = try file.readAll(at: 0, count: Format.headerByteCount)
        let result: Result<FileHeader, LogError> = bytes.withUnsafeBytes { raw in
            Result { () throws(LogError) -> FileHeader in try FileHeader(raw, path: path) }
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
