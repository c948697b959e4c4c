import GrabenLog
import GrabenModel

/// Letting go of objects that nobody holds.
extension ObjectTable {
    /// Lets go of clean objects that nobody else holds, after their hooks. Complexity: O(registered).
    func sweep() {
        guard !isSweeping else { return }
        isSweeping = true
        // A fetch of one object ends an event, so little is done where few objects came and none is in the pages.
        var isThorough = sinceSweep > Nursery.capacity
        sinceSweep = 0
        sweepNursery()
        for index in pages.indices where pageCounts[index] > 0 {
            isThorough = true
            for place in 0..<Self.rowsPerPage { letGo(index, place) }
        }
        countAfterSweep = registeredCount
        if isThorough { giveMemoryBack() }
        isSweeping = false
    }

    /// Lets go of one object where it is clean and nobody else holds it.
    @inline(__always)
    func letGo(_ index: Int, _ place: Int) {
        let busy = ObjectFlag.inserted | ObjectFlag.updated | ObjectFlag.deleted | ObjectFlag.listed | ObjectFlag.inEvent
        // A hook may have registered others, and so moved the list of pages.
        guard let page = pages[index], page[place] != nil, isKnownUniquelyReferenced(&page[place]) else { return }
        // Most are of classes that nobody tells of it, and nothing of them is kept: nothing has to be done but to let go.
        guard let word = Self.borrow(page + place, { $0._word }), word & busy == 0 else { return }
        if word & ObjectFlag.cell != 0 || (word & ObjectFlag.fault == 0 && info.hooks.contains(.faulting)) {
            // A hook may have kept the object, changed it, or reset the context.
            guard letGoLoudly(page, place), page[place] != nil, isKnownUniquelyReferenced(&page[place]) else { return }
            _ = Self.borrow(page + place) { $0.dropCell() }
        }
        registeredCount -= 1
        pageCounts[index] -= 1
        _ = Self.borrow(page + place) { $0.clear(ObjectFlag.registered) }
        page[place] = nil
    }

    /// Before an object is let go of: its hooks. False where it has to stay.
    @inline(never)
    private func letGoLoudly(_ page: UnsafeMutablePointer<ManagedObject?>, _ place: Int) -> Bool {
        guard let object = page[place], !object.has(.observed), object.keptData?.open.isEmpty ?? true else { return false }
        let busy = ObjectFlag.updated | ObjectFlag.deleted | ObjectFlag.listed | ObjectFlag.inEvent
        var isGoing = false
        object.turnIntoFault {
            // What its last hook changed is something to save.
            isGoing = object._word & busy == 0 && object.keptData?.open.isEmpty ?? true
            guard isGoing else { return false }
            dropKeptValues(object)
            if !object.has(CellFlag.missing) { object.clear(.stale) }
            return true
        }
        return isGoing && object._word & busy == 0
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
        emptyNursery()
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

    private func giveMemoryBack() {
        for index in pages.indices where pageCounts[index] == 0 {
            guard let page = pages[index] else { continue }
            // Nothing is in it.
            page.deallocate()
            pages[index] = nil
        }
        chunks.releaseEmptyCells()
    }
}
