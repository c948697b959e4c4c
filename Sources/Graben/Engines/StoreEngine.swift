public import FoundationEssentials

/// Where a store's objects are kept, in a form of your own: a document of another kind, a service, a database.
///
/// An engine is read whole when its store is opened, and told of each save. What lies between is Graben's own: the objects stand in the log that stores in
/// memory have too, so that predicates, indexes, columns, undo, several contexts and unique keys work as in any other store. Memory and the time of opening
/// grow with the number of objects.
///
///     let store = StoreConfiguration(.engine(LineFile(path: "drawing.jsonl")))
///     let container = try PersistentContainer(model: model, stores: [store])
///
/// An engine names objects by entity and number. Numbers are its own when it is read; those of new objects come with the save that inserts them, and are used
/// once: `StoreMetadata.highestNumbers`, which it keeps, says which have been.
///
/// Calls come one at a time, on the thread that opens, saves or closes. An engine must not use the container or its contexts in them: a save holds the lock that
/// its own would wait for. What an engine throws reaches the caller as `GrabenError.engine`; a `StoreEngineError` keeps the object and key it names.
///
/// One engine serves one open store at a time, and sees to it that no other process writes what it reads.
public protocol StoreEngine: AnyObject, Sendable {
    /// What messages call the store: a path or an address.
    var name: String { get }

    /// What was kept with the last save; nil where there is no store yet, and then nothing is loaded and the first call of `save(_:)` makes one.
    func metadata() throws -> StoreMetadata?

    /// Reads every object, in any order, and hands each to `receive`, which throws what is wrong with it; that error is to be passed on.
    func load(_ receive: (StoreObject) throws -> Void) throws

    /// Keeps the changes of one save, all of them or none.
    ///
    /// Conflicts have been decided and everything is valid. It is called before anything else learns of the save: an engine that throws keeps it out, the
    /// context has its changes as before, and they can be saved again. Once it returns the save is made; it should be as durable as the engine promises.
    func save(_ changes: StoreChanges) throws

    /// Lets go of what the engine holds, when the store is closed or could not be opened; may be called more than once. A container that is let go of without
    /// `close()` does not call it.
    func close() throws
}

extension StoreEngine {
    /// Does nothing.
    public func close() throws {}
}

/// What an engine keeps beside the objects.
public struct StoreMetadata: Sendable, Hashable {
    /// The store's identity: ids as URIs begin with it.
    public var uuid: UUID
    /// The model the objects were saved under, as `ManagedObjectModel.jsonData()` writes it. A store whose model differs from the program's is mapped when
    /// it is opened, or refused, as files are.
    public var model: Data
    /// The highest number that an object of each entity ever had, by the entity's name. None up to there is given to a new object.
    public var highestNumbers: [String: UInt32]

    /// What an engine keeps of a store.
    public init(uuid: UUID, model: Data, highestNumbers: [String: UInt32]) {
        self.uuid = uuid
        self.model = model
        self.highestNumbers = highestNumbers
    }
}
