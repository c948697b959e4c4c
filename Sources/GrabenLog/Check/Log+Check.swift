extension Log {
    /// Reads the whole log again and verifies every frame, block, record, value, chunk and link; then the index file, by replaying the log and
    /// comparing; and what else lies beside the log.
    ///
    /// What other threads commit meanwhile is not looked at. `progress` gets the fraction done, from 0 to 1, about a hundred times, and ends the
    /// check by answering false. Changes nothing. Throws `closed`, and what fails of the file system. O(size of the log and the index).
    package func checkReport(progress: @escaping (Double) -> Bool = { _ in true }) throws(LogError) -> LogReport {
        // Before the end of the log is asked for: an index that is written meanwhile tells of more.
        let index = IndexFile.open(log: path, in: system)
        let (file, snapshot) = syncLock.withLock { (publication.file, publication.newest) }
        guard let file else { throw .closed(path: path) }
        var limit = health.damage == nil ? snapshot.endOffset : try file.size()
        if health.damage == nil, index?.header.durableEnd ?? 0 > limit { limit = max(limit, min(writerTail, try file.size())) }
        let check = LogCheck(path: path, system: system, file: file, limit: limit, isOwn: true)
        return try check.run(opened: snapshot.header, index: index, progress: progress)
    }

    /// The findings of a check alone.
    package func check(progress: @escaping (Double) -> Bool = { _ in true }) throws(LogError) -> [LogFinding] {
        try checkReport(progress: progress).findings
    }

    private var writerTail: UInt64 { writerLock.withLock { writer.tail } }

    /// Checks a store that need not be one that can be opened. Where another process writes it, up to the durable end that process names.
    package static func check(
        path: String, in system: any LogFileSystem, progress: @escaping (Double) -> Bool = { _ in true }
    ) throws(LogError) -> LogReport {
        let file = try system.open(path, .readOnly)
        var limit = try file.size()
        let isWritten = try file.isLockedElsewhere()
        let side = isWritten ? SideFile.read(system, log: path) : nil
        // A lock without a side file: nothing has been written since the store was closed.
        if isWritten, side != nil || system.exists(SideFile.path(of: path)) {
            guard let side, side.durableEnd <= limit else {
                throw .system(operation: "asking the writer for the durable end of", path: path, number: Platform.tryAgain)
            }
            limit = side.durableEnd
        }
        var index = IndexFile.open(log: path, in: system)
        // The writer put it there after it last said how far the log is durable.
        if isWritten, let found = index, found.header.durableEnd > limit { index = nil }
        let check = LogCheck(path: path, system: system, file: file, limit: limit, isOwn: isWritten)
        return try check.run(opened: nil, index: index, progress: progress)
    }
}

/// One check of a log and the files beside it.
private struct LogCheck {
    let path: String
    let system: any LogFileSystem
    let file: any LogFile
    let limit: UInt64
    /// Whether somebody has the store open for writing, this handle or another: then what lies beside it is in use.
    let isOwn: Bool

    func run(opened: FileHeader?, index: IndexFile?, progress: @escaping (Double) -> Bool) throws(LogError) -> LogReport {
        let region = try file.map(offset: 0, length: max(Int(clamping: limit), Format.headerByteCount))
        let identity = try FileIdentity(file, region, limit: limit, path: path)
        let found = identity.header
        let salt = opened?.salt ?? identity.salt
        let header = opened ?? found ?? FileHeader(uuid: .init(), epoch: 2, salt: salt, created: 0)
        // Of another log's index and side file nothing is believed.
        let own = index.flatMap { Checkpoint.belongs($0.header, to: header) || found == nil && $0.header.salt == salt ? $0 : nil }
        let side = SideFile.read(system, log: path)
        var durable = LogScan(region.base, limit: limit, header: header).durableEnd
        if let own { durable = max(durable, own.header.durableEnd) }
        if let side, side.salt == salt, !isOwn { durable = max(durable, side.durableEnd) }
        let known = durable
        let recovery: () -> Range<UInt64>? = {
            // All that whoever has it open counts in is durable or was applied.
            guard !isOwn, found != nil else { return nil }
            let replay = try? Log.replay(
                path: path, header: header, region: region, limit: limit, knownDurable: known, checkpoint: nil)
            return replay.flatMap { $0.health.damage == nil ? $0.health.tornTail : nil }
        }
        var checker = LogChecker(
            path: path, base: region.base, limit: limit, header: header, recovery: recovery, progress: progress)
        if let flaw = identity.flaw { checker.report.add(LogFinding(.header, flaw, offset: 0)) }
        if let opened, let found, opened != found {
            checker.report.add(LogFinding(.header, "the header has changed since the store was opened", offset: 0))
        }
        checkHeaderZeros(region.base, &checker.report)
        checker.checkFrames(durable: durable)
        checkBeside(side, salt, &checker.report)
        if !checker.report.isCancelled {
            try checkIndex(index, belongs: own != nil && found != nil, header, region, &checker)
        }
        return checker.report
    }

    private func checkHeaderZeros(_ base: UnsafeRawPointer, _ report: inout LogReport) {
        guard limit >= UInt64(Format.headerByteCount) else { return }
        for offset in 60..<Format.headerByteCount - 4 where base.load(fromByteOffset: offset, as: UInt8.self) != 0 {
            return report.add(LogFinding(.header, "bytes that must be zero are not", offset: UInt64(offset)))
        }
    }

    private func checkBeside(_ side: SideFile.Contents?, _ salt: UInt64, _ report: inout LogReport) {
        guard !isOwn else { return }
        let sidePath = SideFile.path(of: path)
        if side == nil, system.exists(sidePath) {
            report.add(LogFinding(.sideFile, "'\(sidePath)' does not say what a writer's side file says", offset: 0))
        } else if let side {
            report.notes.append(
                side.salt == salt
                    ? "'\(sidePath)' was left by \(side.holder) and never closed the store; the next writer replaces it"
                    : "'\(sidePath)' belongs to another file and is ignored")
        }
        for (trace, what) in [
            (Log.compactionPath(of: path), "a compaction"), (IndexFile.path(of: path) + "-new", "the writing of an index"),
        ] where system.exists(trace) {
            report.notes.append("'\(trace)' was left by \(what) that was interrupted; it means nothing and may be removed")
        }
    }

    // MARK: The index

    private func checkIndex(
        _ index: IndexFile?, belongs: Bool, _ header: FileHeader, _ region: MappedRegion, _ checker: inout LogChecker
    ) throws(LogError) {
        let indexPath = IndexFile.path(of: path)
        var report = checker.report
        defer { checker.report = report }
        func note(_ what: String, at offset: Int = 0) { report.add(LogFinding(.index, what, offset: UInt64(offset))) }
        func goesOn(_ fraction: Double) -> Bool {
            if !checker.goesOn(.index, fraction) { report.isCancelled = true }
            return !report.isCancelled
        }
        guard let index else {
            if system.exists(indexPath), !isOwn {
                note("'\(indexPath)' is not a whole index: its length, header or header's checksum is wrong; it is made anew from the log")
            }
            return
        }
        guard belongs else {
            report.notes.append("'\(indexPath)' is the index of another file, or of this one before a compaction, and is ignored")
            return
        }
        for offset in index.misplacedBytes { note("bytes that must be zero are not", at: offset) }
        let bad = index.badBlocks()
        for block in bad { note("the checksum of a block is wrong", at: IndexHeader.byteCount + block * Format.blockByteCount) }
        // An index that tells of more than the log holds has been counted as damage of the log.
        guard bad.isEmpty, index.header.durableEnd <= limit, goesOn(0) else { return }
        let checkpoint: Checkpoint?
        do throws(LogError) {
            checkpoint = try Checkpoint(index, path: path, header: header, region: region, limit: limit)
        } catch {
            // The log's own bytes are bad, which has been found.
            guard case .damaged = error else { throw error }
            return
        }
        guard let checkpoint else {
            let last = FrameWalk.frame(region.base, at: index.header.lastFrame, limit: limit, salt: header.salt)
            if last.map({ FrameHeader.checksum(region.base + Int($0.offset)) }) == index.header.lastFrameChecksum {
                note("its root cannot be read", at: Int(clamping: index.header.rootOffset))
            } else {
                report.notes.append("'\(indexPath)' is of a time before the log was restored from a copy, and is ignored")
            }
            return
        }
        let permuted = Set(checkpoint.root.entities.lazy.filter { $0.slots.count > 0 }.map(\.code))
        let replay = try Log.replay(
            path: path, header: header, region: region, limit: index.header.durableEnd, knownDurable: index.header.durableEnd,
            checkpoint: nil, permuted: permuted)
        guard replay.health.damage == nil, replay.snapshot.commitNumber == index.header.commit else {
            if report.isClean {
                note("the log comes to commit \(replay.snapshot.commitNumber), and the index tells of \(index.header.commit)")
            }
            return
        }
        guard goesOn(0.5) else { return }
        let comparison = IndexChecker(checkpoint, replayed: replay.snapshot, base: region.base, header: header) { report.add($0) }
        do throws(LogError) {
            try comparison.run { goesOn(0.5 + $0 / 2) }
        } catch {
            note("it cannot be compared with the log: \(error.description)")
        }
    }
}

extension IndexFile {
    /// The blocks whose checksums are wrong. Reads the whole file.
    func badBlocks() -> [Int] { (0..<blockCount).filter { !isRight($0) } }

    /// Where bytes of the header page that must be zero are not: the first of them.
    var misplacedBytes: [Int] {
        let zeros = Array(76..<80) + Array(112..<IndexHeader.byteCount - 4)
        return zeros.first { byte(ofHeader: $0) != 0 }.map { [$0] } ?? []
    }
}
