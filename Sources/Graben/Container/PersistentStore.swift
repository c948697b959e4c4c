public import FoundationEssentials
package import GrabenLog
import GrabenModel
import Synchronization

/// One store of a coordinator: a log file, or the same in memory, for itself or on an engine of the program's own.
public final class PersistentStore: Sendable {
    /// The store's number in this process; ids carry it.
    public let number: UInt32
    /// Where the store is.
    public var location: StoreLocation { configuration.location }
    /// What the store was opened as.
    public let configuration: StoreConfiguration
    /// The store's identity, kept in its file.
    public var uuid: UUID { log.storeUUID }

    /// In what the model the store was written under differed from this one when it was opened, and what became of its objects; none in a
    /// new store. Every difference was mapped: a store that cannot be is not opened.
    public let modelDifferences: [StoreModelDifference]

    /// The store's file, for tools that show what no object does.
    package let log: Log
    // Unsafe because they are set once, by `bind`, before the coordinator shows the store to anyone: they are read for every reference of
    // every record, where a lock would cost more than the look.
    nonisolated(unsafe) private var entities: [StoredEntity?] = []
    /// The model the store is bound to.
    nonisolated(unsafe) private(set) var model: ResolvedModel?
    // By code: the entity's number in the model, or -1. Codes are given out one after the other.
    @exclusivity(unchecked) nonisolated(unsafe) private var numbers: [Int32] = []
    @exclusivity(unchecked) nonisolated(unsafe) private var codes: [EntityCode?] = []
    /// Of a store that others write: the newest snapshot whose objects can be read under the model.
    let lastReadable = Mutex<LogSnapshot?>(nil)
    /// The uniqueness constraints, as every save checks them.
    nonisolated(unsafe) private(set) var uniqueKeys: [UniqueKeyGroup] = []

    init(number: UInt32, configuration: StoreConfiguration, log: Log, modelDifferences: [StoreModelDifference]) {
        self.number = number
        self.modelDifferences = modelDifferences
        self.configuration = configuration
        self.log = log
    }

    /// Takes the numbers a model has in this file; called once, before the store is shared.
    func bind(_ builder: CatalogBuilder, _ infos: [EntityInfo]) {
        model = builder.model
        entities = .init(repeating: nil, count: infos.count)
        modelEntities = builder.model.entities
        codes = builder.codes
        uniqueKeys = builder.uniqueKeys
        for entity in builder.model.entities {
            guard let code = builder.codes[entity.index], let layout = builder.layouts[entity.index] else { continue }
            entities[entity.index] = StoredEntity(
                store: self, info: infos[entity.index], code: code, layout: layout,
                older: builder.catalog.layouts.filter { $0.entity == code }, relationships: builder.storage(of: entity))
            if Int(code) >= numbers.count { numbers += repeatElement(-1, count: Int(code) + 1 - numbers.count) }
            numbers[Int(code)] = Int32(truncatingIfNeeded: entity.index)
        }
        if isFollower { lastReadable.withLock { $0 = log.newest } }
    }

    /// What the model says of the other side of a relationship; nil where it has none.
    func inverse(of property: PropertyInfo) -> Property? {
        guard let link = property.link, let inverse = link.inverse else { return nil }
        return modelEntities[link.destination].properties[inverse]
    }

    /// An entity as the store keeps it; nil for an abstract one.
    func stored(entity: Int) -> StoredEntity? { entities.indices.contains(entity) ? entities[entity] : nil }
    @inline(__always)
    func entityNumber(of code: EntityCode) -> Int? {
        guard Int(code) < numbers.count, numbers[Int(code)] >= 0 else { return nil }
        return Int(numbers[Int(code)])
    }
    /// The entities that have objects of their own, in the model's order.
    var entityList: [StoredEntity] { entities.compactMap { $0 } }
    /// All entities of the model the store is bound to, by number.
    nonisolated(unsafe) private(set) var modelEntities: [Entity] = []

    /// The file's numbers of the entities, by those of the model.
    var entityCodes: [EntityCode?] { codes }

    /// The file's number of an entity.
    @inline(__always)
    func code(ofEntity number: UInt32) -> EntityCode? { Int(number) < codes.count ? codes[Int(number)] : nil }

    func id(_ code: EntityCode, _ row: Row) -> ObjectID? {
        entityNumber(of: code).map { ObjectID(store: number, entity: UInt32($0), row: row) }
    }

    /// Makes everything committed durable; of use with deferred durability.
    ///
    /// - Throws: `GrabenError.store`.
    public func synchronize() throws(GrabenError) {
        do { try log.synchronize() } catch { throw .store(error) }
    }
}

/// Where a store is.
public enum StoreLocation: Sendable {
    /// A file; its side files stand beside it.
    case file(String)
    /// Memory: gone with the coordinator.
    case inMemory
    /// An engine of your own: its objects are read when the store is opened, and every save is handed to it; see `StoreEngine`.
    case engine(any StoreEngine)
}

/// When a save returns.
public enum StoreDurability: Sendable, Hashable {
    /// After the commit is on the disk.
    case full
    /// Once the commit is written in order; it reaches the disk within a second, at close, or by `synchronize()`.
    case deferred
}

/// A point in a store's history.
public enum StoreMoment: Sendable, Hashable {
    /// After the commit of this number, as `PersistentStore.commits()` tells it.
    case commit(UInt64)
    /// After the last commit made at or before a date, by the clock of the machine that made it.
    case date(Date)
}

/// How much history compactions leave in a store. What they remove is gone for tokens, and for opening the store as of an earlier commit.
public enum HistoryRetention: Sendable, Hashable {
    /// None. A token is good until the next compaction, and an error afterwards.
    case nothing
    /// All of it: the store grows with every save.
    case everything
    /// So many of the last transactions.
    case transactions(Int)
    /// The transactions from a date on.
    case since(Date)
    /// The transactions of so many seconds before the compaction.
    case duration(TimeInterval)
}

/// What to open a store as.
public struct StoreConfiguration: Sendable, Hashable {
    /// Where the store is.
    public var location: StoreLocation
    /// A name to choose the store by.
    public var name: String?
    /// The names of the entities whose objects it takes; nil for all.
    public var entities: Set<String>?
    /// Whether the file is only read: no lock is taken, and saves that concern the store fail.
    public var isReadOnly = false
    /// When a save returns.
    public var durability = StoreDurability.full
    /// Whether a missing file is created; false makes it an error.
    public var createsIfMissing = true
    /// Whether the store is compacted by itself, on a thread of its own, when its file is longer than twice what lives in it and 32 MB. Contexts
    /// go on meanwhile; of history what `historyRetention` says is left. History that is left counts for none of the two.
    public var compactsAutomatically = true
    /// How much history compactions leave in the store, automatic and other ones.
    public var historyRetention = HistoryRetention.nothing
    /// The point of its history the store is opened at, for reading only; nil for the store as it is.
    public var asOf: StoreMoment?

    /// Told how far a recovery is that takes longer than a second, and able to end it.
    public var recovery: RecoveryHandler?

    /// Describes a store.
    public init(
        _ location: StoreLocation, name: String? = nil, entities: Set<String>? = nil, isReadOnly: Bool = false,
        durability: StoreDurability = .full, createsIfMissing: Bool = true, compactsAutomatically: Bool = true,
        historyRetention: HistoryRetention = .nothing, asOf: StoreMoment? = nil
    ) {
        self.location = location
        self.name = name
        self.entities = entities
        self.isReadOnly = isReadOnly
        self.durability = durability
        self.createsIfMissing = createsIfMissing
        self.compactsAutomatically = compactsAutomatically
        self.historyRetention = historyRetention
        self.asOf = asOf
    }
}
