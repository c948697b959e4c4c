internal import CGraben

/// The row index of one entity as an index file holds it: for each 512 rows an entry of 16 bytes, and a page of offsets.
///
///     entry:   place u64 (0: no row of the page lives; bit 0 set: the page is wide) | base u64
///     narrow:  512 x u32: 0, or the offset of the row's newest record, less the base, plus 1
///     wide:    512 x u64: 0, or the offset
///
/// What is in a bad block comes from the log instead.
final class MappedRows: Sendable {
    static let rowsPerPage = PagedArray.fanOut

    private let file: IndexFile
    private let table: IndexRoot.Table
    private let rowCount: Int
    private let entity: EntityCode
    private let checkpoint: Checkpoint

    init(file: IndexFile, entity: IndexRoot.Entity, checkpoint: Checkpoint) {
        self.file = file
        table = entity.rows
        rowCount = min(Int(entity.highestRow + 1), entity.rows.count * Self.rowsPerPage)
        self.entity = entity.code
        self.checkpoint = checkpoint
    }

    var pageCount: Int { table.count }

    /// Whether any row of a page lives, as far as can be told without reading the page.
    func hasPage(_ number: Int) -> Bool {
        guard number >= 0, number < table.count else { return false }
        guard let entry = file.bytes(table.offset + number * 16, 16) else { return true }
        return UInt64(littleEndian: entry.loadUnaligned(as: UInt64.self)) != 0
    }

    private enum Page {
        case empty
        case narrow(UnsafeRawPointer, base: UInt)
        case wide(UnsafeRawPointer)
        case bad
    }

    /// The page's bytes from one of its rows on, so that a look-up touches only the block it needs.
    @inline(__always)
    private func page(_ number: Int, from first: Int, count: Int) -> Page {
        guard let entry = file.bytes(table.offset + number * 16, 16) else { return .bad }
        let place = UInt64(littleEndian: entry.loadUnaligned(as: UInt64.self))
        if place == 0 { return .empty }
        guard let start = Int(exactly: place & ~1), start < 1 << 56 else {
            file.distrust()
            return .bad
        }
        if place & 1 == 0 {
            guard let bytes = file.bytes(start + first * 4, count * 4) else { return .bad }
            return .narrow(bytes, base: UInt(UInt64(littleEndian: entry.loadUnaligned(fromByteOffset: 8, as: UInt64.self))))
        }
        guard let bytes = file.bytes(start + first * 8, count * 8) else { return .bad }
        return .wide(bytes)
    }

    /// The file offset of a row's record; 0 when there is none.
    @inline(__always)
    func word(_ row: Int) -> UInt {
        guard row >= 0, row < rowCount else { return 0 }
        switch page(row / Self.rowsPerPage, from: row % Self.rowsPerPage, count: 1) {
        case .empty: return 0
        case .narrow(let bytes, let base):
            let value = UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
            return value == 0 ? 0 : base &+ UInt(value) &- 1
        case .wide(let bytes): return UInt(UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)))
        case .bad: return checkpoint.rebuilt(entity)?.records[row] ?? 0
        }
    }

    /// Fills 512 words with the page's offsets; answers whether any row of it lives.
    func copy(_ number: Int, into words: UnsafeMutablePointer<UInt>) -> Bool {
        words.update(repeating: 0, count: Self.rowsPerPage)
        guard number >= 0, number < pageCount else { return false }
        let count = min(Self.rowsPerPage, rowCount - number * Self.rowsPerPage)
        guard count > 0 else { return false }
        switch page(number, from: 0, count: count) {
        case .empty: return false
        case .narrow(let bytes, let base):
            words.withMemoryRebound(to: UInt64.self, capacity: count) { graben_widen_offsets(bytes, count, UInt64(base), $0) }
        case .wide(let bytes):
            for index in 0..<count {
                words[index] = UInt(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)))
            }
        case .bad:
            guard let records = checkpoint.rebuilt(entity)?.records else { return false }
            for index in 0..<count { words[index] = records[number * Self.rowsPerPage + index] }
        }
        return true
    }
}
