import GrabenLog

/// A context's own copy of a chunk: the snapshot's values, with unsaved changes and kept values written over them.
///
/// - `dirty` slots hold unsaved changes.
/// - `kept` slots hold values that the context keeps though its snapshot has others: an object realised before the snapshot advanced, or
///   a value written by a primitive setter.
///
/// Every other slot equals the base chunk. `base` is the snapshot's chunk the copy was made from, kept alive by `owner`.
final class OverlayChunk {
    @exclusivity(unchecked) private(set) var data: UnsafeRawPointer
    let geometry: ChunkGeometry
    /// Which chunk it is a copy of.
    let index: Int
    @exclusivity(unchecked) private(set) var base: UnsafeRawPointer
    private(set) var owner: AnyObject?
    @exclusivity(unchecked) var dirty = SlotSet()
    @exclusivity(unchecked) var kept = SlotSet()
    /// For slots whose object is based on an earlier commit than `base`: the values they had there, lane by lane.
    var earlier: [Int: [Value]] = [:]
    /// A bit for each lane in which any slot may differ from the base, the top one for all from the 64th on. A bulk edit mostly changes one of
    /// several.
    @exclusivity(unchecked) private(set) var lanes: UInt64 = 0
    /// What each slot had before its first change of the current event.
    @exclusivity(unchecked) var event = EventSlots()

    /// Where `data` lies. A commit that it was handed over to may hold it too.
    private(set) var memory: ChunkMemory

    init(copying base: UnsafeRawPointer, ownedBy owner: AnyObject?, geometry: ChunkGeometry, index: Int, in memory: ChunkMemory) {
        self.index = index
        self.base = base
        self.owner = owner
        self.geometry = geometry
        self.memory = memory
        data = UnsafeRawPointer(memory.base)
        memory.base.copyMemory(from: base, byteCount: geometry.byteCount)
    }

    /// Where to write to any lane.
    func writable() -> UnsafeMutableRawPointer {
        lanes = .max
        return memory.base
    }

    /// Where to write to one lane.
    @inline(__always)
    func writable(lane: Int) -> UnsafeMutableRawPointer {
        lanes |= 1 << UInt64(min(lane, 63))
        return memory.base
    }

    /// Leaves its memory to a commit that holds it too, and goes on with a copy. Whoever has the address of the lanes has to be told of the new one.
    func leaveMemory() {
        let copy = ChunkMemory(byteCount: geometry.byteCount)
        copy.base.copyMemory(from: data, byteCount: geometry.byteCount)
        memory = copy
        data = UnsafeRawPointer(copy.base)
    }

    /// Whether it holds nothing but its base and unsaved changes of that, of an event that has ended.
    var isPlain: Bool { kept.isEmpty && earlier.isEmpty && event.isEmpty }

    /// Whether nothing of its own is in it, so that the snapshot's chunk can take its place.
    var isRedundant: Bool { dirty.isEmpty && kept.isEmpty }

    /// The value at the commit the slot's object is based on.
    func baseValue(_ lane: Int, _ slot: Int) -> Value {
        earlier[slot]?[lane] ?? geometry.value(base, lane, slot)
    }

    /// Puts back the values of the base commit and forgets the change.
    func restore(_ slot: Int) {
        if let values = earlier[slot] {
            for lane in values.indices { geometry.setValue(writable(), lane, slot, values[lane]) }
            dirty[slot] = false
            kept[slot] = true
        } else {
            geometry.copySlot(slot, from: base, to: memory.base)
            dirty[slot] = false
            kept[slot] = false
        }
    }

    /// Takes the snapshot's values for a slot, whatever it held.
    func takeBase(_ slot: Int) {
        earlier[slot] = nil
        restore(slot)
    }

    /// Takes the snapshot's values for every slot without unsaved changes, except for some.
    func forgetKept(except isWanted: (Int) -> Bool) {
        kept.forEach { if !dirty[$0], !isWanted($0) { takeBase($0) } }
    }

    /// Moves the copy onto a newer base: dirty and kept slots keep their values and remember those of their own base commit.
    func rebase(onto newBase: UnsafeRawPointer, ownedBy newOwner: AnyObject?) {
        guard newBase != base else {
            owner = newOwner
            return
        }
        completeEvent()
        let fresh = UnsafeMutableRawPointer.allocate(byteCount: geometry.byteCount, alignment: 64)
        defer { fresh.deallocate() }
        fresh.copyMemory(from: newBase, byteCount: geometry.byteCount)
        let preserve: (Int) -> Void = { slot in
            if self.earlier[slot] == nil, !self.geometry.slotsEqual(slot, self.base, newBase) {
                self.earlier[slot] = self.geometry.lanes.indices.map { self.geometry.value(self.base, $0, slot) }
            }
            self.geometry.copySlot(slot, from: self.data, to: fresh)
        }
        dirty.forEach(preserve)
        kept.forEach { if !self.dirty[$0] { preserve($0) } }
        writable().copyMemory(from: fresh, byteCount: geometry.byteCount)
        base = newBase
        owner = newOwner
    }
}

/// What the changed slots of a chunk held before the current event, in the order of their first change.
///
/// As long as all of them held what the overlay's base has, only the slots are noted: most events are told to nobody and taken back by nobody.
/// `OverlayChunk.completeEvent()` fetches the values before the base changes or somebody asks.
struct EventSlots {
    private(set) var slots: [UInt16] = []
    /// Slot by slot the bits of each lane.
    private var bits: [UInt64] = []
    /// The places in `bits` that stand for nil, ascending; few chunks have any.
    private var nulls: [Int] = []
    private var seen = SlotSet()

    var isEmpty: Bool { slots.isEmpty }
    /// Whether the values are still to be fetched.
    var isIncomplete: Bool { bits.isEmpty && !slots.isEmpty }

    mutating func note(_ slot: Int, in chunk: UnsafeRawPointer, _ geometry: ChunkGeometry) {
        guard !seen[slot] else { return }
        seen[slot] = true
        slots.append(UInt16(slot))
        take(slot, in: chunk, geometry)
    }

    /// Notes a slot that holds what the base has.
    @inline(__always)
    mutating func noteUnchanged(_ slot: Int, _ base: UnsafeRawPointer, _ geometry: ChunkGeometry) {
        if seen[slot] { return }
        seen[slot] = true
        slots.append(UInt16(slot))
        if !bits.isEmpty { take(slot, in: base, geometry) }
    }

    /// Fetches the values of slots that hold what the base has.
    fileprivate mutating func complete(from base: UnsafeRawPointer, _ geometry: ChunkGeometry) {
        guard isIncomplete else { return }
        for slot in slots { take(Int(slot), in: base, geometry) }
    }

    private mutating func take(_ slot: Int, in chunk: UnsafeRawPointer, _ geometry: ChunkGeometry) {
        for lane in 0..<geometry.lanes.count {
            if !geometry.isValid(chunk, lane, slot) { nulls.append(bits.count) }
            bits.append(geometry.bits(chunk, lane, slot))
        }
    }

    /// The value in a lane of the slot at a place in `slots`.
    func value(at place: Int, _ lane: Int, _ geometry: ChunkGeometry) -> Value {
        let index = place * geometry.lanes.count + lane
        if isNull(index) { return .null }
        return geometry.lanes[lane].isDouble
            ? .double(Double(bitPattern: bits[index])) : .float(Float(bitPattern: UInt32(truncatingIfNeeded: bits[index])))
    }

    private func isNull(_ index: Int) -> Bool {
        guard !nulls.isEmpty else { return false }
        var (low, high) = (0, nulls.count)
        while low < high {
            let middle = (low + high) / 2
            if nulls[middle] < index { low = middle + 1 } else { high = middle }
        }
        return low < nulls.count && nulls[low] == index
    }

    /// Takes in what another event found in a slot that this one has not.
    mutating func append(_ place: Int, of other: EventSlots, laneCount: Int) {
        let slot = other.slots[place]
        seen[Int(slot)] = true
        slots.append(slot)
        for lane in 0..<laneCount {
            if other.isNull(place * laneCount + lane) { nulls.append(bits.count) }
            bits.append(other.bits[place * laneCount + lane])
        }
    }

    /// Takes over what another event found in one lane of a slot.
    mutating func take(_ lane: Int, at place: Int, from other: EventSlots, at otherPlace: Int, laneCount: Int) {
        let (index, source) = (place * laneCount + lane, otherPlace * laneCount + lane)
        bits[index] = other.bits[source]
        guard isNull(index) != other.isNull(source) else { return }
        nulls.removeAll { $0 == index }
        if other.isNull(source) { nulls.insert(index, at: nulls.firstIndex { $0 > index } ?? nulls.count) }
    }

    /// The value a slot had before the event, or nil where the event did not touch it.
    func value(_ lane: Int, _ slot: Int, _ geometry: ChunkGeometry) -> Value? {
        guard seen[slot], let place = slots.firstIndex(of: UInt16(slot)) else { return nil }
        return value(at: place, lane, geometry)
    }
}

extension OverlayChunk {
    /// Keeps what a slot holds before its first change in the event.
    @inline(__always)
    func noteEvent(_ slot: Int) {
        if !dirty[slot], !kept[slot] { return event.noteUnchanged(slot, base, geometry) }
        completeEvent()
        event.note(slot, in: data, geometry)
    }

    /// Fetches the values that the event's slots had, where that was put off.
    func completeEvent() { event.complete(from: base, geometry) }

    /// A slot's values were saved: they are nobody's change any more, and what they were based on is behind.
    func settle(_ slot: Int) {
        dirty[slot] = false
        earlier[slot] = nil
    }

    /// The same for every unsaved slot.
    func settleAll() {
        if !earlier.isEmpty { dirty.forEach { earlier[$0] = nil } }
        dirty = SlotSet()
    }
}
