import GrabenLog
import GrabenModel

/// Letting go of objects that nobody holds, and the instances that wait for another row.
extension ObjectTable {
    /// Lets go of clean objects that nobody else holds, after their hooks. Complexity: O(registered).
    func sweep() {
        guard !isSweeping else { return }
        isSweeping = true
        sinceSweep = 0
        young.removeAll(keepingCapacity: true)
        for index in pages.indices where pageCounts[index] > 0 {
            for place in 0..<Self.rowsPerPage { letGo(index, place) }
        }
        countAfterSweep = registeredCount
        endSweep()
    }

    /// Before another fault is made: lets go of what came since the last sweep and nobody else holds, and once those that somebody held then
    /// have become many, of all. So who walks a million objects has no more than some thousands at a time.
    /// Complexity: O(1), amortized.
    @inline(__always)
    func makeRoom() {
        if young.count >= Self.youngLimit { sweepYoung() }
    }

    private static let youngLimit = 4_096

    @inline(never)
    private func sweepYoung() {
        guard !isSweeping else { return }
        if registeredCount > 2 * countAfterSweep + 4 * Self.youngLimit { return sweep() }
        isSweeping = true
        let rows = young
        young = []
        young.reserveCapacity(Self.youngLimit)
        sinceSweep = max(0, sinceSweep - rows.count)
        for row in rows { letGo(Int(row) / Self.rowsPerPage, Int(row) % Self.rowsPerPage) }
        endSweep()
    }

    /// Lets go of one object where it is clean and nobody else holds it.
    @inline(__always)
    private func letGo(_ index: Int, _ place: Int) {
        let busy = ObjectFlag.inserted | ObjectFlag.updated | ObjectFlag.deleted | ObjectFlag.listed | ObjectFlag.inEvent
        // A hook may have registered others, and so moved the list of pages.
        guard let page = pages[index], page[place] != nil, isKnownUniquelyReferenced(&page[place]) else { return }
        // Most are of classes that nobody tells of it, and nothing of them is kept: nothing has to be done but to let go.
        guard let word = Self.borrow(page + place, { $0._word }), word & busy == 0 else { return }
        if word & ObjectFlag.cell != 0 || (word & ObjectFlag.fault == 0 && info.hooks.contains(.faulting)) {
            guard letGoLoudly(page, place) else { return }
        }
        registeredCount -= 1
        pageCounts[index] -= 1
        if recycles, word & ObjectFlag.cell == 0, spares.count < Self.youngLimit, Self.borrow(page + place, Self.isForgotten) == true {
            spares.append(UnsafeRawPointer(page + place).load(as: Unmanaged<ManagedObject>.self))
            UnsafeMutableRawPointer(page + place).storeBytes(of: nil, as: UnsafeRawPointer?.self)
            return
        }
        _ = Self.borrow(page + place) { $0.clear(ObjectFlag.registered) }
        page[place] = nil
    }

    /// Whether nobody has a weak or unowned reference to an object that nobody holds; who has one must see it go.
    private static func isForgotten(_ object: ManagedObject) -> Bool {
        _getUnownedRetainCount(object) == 1 && _getWeakRetainCount(object) == 1
    }

    /// Registers an object for a row that has none, as a fault: an instance that waits for one, or a new one.
    func makeFault(_ row: Row) -> ManagedObject {
        makeRoom()
        if let spare = spares.popLast() {
            let (entry, slot) = place(of: row)
            let object = spare.takeRetainedValue()
            object._word = ManagedObject.word(entry, slot: slot) | ObjectFlag.fault
            register(object, row: row)
            return object
        }
        let object = info.objectClass.init(ObjectSeed(self, row: row, flags: ObjectFlag.fault))
        register(object, row: row)
        return object
    }

    func dropSpares() {
        while let spare = spares.popLast() {
            spare._withUnsafeGuaranteedRef { $0.clear(ObjectFlag.registered) }
            spare.release()
        }
    }

    /// Before an object is let go of: its hooks. False where it has to stay.
    @inline(never)
    private func letGoLoudly(_ page: UnsafeMutablePointer<ManagedObject?>, _ place: Int) -> Bool {
        guard let object = page[place], !object.has(.observed), object.keptData?.open.isEmpty ?? true else { return false }
        dropKeptValues(object)
        object.turnIntoFault()
        object.dropCell()
        return true
    }

    /// Coordinates that only this object kept, of a commit before the snapshot, go with it: whoever asks for the row then reads the snapshot.
    private func dropKeptValues(_ object: ManagedObject) {
        guard snapshot != nil, !info.laneProperties.isEmpty, object.has(CellFlag.stale) || object.has(CellFlag.missing) else { return }
        guard let overlay = chunks.overlay(chunkIndex(of: object._row)) else { return }
        if overlay.kept[object.slot], !overlay.dirty[object.slot] { overlay.takeBase(object.slot) }
    }

    /// Ends the registration of clean objects of which nothing is kept and whose class nobody tells of it.
    func detachQuietly() {
        guard info.hooks.isDisjoint(with: .faulting), !info.hasAccessors else { return }
        for index in pages.indices where pageCounts[index] > 0 {
            guard let page = pages[index] else { continue }
            for place in 0..<Self.rowsPerPage {
                let isQuiet = Self.borrow(page + place) { object in
                    guard !object.has(ObjectFlag.cell | ObjectFlag.inserted) else { return false }
                    object.clear(ObjectFlag.all)
                    return true
                }
                guard isQuiet == true else { continue }
                registeredCount -= 1
                pageCounts[index] -= 1
                page[place] = nil
            }
        }
    }

    private func endSweep() {
        for index in pages.indices where pageCounts[index] == 0 {
            guard let page = pages[index] else { continue }
            page.deinitialize(count: Self.rowsPerPage)
            page.deallocate()
            pages[index] = nil
        }
        chunks.releaseEmptyCells()
        isSweeping = false
    }
}
