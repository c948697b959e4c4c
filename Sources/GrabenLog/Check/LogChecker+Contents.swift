extension LogChecker {
    /// Checks the payload of a commit's frame, all blocks of which are right.
    mutating func checkContents(_ payload: UnsafeRawPointer, _ frame: FrameHeader) {
        var sections = SectionCursor(payload, to: frame.payloadLength)
        var last: SectionKind?
        var metadataAt: Int?
        do throws(ByteError) {
            while true {
                let start = sections.position
                guard case (let kind, var section)? = try sections.next() else { break }
                if kind == .metadata { metadataAt = start }
                last = kind
                do throws(ByteError) {
                    try check(kind, &section, frame)
                    if !section.isAtEnd { throw .invalid }
                } catch {
                    isPartial = true
                    note(
                        .section, "a section of kind \(kind.rawValue) cannot be read: \(error.text)",
                        at: frame.payloadOffset + UInt64(section.position))
                }
            }
        } catch {
            isPartial = true
            // What comes behind it cannot be found, the section about the commit included.
            return note(.section, "no section can be read here: \(error.text)", at: frame.payloadOffset + UInt64(sections.position))
        }
        if frame.hasCommitMark ? last != .metadata || metadataAt != frame.metadataOffset : metadataAt != nil || frame.metadataOffset != 0 {
            note(.metadata, "the section about the commit is not where the frame's header says, or not the last one", at: frame.offset)
        }
    }

    private mutating func check(_ kind: SectionKind, _ section: inout ByteReader, _ frame: FrameHeader) throws(ByteError) {
        switch kind {
        case .metadata: try checkMetadata(&section, frame)
        case .catalog: try checkCatalog(&section, frame)
        case .records: try checkRecords(&section) { frame.payloadOffset + UInt64($0) }
        case .recordBlock: try checkRecordBlock(&section, frame)
        case .patch: try checkPatch(&section, frame)
        case .chunk: try checkChunk(&section, frame)
        case .links: try checkLinks(&section, frame)
        case .followers: try checkFollowers(&section, frame)
        }
    }

    private func place(_ section: ByteReader, _ frame: FrameHeader) -> UInt64 { frame.payloadOffset + UInt64(section.position) }

    /// The layout of a number; nil, and a finding, when no catalog has it. Behind damage each is told of once.
    mutating func layout(_ number: UInt32, at place: UInt64, row: Row? = nil) -> RecordLayout? {
        if let known = table[number] { return known }
        if !isBehindDamage || unknownLayouts.insert(number).inserted {
            note(.record, "layout \(number) is in no catalog before", at: place, row: row)
        }
        isPartial = true
        return nil
    }

    mutating func see(_ row: Row, _ entity: EntityCode) {
        if seenRows[entity].map({ $0 < row }) ?? true { seenRows[entity] = row }
    }

    // MARK: Sections

    private mutating func checkMetadata(_ section: inout ByteReader, _ frame: FrameHeader) throws(ByteError) {
        let offset = place(section, frame)
        let metadata = try CommitMetadata(&section)
        if !metadata.time.isFinite { note(.metadata, "the time of the commit is no time", at: offset) }
        if !isPartial, metadata.counts != counts {
            note(.metadata, "the commit says that it did \(metadata.counts.text), and did \(counts.text)", at: offset)
        }
        var last = -1
        for (entity, row) in metadata.highestRows {
            if Int(entity) <= last { note(.metadata, "entities are not in ascending order", at: offset, entity: entity) }
            last = Int(entity)
            if let before = namedRows[entity], before > row {
                note(.metadata, "the highest row is \(row), and was \(before) before", at: offset, entity: entity)
            }
            if let seen = seenRows[entity], seen > row {
                note(.metadata, "the highest row is said to be \(row), and there is row \(seen)", at: offset, entity: entity)
            }
            namedRows[entity] = row
        }
        for (entity, row) in seenRows where namedRows[entity] == nil {
            note(.metadata, "the highest row is not named, and there is row \(row)", at: offset, entity: entity)
            namedRows[entity] = row
        }
    }

    private mutating func checkCatalog(_ section: inout ByteReader, _ frame: FrameHeader) throws(ByteError) {
        let offset = place(section, frame)
        let bytes = try section.bytes(section.remaining)
        do {
            let catalog = try Catalog(decoding: bytes)
            // Behind damage a catalog may stand on layouts of one that is lost; its own are known then.
            table = LayoutTable(try catalog.following(table.catalog))
        } catch {
            isPartial = true
            note(.catalog, "the catalog cannot be used: \(error)", at: offset)
        }
    }

    private mutating func checkRecordBlock(_ section: inout ByteReader, _ frame: FrameHeader) throws(ByteError) {
        let offset = place(section, frame)
        let block = try RecordBlock(section, sectionOffset: offset - UInt64(Format.sectionHeadByteCount))
        defer { withExtendedLifetime(block) {} }
        try section.skip(section.remaining)
        var records = block.reader
        // Records have no places of their own in the file.
        try checkRecords(&records) { _ in offset }
    }

    /// Checks the records of a section or a block; `offset` says where in the file one is that begins at a place of the reader.
    private mutating func checkRecords(_ section: inout ByteReader, at offset: (Int) -> UInt64) throws(ByteError) {
        while !section.isAtEnd {
            let offset = offset(section.position)
            let head = try RecordHead(&section)
            guard let layout = layout(head.layoutNumber, at: offset, row: head.row) else { continue }
            see(head.row, layout.entity)
            if head.isTombstone {
                counts.deleted += 1
                if !head.reader.isAtEnd || head.flags != RecordFlags.tombstone {
                    note(.record, "a deletion has contents", at: offset, entity: layout.entity, row: head.row)
                }
                continue
            }
            if head.flags & RecordFlags.insert != 0 { counts.inserted += 1 } else { counts.updated += 1 }
            do throws(ByteError) {
                check(try RecordView(head: head, layout: layout), at: offset)
            } catch {
                note(.record, "the record cannot be read: \(error.text)", at: offset, entity: layout.entity, row: head.row)
            }
        }
    }

    /// Decodes every value of a record.
    private mutating func check(_ record: RecordView, at offset: UInt64) {
        let layout = record.layout
        for (index, field) in layout.fields.enumerated() {
            guard let wrong = record.flaw(of: index) else { continue }
            note(.value, "the value \(wrong)", at: offset, entity: layout.entity, row: record.row, field: field.name)
        }
    }

    private mutating func checkLinks(_ section: inout ByteReader, _ frame: FrameHeader) throws(ByteError) {
        while !section.isAtEnd {
            let offset = place(section, frame)
            let link = try LinkChange(&section)
            counts.links += 1
            let name = table.catalog.link(link.relationship)?.name
            if name == nil {
                note(
                    .link, "relationship \(link.relationship) is not in the catalog", at: offset, entity: link.owner.entity,
                    row: link.owner.row)
            }
            for end in [link.owner, link.member] {
                if end.row > Format.highestRow || table.catalog.entity(end.entity) == nil {
                    note(.link, "a link names an object that cannot be", at: offset, entity: end.entity, row: end.row, field: name)
                }
            }
        }
    }

    private mutating func checkFollowers(_ section: inout ByteReader, _ frame: FrameHeader) throws(ByteError) {
        while !section.isAtEnd {
            let offset = place(section, frame)
            let follower = try Follower(&section)
            let (entity, row) = (follower.entity, follower.change.row)
            counts.followers += 1
            if table.catalog.entity(entity) == nil || row > Format.highestRow {
                note(.follower, "an object is said to follow that cannot be", at: offset, entity: entity, row: row)
            }
        }
    }
}

extension RecordView {
    /// What is wrong with a field's value, to be said of it; nil when it is as the format says.
    func flaw(of field: Int) -> String? {
        if isNull(field) { return nil }
        switch layout.fields[field].kind {
        case .bool: return integerBits(field) ?? 2 > 1 ? "is neither 0 nor 1" : nil
        case .int16: return int(field).flatMap({ Int16(exactly: $0) }) == nil ? "does not fit into 16 bits" : nil
        case .int32: return int(field).flatMap({ Int32(exactly: $0) }) == nil ? "does not fit into 32 bits" : nil
        case .string, .uri:
            let isText = withUTF8(field) { bytes in
                bytes.withMemoryRebound(to: UInt8.self) { String(validating: $0, as: UTF8.self) != nil }
            }
            return isText == nil ? "cannot be decompressed" : isText == false ? "is not UTF-8" : nil
        case .reference, .polymorphicReference: return reference(field).map { $0.row > Format.highestRow } ?? true ? "is no reference" : nil
        case .int64, .float, .double, .date, .uuid: return nil
        case .decimal, .data, .json:
            do throws(ByteError) { _ = try value(at: field) } catch { return "cannot be decoded: \(error.text)" }
            return nil
        }
    }
}

extension CommitCounts {
    fileprivate var text: String {
        "\(inserted) insertions, \(updated) updates, \(deleted) deletions, \(moved) moves, \(followers) followers, \(links) links"
    }
}
