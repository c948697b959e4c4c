import Graben
import GrabenLog
import GrabenModel
import GrabenPredicate

/// Which objects of an entity a command shows: what --where, --sort, --limit and --offset say.
struct Selection {
    let entity: Entity
    private var request: FetchRequest<ManagedObject>
    private var isEmpty = false

    init(_ entity: Entity, includesSubentities: Bool = true) {
        self.entity = entity
        request = FetchRequest(entity: entity.name)
        request.includesSubentities = includesSubentities
    }

    init(_ entity: Entity, _ invocation: Invocation) throws {
        self.init(entity)
        if let format = invocation.value("where") { request.predicate = try ObjectPredicate(format: format) }
        for text in try invocation.list("sort") ?? [] { request.sortDescriptors.append(try ObjectSortDescriptor(text: text)) }
        let limit = try invocation.count("limit")
        // In a request 0 is no limit.
        isEmpty = limit == 0
        request.fetchLimit = limit ?? 0
        request.fetchOffset = try invocation.count("offset") ?? 0
    }

    init(_ entity: Entity, matching predicate: ObjectPredicate, limit: Int = 0) {
        self.init(entity)
        request.predicate = predicate
        request.fetchLimit = limit
    }

    func count(in store: OpenStore) throws -> Int { try store.context.count(for: request) }

    /// Rows of a query, and the names of their columns.
    func rows(_ query: RowQuery, in store: OpenStore) throws -> (rows: [FetchedDictionary], names: [String]) {
        var request = request
        query.complete(&request)
        let rows = try store.context.fetchDictionaries(request)
        // Where there are none, their names are known of the request.
        let names =
            rows.first?.names ?? (request.propertiesToFetch.isEmpty ? request.propertiesToGroupBy : request.propertiesToFetch).map(\.name)
        return (isEmpty ? [] : rows, names)
    }

    func explanation(in store: OpenStore) throws -> FetchExplanation { try request.explain(in: store.context) }

    func ids(in store: OpenStore) throws -> [ObjectID] {
        let ids = try store.context.fetchIDs(request)
        return isEmpty ? [] : ids
    }

    /// Calls `body` with one object after the other; the context lets go of those that are behind.
    func forEach(in store: OpenStore, _ body: (ManagedObject) throws -> Void) throws {
        for id in try ids(in: store) { try body(store.context.object(with: id)) }
    }
}
