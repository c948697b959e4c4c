/// Something wrong in a log file.
package struct LogProblem: Sendable, Equatable, CustomStringConvertible {
    package let offset: UInt64
    package let what: String
    package var description: String { "byte \(offset): \(what)" }
}

extension Log {
    /// Reads the whole log again from the file and verifies every frame, block, record, chunk and link.
    ///
    /// `progress` gets the fraction done, from 0 to 1, about a hundred times, and ends the check by answering false. Problems are
    /// reported up to a thousand. O(size of the log).
    package func check(progress: (Double) -> Bool = { _ in true }) throws(LogError) -> [LogProblem] {
        let (file, snapshot) = syncLock.withLock { (publication.file, publication.newest) }
        guard let file else { throw .closed(path: path) }
        var checker = LogChecker(file: file, header: snapshot.header, path: path)
        // What other threads append meanwhile is theirs to check.
        let end = health.damage == nil ? snapshot.endOffset : try file.size()
        try checker.run(end: end, progress: progress)
        return checker.problems
    }
}

private struct LogChecker {
    let file: any LogFile
    let header: FileHeader
    let path: String
    var problems: [LogProblem] = []
    private var catalog = Catalog()
    private var table = LayoutTable(Catalog())

    init(file: any LogFile, header: FileHeader, path: String) {
        self.file = file
        self.header = header
        self.path = path
    }

    mutating func note(_ offset: UInt64, _ what: String) { problems.append(LogProblem(offset: offset, what: what)) }

    mutating func run(end: UInt64, progress: (Double) -> Bool) throws(LogError) {
        do throws(LogError) {
            if try FileHeader.read(file, path: path) != header { note(0, "the header has changed since the store was opened") }
        } catch {
            note(0, error.description)
        }
        var offset = UInt64(Format.headerByteCount)
        var commit: UInt64 = 0
        var part: UInt32 = 0
        var reported = 0
        while offset < end, problems.count < 1000 {
            let head = try file.readAll(at: offset, count: Format.frameHeaderByteCount)
            guard head.count == Format.frameHeaderByteCount else { return note(offset, "a frame's header ends with the file") }
            let claimed = head.withUnsafeBytes { Int(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: 24, as: UInt32.self))) }
            guard claimed <= Format.payloadLimit, UInt64(FrameHeader.frameLength(claimed)) <= end - offset else {
                return note(offset, "there is no valid frame here, though the log goes on to byte \(end)")
            }
            let bytes = try file.readAll(at: offset, count: FrameHeader.frameLength(claimed))
            let frame: FrameHeader? = bytes.withUnsafeBytes { raw in
                raw.baseAddress.flatMap { FrameHeader($0, offset: offset, limit: offset + UInt64(raw.count), salt: header.salt) }
            }
            guard let frame else { return note(offset, "there is no valid frame here, though the log goes on to byte \(end)") }
            if frame.kind == .commit {
                // The first commit of a compacted file has the number of the last one it was made from.
                if commit == 0, part == 0, header.epoch > 1, frame.commit > 0 { commit = frame.commit - 1 }
                if frame.commit != commit + 1 || frame.part != part {
                    note(offset, "commit \(frame.commit), part \(frame.part), does not follow commit \(commit)")
                }
                if frame.hasCommitMark { (commit, part) = (frame.commit, 0) } else { part += 1 }
                bytes.withUnsafeBytes { raw in
                    guard let base = raw.baseAddress else { return }
                    if let block = frame.firstBadBlock(base) {
                        note(frame.payloadOffset + UInt64(block * Format.blockByteCount), "the checksum of a block is wrong")
                    } else {
                        checkPayload(base + Format.frameHeaderByteCount, frame)
                    }
                }
            }
            offset = frame.end
            let percent = Int(Double(offset) / Double(max(end, 1)) * 100)
            if percent > reported {
                reported = percent
                guard progress(Double(percent) / 100) else { return }
            }
        }
    }

    private mutating func checkPayload(_ base: UnsafeRawPointer, _ frame: FrameHeader) {
        var sections = SectionCursor(base, to: frame.payloadLength)
        do throws(ByteError) {
            while case (let kind, var section)? = try sections.next() {
                let place = frame.payloadOffset + UInt64(section.position)
                switch kind {
                case .records: try checkRecords(&section, frame)
                case .chunk: checkChunk(section, place, frame)
                case .catalog: try checkCatalog(section, place)
                case .metadata: _ = try CommitMetadata(&section)
                case .patch, .links, .followers: break
                }
            }
        } catch {
            note(frame.payloadOffset + UInt64(sections.position), "a section of commit \(frame.commit) cannot be read: \(error.text)")
        }
        // The sections whose contents have no reader of their own are applied to an index that is thrown away.
        let scratch = SnapshotAssembler(path: path, purpose: .commit, header: header, catalog: catalog)
        do throws(LogError) { try scratch.apply(base, frame) } catch { note(frame.payloadOffset, error.description) }
        catalog = scratch.table.catalog
        table = scratch.table
    }

    private mutating func checkCatalog(_ section: ByteReader, _ place: UInt64) throws(ByteError) {
        do {
            let tree = try CBOR.decode(UnsafeRawBufferPointer(start: section.pointer, count: section.remaining))
            table = LayoutTable(try Catalog(tree: tree).following(table.catalog))
        } catch {
            note(place, "the catalog cannot be read: \(error)")
            throw .invalid
        }
    }

    private mutating func checkRecords(_ section: inout ByteReader, _ frame: FrameHeader) throws(ByteError) {
        while !section.isAtEnd {
            let place = frame.payloadOffset + UInt64(section.position)
            let head = try RecordHead(&section)
            guard let layout = table[head.layoutNumber] else {
                note(place, "a record of row \(head.row) has the unknown layout \(head.layoutNumber)")
                continue
            }
            if head.isTombstone { continue }
            var reading = "record"
            do throws(ByteError) {
                let record = try RecordView(head: head, layout: layout)
                for (index, field) in layout.fields.enumerated() {
                    reading = "value of '\(field.name)'"
                    _ = try record.value(at: index)
                }
            } catch {
                note(place, "the \(reading) of entity \(layout.entity), row \(head.row), cannot be read: \(error.text)")
            }
        }
    }

    /// The bits of validity bitmaps behind the chunk's rows must be clear, and its numbers there zero.
    private mutating func checkChunk(_ section: ByteReader, _ place: UInt64, _ frame: FrameHeader) {
        var reader = section
        do throws(ByteError) {
            guard let layout = table[try reader.varint32()] else { throw .invalid }
            let rows = try RowListCoding.decode(&reader, atMost: slotsPerChunk)
            guard reader.remaining >= layout.chunkByteCount else { throw .truncated }
            try reader.skip(reader.remaining - layout.chunkByteCount)
            if (frame.payloadOffset + UInt64(reader.position)) % 64 != 0 { note(place, "a chunk is not aligned to 64 bytes") }
            let chunk = ChunkHandle(mapped: reader.pointer, at: 0, layout: layout, usedSlots: rows.count)
            for lane in layout.lanes.indices {
                for slot in rows.count..<slotsPerChunk
                where chunk.bits(lane, slot) != 0 || (layout.lanes[lane].isOptional && chunk.isValid(lane, slot)) {
                    return note(place, "a chunk has values behind its last row")
                }
            }
        } catch {
            note(place, "a chunk cannot be read: \(error.text)")
        }
    }
}
