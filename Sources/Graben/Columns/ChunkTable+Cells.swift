/// The cells of objects, allocated for a chunk when one of its objects first needs one.
extension ChunkTable {
    private static let headByteCount = 16

    @inline(__always)
    private static func place(of entry: Entry) -> UnsafeMutablePointer<Cells?> {
        UnsafeMutableRawPointer(entry + 1).assumingMemoryBound(to: Cells?.self)
    }

    /// How many cells of a chunk are not empty.
    private static func count(_ cells: Cells) -> UnsafeMutablePointer<Int> {
        (UnsafeMutableRawPointer(cells) - headByteCount).assumingMemoryBound(to: Int.self)
    }

    /// The cells of a chunk's objects; nil where none ever had one.
    @inline(__always)
    static func cells(of entry: Entry) -> Cells? { place(of: entry).pointee }

    /// A slot's cell, empty before, which is to be filled.
    static func makeCell(of entry: Entry, _ slot: Int) -> Cells {
        let cells = cells(of: entry) ?? allocate(for: entry)
        count(cells).pointee += 1
        return cells + slot
    }

    /// Empties a slot's cell.
    static func emptyCell(of entry: Entry, _ slot: Int) {
        guard let cells = cells(of: entry) else { return }
        cells[slot] = ObjectCell()
        count(cells).pointee -= 1
    }

    private static func allocate(for entry: Entry) -> Cells {
        let byteCount = headByteCount + ChunkGeometry.slotsPerChunk * MemoryLayout<ObjectCell>.stride
        let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
        memory.initializeMemory(as: Int.self, repeating: 0, count: headByteCount / MemoryLayout<Int>.stride)
        let cells = (memory + headByteCount)
            .initializeMemory(as: ObjectCell.self, repeating: ObjectCell(), count: ChunkGeometry.slotsPerChunk)
        place(of: entry).pointee = cells
        return cells
    }

    static func releaseCells(of entry: Entry) {
        guard let cells = cells(of: entry) else { return }
        place(of: entry).pointee = nil
        cells.deinitialize(count: ChunkGeometry.slotsPerChunk)
        (UnsafeMutableRawPointer(cells) - headByteCount).deallocate()
    }

    /// Gives back the memory of chunks none of whose objects has a cell. Complexity: O(chunks).
    func releaseEmptyCells() {
        for index in 0..<count {
            let entry = entry(index)
            if let cells = Self.cells(of: entry), Self.count(cells).pointee == 0 { Self.releaseCells(of: entry) }
        }
    }
}

/// The values of fresh objects, allocated for a chunk when the first of them comes.
extension ChunkTable {
    @inline(__always)
    private static func freshPlace(of entry: Entry) -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
        UnsafeMutableRawPointer(entry + 2).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }

    /// The values of a chunk's fresh objects; nil where it has none.
    @inline(__always)
    static func fresh(of entry: Entry) -> FreshValues? { freshPlace(of: entry).pointee.map { FreshValues($0) } }

    /// The same, made at the first call.
    @inline(__always)
    func makeFresh(of entry: Entry) -> FreshValues { Self.fresh(of: entry) ?? allocateFresh(of: entry) }

    @inline(never)
    private func allocateFresh(of entry: Entry) -> FreshValues {
        let fresh = FreshValues(byteCount: freshByteCount)
        Self.freshPlace(of: entry).pointee = fresh.memory
        return fresh
    }

    /// Forgets the values of all of a chunk's fresh objects.
    func releaseFresh(of entry: Entry) {
        guard let fresh = Self.fresh(of: entry) else { return }
        Self.freshPlace(of: entry).pointee = nil
        fresh.deallocate(freshLanes)
    }

    /// Calls `body` with each chunk that has, or had, fresh objects.
    func forEachFresh(_ body: (Int, FreshValues) -> Void) {
        for index in 0..<count {
            if let fresh = Self.fresh(of: entry(index)) { body(index, fresh) }
        }
    }
}
