public import FoundationEssentials
package import GrabenLog
public import GrabenModel

/// A model, its stores and contexts in one: where a program begins.
///
///     let container = try PersistentContainer(model: model, classes: ["Joint": Joint.self], at: "drawing.graben")
///     let context = container.newContext()
public final class PersistentContainer: Sendable {
    /// What the contexts share.
    public let coordinator: PersistentStoreCoordinator
    /// The main actor's context; it merges other contexts' commits by itself.
    @MainActor public var viewContext: ManagedObjectContext { view.context }
    private let view: ViewContext

    /// Opens stores for a model.
    ///
    /// - Parameters:
    ///   - classes: the class of each entity by name; the others have `ManagedObject`.
    /// - Throws: what `PersistentStoreCoordinator` throws.
    public init(
        model: ManagedObjectModel, classes: [String: ManagedObject.Type] = [:], stores: [StoreConfiguration]
    ) throws(GrabenError) {
        coordinator = try PersistentStoreCoordinator(model: model, classes: classes)
        for store in stores { try coordinator.addStore(store) }
        view = ViewContext(coordinator)
    }

    /// Opens one store in a file, which is created where it is missing.
    ///
    /// - Throws: what `PersistentStoreCoordinator` throws.
    public convenience init(
        model: ManagedObjectModel, classes: [String: ManagedObject.Type] = [:], at path: String
    ) throws(GrabenError) {
        try self.init(model: model, classes: classes, stores: [StoreConfiguration(.file(path))])
    }

    /// Opens one store in a file, which is created where it is missing.
    ///
    /// - Throws: what `PersistentStoreCoordinator` throws; `GrabenError.invalidRequest` where the URL is no file's.
    public convenience init(
        model: ManagedObjectModel, classes: [String: ManagedObject.Type] = [:], at url: URL
    ) throws(GrabenError) {
        guard url.isFileURL else { throw .invalidRequest(reason: "opening \(url.absoluteString): a store is a file") }
        try self.init(model: model, classes: classes, at: url.path)
    }

    /// Opens a store that exists by the model in its own file: what a tool does that knows no program's models.
    ///
    /// The file is opened once, so that model and data are of one moment even while another process writes it.
    /// - Throws: `GrabenError.store`; `.model` where the file's model cannot be read.
    public convenience init(selfDescribing store: StoreConfiguration) throws(GrabenError) {
        var configuration = store
        configuration.createsIfMissing = false
        try self.init(log: try StoreRegistry.openLog(configuration), configuration)
    }

    /// Takes over an open log, with the model it holds; a log that cannot be used is closed.
    package init(log: Log, _ configuration: StoreConfiguration) throws(GrabenError) {
        do throws(GrabenError) {
            coordinator = try PersistentStoreCoordinator(model: try ManagedObjectModel(of: log))
        } catch {
            // Why it cannot be used says more than a failure to close it would.
            try? log.close()
            throw error
        }
        _ = try coordinator.add(log, configuration)
        view = ViewContext(coordinator)
    }

    /// The model, checked and numbered.
    public var model: ResolvedModel { coordinator.model }

    /// A context for whoever asks: an actor, a test, a tool.
    public func newContext() -> sending ManagedObjectContext { Self.makeContext(coordinator) }

    /// A context that runs on an executor of its own.
    public func newBackgroundContext() -> BackgroundContext { BackgroundContext(self) }

    /// Closes every store; see `PersistentStoreCoordinator.close()`.
    ///
    /// - Throws: `GrabenError.store`.
    public func close() throws(GrabenError) { try coordinator.close() }

    fileprivate static func makeContext(_ coordinator: PersistentStoreCoordinator) -> sending ManagedObjectContext {
        let context = ManagedObjectContext(coordinator: coordinator, parent: nil)
        context.automaticallyMergesChangesFromParent = true
        return context
    }
}

/// Makes the main actor's context when it is first asked for.
@MainActor
private final class ViewContext {
    private let coordinator: PersistentStoreCoordinator
    lazy var context: ManagedObjectContext = {
        let context = PersistentContainer.makeContext(coordinator)
        context.owner = .mainActor
        context.endEvents { [weak self] in
            Task { @MainActor in self?.context.endTurn() }
        }
        return context
    }()

    nonisolated init(_ coordinator: PersistentStoreCoordinator) { self.coordinator = coordinator }
}

extension ManagedObjectModel {
    /// The model a store was last opened for writing with, as its file has it: enough to open the store with no program of one's own.
    ///
    /// - Throws: `GrabenError.store`; `.model` where the file's model cannot be read.
    public init(ofStoreAt path: String) throws(GrabenError) {
        let log = try StoreRegistry.openLog(StoreConfiguration(.file(path), isReadOnly: true, createsIfMissing: false))
        do { try log.close() } catch { throw .store(error) }
        try self.init(of: log)
    }

    /// The model in a log's newest catalog.
    fileprivate init(of log: Log) throws(GrabenError) {
        do { self = try ManagedObjectModel(tree: log.catalog.model) } catch { throw .model(error) }
    }
}
