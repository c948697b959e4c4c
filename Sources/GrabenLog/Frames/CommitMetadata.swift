/// The last section of a commit: when, who, how much, and the highest row of every entity.
package struct CommitMetadata: Sendable, Equatable {
    /// Seconds since the first instant of 2001.
    package var time: Double = 0
    package var author: String?
    package var counts = CommitCounts()
    /// The highest row each entity has ever had, this commit included, ascending by code.
    package var highestRows: [(entity: EntityCode, row: Row)] = []

    package static func == (a: CommitMetadata, b: CommitMetadata) -> Bool {
        a.time == b.time && a.author == b.author && a.counts == b.counts
            && a.highestRows.elementsEqual(b.highestRows) { $0.entity == $1.entity && $0.row == $1.row }
    }

    func encode(into buffer: ByteBuffer) {
        buffer.append(time.bitPattern)
        buffer.append(author ?? "")
        for count in [counts.inserted, counts.updated, counts.deleted, counts.moved, counts.followers, counts.links] {
            buffer.appendVarint(UInt64(count))
        }
        buffer.appendVarint(UInt64(highestRows.count))
        for (entity, row) in highestRows {
            buffer.appendVarint(UInt64(entity))
            buffer.appendVarint(UInt64(row))
        }
    }

    init() {}

    init(_ reader: inout ByteReader) throws(ByteError) {
        time = Double(bitPattern: try reader.integer())
        let text = try reader.string()
        author = text.isEmpty ? nil : text
        counts.inserted = try reader.count(atMost: .max)
        counts.updated = try reader.count(atMost: .max)
        counts.deleted = try reader.count(atMost: .max)
        counts.moved = try reader.count(atMost: .max)
        counts.followers = try reader.count(atMost: .max)
        counts.links = try reader.count(atMost: .max)
        for _ in 0..<(try reader.count(atMost: 65_536)) {
            let entity = try reader.varint16()
            let row = try reader.varint32()
            guard row <= Format.highestRow else { throw .outOfRange }
            highestRows.append((entity, row))
        }
    }
}

/// How much a commit did. An object that was only moved counts as moved, not as updated.
package struct CommitCounts: Sendable, Equatable {
    package var inserted = 0
    package var updated = 0
    package var deleted = 0
    /// Rows whose packed attributes were written, those of inserted objects included.
    package var moved = 0
    package var followers = 0
    package var links = 0
}
