import GrabenLog

/// Makes objects of one class from ids that are mostly of one table, which is looked for and compared with the class only where another comes.
struct ObjectMaker {
    private let context: ManagedObjectContext
    /// Whether the objects go to who keeps them: few are mostly let go of at once, many kept.
    private let isToKeep: Bool
    private let isWanted: (ManagedObject.Type) -> Bool
    private var table: ObjectTable?
    /// Every object of a table has the class of its entity, so it is asked once whether that is wanted.
    private var isSure = false

    init(_ context: ManagedObjectContext, count: Int, _ isWanted: @escaping (ManagedObject.Type) -> Bool) {
        self.context = context
        self.isWanted = isWanted
        isToKeep = count > Nursery.capacity / 4
    }

    /// The object with an id, a fault where the context has not met it; nil where its class is not wanted.
    @inline(__always)
    mutating func object(_ id: ObjectID) -> ManagedObject? {
        turn(to: id)
        if let table, isSure { return isToKeep ? context.objectToKeep(id.row, in: table) : context.object(id.row, in: table) }
        let object = context.object(with: id)
        return isWanted(type(of: object)) ? object : nil
    }

    /// Begins to read what making the object of an id and asking it for coordinates will read.
    @inline(__always)
    mutating func prefetch(_ id: ObjectID) {
        turn(to: id)
        table?.prefetch(id.row)
    }

    @inline(__always)
    private mutating func turn(to id: ObjectID) {
        if table?.holds(id) == true { return }
        table = context.isClosed ? nil : context.table(for: id)
        isSure = table.map { isWanted($0.info.objectClass) } ?? false
    }
}
