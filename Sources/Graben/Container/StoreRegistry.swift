import FoundationEssentials
public import GrabenLog
import Synchronization

/// Numbers the stores of the process, and opens their logs.
///
/// An id carries its store's number; the URI form carries the store's UUID and the entity's name, which are looked up here. Nothing about
/// models or classes is kept: those are bound per coordinator.
enum StoreRegistry {
    private struct Entry {
        /// The beginning of its ids as URIs: made once, because a dump writes millions of them.
        let prefix: String
        let entityNames: [String]
    }
    private static let entries = Mutex<[Entry]>([])

    static func register(
        _ configuration: StoreConfiguration, _ log: Log, _ differences: [StoreModelDifference], entityNames: [String]
    ) -> PersistentStore {
        let number = entries.withLock {
            $0.append(Entry(prefix: "graben://\(log.storeUUID.uuidString.lowercased())/", entityNames: entityNames))
            return UInt32($0.count)
        }
        return PersistentStore(number: number, configuration: configuration, log: log, modelDifferences: differences)
    }

    static func openLog(_ configuration: StoreConfiguration) throws(GrabenError) -> Log {
        var options = LogOptions()
        options.readOnly = configuration.isReadOnly
        options.createIfMissing = configuration.createsIfMissing
        options.retention =
            switch configuration.historyRetention {
            case .nothing: .nothing
            case .everything: .everything
            case .transactions(let count): .commits(UInt64(max(count, 0)))
            case .since(let date): .since(date.timeIntervalSinceReferenceDate)
            case .duration(let seconds): .duration(seconds)
            }
        switch configuration.asOf {
        case .commit(let number): options.asOf = .commit(number)
        case .date(let date): options.asOf = .time(date.timeIntervalSinceReferenceDate)
        case nil: break
        }
        if let recovery = configuration.recovery { options.recovery = { recovery.call($0) } }
        options.compactsAutomatically = configuration.compactsAutomatically
        options.durability = configuration.durability == .full ? .full : .deferred
        if let engine = configuration.location.engine { return try EngineLoader.open(engine, configuration, options) }
        do {
            switch configuration.location {
            case .file(let path): return try Log.open(path: path, in: RealFileSystem(), options: options)
            case .inMemory, .engine:
                // It is gone before anyone could open it again.
                options.writesIndex = false
                return try Log.open(path: "memory", in: MemoryFileSystem(), options: options)
            }
        } catch { throw .store(error) }
    }

    static func uri(of id: ObjectID) -> String {
        entries.withLock { entries in
            guard id.storeNumber > 0, id.storeNumber <= UInt32(entries.count) else { return "graben:///\(id.entityNumber)/\(id.rowNumber)" }
            let entry = entries[Int(id.storeNumber) - 1]
            let names = entry.entityNames
            let name = Int(id.entityNumber) < names.count ? names[Int(id.entityNumber)] : "\(id.entityNumber)"
            return "\(entry.prefix)\(name)/\(id.rowNumber)"
        }
    }
}

extension ObjectID {
    /// The id as text that can be kept and read back by `PersistentStoreCoordinator.objectID(for:)`:
    /// `graben://<store's UUID>/<entity>/<row>`.
    public var uriRepresentation: String { StoreRegistry.uri(of: self) }
}

extension PersistentStoreCoordinator {
    /// The id that a URI form names, or nil where no store of the coordinator has that UUID or the entity is unknown.
    public func objectID(for uri: String) -> ObjectID? {
        let scheme = "graben://"
        guard uri.hasPrefix(scheme) else { return nil }
        let parts = uri.dropFirst(scheme.count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, let row = UInt32(parts[2]), let entity = model.entity(named: String(parts[1])) else { return nil }
        guard let store = stores.first(where: { $0.uuid.uuidString.lowercased() == parts[0] }) else { return nil }
        return ObjectID(store: store.number, entity: UInt32(entity.index), row: row)
    }
}
