import Graben
import GrabenLog
import GrabenModel
import GrabenPredicate

/// A store opened by the model its own file holds, for reading only.
struct OpenStore {
    let path: String
    let log: Log
    let model: ResolvedModel
    let coordinator: PersistentStoreCoordinator
    let context: ManagedObjectContext
    let names: ReferenceNames

    /// Opens the store of a session's first operand; what cannot be read of it is a warning, and the process will end with status 65.
    init(_ session: Session) throws {
        let path = session.invocation.store
        try self.init(path: path, log: try Self.log(path: path, asOf: session.invocation.moment()))
        if let damage = log.damage {
            session.flaw(
                "'\(path)' is damaged at byte \(damage.offset): \(damage.reason); shown is the store as of commit"
                    + " \(log.newest.commitNumber), the last one before that")
        }
        context.errorHandler = { error in session.flaw("\(error)") }
    }

    /// Opens a store's log for reading, as it is or was, which needs no model.
    static func log(path: String, asOf moment: LogMoment? = nil) throws(LogError) -> Log {
        var options = LogOptions(readOnly: true, createIfMissing: false, asOf: moment)
        options.recovery = { RecoveryProgress.show($0) }
        defer { RecoveryProgress.end() }
        return try Log.open(path: path, in: RealFileSystem(mapsSparsely: true), options: options)
    }

    /// Opens a store, or goes on from its open log.
    init(path: String, log: Log? = nil) throws {
        let log = try log ?? Self.log(path: path)
        let container = try PersistentContainer(log: log, StoreConfiguration(.file(path), isReadOnly: true))
        self.path = path
        self.log = log
        model = container.model
        coordinator = container.coordinator
        context = container.newContext()
        // Whoever writes meanwhile, what is shown is one state of the store.
        context.isPinned = true
        names = ReferenceNames(context, container.model)
    }

    /// The entity of a name, or the error that suggests another.
    func entity(_ name: String) throws(CLIError) -> Entity {
        if let entity = model.entity(named: name) { return entity }
        let known = model.entities.map(\.name)
        let nearest = nearestName(to: name, in: known)
        let all = nearest == nil && known.count <= 12 ? "; it has \(known.joined(separator: ", "))" : suggestion(nearest)
        throw CLIError(.notFound, "entity.unknown", "'\(path)' has no entity \(name.shown)\(all)", file: path)
    }

    /// The entities that have objects of their own.
    var concreteEntities: [Entity] { model.entities.filter { !$0.isAbstract } }
}
