/// What an object has beyond its word: what was read or changed of it, and the flags that few objects have.
///
/// Cells stand beside the chunk's entry, by slot, and not in the object: a million objects whose coordinates are drawn have none, and a word
/// is all they take. An object that is in no registry shares its slot with whoever is registered now, so its cell is kept aside by its table.
struct ObjectCell {
    var data: ObjectData?
    var flags: UInt = 0

    var isEmpty: Bool { data == nil && flags == 0 }
}

/// The flags in an object's cell.
enum CellFlag: UInt {
    /// Someone observes the object by key.
    case observed = 1
    /// It leaves the context as soon as that has settled.
    case leaving = 2
    /// Deleted, and its relationships are not yet torn down.
    case deletionPending = 4
    /// Its record was not there when its fault fired.
    case missing = 8
    /// Its values are those of a commit before the context's snapshot, and a later one changed it: a save compares with that one too.
    case stale = 32
}

extension ManagedObject {
    /// The object's cell; nil where it would be empty.
    @inline(__always)
    private final var cell: UnsafeMutablePointer<ObjectCell>? {
        guard has(ObjectFlag.cell) else { return nil }
        return has(ObjectFlag.registered) ? ChunkTable.cells(of: _entry).map { $0 + slot } : _table.aside[ObjectIdentifier(self)]
    }

    private final func makeCell() -> UnsafeMutablePointer<ObjectCell> {
        if let cell { return cell }
        set(ObjectFlag.cell)
        if has(ObjectFlag.registered) { return ChunkTable.makeCell(of: _entry, slot) }
        let cell = UnsafeMutablePointer<ObjectCell>.allocate(capacity: 1)
        cell.initialize(to: ObjectCell())
        _table.aside[ObjectIdentifier(self)] = cell
        return cell
    }

    /// What is read or changed of the object; nil for a fault. A fresh object moves out of the lanes of its chunk into what this answers.
    final var _data: ObjectData? {
        get { keptData ?? (isFresh ? leaveFresh() : nil) }
        set {
            if isFresh { dropFresh() }
            guard newValue != nil || has(ObjectFlag.cell) else { return }
            let cell = makeCell()
            cell.pointee.data = newValue
            if cell.pointee.isEmpty { dropCell() }
        }
    }

    /// As `_data`, but nil for a fresh object, which stays one: for whoever looks for what fresh objects never have.
    @inline(__always)
    final var keptData: ObjectData? { cell?.pointee.data }

    /// The object's data, made at the first call.
    final var data: ObjectData {
        if let data = _data { return data }
        let data = ObjectData()
        // What nobody has changed or bound needs no data, so that a new object, or one just read, may have none.
        if isInserted { data.base = .defaults }
        _data = data
        return data
    }

    @inline(__always)
    final func has(_ flag: CellFlag) -> Bool {
        guard let cell else { return false }
        return cell.pointee.flags & flag.rawValue != 0
    }

    final func set(_ flag: CellFlag) { makeCell().pointee.flags |= flag.rawValue }

    final func clear(_ flag: CellFlag) {
        guard let cell else { return }
        cell.pointee.flags &= ~flag.rawValue
        if cell.pointee.isEmpty { dropCell() }
    }

    final func clear(_ first: CellFlag, _ second: CellFlag) {
        clear(first)
        clear(second)
    }

    final func clearCellFlags() {
        guard let cell else { return }
        cell.pointee.flags = 0
        if cell.pointee.isEmpty { dropCell() }
    }

    /// Gives the cell and what is in it up.
    final func dropCell() {
        guard let cell else { return }
        if has(ObjectFlag.registered) {
            ChunkTable.emptyCell(of: _entry, slot)
        } else {
            _table.aside[ObjectIdentifier(self)] = nil
            cell.deinitialize(count: 1)
            cell.deallocate()
        }
        clear(ObjectFlag.cell)
    }

    /// Moves the cell to where it belongs once the object is registered, or is not any more, or is of another table.
    final func moveCell(whileChanging change: () -> Void) {
        if isFresh { leaveFresh() }
        guard let old = cell else { return change() }
        let contents = old.pointee
        dropCell()
        change()
        makeCell().pointee = contents
    }
}

extension ManagedObject {
    /// Whether `awakeFromFetch` is running: changes are values, not edits.
    @inline(__always)
    final var isAwakening: Bool {
        guard let context = _table.context, !context.awakening.isEmpty else { return false }
        return context.awakening.contains(ObjectIdentifier(self))
    }
}
