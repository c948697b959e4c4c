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
        var next = 0
        while let row = pages.firstRow(from: next) {
            next = Int(row) + 1
            isThorough = true
            letGo(row)
        }
        countAfterSweep = registeredCount
        if isThorough { giveMemoryBack() }
        isSweeping = false
    }

    /// Lets go of one object where it is clean and nobody else holds it.
    @inline(__always)
    func letGo(_ row: Row) {
        let busy = ObjectFlag.inserted | ObjectFlag.updated | ObjectFlag.deleted | ObjectFlag.listed | ObjectFlag.inEvent
        guard pages.isSole(row) else { return }
        // Most are of classes that nobody tells of it, and nothing of them is kept: nothing has to be done but to let go.
        guard let word = pages.borrow(row, { $0._word }), word & busy == 0 else { return }
        if word & ObjectFlag.cell != 0 || (word & ObjectFlag.fault == 0 && info.hooks.contains(.faulting)) {
            // A hook may have kept the object, changed it, or reset the context.
            guard letGoLoudly(row), pages.isSole(row) else { return }
            _ = pages.borrow(row) { $0.dropCell() }
        }
        guard let object = pages.take(row) else { return }
        registeredCount -= 1
        object._withUnsafeGuaranteedRef { $0.clear(ObjectFlag.registered) }
        object.release()
    }

    /// Before an object is let go of: its hooks. False where it has to stay.
    @inline(never)
    private func letGoLoudly(_ row: Row) -> Bool {
        guard let object = pages.place(of: row)?.pointee, !object.has(.observed), object.keptData?.open.isEmpty ?? true else {
            return false
        }
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
        var next = 0
        while let row = pages.firstRow(from: next) {
            next = Int(row) + 1
            let isQuiet = pages.borrow(row) { object in
                guard !object.has(ObjectFlag.cell | ObjectFlag.inserted) else { return false }
                object.clear(ObjectFlag.all)
                return true
            }
            guard isQuiet == true, let object = pages.take(row) else { continue }
            registeredCount -= 1
            object.release()
        }
    }

    private func giveMemoryBack() {
        pages.releaseEmptyPages()
        chunks.releaseEmptyCells()
    }
}
