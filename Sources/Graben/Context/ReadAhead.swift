import GrabenLog

/// Notices that an entity's objects are walked in the order of their rows, and has their references read a window at a time from then on.
struct ReadAhead {
    /// The window that `targets` are of; -1 for none.
    private(set) var window = -1
    private(set) var targets: UnsafePointer<ReferenceAhead.Target>?
    private var reader: ReferenceAhead?
    /// Whether there can be no reader.
    private var isIdle = false
    /// The row followed last, and how many were so near to the one before.
    private var last: Row = 0
    private var steps = 0

    // Constants of this module, since those of another are calls.
    @inline(__always) static var rowsPerWindow: Int { 64 }
    /// As `ReferenceAhead` writes them: there is no target, and the record has to be asked for it.
    @inline(__always) static var none: ReferenceAhead.Target { .max - 1 }
    @inline(__always) static var unknown: ReferenceAhead.Target { .max }

    /// So many steps make a walk.
    private static let walk = 4
    /// How many rows ahead targets are fetched from memory: as many as are walked while that takes.
    @inline(__always) static var distance: Int { 8 }

    /// Takes note of a row outside the window, whose references are about to be followed; answers whether its window was read.
    @inline(__always)
    mutating func note(_ row: Row, _ makeReader: () -> ReferenceAhead?) -> Bool {
        if row == last { return false }
        // Rows of deleted objects are gaps.
        steps = row > last && row - last <= 4 ? steps + 1 : 0
        last = row
        return steps >= Self.walk && !isIdle && move(to: row, makeReader)
    }

    @inline(never)
    private mutating func move(to row: Row, _ makeReader: () -> ReferenceAhead?) -> Bool {
        if reader == nil { reader = makeReader() }
        guard let reader else {
            isIdle = true
            return false
        }
        reader.move(to: row)
        targets = UnsafePointer(reader.targets)
        window = Int(row) / Self.rowsPerWindow
        // The next row outside is the step after its last one.
        last = Row(truncatingIfNeeded: window * Self.rowsPerWindow + Self.rowsPerWindow - 1)
        return true
    }
}
