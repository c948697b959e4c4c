internal import Synchronization

/// What an index file says a log comes to, as the lowest layer of every snapshot of a log that was opened from it.
///
/// Nothing of it is believed before its checksum has been compared, and what is found bad is made again from the log, which is the truth.
///
/// Unchecked because a mapped region is: what is mapped never changes, and what changes here stands in a `Mutex`.
final class Checkpoint: @unchecked Sendable {
    let file: IndexFile
    let log: LogBlocks
    let root: IndexRoot
    let table: LayoutTable
    /// Whether the frame before the durable end is a close marker.
    let endsWithMarker: Bool
    private let path: String
    private let header: FileHeader
    private let region: MappedRegion
    private let rebuilding = Mutex<Result<LogSnapshot, LogError>?>(nil)
    private let foundFailure = Mutex<LogError?>(nil)

    var durableEnd: UInt64 { file.header.durableEnd }
    var commit: UInt64 { file.header.commit }

    /// Believes an index file that belongs to the log: same store, epoch and salt, and the frame it names last stands where it says.
    ///
    /// nil when the index is another's, or cannot be read. Throws `damaged` when the log's own bytes are bad.
    init?(_ file: IndexFile, path: String, header: FileHeader, region: MappedRegion, limit: UInt64) throws(LogError) {
        let index = file.header
        guard Self.belongs(index, to: header), index.durableEnd <= limit,
            index.lastFrame >= UInt64(Format.headerByteCount), index.lastFrame < index.durableEnd, index.lastFrame % 8 == 0,
            let last = FrameHeader(region.base + Int(index.lastFrame), offset: index.lastFrame, limit: index.durableEnd, salt: header.salt),
            last.end == index.durableEnd, last.commit == index.commit, last.kind == .closeMarker || last.hasCommitMark,
            FrameHeader.checksum(region.base + Int(index.lastFrame)) == index.lastFrameChecksum,
            let offset = Int(exactly: index.rootOffset), let length = Int(exactly: index.rootLength), length > 0,
            let bytes = file.bytes(offset, length)
        else { return nil }
        var reader = ByteReader(bytes, to: length)
        guard let root = try? IndexRoot(&reader), root.fits(file) else { return nil }
        self.root = root
        self.file = file
        self.path = path
        self.header = header
        self.region = region
        endsWithMarker = last.kind == .closeMarker
        log = LogBlocks(region: region, header: header, path: path, file: file, anchors: root.anchors)
        var table = LayoutTable(Catalog())
        for place in root.catalogs {
            guard let bytes = try log.bytes(place.offset, place.byteCount),
                let next = try? table.following(ByteReader(bytes, to: place.byteCount), at: place.offset)
            else { return nil }
            table = next
        }
        self.table = table
    }

    /// Whether an index is one of this log, however old: of another store or from before a compaction it is not.
    static func belongs(_ index: IndexHeader, to header: FileHeader) -> Bool {
        index.uuid == header.uuid && index.epoch == header.epoch && index.salt == header.salt
    }

    /// The store as of the index's last commit. Costs nothing that grows with the store.
    func snapshot() -> LogSnapshot {
        var entities: [EntityState?] = []
        for entity in root.entities {
            while entities.count <= Int(entity.code) { entities.append(nil) }
            entities[Int(entity.code)] = EntityState(entity, checkpoint: self)
        }
        var links: [UInt16: LinkIndex] = [:]
        for (code, members, owners) in root.links {
            links[code] = LinkIndex(
                members: LinkRuns(base: MappedLinkBase(members, code: code, isMembers: true, checkpoint: self)),
                owners: LinkRuns(base: MappedLinkBase(owners, code: code, isMembers: false, checkpoint: self)))
        }
        return LogSnapshot(
            commitNumber: commit, metadata: root.metadata, changes: ChangeSet(), path: path, endOffset: durableEnd, table: table,
            entities: entities, regions: [region], links: links, reverseIndexes: [:], checkpoint: self, header: header,
            blocks: RecordBlocks())
    }

    /// The index's run for a relationship, if it has one.
    func reverseRun(_ key: ReverseKey) -> MappedReverseBase? {
        root.reverse.first { $0.key == key }.map { MappedReverseBase($0.run, key: key, checkpoint: self) }
    }

    /// The index's run for keys that its own catalog declares just so, if it has one.
    func keys(_ declaration: KeyDeclaration) -> MappedKeyBase? {
        guard table.catalog.indexes.contains(declaration), let run = root.keys.first(where: { $0.code == declaration.code })?.run else {
            return nil
        }
        return MappedKeyBase(run, declaration, checkpoint: self)
    }

    /// The frames the index names for each 64 KB of the log, as far as they can be used for the next index.
    func anchors() -> [LogAnchors.Anchor] {
        var result: [LogAnchors.Anchor] = []
        for unit in 0..<root.anchors.count {
            guard let entry = file.bytes(root.anchors.offset + unit * 16, 16) else { break }
            let anchor = LogAnchors.Anchor(
                offset: UInt64(littleEndian: entry.loadUnaligned(as: UInt64.self)),
                commit: UInt64(littleEndian: entry.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
            guard anchor.offset >= UInt64(Format.headerByteCount), anchor.offset % 8 == 0,
                anchor.offset <= max(UInt64(unit * LogAnchors.spacing), UInt64(Format.headerByteCount)), anchor.offset < durableEnd
            else { break }
            result.append(anchor)
        }
        return result
    }

    // MARK: When the index is bad

    /// The same state made from the log alone. O(size of the log) the first time.
    func rebuiltSnapshot() throws(LogError) -> LogSnapshot {
        let result = rebuilding.withLock { known in
            if let known { return known }
            let made = Result { () throws(LogError) in try rebuild() }
            known = made
            return made
        }
        if case .failure(let error) = result { foundFailure.withLock { $0 = $0 ?? error } }
        return try result.get()
    }

    private func rebuild() throws(LogError) -> LogSnapshot {
        // Only entities whose slots the index permutes may have theirs permuted by the replay: both must speak of the same slots.
        let permuted = Set(root.entities.lazy.filter { $0.slots.count > 0 }.map(\.code))
        let replay = try Log.replay(
            path: path, header: header, region: region, limit: durableEnd, knownDurable: durableEnd, checkpoint: nil, permuted: permuted)
        if let damage = replay.health.damage { throw .damaged(path: path, offset: damage.offset, reason: damage.reason) }
        guard replay.snapshot.commitNumber == commit else {
            throw .damaged(path: path, offset: replay.tail, reason: "the log ends before commit \(commit), which the index tells of")
        }
        return replay.snapshot
    }

    /// An entity's state made from the log; nil when there is none, or when the log is damaged as well, which `failure` then tells.
    func rebuilt(_ entity: EntityCode) -> EntityState? { (try? rebuiltSnapshot())?.state(entity) }

    /// Why neither the index nor the log could say something; nil as long as all is well.
    var failure: LogError? { file.isBad ? foundFailure.withLock { $0 } : nil }
}

/// A reverse index in an index file, or where that is bad, made from the log.
final class MappedReverseBase: Sendable {
    let pairs: MappedPairs
    let key: ReverseKey
    private let checkpoint: Checkpoint

    init(_ run: IndexRoot.Run, key: ReverseKey, checkpoint: Checkpoint) {
        pairs = MappedPairs(file: checkpoint.file, run: run)
        self.key = key
        self.checkpoint = checkpoint
    }

    /// Calls `body` with the pairs at or behind `start` until it answers false.
    func forEach(from start: UInt64, _ body: (UInt64) -> Bool) throws(LogError) {
        var last: UInt64?
        var isDone = false
        do throws(ByteError) {
            try pairs.forEach(from: start) { word in
                last = word
                isDone = !body(word)
                return !isDone
            }
        } catch {
            pairs.file.distrust()
            if isDone { return }
            guard case .array(let words) = try checkpoint.rebuiltSnapshot().reverseIndex(key).base else { return }
            // What was lent before the bad bytes was right.
            let from = last.map { $0 &+ 1 } ?? start
            if last == .max { return }
            for word in words[ReverseRun.lowerBound(words, from)...] where !body(word) { return }
        }
    }
}

/// One direction of a relationship kept as links in an index file, or where that is bad, made from the log.
final class MappedLinkBase: Sendable {
    let links: MappedLinks
    private let code: UInt16
    private let isMembers: Bool
    private let checkpoint: Checkpoint

    init(_ run: IndexRoot.Run, code: UInt16, isMembers: Bool, checkpoint: Checkpoint) {
        links = MappedLinks(file: checkpoint.file, run: run)
        self.code = code
        self.isMembers = isMembers
        self.checkpoint = checkpoint
    }

    /// Calls `body` with the links at or behind a key and another end, until it answers false.
    func forEach(from start: (key: UInt64, other: UInt64), _ body: (LinkEntry) -> Bool) {
        var last: (UInt64, UInt64)?
        var isDone = false
        do throws(ByteError) {
            try links.forEach(from: start) { entry in
                last = (entry.key, entry.other)
                isDone = !body(entry)
                return !isDone
            }
        } catch {
            links.file.distrust()
            // Where the log is damaged too, the checkpoint keeps the failure and the next read of a record throws it.
            guard !isDone, let index = (try? checkpoint.rebuiltSnapshot())?.links[code] else { return }
            for entry in (isMembers ? index.members : index.owners).all() where (entry.key, entry.other) >= start {
                if let last, (entry.key, entry.other) <= last { continue }
                if !body(entry) { return }
            }
        }
    }
}
