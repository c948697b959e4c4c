/// Lists of rows in patches and chunks: `varint count`, then the form (0 dense, 1 listed), then the first row, then in a list the
/// differences to the row before, zigzag.
enum RowListCoding {
    static func encode(_ rows: UnsafeBufferPointer<Row>, into buffer: ByteBuffer) {
        buffer.appendVarint(UInt64(rows.count))
        guard let first = rows.first else { return }
        var isDense = true
        for index in rows.indices.dropFirst() where rows[index] != rows[index - 1] &+ 1 {
            isDense = false
            break
        }
        buffer.append(UInt8(isDense ? 0 : 1))
        buffer.appendVarint(UInt64(first))
        if isDense { return }
        for index in rows.indices.dropFirst() { buffer.appendVarint(Zigzag.encode(Int64(rows[index]) - Int64(rows[index - 1]))) }
    }

    /// As a list, even where the rows are dense: of chunks in another order than that of rows each one is listed.
    static func encodeListed(_ rows: [Row], into buffer: ByteBuffer) {
        buffer.appendVarint(UInt64(rows.count))
        guard let first = rows.first else { return }
        buffer.append(UInt8(1))
        buffer.appendVarint(UInt64(first))
        for index in rows.indices.dropFirst() { buffer.appendVarint(Zigzag.encode(Int64(rows[index]) - Int64(rows[index - 1]))) }
    }

    static func encodeDense(first: Row, count: Int, into buffer: ByteBuffer) {
        buffer.appendVarint(UInt64(count))
        if count == 0 { return }
        buffer.append(UInt8(0))
        buffer.appendVarint(UInt64(first))
    }

    enum Decoded {
        case dense(first: Row, count: Int)
        case listed([Row])

        var count: Int {
            switch self {
            case .dense(_, let count): count
            case .listed(let rows): rows.count
            }
        }

        @inline(__always)
        func row(_ index: Int) -> Row {
            switch self {
            case .dense(let first, _): first + Row(truncatingIfNeeded: index)
            case .listed(let rows): rows[index]
            }
        }

        var list: RowList {
            switch self {
            case .dense(let first, let count):
                var list = RowList()
                list.append(first..<(first + Row(count)))
                return list
            case .listed(let rows): return RowList(rows)
            }
        }
    }

    static func decode(_ reader: inout ByteReader, atMost limit: Int) throws(ByteError) -> Decoded {
        let count = try reader.count(atMost: limit)
        if count == 0 { return .listed([]) }
        let form = try reader.byte()
        let first = try reader.varint32()
        guard Int(first) + count - 1 <= Int(Format.highestRow) || form == 1 else { throw .outOfRange }
        switch form {
        case 0: return .dense(first: first, count: count)
        case 1:
            guard count - 1 <= reader.remaining, first <= Format.highestRow else { throw .truncated }
            var rows = [first]
            rows.reserveCapacity(count)
            var last = Int64(first)
            for _ in 1..<max(count, 1) {
                let (next, overflow) = last.addingReportingOverflow(try reader.signedVarint())
                guard !overflow, next >= 0, next <= Int64(Format.highestRow) else { throw .outOfRange }
                last = next
                rows.append(Row(truncatingIfNeeded: next))
            }
            return .listed(rows)
        default: throw .invalid
        }
    }
}
