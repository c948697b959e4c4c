/// Reads what can be read of a damaged log: walks its frames past bad bytes, keeps the newest readable version of every object, and notes what
/// is lost.
///
/// Nothing is guessed: a record, a value or a link is kept where the bytes it stands in fit their checksums and the place where it begins is known,
/// from what stands before it or from the index.
final class LogSalvage {
    let path: String
    let base: UnsafeRawPointer
    let limit: UInt64
    let header: FileHeader
    /// Every byte before this was once durable, by anything that is right.
    let durable: UInt64
    let places: RecordPlaces
    private let goesOn: (Double) -> Bool
    var report = LogRepair()

    private(set) var catalog = Catalog()
    private(set) var table = LayoutTable(Catalog())
    private(set) var assembler: SnapshotAssembler
    /// Objects whose deletion was read, and that were not inserted again.
    var deleted = Set<ObjectKey>()
    /// Objects that something was said of: where they do not live in the end, and were not deleted, they are lost.
    var mentioned = Set<ObjectKey>()
    /// What was read of the commit at hand, to compare with what it says of itself.
    var counts = CommitCounts()
    /// What is known to be bad in the commit at hand.
    private var flaws: [String] = []
    /// How many of its bytes fit no checksum.
    private var badByteCount = 0
    /// How many losses were known when it began.
    private var lossesBefore = 0
    private var commitStart: UInt64?
    private var commitNumber: UInt64?
    /// The frame read last, of the commit at hand where there is one.
    private var lastFrame: SalvagedFrame?

    init(
        path: String, region: MappedRegion, limit: UInt64, header: FileHeader, durable: UInt64, places: RecordPlaces,
        goesOn: @escaping (Double) -> Bool
    ) {
        self.path = path
        base = region.base
        self.limit = limit
        self.header = header
        self.durable = durable
        self.places = places
        self.goesOn = goesOn
        assembler = SnapshotAssembler(path: path, purpose: .replay, header: header, catalog: Catalog())
    }

    /// Reads everything. The snapshot's records lie in the damaged file, at places that have been checked. nil when `goesOn` ended it.
    func run(regions: [MappedRegion]) throws(LogError) -> LogSnapshot? {
        let frames = frames()
        try readCatalogs(frames)
        let base = base
        assembler = SnapshotAssembler(path: path, purpose: .replay, header: header, catalog: catalog) { base + Int($0) }
        // Listed chunks are stored row by row; order is made anew by the next compaction.
        for (number, piece) in frames.enumerated() {
            guard goesOn(Double(number) / Double(max(frames.count, 1))) else {
                report.isCancelled = true
                return nil
            }
            switch piece {
            case .frame(let frame): read(frame)
            case .lost(let range):
                endCommit(metadata: nil, isFinished: false)
                report.lostByteCount += UInt64(range.count)
                report.add(
                    LogRepair.Commit(
                        number: nil, offset: range.lowerBound, lost: nil,
                        what: "\(range.count) bytes hold nothing that can be made out; what was committed in them is lost"))
            }
        }
        endCommit(metadata: nil, isFinished: false)
        let snapshot = assembler.makeSnapshot(commit: max(report.lastCommit, 1), endOffset: limit, regions: regions)
        noteLostObjects(snapshot)
        return snapshot
    }

    // MARK: Frames

    private enum Piece {
        case frame(SalvagedFrame)
        case lost(Range<UInt64>)
    }

    /// The frames in order, and what lies between them, as far as any of it was ever durable.
    private func frames() -> [Piece] {
        var pieces: [Piece] = []
        var walk = FrameWalk(base, limit: limit, salt: header.salt)
        /// Where the commit of the last frame begins, as a place in `pieces` and in the file.
        var start: (piece: Int, offset: UInt64)?
        /// The part before, where its commit goes on.
        var before: SalvagedFrame?
        loop: while let step = walk.next() {
            switch step {
            case .frame(let header):
                guard header.kind == .commit else { continue }
                let frame = SalvagedFrame(header, base)
                if header.part == 0 || start == nil { start = (pieces.count, header.offset) }
                let isTorn = !frame.isWhole || before.map { !frame.canFollow($0) } ?? false
                if isTorn, header.offset >= durable {
                    // A torn tail, by the rule by which an opening ends there.
                    cut(&pieces, start ?? (pieces.count, header.offset))
                    break loop
                }
                pieces.append(.frame(frame))
                before = header.hasCommitMark ? nil : frame
                if header.hasCommitMark { start = nil }
            case .gap(let range):
                if range.lowerBound >= durable {
                    let rest = UnsafeRawBufferPointer(start: base + Int(range.lowerBound), count: Int(limit - range.lowerBound))
                    if rest.contains(where: { $0 != 0 }) { report.tornTail = range.lowerBound..<limit }
                    break loop
                }
                (start, before) = (nil, nil)
                add(range, to: &pieces)
            }
        }
        // Parts without an end that nothing calls durable are no commit.
        if let start, start.offset >= durable { cut(&pieces, start) }
        if durable > limit {
            report.add(
                LogRepair.Commit(
                    number: nil, offset: limit, lost: nil, what: "the file ends here, though bytes up to \(durable) were once durable"))
        }
        return pieces
    }

    private func cut(_ pieces: inout [Piece], _ start: (piece: Int, offset: UInt64)) {
        pieces.removeLast(pieces.count - min(start.piece, pieces.count))
        report.tornTail = start.offset..<limit
    }

    /// Frames with a bad header in a gap, and what is left of it.
    private func add(_ gap: Range<UInt64>, to pieces: inout [Piece]) {
        var rest = gap
        while rest.count >= Format.frameHeaderByteCount, let frame = SalvagedFrame(in: rest, base, salt: header.salt) {
            pieces.append(.frame(frame))
            rest = min(frame.header.end, gap.upperBound)..<gap.upperBound
        }
        // Zeros too: behind them is a frame, or something that calls them durable, so there was something.
        guard !rest.isEmpty, !isCloseMarker(rest) else { return }
        pieces.append(.lost(rest))
    }

    /// Whether a gap is as long as a close marker and looks like one, so that nothing is lost with it.
    private func isCloseMarker(_ gap: Range<UInt64>) -> Bool {
        guard gap.count == Format.frameHeaderByteCount else { return false }
        let place = base + Int(gap.lowerBound)
        let signs = [
            UInt32(littleEndian: place.loadUnaligned(as: UInt32.self)) == Format.frameMagic,
            place.load(fromByteOffset: 4, as: UInt8.self) == FrameKind.closeMarker.rawValue,
            UInt64(littleEndian: place.loadUnaligned(fromByteOffset: 8, as: UInt64.self)) == header.salt,
            UInt64(littleEndian: place.loadUnaligned(fromByteOffset: 16, as: UInt64.self)) == gap.lowerBound,
        ]
        return signs.count { $0 } >= 3
    }

    // MARK: Catalogs

    /// The newest catalog that can be read, with the layouts of all that can: a number keeps its meaning for the life of the file.
    private func readCatalogs(_ pieces: [Piece]) throws(LogError) {
        var newest: Catalog?
        var layouts: [UInt32: RecordLayout] = [:]
        var known: [Catalog] = []
        /// Those in bad blocks: used where there is no other, for without one nothing means anything.
        var doubtful: [Catalog] = []
        for case .frame(let frame) in pieces {
            forEachSection(frame) { kind, start, end in
                guard kind == .catalog,
                    let found = try? Catalog(decoding: UnsafeRawBufferPointer(start: frame.payload + start, count: end - start))
                else { return }
                if frame.isGood(start, end - start) { known.append(found) } else { doubtful.append(found) }
            }
        }
        if known.isEmpty, !doubtful.isEmpty {
            known = doubtful
            report.notes.append(
                "what the file says of itself stands in a block whose checksum is wrong; it could be read all the same, and may be wrong in a name"
            )
        }
        for found in known {
            for layout in found.layouts where layouts[layout.number] == nil { layouts[layout.number] = layout }
            if found.version >= newest?.version ?? 0 { newest = found }
        }
        guard var newest else {
            throw .damaged(
                path: path, offset: UInt64(Format.headerByteCount),
                reason:
                    "no description of what the file holds can be read, and without one no byte of it has a meaning. Nothing can be repaired"
            )
        }
        newest.layouts = layouts.values.sorted { $0.number < $1.number }
        catalog = newest
        table = LayoutTable(newest)
    }

    /// Calls `body` with each section whose beginning can be found; answers where no further one can be, or the payload's end.
    @discardableResult
    private func forEachSection(_ frame: SalvagedFrame, _ body: (SectionKind, Int, Int) -> Void) -> Int {
        var position = 0
        while position < frame.length {
            guard frame.isGood(position, 5),
                let kind = SectionKind(rawValue: frame.payload.load(fromByteOffset: position, as: UInt8.self))
            else { return position }
            let size = UInt32(littleEndian: frame.payload.loadUnaligned(fromByteOffset: position + 1, as: UInt32.self))
            guard Int(size) <= frame.length - position - 5 else { return position }
            body(kind, position + 5, position + 5 + Int(size))
            position += 5 + Int(size)
        }
        return position
    }

    // MARK: Contents

    /// Notes that something of the commit at hand is lost.
    func flaw(_ what: String) { if flaws.count < 8 { flaws.append(what) } }

    private func read(_ frame: SalvagedFrame) {
        let number = frame.isTrusted ? frame.header.commit : nil
        if commitStart != nil {
            if number != commitNumber || frame.header.part == 0 {
                endCommit(metadata: nil, isFinished: false)
            } else if let before = lastFrame, !frame.canFollow(before) {
                flaw("the part at byte \(frame.header.offset) is of another commit of that number, which failed or took its place")
                endCommit(metadata: nil, isFinished: false)
            }
        }
        lastFrame = frame
        if commitStart == nil {
            commitStart = frame.header.offset
            commitNumber = number
            lossesBefore = report.lossCount
            if frame.isTrusted, frame.header.part > 0 { flaw("its first parts are missing") }
        }
        badByteCount += frame.badByteCount
        assembler.beginCommit(at: frame.header.offset)
        var metadata: CommitMetadata?
        let end = forEachSection(frame) { kind, start, end in
            switch kind {
            case .records: readRecords(frame, start, end)
            case .recordBlock: readRecordBlock(frame, start, end)
            case .patch: readPatch(frame, start, end)
            case .chunk: readChunk(frame, start, end)
            case .links: readLinks(frame, start, end)
            case .metadata: metadata = readMetadata(frame, start, end)
            case .catalog:
                if !frame.isGood(start, end - start) { flaw("its catalog cannot be read") }
            case .followers: break
            }
        }
        if end < frame.length {
            flaw("what stands behind byte \(frame.header.payloadOffset + UInt64(end)) cannot be told apart")
            readIndexedRecords(frame, end)
            let place = frame.header.metadataOffset
            if frame.isTrusted, frame.header.hasCommitMark, place >= end, frame.isGood(place, 5),
                frame.payload.load(fromByteOffset: place, as: UInt8.self) == SectionKind.metadata.rawValue
            {
                let size = UInt32(littleEndian: frame.payload.loadUnaligned(fromByteOffset: place + 1, as: UInt32.self))
                if Int(size) <= frame.length - place - 5 { metadata = readMetadata(frame, place + 5, place + 5 + Int(size)) }
            }
        }
        if let number { report.lastCommit = max(report.lastCommit, number) }
        if metadata != nil || (frame.isTrusted && frame.header.hasCommitMark) { endCommit(metadata: metadata, isFinished: true) }
    }

    private func readMetadata(_ frame: SalvagedFrame, _ start: Int, _ end: Int) -> CommitMetadata? {
        guard frame.isGood(start, end - start) else { return nil }
        var reader = ByteReader(frame.payload, from: start, to: end)
        guard let metadata = try? CommitMetadata(&reader) else { return nil }
        if !metadata.time.isFinite { flaw("its time is none") }
        try? assembler.apply(.metadata, ByteReader(frame.payload, from: start, to: end), payloadOffset: frame.header.payloadOffset)
        return metadata
    }

    /// Compares what a commit says of itself with what was read of it.
    private func endCommit(metadata: CommitMetadata?, isFinished: Bool) {
        guard let start = commitStart else { return }
        defer {
            commitStart = nil
            commitNumber = nil
            flaws = []
            badByteCount = 0
            counts = CommitCounts()
        }
        if !isFinished { flaw("its last part is missing") }
        var lost: CommitCounts?
        if let said = metadata?.counts {
            lost = CommitCounts(
                inserted: max(0, said.inserted - counts.inserted), updated: max(0, said.updated - counts.updated),
                deleted: max(0, said.deleted - counts.deleted), moved: max(0, said.moved - counts.moved), followers: 0,
                links: max(0, said.links - counts.links))
            if lost != CommitCounts() { flaw("not all that it says it did can be read") }
        } else if isFinished, badByteCount > 0 {
            flaw("what it says of itself cannot be read")
        }
        if flaws.isEmpty, report.lossCount == lossesBefore {
            // All that the commit says it did has been read, so the bad bytes were of no account.
            guard badByteCount > 0 else { return }
            report.notes.append("\(badByteCount) bad bytes of the commit at byte \(start) held nothing that is kept")
            return
        }
        if badByteCount > 0 { flaws.insert("\(badByteCount) bytes do not fit their checksums", at: 0) }
        report.lostByteCount += UInt64(badByteCount)
        report.add(LogRepair.Commit(number: commitNumber, offset: start, lost: lost, what: flaws.joined(separator: "; ")))
    }

    private func noteLostObjects(_ snapshot: LogSnapshot) {
        var count = 0
        for case let state? in snapshot.entities { count += state.liveCount }
        report.keptObjects = count
        // Those an index knows of are told by their newest record.
        for (word, object) in places.objects.sorted(by: { $0.value < $1.value }) where !deleted.contains(object) {
            let found = snapshot.word(object.entity, object.row)
            if found == 0 {
                report.add(.object, object.entity, object.row)
            } else if RecordAddress(found).fileOffset < RecordAddress(word).fileOffset {
                report.add(.newest, object.entity, object.row)
            }
        }
        for object in mentioned.sorted() where !snapshot.contains(object.entity, object.row) && !deleted.contains(object) {
            report.add(.object, object.entity, object.row)
        }
    }
}
