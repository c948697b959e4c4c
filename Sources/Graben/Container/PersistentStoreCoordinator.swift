import GrabenLog
public import GrabenModel
import Synchronization

/// What contexts share: a model, the classes of its entities, and the stores.
public final class PersistentStoreCoordinator: Sendable {
    /// The model, checked and numbered.
    public let model: ResolvedModel
    let infos: [EntityInfo]
    /// Whether any class keeps attributes in fields of its own.
    let hasAccessors: Bool
    /// Whether any class wants to know of saves.
    let hasSavingHooks: Bool
    /// Whether any entity has derived attributes.
    let hasDerivations: Bool
    private let classes: [ObjectIdentifier: Int]
    private let state = Mutex<[PersistentStore]>([])
    private let addedCount = Atomic(0)
    /// For objects whose class or entity nobody bound.
    let unknownInfo: EntityInfo

    /// Checks a model and binds classes to its entities.
    ///
    /// - Parameter classes: the class of each entity by name; the others have `ManagedObject`, or their super-entity's class.
    /// - Throws: `GrabenError.model`, `.unknownEntity`, `.classMismatch` with every difference.
    public init(model: ManagedObjectModel, classes: [String: ManagedObject.Type] = [:]) throws(GrabenError) {
        let resolved: ResolvedModel
        do { resolved = try model.resolved() } catch { throw .model(error) }
        self.model = resolved
        for name in classes.keys.sorted() where resolved.entity(named: name) == nil {
            throw .unknownEntity(name: name, nearest: resolved.nearestEntityName(to: name))
        }
        let infos = resolved.entities.map { entity in
            var ancestor: Entity? = entity
            while let current = ancestor, classes[current.name] == nil { ancestor = current.superentity }
            return EntityInfo(entity: entity, objectClass: ancestor.flatMap { classes[$0.name] } ?? ManagedObject.self)
        }
        var problems = infos.flatMap { ClassBinding.problems($0, superinfo: $0.entity.superentity.map { infos[$0.index] }) }
        var numbers: [ObjectIdentifier: Int] = [:]
        for (name, objectClass) in classes.sorted(by: { $0.key < $1.key }) {
            guard let entity = resolved.entity(named: name) else { continue }
            if let other = numbers[ObjectIdentifier(objectClass)] {
                problems.append(
                    "\(objectClass) is bound to both \(infos[other].name) and \(name); make a subclass of it for one of them")
            }
            numbers[ObjectIdentifier(objectClass)] = entity.index
        }
        guard problems.isEmpty else { throw .classMismatch(problems) }
        self.infos = infos
        hasAccessors = infos.contains(where: \.hasAccessors)
        hasSavingHooks = infos.contains { $0.hooks.contains(.saving) }
        hasDerivations = infos.contains { !$0.derivations.isEmpty }
        self.classes = numbers
        unknownInfo = EntityInfo(entity: try Self.unknownEntity.get(), objectClass: ManagedObject.self)
    }

    /// Checks a model that was read and binds a list of classes to its entities.
    ///
    /// A class is that of the entity whose class name in the model is its own (with its module, where the name says one), or else of the
    /// entity that it declares or is named like. Superclasses that have an entity are bound too.
    /// - Throws: `GrabenError.model`, `.classMismatch` with every class that has no entity, and every difference.
    public convenience init(model: ManagedObjectModel, classes: [ManagedObject.Type]) throws(GrabenError) {
        try self.init(model: model, classes: try ClassLookup(classes, in: model).classes)
    }

    /// The same for all coordinators of a process.
    private static let unknownEntity: Result<Entity, GrabenError> = {
        do throws(ModelError) {
            return .success(try ManagedObjectModel(entities: [EntityDescription("Unknown")]).resolved().entities[0])
        } catch { return .failure(.model(error)) }
    }()

    /// The stores in the order they were added.
    public var stores: [PersistentStore] { state.withLock { $0 } }

    /// Opens a store and adds it.
    ///
    /// A new store, or one of an older model, has the model written at once, in a commit of its own; records stay as they are and are
    /// mapped when they are read; `PersistentStore.modelDifferences` says how.
    ///
    /// A store opened at a point of its history (`StoreConfiguration.asOf`) is read up to it: O(size of the file up to there).
    /// - Throws: `GrabenError.store` (locked, damaged, missing, a commit that is gone or not there yet, …), `.engine` where an engine fails or delivers what
    ///   cannot be, `.incompatibleModel` with every difference before any data is touched, `.unknownEntity`.
    @discardableResult
    public func addStore(_ configuration: StoreConfiguration) throws(GrabenError) -> PersistentStore {
        for name in (configuration.entities ?? []).sorted() where model.entity(named: name) == nil {
            throw .unknownEntity(name: name, nearest: model.nearestEntityName(to: name))
        }
        return try add(try StoreRegistry.openLog(configuration), configuration)
    }

    /// Adds a store whose log is open; where it cannot be used the log is closed.
    func add(_ log: Log, _ configuration: StoreConfiguration) throws(GrabenError) -> PersistentStore {
        do { return try bind(log, configuration) } catch {
            // Why it cannot be used says more than a failure to close it would.
            try? log.close()
            try? configuration.location.engine?.close()
            throw error
        }
    }

    private func bind(_ log: Log, _ configuration: StoreConfiguration) throws(GrabenError) -> PersistentStore {
        var configuration = configuration
        // The past is not written.
        if configuration.asOf != nil { configuration.isReadOnly = true }
        let builder: CatalogBuilder
        let differences: [StoreModelDifference]
        do {
            builder = try CatalogBuilder(model, previous: log.catalog)
            differences = try builder.differences(isReadOnly: configuration.isReadOnly)
        } catch { throw .model(error) }
        guard !differences.contains(where: { $0.effect == .refused }) else {
            throw .incompatibleModel(path: configuration.path, differences: differences)
        }
        let store = StoreRegistry.register(configuration, log, differences, entityNames: model.entities.map(\.name))
        store.bind(builder, infos)
        if let engine = configuration.location.engine, !configuration.isReadOnly { try EngineWriter.attach(engine, to: store, model) }
        if builder.isChanged, !configuration.isReadOnly {
            // At once, not with the first save: chunks are bound in the lanes of the newest layout, which has to be the model's.
            do {
                _ = try log.commit(author: nil) { (_, commit: inout CommitBuilder) throws(GrabenError) in
                    commit.setCatalog(builder.catalog)
                }
            } catch { throw GrabenError(error) }
        }
        state.withLock { $0.append(store) }
        addedCount.wrappingAdd(1, ordering: .releasing)
        return store
    }

    /// Closes every store: what is deferred is synced, and the files say that they were closed cleanly.
    ///
    /// Contexts can read on; their saves fail.
    /// - Throws: `GrabenError.store`, `.engine`; the other stores are closed all the same.
    public func close() throws(GrabenError) {
        var failure: GrabenError?
        for store in stores {
            do { try store.log.close() } catch { failure = failure ?? .store(error) }
            guard let engine = store.location.engine else { continue }
            do { try engine.close() } catch { failure = failure ?? .engine(StoreEngineError(error, .closing, engine.name)) }
        }
        if let failure { throw failure }
    }

    // MARK: Looking up

    /// How many stores there are, for who remembers which of them takes an entity.
    var storeCount: Int { addedCount.load(ordering: .acquiring) }

    func store(numbered number: UInt32) -> PersistentStore? { state.withLock { $0.first { $0.number == number } } }

    func info(for objectClass: ManagedObject.Type) -> EntityInfo? { classes[ObjectIdentifier(objectClass)].map { infos[$0] } }

    /// The entity a class is bound to, or the error that says there is none.
    func info(of objectClass: ManagedObject.Type) throws(GrabenError) -> EntityInfo {
        if let info = info(for: objectClass) { return info }
        throw .unknownEntity(name: "\(objectClass)", nearest: model.nearestEntityName(to: "\(objectClass)"))
    }

    func info(for entity: Entity) -> EntityInfo? {
        if entity.index < infos.count, infos[entity.index].entity === entity { return infos[entity.index] }
        return model.entity(named: entity.name).map { infos[$0.index] }
    }

    func info(named name: String) throws(GrabenError) -> EntityInfo {
        if let entity = model.entity(named: name) { return infos[entity.index] }
        throw .unknownEntity(name: name, nearest: model.nearestEntityName(to: name))
    }

    /// The store that takes a new object of an entity.
    func storeForInsert(_ info: EntityInfo, _ chosen: PersistentStore?) throws(GrabenError) -> StoredEntity {
        guard !info.entity.isAbstract else { throw .noStore(entity: info.name, reason: "the entity is abstract") }
        let all = stores
        if let chosen {
            guard all.contains(where: { $0 === chosen }) else {
                throw .noStore(entity: info.name, reason: "the store is not one of this coordinator's")
            }
            guard chosen.takes(info) else { throw .noStore(entity: info.name, reason: "the store named does not take it") }
            if let stored = chosen.stored(entity: info.index) { return stored }
        }
        let candidates = all.filter { $0.takes(info) && !$0.configuration.isReadOnly }
        guard let store = candidates.first else {
            let reason = all.isEmpty ? "the coordinator has no store; add one" : "no store takes it that can be written"
            throw .noStore(entity: info.name, reason: reason)
        }
        guard candidates.count == 1 else {
            throw .noStore(entity: info.name, reason: "\(candidates.count) stores take it; name one, or give the stores their entities")
        }
        guard let stored = store.stored(entity: info.index) else { throw .noStore(entity: info.name, reason: "the entity is abstract") }
        return stored
    }
}

extension PersistentStore {
    func takes(_ info: EntityInfo) -> Bool { configuration.entities?.contains(info.name) ?? true }
}

extension StoreConfiguration {
    var path: String { location.name }
}

extension GrabenError {
    init(_ error: CommitError<GrabenError>) {
        switch error {
        case .body(let error): self = error
        case .log(let error): self = .store(error)
        case .refused(let error as LogError): self = .store(error)
        case .refused(let error): self = .engine(error as? StoreEngineError ?? StoreEngineError(error, .saving, ""))
        }
    }
}
