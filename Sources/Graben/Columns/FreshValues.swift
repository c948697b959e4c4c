import FoundationEssentials
import GrabenLog
import GrabenModel

/// Where in a chunk's fresh values those of one attribute or to-one lie.
struct FreshLane: Sendable {
    enum Kind: UInt8, Sendable { case bool, int, float, double, date, uuid, text, uri, reference }

    let kind: Kind
    /// Of the lane's bitmaps, from the beginning of the chunk's fresh values.
    let offset: Int

    /// The bitmap of slots that were given something, the bitmap of those that were given nil, and then the cells.
    static let nullsOffset = 128
    static let cellsOffset = 256

    var cellByteCount: Int {
        switch kind {
        case .text, .uri, .uuid: 16
        case .bool, .int, .float, .double, .date, .reference: 8
        }
    }
    var byteCount: Int { Self.cellsOffset + ChunkGeometry.slotsPerChunk * cellByteCount }
    var holdsText: Bool { kind == .text || kind == .uri }

    init(kind: Kind, offset: Int) {
        self.kind = kind
        self.offset = offset
    }

    /// The lane of an attribute or to-one whose values fit into cells of one width; nil for decimals, data and JSON, and for what no store keeps.
    init?(_ property: Property, at offset: Int) {
        switch property.kind {
        case .attribute(let attribute):
            guard !attribute.isPacked, !attribute.isTransient else { return nil }
            switch attribute.type {
            case .boolean: self.init(kind: .bool, offset: offset)
            case .int16, .int32, .int64: self.init(kind: .int, offset: offset)
            case .float: self.init(kind: .float, offset: offset)
            case .double: self.init(kind: .double, offset: offset)
            case .date: self.init(kind: .date, offset: offset)
            case .uuid: self.init(kind: .uuid, offset: offset)
            case .string: self.init(kind: .text, offset: offset)
            case .uri: self.init(kind: .uri, offset: offset)
            case .decimal, .data, .transformable: return nil
            }
        case .relationship(let relationship, _):
            guard !relationship.isToMany else { return nil }
            self.init(kind: .reference, offset: offset)
        case .fetched: return nil
        }
    }
}

/// The values of a chunk's fresh objects: new ones of which nothing else is kept. Lane by lane, as a chunk has its coordinates, because a
/// drawing is loaded by the million, and an object's own storage for a name or two references costs more than all the rest of it.
///
///     0      128            per lane: 128 given | 128 nil | 1,024 cells
///     │ rows │ lane 0 ............................................... │ lane 1 │ …
///
/// - `rows`: the slots whose objects are fresh. Everything set in such an object is here; what was not given is the model's default.
/// - A text's cell holds a `String` exactly where the slot was given something other than nil.
///
/// A fresh object whose changes have to be noted, observed or taken back moves out (`ManagedObject.leaveFresh`) and is then like any other.
struct FreshValues {
    let memory: UnsafeMutableRawPointer

    static let headByteCount = 128

    /// Zeros: no fresh object.
    init(byteCount: Int) {
        memory = .allocate(byteCount: byteCount, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    }

    @inline(__always)
    init(_ memory: UnsafeMutableRawPointer) { self.memory = memory }

    @inline(__always)
    private func bit(_ offset: Int, _ slot: Int) -> Bool {
        memory.load(fromByteOffset: offset + slot / 64 * 8, as: UInt64.self) >> UInt64(slot & 63) & 1 != 0
    }
    @inline(__always)
    private func setBit(_ offset: Int, _ slot: Int, _ value: Bool) {
        let place = (memory + (offset + slot / 64 * 8)).assumingMemoryBound(to: UInt64.self)
        let bit = UInt64(1) << UInt64(slot & 63)
        place.pointee = value ? place.pointee | bit : place.pointee & ~bit
    }

    // MARK: Slots

    @inline(__always)
    func isFresh(_ slot: Int) -> Bool { bit(0, slot) }
    @inline(__always)
    func setFresh(_ slot: Int) { setBit(0, slot, true) }

    /// Whether no object of the chunk is fresh.
    var isEmpty: Bool {
        for word in 0..<16 where memory.load(fromByteOffset: word * 8, as: UInt64.self) != 0 { return false }
        return true
    }

    /// A lane as a commit reads it.
    func column(_ lane: FreshLane?, isNullByDefault: Bool) -> FieldColumn {
        guard let lane else { return FieldColumn(.none, given: memory, nulls: memory, cells: memory, isNullByDefault: isNullByDefault) }
        let kind: FieldColumn.Cells =
            switch lane.kind {
            case .text, .uri: .text
            case .uuid: .uuid
            case .bool, .int, .float, .double, .date, .reference: .word
            }
        let start = memory + lane.offset
        return FieldColumn(
            kind, given: start, nulls: start + FreshLane.nullsOffset, cells: start + FreshLane.cellsOffset, isNullByDefault: isNullByDefault
        )
    }

    /// Calls `body` with each slot whose object is fresh, ascending; it may remove the slot.
    @inline(__always)
    func forEachFresh(_ body: (Int) -> Void) {
        for word in 0..<16 {
            var rest = memory.load(fromByteOffset: word * 8, as: UInt64.self)
            while rest != 0 {
                body(word * 64 + rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
    }

    /// Forgets what a slot was given.
    func remove(_ slot: Int, _ lanes: [FreshLane]) {
        for lane in lanes {
            release(lane, slot)
            setBit(lane.offset, slot, false)
            setBit(lane.offset + FreshLane.nullsOffset, slot, false)
        }
        setBit(0, slot, false)
    }

    /// Gives everything back.
    func deallocate(_ lanes: [FreshLane]) {
        for lane in lanes where lane.holdsText {
            for word in 0..<16 {
                var given = memory.load(fromByteOffset: lane.offset + word * 8, as: UInt64.self)
                given &= ~memory.load(fromByteOffset: lane.offset + FreshLane.nullsOffset + word * 8, as: UInt64.self)
                while given != 0 {
                    text(lane, word * 64 + given.trailingZeroBitCount).deinitialize(count: 1)
                    given &= given - 1
                }
            }
        }
        memory.deallocate()
    }

    // MARK: Values

    @inline(__always)
    private func isGiven(_ lane: FreshLane, _ slot: Int) -> Bool { bit(lane.offset, slot) }
    @inline(__always)
    private func isNull(_ lane: FreshLane, _ slot: Int) -> Bool { bit(lane.offset + FreshLane.nullsOffset, slot) }

    @inline(__always)
    private func text(_ lane: FreshLane, _ slot: Int) -> UnsafeMutablePointer<String> {
        (memory + (lane.offset + FreshLane.cellsOffset + slot * 16)).assumingMemoryBound(to: String.self)
    }
    @inline(__always)
    private func word(_ lane: FreshLane, _ slot: Int) -> UnsafeMutablePointer<UInt64> {
        (memory + (lane.offset + FreshLane.cellsOffset + slot * 8)).assumingMemoryBound(to: UInt64.self)
    }
    @inline(__always)
    private func uuid(_ lane: FreshLane, _ slot: Int) -> UnsafeMutablePointer<UUID> {
        (memory + (lane.offset + FreshLane.cellsOffset + slot * 16)).assumingMemoryBound(to: UUID.self)
    }

    @inline(__always)
    private func release(_ lane: FreshLane, _ slot: Int) {
        if lane.holdsText, isGiven(lane, slot), !isNull(lane, slot) { text(lane, slot).deinitialize(count: 1) }
    }

    @inline(__always)
    private func note(_ lane: FreshLane, _ slot: Int, isNull: Bool) {
        setBit(lane.offset, slot, true)
        setBit(lane.offset + FreshLane.nullsOffset, slot, isNull)
    }

    func setNull(_ lane: FreshLane, _ slot: Int) {
        release(lane, slot)
        note(lane, slot, isNull: true)
    }

    /// Sets a text in a lane of texts.
    @inline(__always)
    func setText(_ lane: FreshLane, _ slot: Int, _ value: String) {
        if isGiven(lane, slot), !isNull(lane, slot) {
            text(lane, slot).pointee = value
        } else {
            text(lane, slot).initialize(to: value)
            note(lane, slot, isNull: false)
        }
    }

    /// Sets the bits of a lane of words.
    @inline(__always)
    func setWord(_ lane: FreshLane, _ slot: Int, _ bits: UInt64) {
        word(lane, slot).pointee = bits
        note(lane, slot, isNull: false)
    }

    /// Makes a reference; the id has to be of the table's own store.
    @inline(__always)
    func setReference(_ lane: FreshLane, _ slot: Int, entity: UInt32, row: Row) {
        setWord(lane, slot, UInt64(entity) << 32 | UInt64(row))
    }

    /// The entity and row of a reference; nil where there is none.
    @inline(__always)
    func reference(_ lane: FreshLane, _ slot: Int) -> (entity: UInt32, row: Row)? {
        guard isGiven(lane, slot), !isNull(lane, slot) else { return nil }
        let bits = word(lane, slot).pointee
        return (UInt32(bits >> 32), Row(truncatingIfNeeded: bits))
    }

    /// Sets a value that fits; false where it is of another kind than the lane's.
    func set(_ lane: FreshLane, _ slot: Int, _ value: Value) -> Bool {
        switch (lane.kind, value) {
        case (_, .null): setNull(lane, slot)
        case (.text, .string(let text)), (.uri, .uri(let text)): setText(lane, slot, text)
        case (.bool, .bool(let flag)): setWord(lane, slot, flag ? 1 : 0)
        case (.int, .int(let number)): setWord(lane, slot, UInt64(bitPattern: number))
        case (.float, .float(let number)): setWord(lane, slot, UInt64(number.bitPattern))
        case (.double, .double(let number)): setWord(lane, slot, number.bitPattern)
        case (.date, .date(let date)): setWord(lane, slot, date.timeIntervalSinceReferenceDate.bitPattern)
        case (.reference, .reference(let id)): setReference(lane, slot, entity: id.entityNumber, row: id.row)
        case (.uuid, .uuid(let value)):
            uuid(lane, slot).initialize(to: value)
            note(lane, slot, isNull: false)
        default: return false
        }
        return true
    }

    /// What a slot was given; nil where nothing.
    func value(_ lane: FreshLane, _ slot: Int, store: UInt32) -> Value? {
        guard isGiven(lane, slot) else { return nil }
        guard !isNull(lane, slot) else { return .some(.null) }
        switch lane.kind {
        case .text: return .string(text(lane, slot).pointee)
        case .uri: return .uri(text(lane, slot).pointee)
        case .uuid: return .uuid(uuid(lane, slot).pointee)
        case .bool: return .bool(word(lane, slot).pointee != 0)
        case .int: return .int(Int64(bitPattern: word(lane, slot).pointee))
        case .float: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: word(lane, slot).pointee)))
        case .double: return .double(Double(bitPattern: word(lane, slot).pointee))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: word(lane, slot).pointee)))
        case .reference:
            let bits = word(lane, slot).pointee
            return .reference(ObjectID(store: store, entity: UInt32(bits >> 32), row: Row(truncatingIfNeeded: bits)))
        }
    }
}
