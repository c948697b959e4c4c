/// Verifies a log from its bytes alone, going on behind what is damaged, and then the files beside it against the log.
struct LogChecker {
    /// What is being done; each is shown as a part of the whole.
    enum Phase: Double {
        case frames = 0.6
        case index = 1

        var start: Double { self == .frames ? 0 : Phase.frames.rawValue }
    }

    let path: String
    let base: UnsafeRawPointer
    /// How many bytes of the file there are to check.
    let limit: UInt64
    let header: FileHeader
    let progress: (Double) -> Bool
    /// What an opening of the log would cut off, where that can be told; asked for when something is wrong with what was never durable.
    let recovery: () -> Range<UInt64>?
    var report = LogReport()

    // What is known of the frames so far.
    private(set) var current: FrameHeader?
    private(set) var lastCommit: UInt64 = 0
    private var part: UInt32 = 0
    /// The checksum of the table of the frame before.
    private var tableBefore: UInt32 = 0
    /// Whether bytes were lost before this place, so that numbers may jump and layouts may be missing.
    private(set) var isBehindDamage = false
    /// Whether a part of the commit being read is bad, so that its counts cannot be compared.
    var isPartial = false
    /// The catalog in force, with the layouts of those before.
    var table = LayoutTable(Catalog())
    var counts = CommitCounts()
    /// The highest row seen of each entity, and the highest that commits have named.
    var seenRows: [EntityCode: Row] = [:]
    var namedRows: [EntityCode: Row] = [:]
    var unknownLayouts = Set<UInt32>()

    init(
        path: String, base: UnsafeRawPointer, limit: UInt64, header: FileHeader, recovery: @escaping () -> Range<UInt64>?,
        progress: @escaping (Double) -> Bool
    ) {
        self.path = path
        self.base = base
        self.limit = limit
        self.header = header
        self.recovery = recovery
        self.progress = progress
    }

    mutating func note(
        _ kind: LogFinding.Kind, _ what: String, at offset: UInt64?, entity: EntityCode? = nil, row: Row? = nil, field: String? = nil
    ) {
        var finding = LogFinding(kind, what, offset: offset)
        finding.frame = current?.offset
        finding.commit = current?.commit
        finding.entity = entity
        finding.row = row
        finding.field = field
        report.add(finding)
    }

    /// Says how far a phase is, from 0 to 1; false when the check is to end.
    mutating func goesOn(_ phase: Phase, _ fraction: Double) -> Bool {
        if report.isCancelled { return false }
        if progress(phase.start + fraction * (phase.rawValue - phase.start)) { return true }
        report.isCancelled = true
        return false
    }

    // MARK: Frames

    /// Walks all frames. `durable` is the greatest durable end that anything names: bad bytes before it are damage, what is behind it and
    /// invalid is the remains of a commit that was never finished.
    mutating func checkFrames(durable: UInt64) {
        var walk = FrameWalk(base, limit: limit, salt: header.salt)
        var reported = 0.0
        while let step = walk.next() {
            switch step {
            case .frame(let frame):
                check(frame)
                if frame.offset >= durable, endsAsTorn() { return }
                if frame.hasCommitMark { partsStart = nil }
            case .gap(let range):
                current = nil
                if range.lowerBound >= durable {
                    endsHere(range.lowerBound)
                    return
                }
                // Zeros behind the last frame are room for the next ones, unless something was there.
                let next =
                    range.upperBound == limit
                    ? ", though bytes up to \(durable) were once durable" : "; the next one is at byte \(range.upperBound)"
                note(.frame, "there is no valid frame\(next)", at: range.lowerBound)
                isBehindDamage = true
                isPartial = part > 0
            }
            let fraction = Double(walk.offset) / Double(max(limit, 1))
            guard fraction - reported >= 0.01 else { continue }
            reported = fraction
            guard goesOn(.frames, fraction) else { return }
        }
        report.byteCount = limit
        if part > 0 { noteTornParts(limit) }
        if durable > limit {
            current = nil
            note(.frame, "the file ends here, though bytes up to \(durable) were once durable", at: limit)
        }
    }

    /// Where the frame of the part that a commit without an end began with stands.
    private var partsStart: UInt64?
    /// The report as it was before that frame.
    private var before = LogReport()

    /// Whether the log ends before the commit that the last frame belongs to, which was never durable: an opening cuts that off, as it does with
    /// half a frame. Then nothing is said of what is wrong in it.
    private mutating func endsAsTorn() -> Bool {
        guard let partsStart, report.findingCount > before.findingCount, let torn = recovery(), torn.lowerBound <= partsStart else {
            return false
        }
        report = before
        report.byteCount = partsStart
        report.tornTail = partsStart..<limit
        return true
    }

    private mutating func noteTornParts(_ end: UInt64) {
        if let partsStart { report.tornTail = partsStart..<end }
    }

    private mutating func endsHere(_ offset: UInt64) {
        report.byteCount = offset
        let rest = UnsafeRawBufferPointer(start: base + Int(offset), count: Int(limit - offset))
        if rest.contains(where: { $0 != 0 }) {
            report.tornTail = (partsStart ?? offset)..<limit
        } else if part > 0 {
            noteTornParts(offset)
        }
    }

    private mutating func check(_ frame: FrameHeader) {
        current = frame
        defer { current = nil }
        if frame.kind == .commit, frame.part == 0 { (partsStart, before) = (frame.offset, report) }
        checkOrder(of: frame)
        if !isBehindDamage, !frame.follows(table: tableBefore) {
            note(.frame, "part \(frame.part) of commit \(frame.commit) was written behind another part \(frame.part - 1)", at: frame.offset)
        }
        tableBefore = frame.tableChecksum(base + Int(frame.offset))
        let place = base + Int(frame.offset)
        for (offset, size) in [(6, 2), (44, frame.part == 0 ? 4 : 0), (56, 4)]
        where UnsafeRawBufferPointer(start: place + offset, count: size).contains(where: { $0 != 0 }) {
            note(.frame, "bytes that must be zero are not", at: frame.offset + UInt64(offset))
        }
        switch frame.kind {
        case .closeMarker:
            if frame.durableEnd != frame.offset || frame.payloadLength != 0 || frame.hasCommitMark {
                note(.frame, "a close marker does not name its own offset as durable, or has contents", at: frame.offset)
            }
        case .commit:
            if frame.part == 0 {
                counts = CommitCounts()
                isPartial = false
            }
            var isRight = true
            for block in 0..<FrameHeader.blockCount(frame.payloadLength) where !frame.isBlockRight(block, place) {
                isRight = false
                note(.block, "the checksum of a block is wrong", at: frame.payloadOffset + UInt64(block * Format.blockByteCount))
            }
            if isRight {
                checkContents(place + Format.frameHeaderByteCount, frame)
            } else {
                isPartial = true
                isBehindDamage = true
            }
        }
    }

    private mutating func checkOrder(of frame: FrameHeader) {
        // The first commit of a compacted file has the number of the last one it was made from.
        if lastCommit == 0, part == 0, header.epoch > 1 || isBehindDamage, frame.commit > 0 {
            lastCommit = frame.kind == .commit ? frame.commit - 1 : frame.commit
        }
        switch frame.kind {
        case .closeMarker:
            if part != 0 || frame.commit != lastCommit {
                note(.frame, "a close marker of commit \(frame.commit) follows commit \(lastCommit), part \(part)", at: frame.offset)
                lastCommit = frame.commit
                part = 0
            }
        case .commit:
            if frame.commit != lastCommit + 1 || frame.part != part {
                if isBehindDamage, frame.commit > lastCommit {
                    let lost = frame.part > 0 ? frame.commit : frame.commit - 1
                    if lost > lastCommit {
                        let range = lost == lastCommit + 1 ? "commit \(lost) is" : "commits \(lastCommit + 1) to \(lost) are"
                        note(.frame, "\(range) not whole in the log", at: frame.offset)
                    }
                    isPartial = isPartial || frame.part > 0
                } else {
                    note(
                        .frame, "commit \(frame.commit), part \(frame.part), does not follow commit \(lastCommit), part \(part)",
                        at: frame.offset)
                }
                lastCommit = frame.commit == 0 ? 0 : frame.commit - 1
            }
            if frame.hasCommitMark {
                lastCommit = frame.commit
                report.lastCommit = max(report.lastCommit, frame.commit)
                part = 0
            } else {
                part = frame.part &+ 1
            }
        }
    }
}
