import CGraben
import GrabenLog

/// The faults that a table made last, by the low bits of their rows; at most 1,024 of them.
///
/// Whoever walks a million references keeps none of the objects. So a new fault takes the place of one before whose row ends in the same bits:
/// the instance there, if nobody holds it, becomes the object of the new row, or moves to the table's pages. Such a walk then makes a thousand
/// instances and touches little memory but that of the values it reads; pages are touched for objects that somebody keeps.
///
/// There are two places for each row, side by side, since who follows both ends of a line holds one object while he asks for the other: once
/// such objects are in the pages, nearly every page has one, and every look-up then waits for a page's memory.
struct Nursery {
    struct Place {
        /// Owned by the place.
        var object: Unmanaged<ManagedObject>?
        var row: Row
    }

    static let capacity = 1024
    /// Places for one row.
    private static let ways = 2
    private static let mask = capacity / ways - 1

    /// Nil until the first fault comes.
    private(set) var places: UnsafeMutablePointer<Place>?
    /// How many places have an object.
    var count = 0

    /// Where a row's object stands if it is here, as in the place behind; nil as long as there are no places.
    @inline(__always)
    func place(of row: Row) -> UnsafeMutablePointer<Place>? { places.map { Self.place(of: row, in: $0) } }

    @inline(__always)
    private static func place(of row: Row, in places: UnsafeMutablePointer<Place>) -> UnsafeMutablePointer<Place> {
        places + (Int(row) & mask) * ways
    }

    /// The object of a row; nil where it is not here.
    @inline(__always)
    func object(of row: Row) -> Unmanaged<ManagedObject>? {
        guard let place = place(of: row) else { return nil }
        if place.pointee.row == row { return place.pointee.object }
        return place[1].row == row ? place[1].object : nil
    }

    /// A place for a row's object: an empty one if there is one.
    mutating func makePlace(of row: Row) -> UnsafeMutablePointer<Place> {
        let place = Self.place(of: row, in: makePlaces())
        return place.pointee.object != nil && place[1].object == nil ? place + 1 : place
    }

    private mutating func makePlaces() -> UnsafeMutablePointer<Place> {
        if let places { return places }
        let made = UnsafeMutablePointer<Place>.allocate(capacity: Self.capacity)
        made.initialize(repeating: Place(object: nil, row: .max), count: Self.capacity)
        places = made
        return made
    }

    /// Hands the object of a place out, with the reference the place had.
    mutating func take(_ place: UnsafeMutablePointer<Place>) -> (object: Unmanaged<ManagedObject>, row: Row)? {
        guard let object = place.pointee.object else { return nil }
        let row = place.pointee.row
        place.pointee = Place(object: nil, row: .max)
        count -= 1
        return (object, row)
    }

    func deallocate() { places?.deallocate() }
}

extension ObjectTable {
    /// Flags of objects that cannot be let go of, or of which something is kept.
    private static var busy: UInt64 {
        ObjectFlag.inserted | ObjectFlag.updated | ObjectFlag.deleted | ObjectFlag.listed | ObjectFlag.inEvent | ObjectFlag.cell
    }

    /// Registers an object for a row that has none, as a fault: an instance that nobody holds, or a new one.
    @inline(__always)
    func makeFault(_ row: Row) -> ManagedObject {
        let number = slotNumber(row)
        let entry = chunks.entry(number / ChunkGeometry.slotsPerChunk)
        let slot = number % ChunkGeometry.slotsPerChunk
        // To bind a chunk may call an error handler, after which nothing need be as it was.
        guard recycles, !isWithLanes || chunks.isBound(entry), var home = nursery.place(of: row) else {
            return Self.makeAnotherFault(row, in: .passUnretained(self))
        }
        if !isFree(home) {
            home += 1
            guard isFree(home) else { return Self.makeAnotherFault(row, in: .passUnretained(self)) }
        }
        guard let resident = home.pointee.object else { return Self.makeAnotherFault(row, in: .passUnretained(self)) }
        prefetchLanes(of: entry, slot)
        let flags = ObjectFlag.fault | ObjectFlag.registered | (isTracked ? ObjectFlag.slow : 0)
        resident._withUnsafeGuaranteedRef { $0._word = ManagedObject.word(entry, slot: slot) | flags }
        home.pointee.row = row
        return resident.takeUnretainedValue()
    }

    /// Whether a place has an object that nobody holds and of which nothing is kept.
    @inline(__always)
    private func isFree(_ place: UnsafeMutablePointer<Nursery.Place>) -> Bool {
        guard let object = place.pointee.object, ReferenceCounts.isSole(place, object, soleCounts) else { return false }
        return object._withUnsafeGuaranteedRef { $0._word & Self.busy == 0 }
    }

    /// Whoever asks for an object whose class has a place in space mostly reads that next, at random: reading then begins here, beside the rest
    /// of the work.
    @inline(__always)
    private func prefetchLanes(of entry: ChunkTable.Entry, _ slot: Int) {
        for lane in 0..<min(plainLaneCount, 3) { graben_prefetch(entry.pointee + (lane * ChunkGeometry.slotsPerChunk + slot) * 8) }
    }

    /// The same for a row whose object is likely to be asked for soon, where its chunk is bound; and where it is looked for.
    @inline(__always)
    func prefetch(_ row: Row) {
        pages.prefetch(row)
        let number = slotNumber(row)
        guard number / ChunkGeometry.slotsPerChunk < chunks.count else { return }
        prefetchLanes(of: chunks.entry(number / ChunkGeometry.slotsPerChunk), number % ChunkGeometry.slotsPerChunk)
    }

    /// As `makeFault(_:)`, where program code may run: hooks of objects that are let go of, and handlers that are told of a chunk that cannot be
    /// read. They may ask for the same row, or reset the context; so the table is held, and looked into again.
    @inline(never)
    private static func makeAnotherFault(_ row: Row, in table: Unmanaged<ObjectTable>) -> ManagedObject {
        let table = table.takeUnretainedValue()
        table.retire(table.nursery.makePlace(of: row))
        let object = table.info.objectClass.init(ObjectSeed(table, row: row, flags: ObjectFlag.fault))
        if let known = table.registered(row) { return known }
        // Of a table that the context has dropped nobody would ever let go of it.
        guard table.contextReference != nil else { return object }
        let home = table.nursery.makePlace(of: row)
        guard home.pointee.object == nil else {
            table.register(object, row: row)
            return object
        }
        object.set(ObjectFlag.registered | (table.isTracked ? ObjectFlag.slow : 0))
        home.pointee = Nursery.Place(object: .passRetained(object), row: row)
        table.nursery.count += 1
        table.registeredCount += 1
        table.sinceSweep += 1
        return object
    }

    /// As `makeFault(_:)`, for who keeps the object: it goes to the pages at once.
    func makeFaultToKeep(_ row: Row) -> ManagedObject {
        let object = info.objectClass.init(ObjectSeed(self, row: row, flags: ObjectFlag.fault))
        // A handler that was told of an unreadable chunk may have asked for it.
        if let known = registered(row) { return known }
        register(object, row: row)
        return object
    }

    /// Clears a place: lets go of its object where nobody else holds it, and else moves it to the pages. Once those that somebody held have
    /// become many, lets go of all that nobody holds any more.
    private func retire(_ place: UnsafeMutablePointer<Nursery.Place>) {
        if recycles, isFree(place) { return letGo(place) }
        guard let (object, row) = nursery.take(place) else { return }
        pages.put(object, row)
        guard !isSweeping else { return }
        if registeredCount > 2 * countAfterSweep + 16 * Nursery.capacity {
            sweep()
        } else {
            isSweeping = true
            letGo(row)
            isSweeping = false
        }
    }

    /// Lets go of the object of a place that is free.
    private func letGo(_ place: UnsafeMutablePointer<Nursery.Place>) {
        guard let (object, _) = nursery.take(place) else { return }
        object._withUnsafeGuaranteedRef { $0.clear(ObjectFlag.registered) }
        registeredCount -= 1
        object.release()
    }

    /// Lets go of the objects of which that is all there is to do, and moves the others to the pages. Complexity: O(1) where there is none.
    func sweepNursery() {
        guard recycles else { return emptyNursery() }
        guard nursery.count > 0, let places = nursery.places else { return }
        for place in places..<places + Nursery.capacity {
            if isFree(place) { letGo(place) } else if let (object, row) = nursery.take(place) { pages.put(object, row) }
        }
    }

    /// Moves every object to the pages, for who walks those. Complexity: O(1) where there is none.
    func emptyNursery() {
        guard nursery.count > 0, let places = nursery.places else { return }
        for index in 0..<Nursery.capacity {
            if let (object, row) = nursery.take(places + index) { pages.put(object, row) }
        }
    }
}

/// Looks at the word in which Swift counts the references to an object, to find out in one load whether nobody but one owner knows it.
///
/// Unsafe, and confined to this: three calls of the runtime, for strong, unowned and weak references, would cost more than all else that making
/// a fault does. Nothing is assumed of the word but that it stands behind the object's metadata, as in every native Swift object, and is
/// another one where there are other references: it is only compared with that of an object that has one.
enum ReferenceCounts {
    private final class Sample {}

    @inline(__always)
    private static func word(_ object: UnsafeRawPointer) -> UInt { object.load(fromByteOffset: MemoryLayout<UInt>.size, as: UInt.self) }

    /// The word of an object to which there is one strong reference, and neither a weak nor an unowned one.
    static let sole: UInt = {
        let sample = makeSample()
        defer { sample.release() }
        return word(sample.toOpaque())
    }()

    @inline(never)
    private static func makeSample() -> Unmanaged<Sample> { .passRetained(Sample()) }

    /// Whether the place's is the only reference of any kind to its object; `sole` is at hand there. The runtime is asked as well, since the compiler
    /// knows of that question that no reference may be counted later than it, and of a load it does not.
    @inline(__always)
    static func isSole(_ place: UnsafeMutablePointer<Nursery.Place>, _ object: Unmanaged<ManagedObject>, _ sole: UInt) -> Bool {
        guard word(object.toOpaque()) == sole else { return false }
        return isKnownUniquelyReferenced(&UnsafeMutableRawPointer(place).assumingMemoryBound(to: ManagedObject?.self).pointee)
    }
}
