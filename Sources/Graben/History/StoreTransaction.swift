public import FoundationEssentials
import GrabenLog
import GrabenModel
import Synchronization

/// One commit of a store's history: when it was made, by whom, and, when asked, what it did to each object.
public struct StoreTransaction: Sendable {
    let log: LogTransaction
    let models: HistoryModels
    /// The store it was committed to.
    public let store: PersistentStore
    /// The place in history after it, and after what else the same walk has come by: what to keep once it has been dealt with.
    public let token: HistoryToken

    /// The commit's number in its store.
    public var number: UInt64 { log.info.number }
    /// The time of the machine that made it.
    public var date: Date { Date(timeIntervalSinceReferenceDate: log.info.time) }
    /// The context's `transactionAuthor`, if it had one.
    public var author: String? { log.info.author }
    /// How many objects it inserted.
    public var insertedCount: Int { log.info.counts.inserted }
    /// How many objects it deleted.
    public var deletedCount: Int { log.info.counts.deleted }
    /// Its length in the file, in bytes.
    public var byteCount: UInt64 { log.info.byteCount }

    /// What it did, object by object, read from its frames in the store's file.
    ///
    /// - Throws: `GrabenError.store` where they cannot be read.
    ///
    /// Complexity: O(size of the commit); memory grows with the number of updated objects and not with that of inserted ones.
    public func changes() throws(GrabenError) -> TransactionChanges {
        let contents: CommitContents
        let catalog: Catalog
        do { (contents, catalog) = (try log.contents(), try log.catalog()) } catch { throw .store(error) }
        let model = models.model(of: catalog)
        // What changed only through links or as an inverse is added to what records and patches say.
        var related: [EntityCode: [RowChange]] = [:]
        var names: [EntityCode: [String]] = [:]
        for entity in contents.entities { names[entity.entity] = entity.names }
        func place(_ name: String, _ entity: EntityCode) -> Int {
            if let known = names[entity]?.firstIndex(of: name) { return known }
            names[entity, default: []].append(name)
            return (names[entity]?.count ?? 1) - 1
        }
        for entity in contents.entities where !entity.followers.isEmpty {
            let properties = catalog.entity(entity.entity).flatMap { model?.entity(named: $0.name) }?.properties ?? []
            for follower in entity.followers {
                let mask = FieldMask(
                    follower.mask.members.lazy.filter { $0 < properties.count }.map { place(properties[$0].name, entity.entity) })
                related[entity.entity, default: []].append(RowChange(row: follower.row, mask: mask))
            }
        }
        for link in contents.links {
            guard let (owner, member) = models.names(of: link.relationship, in: catalog) else { continue }
            related[link.owner.entity, default: []].append(
                RowChange(row: link.owner.row, mask: FieldMask([place(owner, link.owner.entity)])))
            guard let member else { continue }
            related[link.member.entity, default: []].append(
                RowChange(row: link.member.row, mask: FieldMask([place(member, link.member.entity)])))
        }
        var entities: [TransactionChanges.Entity] = []
        for code in Set(contents.entities.map(\.entity)).union(related.keys).sorted() {
            let entity = contents[code] ?? EntityContents(entity: code)
            var updates = entity.updated
            if let more = related[code] {
                updates = ChangeSet.merged(
                    updates + more.filter { !entity.inserted.contains($0.row) && !entity.deleted.contains($0.row) })
            }
            entities.append(
                TransactionChanges.Entity(
                    name: catalog.entity(code)?.name ?? "\(code)", number: store.entityNumber(of: code), contents: entity,
                    updates: updates, names: names[code] ?? []))
        }
        return TransactionChanges(store: store.number, entities: entities, changedModel: contents.changedCatalog)
    }
}

/// The models of a history's catalogs, made when a transaction first needs one.
final class HistoryModels: Sendable {
    private let known = Mutex<[UInt32: ResolvedModel?]>([:])

    /// The model in a catalog; nil where it cannot be read, and names that only it knows are left out.
    func model(of catalog: Catalog) -> ResolvedModel? {
        if let model = known.withLock({ $0[catalog.version] }) { return model }
        let model = (try? ManagedObjectModel(tree: catalog.model)).flatMap { try? $0.resolved() }
        known.withLock { $0[catalog.version] = .some(model) }
        return model
    }

    /// What a relationship kept as links is called by its owners, and its inverse, if it has one, by its members.
    func names(of code: UInt16, in catalog: Catalog) -> (owner: String, member: String?)? {
        guard let name = catalog.link(code)?.name, let dot = name.lastIndex(of: ".") else { return nil }
        let owner = String(name[name.index(after: dot)...])
        guard let model = model(of: catalog), let entity = model.entity(named: String(name[..<dot])),
            let property = entity.properties.first(where: { $0.name == owner })
        else { return (owner, nil) }
        return (owner, model.inverse(of: property)?.name)
    }
}
