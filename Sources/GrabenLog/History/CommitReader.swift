/// What one commit did to one entity.
package struct EntityContents: Sendable, Equatable {
    package let entity: EntityCode
    package internal(set) var inserted = RowList()
    package internal(set) var deleted = RowList()
    /// Objects that were there before and after, with what changed of them, packed or not, as places in `names`. Ascending by row.
    package internal(set) var updated: [RowChange] = []
    /// The names of fields and lanes that changed anywhere in the commit.
    package internal(set) var names: [String] = []
    /// Objects only the inverses of which changed; their masks are numbers of the writer's own. Ascending by row.
    package internal(set) var followers: [RowChange] = []

    package init(entity: EntityCode) { self.entity = entity }
}

/// What one commit did, read from its frames alone.
package struct CommitContents: Sendable, Equatable {
    package internal(set) var entities: [EntityContents] = []
    package internal(set) var links: [LinkChange] = []
    package internal(set) var changedCatalog = false

    package subscript(entity: EntityCode) -> EntityContents? { entities.first { $0.entity == entity } }
}

/// Reads the parts of one commit into lists of what it did. Needs no index: layouts are never taken back, so those of any later catalog do.
struct CommitReader {
    private var table: LayoutTable
    private var contents = CommitContents()
    private var moved: [EntityCode: [PatchedRows]] = [:]
    /// Where in an entity's names those of a layout's fields and lanes are.
    private var places: [UInt32: (fields: [Int], lanes: [Int])] = [:]

    init(table: LayoutTable) { self.table = table }

    mutating func read(_ base: UnsafeRawPointer, _ frame: FrameHeader, path: String) throws(LogError) {
        var sections = SectionCursor(base, to: frame.payloadLength)
        do throws(ByteError) {
            while case (let kind, var section)? = try sections.next() {
                switch kind {
                case .metadata: break
                case .catalog: contents.changedCatalog = true
                case .records: try readRecords(&section)
                case .recordBlock:
                    let block = try RecordBlock(section, sectionOffset: 0)
                    defer { withExtendedLifetime(block) {} }
                    var records = block.reader
                    try readRecords(&records)
                case .patch: try readPatch(&section)
                // A chunk also holds rows that stay as they are. What it changes of others than new ones stands in patches before it.
                case .chunk: break
                case .links: try readLinks(&section)
                case .followers: try readFollowers(&section)
                }
            }
        } catch {
            throw .malformed(
                what: "a section of commit \(frame.commit) cannot be read: \(error.text)", path: path,
                offset: frame.payloadOffset + UInt64(sections.position))
        }
    }

    /// What the parts read come to, each object in one list.
    mutating func finish() -> CommitContents {
        for place in contents.entities.indices {
            contents.entities[place].inserted.normalize()
            contents.entities[place].deleted.normalize()
            let (inserted, deleted) = (contents.entities[place].inserted, contents.entities[place].deleted)
            for patch in moved[contents.entities[place].entity] ?? [] {
                for row in patch.rows where !inserted.contains(row) && !deleted.contains(row) {
                    contents.entities[place].updated.append(RowChange(row: row, mask: patch.lanes))
                }
            }
            contents.entities[place].updated = ChangeSet.merged(contents.entities[place].updated)
            contents.entities[place].followers = ChangeSet.merged(contents.entities[place].followers)
        }
        contents.entities.sort { $0.entity < $1.entity }
        return contents
    }

    private mutating func with(_ entity: EntityCode, _ body: (inout EntityContents) -> Void) {
        // The last one first: records come in long runs of one entity.
        if contents.entities.last?.entity == entity { return body(&contents.entities[contents.entities.count - 1]) }
        if let place = contents.entities.firstIndex(where: { $0.entity == entity }) { return body(&contents.entities[place]) }
        contents.entities.append(EntityContents(entity: entity))
        body(&contents.entities[contents.entities.count - 1])
    }

    private mutating func places(of layout: RecordLayout) -> (fields: [Int], lanes: [Int]) {
        if let known = places[layout.number] { return known }
        var made: (fields: [Int], lanes: [Int]) = ([], [])
        with(layout.entity) { entity in
            func place(_ name: String) -> Int {
                if let known = entity.names.firstIndex(of: name) { return known }
                entity.names.append(name)
                return entity.names.count - 1
            }
            made = (layout.fields.map { place($0.name) }, layout.lanes.map { place($0.name) })
        }
        places[layout.number] = made
        return made
    }

    private mutating func readRecords(_ section: inout ByteReader) throws(ByteError) {
        while !section.isAtEnd {
            let head = try RecordHead(&section)
            guard let layout = table[head.layoutNumber] else { throw .invalid }
            if head.isTombstone {
                with(layout.entity) { $0.deleted.append(head.row) }
            } else if head.flags & RecordFlags.insert != 0 {
                with(layout.entity) { $0.inserted.append(head.row) }
            } else {
                var reader = head.reader
                let changed = FieldMask(bytes: try reader.bytes(layout.maskByteCount))
                let fields = places(of: layout).fields
                let mask = FieldMask(changed.members.lazy.filter { $0 < fields.count }.map { fields[$0] })
                with(layout.entity) { $0.updated.append(RowChange(row: head.row, mask: mask)) }
            }
        }
    }

    private mutating func readPatch(_ section: inout ByteReader) throws(ByteError) {
        guard let layout = table[try section.varint32()] else { throw .invalid }
        let known = places(of: layout).lanes
        let head = try PatchHead(&section, layout)
        var rows = head.rows.list
        rows.normalize()
        moved[layout.entity, default: []].append(PatchedRows(rows: rows, lanes: FieldMask(head.lanes.map { known[$0] })))
    }

    private mutating func readLinks(_ section: inout ByteReader) throws(ByteError) {
        while !section.isAtEnd { contents.links.append(try LinkChange(&section)) }
    }

    private mutating func readFollowers(_ section: inout ByteReader) throws(ByteError) {
        while !section.isAtEnd {
            let follower = try Follower(&section)
            with(follower.entity) { $0.followers.append(follower.change) }
        }
    }
}
