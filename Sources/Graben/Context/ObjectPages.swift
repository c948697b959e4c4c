import CGraben
import GrabenLog

/// The objects of a table by row, in pages that exist for rows somebody asked for; each place holds its object.
///
/// Beside them is a bit for each row, set where there is an object: a million rows' bits fit into a core's own memory, so who asks at random for
/// rows that have no object waits for no page.
struct ObjectPages {
    static let rowsPerPage = 1024
    private static let wordsPerPage = rowsPerPage / 64

    private var pages: [UnsafeMutablePointer<ManagedObject?>?] = []
    /// How many objects each page has.
    private var counts: [Int32] = []
    private var bits: [UInt64] = []

    @inline(__always)
    private func has(_ row: Row) -> Bool {
        let word = Int(row) / 64
        return word < bits.count && bits[word] >> UInt64(row % 64) & 1 == 1
    }

    /// Begins to read whether a row has an object.
    @inline(__always)
    func prefetch(_ row: Row) {
        bits.withUnsafeBufferPointer { bits in
            if let start = bits.baseAddress, Int(row) / 64 < bits.count { graben_prefetch(start + Int(row) / 64) }
        }
    }

    /// Where a row's object stands; nil where there is none. The place stays where it is until the page is given back.
    @inline(__always)
    func place(of row: Row) -> UnsafeMutablePointer<ManagedObject?>? {
        guard has(row), let page = pages[Int(row) / Self.rowsPerPage] else { return nil }
        return page + Int(row) % Self.rowsPerPage
    }

    /// Lends a row's object without counting a reference: its place holds it.
    @inline(__always)
    func borrow<R>(_ row: Row, _ body: (ManagedObject) -> R) -> R? {
        guard let place = place(of: row), let object = UnsafeRawPointer(place).load(as: UnsafeRawPointer?.self) else { return nil }
        return Unmanaged<ManagedObject>.fromOpaque(object)._withUnsafeGuaranteedRef(body)
    }

    /// Whether a row has an object that nobody else holds.
    @inline(__always)
    func isSole(_ row: Row) -> Bool {
        guard let place = place(of: row) else { return false }
        return isKnownUniquelyReferenced(&place.pointee)
    }

    /// Puts an object at its row, which has none, and takes the reference over.
    @inline(__always)
    mutating func put(_ object: Unmanaged<ManagedObject>, _ row: Row) {
        let index = Int(row) / Self.rowsPerPage
        let page = (index < pages.count ? pages[index] : nil) ?? makePage(index)
        // The place is empty, so nothing has to be let go of.
        UnsafeMutableRawPointer(page + Int(row) % Self.rowsPerPage).storeBytes(of: object.toOpaque(), as: UnsafeMutableRawPointer.self)
        bits[Int(row) / 64] |= 1 << UInt64(row % 64)
        counts[index] += 1
    }

    @inline(never)
    private mutating func makePage(_ index: Int) -> UnsafeMutablePointer<ManagedObject?> {
        if index >= pages.count {
            let more = index + 1 - pages.count
            pages.append(contentsOf: repeatElement(nil, count: more))
            counts.append(contentsOf: repeatElement(0, count: more))
            bits.append(contentsOf: repeatElement(0, count: more * Self.wordsPerPage))
        }
        let page = UnsafeMutablePointer<ManagedObject?>.allocate(capacity: Self.rowsPerPage)
        page.initialize(repeating: nil, count: Self.rowsPerPage)
        pages[index] = page
        return page
    }

    /// Takes a row's object out, with the reference that its place had.
    @inline(__always)
    mutating func take(_ row: Row) -> Unmanaged<ManagedObject>? {
        guard let place = place(of: row) else { return nil }
        let raw = UnsafeMutableRawPointer(place)
        guard let object = raw.load(as: UnsafeRawPointer?.self) else { return nil }
        raw.storeBytes(of: nil, as: UnsafeRawPointer?.self)
        bits[Int(row) / 64] &= ~(1 << UInt64(row % 64))
        counts[Int(row) / Self.rowsPerPage] -= 1
        return .fromOpaque(object)
    }

    /// The first row at or behind one that has an object. Who walks rows with it may put and take objects meanwhile.
    func firstRow(from row: Int) -> Row? {
        var word = row / 64
        guard row >= 0, word < bits.count else { return nil }
        var rest = bits[word] & (~0 << UInt64(row % 64))
        while rest == 0 {
            word += 1
            // Most pages have none.
            while word % Self.wordsPerPage == 0, word < bits.count, counts[word / Self.wordsPerPage] == 0 { word += Self.wordsPerPage }
            guard word < bits.count else { return nil }
            rest = bits[word]
        }
        return Row(truncatingIfNeeded: word * 64 + rest.trailingZeroBitCount)
    }

    /// Gives the memory of pages without objects back.
    mutating func releaseEmptyPages() {
        for index in pages.indices where counts[index] == 0 {
            // Nothing is in it.
            pages[index]?.deallocate()
            pages[index] = nil
        }
    }

    /// Ends the pages, which have to be empty.
    func deallocate() {
        for case let page? in pages { page.deallocate() }
    }
}
