extension Log {
    /// Copies the log as of its newest commit into a new file of any file system, and marks the copy as closed.
    ///
    /// The header is written last, after everything else is durable, so that an interrupted copy is no store; then the copy is read back.
    /// `progress` gets the fraction done, from 0 to 1, and ends the copying by answering false; then nothing is left of it and the answer is
    /// false. Commits go on meanwhile. Throws `alreadyExists`, `closed`, `damaged`, and what fails of the file systems. O(size of the log).
    @discardableResult
    package func backup(
        to copyPath: String, in target: any LogFileSystem, progress: (Double) -> Bool = { _ in true }
    ) throws(LogError) -> Bool {
        let (source, pinned) = syncLock.withLock { (publication.file, publication.newest) }
        guard let source else { throw .closed(path: path) }
        if let damage { throw .damaged(path: path, offset: damage.offset, reason: damage.reason) }
        // A copy must not hold what a crash takes from the original.
        try waitUntilDurable(pinned)
        let file = try target.open(copyPath, .create)
        do throws(LogError) {
            guard try copy(pinned, from: source, to: file, progress) else {
                try target.remove(copyPath)
                return false
            }
            try target.syncDirectory(of: copyPath)
        } catch {
            try? target.remove(copyPath)
            throw error
        }
        return true
    }

    private func copy(
        _ pinned: LogSnapshot, from source: any LogFile, to file: any LogFile, _ progress: (Double) -> Bool
    ) throws(LogError) -> Bool {
        let end = pinned.endOffset
        var offset = UInt64(Format.headerByteCount)
        while offset < end {
            // Bytes before a commit's end never change, whatever is appended or put in the file's place.
            let bytes = try source.readAll(at: offset, count: Int(min(1 << 20, end - offset)))
            guard !bytes.isEmpty else {
                throw .damaged(path: path, offset: offset, reason: "the file ends here, though the log goes on to byte \(end)")
            }
            try file.writeAll(bytes, at: offset)
            offset += UInt64(bytes.count)
            guard progress(Double(offset) / Double(end)) else { return false }
        }
        var tail = end
        if pinned.commitNumber > 0 {
            let marker = FrameHeader(
                kind: .closeMarker, hasCommitMark: false, offset: end, payloadLength: 0, metadataOffset: 0, commit: pinned.commitNumber,
                part: 0, durableEnd: end)
            let buffer = ByteBuffer()
            buffer.appendZeros(Format.frameHeaderByteCount)
            marker.seal(buffer, salt: pinned.header.salt)
            try file.write(buffer.bytes, at: end)
            tail = marker.end
        }
        try file.sync()
        try file.writeAll(pinned.header.encoded(), at: 0)
        try file.sync()
        let region = try file.map(offset: 0, length: Int(clamping: tail))
        let replay = try Self.replay(
            path: file.path, header: pinned.header, region: region, limit: tail, knownDurable: tail, checkpoint: nil)
        if let damage = replay.health.damage { throw .damaged(path: path, offset: damage.offset, reason: damage.reason) }
        guard replay.snapshot.commitNumber == pinned.commitNumber else {
            throw .damaged(path: path, offset: replay.tail, reason: "the log ends before commit \(pinned.commitNumber)")
        }
        return true
    }
}
