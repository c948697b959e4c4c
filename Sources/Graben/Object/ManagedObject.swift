public import GrabenLog
public import GrabenModel

/// An object of an entity: an instance in one context of one row of a store.
///
/// Subclasses add typed accessors, hooks and fields of their own; they do not override initialisers (`awakeFromInsert()` is the place for
/// further defaults). An object belongs to its context and is used where the context is: it is not `Sendable`, its `objectID` is.
///
/// Layout: one word after the object's header, because a million objects are walked every frame and memory is what such a walk waits for.
///
///     bits 0–2     flags; bit 0: packed getters take the slow path
///     bits 3–12    the slot in the chunk, which stands there as its byte offset in a Double lane
///     bits 13–19   flags
///     bits 20–63   the address of the chunk's entry in the context's chunk table, without its four zero bits
///
/// The entry's block names the entity's table, which the object keeps alive by a reference counted by hand, and says which chunk it is, so
/// that the row follows from it. What was read or changed of the object is in a cell that the table keeps (`ObjectCell`).
open class ManagedObject {
    @usableFromInline @exclusivity(unchecked)
    final var _word: UInt64

    /// Makes an object from what its context prepared; the library calls it, and subclasses inherit it.
    public required init(_ seed: ObjectSeed) {
        _word = seed.word
        _ = ChunkTable.home(of: _entry).retain()
    }

    deinit {
        if has(ObjectFlag.cell) { dropCell() }
        ChunkTable.home(of: _entry).release()
    }

    /// Makes a new object of the class's entity and inserts it into `context`.
    ///
    /// Where the class is bound to no entity of the context's model, or no store takes the entity, the error goes to the context's error
    /// handler, is thrown by the next save, and the object belongs to no context.
    public convenience init(context: ManagedObjectContext) {
        if let (table, row) = context.quickRow(for: Self.self) {
            self.init(table._withUnsafeGuaranteedRef { ObjectSeed($0, row: row) })
            table._withUnsafeGuaranteedRef { context.finishInsert(self, row, in: $0) }
            return
        }
        let (seed, failure) = context.newSeed(for: Self.self)
        self.init(seed)
        context.finishInsert(self, failure)
    }

    /// Makes a new object of `entity` and inserts it into `context`; with nil the object is in no context until `insert(_:)`.
    ///
    /// The class has to be the entity's: the context hands the same instance out as one. Where it is another, the error goes the way it
    /// does for `init(context:)`.
    public convenience init(entity: Entity, insertInto context: ManagedObjectContext?) {
        guard let context else {
            self.init(ObjectSeed(detached: entity, Self.self))
            applyDefaults()
            return
        }
        let (seed, failure) = context.newSeed(for: entity, Self.self)
        self.init(seed)
        context.finishInsert(self, failure)
    }

    // MARK: What a subclass may say of its class

    /// Whether packed getters call `willAccessValue(forKey:)` and `didAccessValue(forKey:)`; decided where the accessors are written.
    ///
    /// A subclass that turns it on over inherited fast getters is refused when the model is bound.
    open class var observesAccess: Bool { false }

    /// The attributes the class keeps in stored properties of its own, with the accessors that read and write them directly.
    open class var primitiveAccessors: [PrimitiveAccessor] { [] }

    /// The names of the packed attributes in the order the class's accessors number them, or nil where the class has none of its own.
    ///
    /// Hand-written packed accessors name their lane by number; the list is compared with the model when the class is bound, so that a
    /// number can never mean another attribute.
    open class var packedAttributes: [String]? { nil }

    /// The name of the entity the class declares; the class's own name where it declares none.
    open class var entityName: String { entityDescription?.name ?? "\(self)" }

    /// The entity the class declares, with the properties that the class itself adds; nil where it declares none. `@Entity` writes it.
    ///
    /// A class that declares none inherits its superclass's description, and is then no entity of its own.
    open class var entityDescription: EntityDescription? { nil }

    /// The key path of every property with an accessor, inherited ones included, rooted at the class that is asked. `@Entity` writes it.
    ///
    /// Typed predicates, sort descriptors and `fetched(_:)` find a property's name by it.
    open class var propertyKeyPaths: [PropertyKeyPath] { [] }

    /// The names of the properties in the order in which accessors number them, inherited ones first. `@Entity` writes it.
    ///
    /// `attribute(at:)` and its kin take such a number: which property of a model it means is looked up when the class is bound, so that
    /// an access hashes no name.
    open class var accessorKeys: [String] { [] }

    /// Which of the hooks below the class overrides, so that its objects are spared those it does not. `@Entity` writes it.
    open class var overriddenHooks: ClassHooks { .unknown }

    // MARK: Hooks

    /// Called once, when the object is inserted, after its defaults are in place; the place for further defaults and for observers.
    open func awakeFromInsert() {}
    /// Called after the object's fault has fired.
    open func awakeFromFetch() {}
    /// Called after undo, redo, rollback, refresh or a merge changed the object.
    open func awake(fromSnapshotEvents events: SnapshotEvents) {}
    /// Called before the object's relationships are torn down by a deletion.
    open func prepareForDeletion() {}
    /// Called before the object is saved; also for deleted objects.
    open func willSave() {}
    /// Called after the object was saved.
    open func didSave() {}
    /// Called before the object turns into a fault; its properties can still be read.
    open func willTurnIntoFault() {}
    /// Called after the object turned into a fault: the place to release fields and remove observers. Properties must not be read.
    open func didTurnIntoFault() {}

    /// Checks the object before it is saved for the first time; an override calls `super`.
    open func validateForInsert() throws { try validateProperties() }
    /// Checks the object before changes of it are saved; an override calls `super`.
    open func validateForUpdate() throws { try validateProperties() }
    /// Checks whether the object may be deleted; an override calls `super`.
    open func validateForDelete() throws { try validateDenyRules() }
    /// Checks one value on behalf of the class; the model's own rules are checked besides.
    open func validateValue(_ value: Value, forKey key: String) throws {}

    // MARK: Access

    /// Announces that a property is about to be read, and fires the object's fault where the property needs it; nil fires it always.
    open func willAccessValue(forKey key: String?) { accessWillBegin(key) }
    /// Announces that a property was read.
    open func didAccessValue(forKey key: String?) {}
    /// Announces that a property is about to change: fires the fault and keeps the old value. Calls may be nested.
    open func willChangeValue(forKey key: String) { changeWillBegin(key) }
    /// Announces that a property has changed: compares it with the value kept, records the change and tells observers.
    open func didChangeValue(forKey key: String) { changeDidEnd(key) }
}

/// Why `awake(fromSnapshotEvents:)` was called.
public struct SnapshotEvents: OptionSet, Sendable {
    /// One bit for each event.
    public let rawValue: Int
    /// The events of a bit mask.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// An insertion was undone.
    public static let undoInsertion = SnapshotEvents(rawValue: 1)
    /// A deletion was undone.
    public static let undoDeletion = SnapshotEvents(rawValue: 2)
    /// A change was undone or done again.
    public static let undoUpdate = SnapshotEvents(rawValue: 4)
    /// The context was rolled back.
    public static let rollback = SnapshotEvents(rawValue: 8)
    /// The object was refreshed.
    public static let refresh = SnapshotEvents(rawValue: 16)
    /// Another context's commit was merged.
    public static let merge = SnapshotEvents(rawValue: 32)
}

/// What a context prepares for a new instance; only the library makes one.
public struct ObjectSeed {
    let word: UInt64
    /// A table that nobody else holds yet: that of an object outside of contexts.
    private let owned: ObjectTable?

    /// The table of the row.
    var table: ObjectTable { ChunkTable.home(of: ManagedObject.entry(of: word)).takeUnretainedValue() }

    /// For a row in a table; `flags` besides.
    init(_ table: ObjectTable, row: Row, flags: UInt64 = 0) {
        let (entry, slot) = table.place(of: row)
        owned = table.stored == nil ? table : nil
        word = ManagedObject.word(entry, slot: slot) | flags
    }
}

/// The flags in an object's word; there is no room for more of them, rare ones are in the cell.
enum ObjectFlag {
    /// Packed getters cannot read through the entry.
    static let slow: UInt64 = 1
    /// Registered in its context.
    static let registered: UInt64 = 1 << 1
    static let fault: UInt64 = 1 << 2
    static let inserted: UInt64 = 1 << 13
    static let updated: UInt64 = 1 << 14
    static let deleted: UInt64 = 1 << 15
    /// In the context's list of changed objects.
    static let listed: UInt64 = 1 << 16
    /// In the context's list of objects changed in the current event.
    static let inEvent: UInt64 = 1 << 17
    /// In the event's list of objects that came into the context.
    static let newInEvent: UInt64 = 1 << 18
    /// The object has a cell that is not empty.
    static let cell: UInt64 = 1 << 19
    /// All of them: what is neither slot nor entry.
    static let all: UInt64 = 0b1111_1110_0000_0000_0111
}

extension ManagedObject {
    @inline(__always)
    final func has(_ flag: UInt64) -> Bool { _word & flag != 0 }
    @inline(__always)
    final func set(_ flag: UInt64) { _word |= flag }
    @inline(__always)
    final func clear(_ flag: UInt64) { _word &= ~flag }
    @inline(__always)
    final var slot: Int { Int(_word & 0x1FF8) >> 3 }

    /// The word for a chunk's entry and a slot. Entries stand at multiples of 16, and addresses of programs have 48 bits on every 64-bit system
    /// Swift runs on.
    @inline(__always)
    static func word(_ entry: ChunkTable.Entry, slot: Int) -> UInt64 { UInt64(UInt(bitPattern: entry)) << 16 | UInt64(slot) << 3 }

    @inline(__always)
    final var _entry: ChunkTable.Entry { Self.entry(of: _word) }

    @inline(__always)
    static func entry(of word: UInt64) -> ChunkTable.Entry {
        // Every word is made from an entry's address.
        ChunkTable.Entry(bitPattern: UInt(truncatingIfNeeded: word >> 16) & ~15).unsafelyUnwrapped
    }

    @inline(__always)
    final var _row: Row {
        let entry = _entry
        return withTable { $0.row(slotNumber: ChunkTable.index(of: entry) * ChunkGeometry.slotsPerChunk + slot) }
    }

    /// Lends the table without counting a reference: the object keeps it alive.
    @inline(__always)
    final func withTable<R>(_ body: (ObjectTable) -> R) -> R { ChunkTable.home(of: _entry)._withUnsafeGuaranteedRef(body) }

    @inline(__always)
    final var _table: ObjectTable { ChunkTable.home(of: _entry).takeUnretainedValue() }

    /// Moves an object that is in no registry to another table; its flags are those of the seed.
    final func move(to seed: ObjectSeed) {
        let old = ChunkTable.home(of: _entry)
        _ = Unmanaged.passUnretained(seed.table).retain()
        moveCell { _word = seed.word }
        old.release()
    }

    final var info: EntityInfo { _table.info }
    final var context: ManagedObjectContext? { has(ObjectFlag.registered) ? _table.context : nil }
}

extension ManagedObject {
    /// The object's identity; final from its insertion.
    public final var objectID: ObjectID {
        let row = _row
        return withTable { $0.id(row) }
    }
    /// The entity the object belongs to.
    public final var entity: Entity { _table.info.entity }
    /// The context the object belongs to; nil after a reset, a saved deletion or the context's end.
    public final var managedObjectContext: ManagedObjectContext? { context }
    /// Whether nothing unpacked of the object was read yet.
    public final var isFault: Bool { has(ObjectFlag.fault) }
    /// Whether the object is new and not saved.
    public final var isInserted: Bool { has(ObjectFlag.inserted) }
    /// Whether the object has unsaved changes; false for one that is inserted or deleted.
    public final var isUpdated: Bool { has(ObjectFlag.updated) && !has(ObjectFlag.inserted) && !has(ObjectFlag.deleted) }
    /// Whether the object is deleted and the deletion not saved, or its record is gone.
    public final var isDeleted: Bool { has(ObjectFlag.deleted) || (!has(ObjectFlag.inserted) && has(CellFlag.missing)) }
    /// Whether the object is inserted, updated or deleted; transient changes count.
    public final var hasChanges: Bool { isInserted || has(ObjectFlag.updated) || has(ObjectFlag.deleted) }
}

extension ManagedObject: Hashable {
    /// Whether both are the same instance.
    public static func == (a: ManagedObject, b: ManagedObject) -> Bool { a === b }
    /// Feeds the instance's identity to a hasher.
    public final func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Objects stay in the context that made them; send their ids.
@available(*, unavailable)
extension ManagedObject: @unchecked Sendable {}
