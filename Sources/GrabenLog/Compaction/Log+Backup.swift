extension Log {
    /// Copies the log as of its newest commit into a new file of any file system, and marks the copy as closed.
    ///
    /// The copy has a salt of its own: an index, a side file or a follower of the original that comes to stand beside it, when it is put back in the
    /// original's place, then says nothing about it and is not taken for a sign that bytes are missing.
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
        var header = pinned.header
        header.salt = Platform.random().0
        var offset = UInt64(Format.headerByteCount)
        var size = 1 << 20
        while offset < end {
            // Bytes before a commit's end never change, whatever is appended or put in the file's place.
            var bytes = try source.readAll(at: offset, count: Int(min(UInt64(size), end - offset)))
            guard bytes.count >= Format.frameHeaderByteCount else {
                throw .damaged(path: path, offset: offset, reason: "the file ends here, though the log goes on to byte \(end)")
            }
            let count = try resalt(&bytes, at: offset, end: end, from: pinned.header.salt, to: header.salt)
            if count == 0 {
                // A frame longer than what was read, by what its header says.
                let claimed = bytes.withUnsafeBytes { Int(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: 24, as: UInt32.self))) }
                let length = FrameHeader.frameLength(claimed)
                guard claimed <= Format.payloadLimit, length > bytes.count, UInt64(length) <= end - offset else {
                    throw .damaged(path: path, offset: offset, reason: "there is no valid frame, though the log goes on to byte \(end)")
                }
                size = length
                continue
            }
            bytes.removeLast(bytes.count - count)
            try file.writeAll(bytes, at: offset)
            offset += UInt64(count)
            size = 1 << 20
            guard progress(Double(offset) / Double(end)) else { return false }
        }
        var tail = end
        if pinned.commitNumber > 0 {
            let marker = FrameHeader(
                kind: .closeMarker, hasCommitMark: false, offset: end, payloadLength: 0, metadataOffset: 0, commit: pinned.commitNumber,
                part: 0, durableEnd: end)
            let buffer = ByteBuffer()
            buffer.appendZeros(Format.frameHeaderByteCount)
            marker.seal(buffer, salt: header.salt)
            try file.write(buffer.bytes, at: end)
            tail = marker.end
        }
        try file.sync()
        try file.writeAll(header.encoded(), at: 0)
        try file.sync()
        let region = try file.map(offset: 0, length: Int(clamping: tail))
        let replay = try Self.replay(
            path: file.path, header: header, region: region, limit: tail, knownDurable: tail, checkpoint: nil)
        if let damage = replay.health.damage { throw .damaged(path: path, offset: damage.offset, reason: damage.reason) }
        guard replay.snapshot.commitNumber == pinned.commitNumber else {
            throw .damaged(path: path, offset: replay.tail, reason: "the log ends before commit \(pinned.commitNumber)")
        }
        return true
    }

    /// Gives the frames that lie whole in some bytes of the log another salt; answers how many bytes those are.
    private func resalt(
        _ bytes: inout [UInt8], at offset: UInt64, end: UInt64, from old: UInt64, to new: UInt64
    ) throws(LogError) -> Int {
        var place = 0
        var wrong: Int?
        bytes.withUnsafeMutableBytes { raw in
            guard let base = raw.baseAddress else { return }
            while raw.count - place >= Format.frameHeaderByteCount {
                let frame = FrameHeader(base + place, offset: offset + UInt64(place), limit: offset + UInt64(raw.count), salt: old)
                guard let frame else {
                    // Not whole, unless all that there is has been read.
                    if offset + UInt64(raw.count) == end { wrong = place }
                    return
                }
                frame.setSalt(new, base + place)
                place += frame.length
            }
        }
        if let wrong {
            throw .damaged(
                path: path, offset: offset + UInt64(wrong), reason: "there is no valid frame, though the log goes on to byte \(end)")
        }
        return place
    }
}
