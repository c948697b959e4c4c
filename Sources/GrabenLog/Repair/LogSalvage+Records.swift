extension LogSalvage {
    /// Reads the records of a section, past those that cannot be read.
    func readRecords(_ frame: SalvagedFrame, _ start: Int, _ end: Int) {
        var position = start
        var run: Int?
        func flush() {
            guard let begin = run else { return }
            run = nil
            try? assembler.applyRecords(ByteReader(frame.payload, from: begin, to: position), from: frame.header.payloadOffset)
        }
        while position < end {
            switch record(frame.payload, position, end, frame.isGood) {
            case .good(let next):
                if run == nil { run = position }
                position = next
            case .bad(let next):
                flush()
                position = next
            case .lost:
                flush()
                flaw("records behind byte \(frame.header.payloadOffset + UInt64(position)) cannot be found")
                // Beyond the bad bytes only the index knows where a record begins.
                guard let next = resume(frame, position + 1, end) else { return }
                position = next
            }
        }
        flush()
    }

    /// Reads the records of a compressed block, which is good as a whole or not at all.
    func readRecordBlock(_ frame: SalvagedFrame, _ start: Int, _ end: Int) {
        let offset = frame.header.payloadOffset + UInt64(start - Format.sectionHeadByteCount)
        guard frame.isGood(start, end - start), let word = try? RecordAddress.wordOfBlock(at: offset),
            let block = try? RecordBlock(ByteReader(frame.payload, from: start, to: end), sectionOffset: offset)
        else { return flaw("a block of records at byte \(offset) cannot be read") }
        defer { withExtendedLifetime(block) {} }
        var position = 0
        while position < block.count {
            switch record(block.base, position, block.count, { _, _ in true }) {
            case .good(let next):
                try? assembler.applyRecords(ByteReader(block.base, from: position, to: next), from: word)
                position = next
            case .bad(let next): position = next
            case .lost: return flaw("records of the block at byte \(offset) cannot be read")
            }
        }
    }

    /// Where the next record begins that an index knows of, and that can be read.
    private func resume(_ frame: SalvagedFrame, _ start: Int, _ end: Int) -> Int? {
        let origin = frame.header.payloadOffset
        var from = origin + UInt64(start)
        while let place = places.first(from: from, before: origin + UInt64(end)) {
            let position = Int(place - origin)
            if isRecord(frame, position, end, of: places.objects[place]) { return position }
            from = place + 1
        }
        return nil
    }

    /// Reads only the records that an index knows of: where not even the section's end can be found.
    func readIndexedRecords(_ frame: SalvagedFrame, _ start: Int) {
        let origin = frame.header.payloadOffset
        var from = origin + UInt64(start)
        while let place = places.first(from: from, before: origin + UInt64(frame.length)) {
            from = place + 1
            let position = Int(place - origin)
            guard isRecord(frame, position, frame.length, of: places.objects[place]),
                case .good(let next) = record(frame.payload, position, frame.length, frame.isGood)
            else { continue }
            try? assembler.applyRecords(ByteReader(frame.payload, from: position, to: next), from: origin)
        }
    }

    private func isRecord(_ frame: SalvagedFrame, _ position: Int, _ end: Int, of object: ObjectKey?) -> Bool {
        var reader = ByteReader(frame.payload, from: position, to: end)
        guard let object, let head = try? RecordHead(&reader), frame.isGood(position, reader.position - position),
            let layout = table[head.layoutNumber], !head.isTombstone
        else { return false }
        return layout.entity == object.entity && head.row == object.row && isReadable(head, layout)
    }

    private enum Found {
        /// A record that can be read, and where the next one begins.
        case good(Int)
        /// One that cannot, but whose length is known.
        case bad(Int)
        case lost
    }

    /// Reads the record at a place of a section's or a block's bytes; `isGood` says whether some of those can be trusted.
    private func record(_ base: UnsafeRawPointer, _ position: Int, _ end: Int, _ isGood: (Int, Int) -> Bool) -> Found {
        var reader = ByteReader(base, from: position, to: end)
        guard let length = try? reader.count(atMost: reader.remaining), length <= reader.remaining,
            isGood(position, reader.position - position)
        else { return .lost }
        let next = reader.position + length
        // Its first bytes may be good, and then say whose it is.
        var whole = ByteReader(base, from: position, to: next)
        let head = isGood(position, min(next - position, 16)) ? try? RecordHead(&whole) : nil
        let layout = head.flatMap { table[$0.layoutNumber] }
        guard isGood(position, next - position), let head, let layout, head.isTombstone || isReadable(head, layout) else {
            if let head, let layout {
                mentioned.insert(ObjectKey(layout.entity, head.row))
                report.add(.newest, layout.entity, head.row)
            } else {
                flaw("a record cannot be read")
            }
            return .bad(next)
        }
        let object = ObjectKey(layout.entity, head.row)
        if head.isTombstone {
            counts.deleted += 1
            deleted.insert(object)
        } else {
            if !deleted.isEmpty { deleted.remove(object) }
            if head.flags & RecordFlags.insert != 0 { counts.inserted += 1 } else { counts.updated += 1 }
        }
        return .good(next)
    }

    /// Whether every value of a record can be decoded.
    private func isReadable(_ head: RecordHead, _ layout: RecordLayout) -> Bool {
        guard let record = try? RecordView(head: head, layout: layout) else { return false }
        return layout.fields.indices.allSatisfy { record.flaw(of: $0) == nil }
    }

    /// Reads links up to the first that cannot be read.
    func readLinks(_ frame: SalvagedFrame, _ start: Int, _ end: Int) {
        var reader = ByteReader(frame.payload, from: start, to: end)
        while !reader.isAtEnd {
            let begin = reader.position
            do throws(ByteError) {
                let change = try LinkChange(&reader)
                guard frame.isGood(begin, reader.position - begin) else { throw .invalid }
                counts.links += 1
                // Of a relationship that is no more, nothing is kept.
                guard catalog.link(change.relationship) != nil else { continue }
                guard [change.owner, change.member].allSatisfy({ catalog.entity($0.entity) != nil && $0.row <= Format.highestRow }) else {
                    flaw("the link at byte \(frame.header.payloadOffset + UInt64(begin)) names an object that cannot be")
                    continue
                }
                assembler.apply(change)
            } catch {
                return flaw("links behind byte \(frame.header.payloadOffset + UInt64(begin)) cannot be read")
            }
        }
    }
}
