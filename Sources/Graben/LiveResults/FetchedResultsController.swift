public import GrabenLog
import GrabenModel
import GrabenPredicate

/// Keeps what a request finds up to date, in sections, and says what changes.
///
///     let controller = try FetchedResultsController(request, in: context, sectionKeyPath: "layer")
///     controller.onChange { difference in table.apply(difference) }
///     try controller.performFetch()
///
/// It learns of changes at the end of each event of its context and of those above it, and when the context takes in other commits; then it
/// fetches again, where the request can be concerned, and compares. It belongs to its context and is used where that is.
public final class FetchedResultsController<Object: ManagedObject> {
    /// What is fetched. A change counts from the next `performFetch()` on.
    public var request: FetchRequest<Object>
    /// The context the objects are of.
    public let context: ManagedObjectContext
    /// What an object's section is; nil for one section that holds everything.
    public let sectionKeyPath: String?
    /// The result as it is known to be: of the last fetch. Empty before `performFetch()`.
    public private(set) var snapshot = FetchedResultsSnapshot()

    private var observer: Observer?
    private var places: [ObjectID: ResultPath]?
    private let handlers = HandlerList<FetchedResultsDifference>()
    /// Unretained: who reads a sequence keeps its mailbox.
    private var mailboxes: [WeakBox<Mailbox<FetchedResultsDifferences.Step>>] = []

    /// Makes a controller; nothing is fetched yet.
    ///
    /// - Parameter sectionKeyPath: leads to an attribute. Objects of one value are one section, so the request has to be sorted by it first.
    /// - Throws: `GrabenError.invalidRequest` where the request has no order, is for something else than objects, or is sorted by another stored
    ///   attribute before the section's; `.unknownEntity` and `.predicate` where key paths lead nowhere.
    public convenience init(
        _ request: FetchRequest<Object>, in context: ManagedObjectContext, sectionKeyPath: String? = nil
    ) throws(GrabenError) {
        guard !request.sortDescriptors.isEmpty else {
            throw .invalidRequest(reason: "keeping a result up to date: the request needs at least one sort descriptor")
        }
        try self.init(checking: request, context, sectionKeyPath)
    }

    init(checking request: FetchRequest<Object>, _ context: ManagedObjectContext, _ sectionKeyPath: String?) throws(GrabenError) {
        self.request = request
        self.context = context
        self.sectionKeyPath = sectionKeyPath
        _ = try ResultPlan(request, context, sectionKeyPath)
    }

    deinit {
        observer?.stop()
        for box in mailboxes { box.object?.finish() }
    }

    // MARK: Fetching

    /// Fetches, and keeps the result up to date from now on. Handlers hear of nothing.
    ///
    /// - Throws: as `ManagedObjectContext.fetch(_:)`; `.invalidRequest` where objects of one section are not together in the request's order.
    public func performFetch() throws(GrabenError) {
        let plan = try ResultPlan(request, context, sectionKeyPath)
        context.prepareToFetch()
        let found = try plan.fetch(context, request)
        observer?.stop()
        observer = Observer(context, plan.entities) { [weak self] change in self?.update(plan, change) }
        show(found)
    }

    private func show(_ new: FetchedResultsSnapshot) {
        snapshot = new
        places = nil
    }

    /// Fetches again after a change, and tells what differs.
    private func update(_ plan: ResultPlan, _ change: ResultChange) {
        let new: FetchedResultsSnapshot
        do { new = try plan.fetch(context, request) } catch { return context.report(error) }
        let old = snapshot
        let difference = FetchedResultsDifference(from: old, to: new, changed: change.ids)
        show(new)
        if difference.isEmpty { return }
        handlers.deliver(difference)
        mailboxes.removeAll { $0.object == nil }
        for box in mailboxes { box.object?.put(.open(difference, old: old, new: new, changed: change.ids)) }
    }

    // MARK: Changes

    /// Calls `handler` with each difference, when `snapshot` is the new result already, until the token is cancelled or released.
    ///
    /// A handler may change objects; that is told after everyone has heard of what it was told itself. Handlers that answer each difference
    /// with another change are stopped after a thousand of them, with `GrabenError.endlessNotifications`.
    public func onChange(_ handler: @escaping (FetchedResultsDifference) -> Void) -> NotificationToken { handlers.add(handler) }

    /// The differences from now on: applied in turn to `snapshot` as it is now they make each later one. Ends with the controller.
    public var differences: FetchedResultsDifferences {
        let mailbox = FetchedResultsDifferences.makeMailbox()
        mailboxes.append(WeakBox(object: mailbox))
        return FetchedResultsDifferences(mailbox: mailbox)
    }

    // MARK: Objects

    /// All objects, in order, across sections. Complexity: O(objects).
    public var fetchedObjects: [Object] { snapshot.objectIDs.compactMap(object) }

    /// The sections, in order.
    public var sections: [Section] { snapshot.sections.indices.map { Section(controller: self, index: $0) } }

    /// The object at a place; nil where there is none. Complexity: O(1).
    public func object(at path: ResultPath) -> Object? { snapshot[path].flatMap(object) }

    /// Where an object is; nil where it is not in the result. Complexity: O(1), but O(objects) the first time after a change.
    public func path(of object: ManagedObject) -> ResultPath? {
        let places = places ?? snapshot.places
        self.places = places
        return places[object.objectID]
    }

    private func object(_ id: ObjectID) -> Object? { context.object(with: id) as? Object }

    /// Objects with one value of the section key path, as the controller knows them now.
    public struct Section {
        let controller: FetchedResultsController
        let index: Int

        private var content: FetchedResultsSnapshot.Section? {
            controller.snapshot.sections.indices.contains(index) ? controller.snapshot.sections[index] : nil
        }
        /// The value they share as text; empty for nil.
        public var name: String { content?.name ?? "" }
        /// The value they share.
        public var value: Value { content?.value ?? .null }
        /// How many there are.
        public var count: Int { content?.objectIDs.count ?? 0 }
        /// The objects, in order.
        public var objects: [Object] { content?.objectIDs.compactMap(controller.object) ?? [] }
    }

    /// Collects changes until the event is over. Only the controller keeps it alive.
    private final class Observer: ResultObserver {
        private let context: ManagedObjectContext
        private let entities: Set<Int>?
        private let update: (ResultChange) -> Void
        private var change = ResultChange()
        private var isUpdating = false

        init(_ context: ManagedObjectContext, _ entities: Set<Int>?, _ update: @escaping (ResultChange) -> Void) {
            self.context = context
            self.entities = entities
            self.update = update
            for level in sequence(first: context, next: \.parent) { level.resultWatch.add(self) }
        }

        func stop() {
            for level in sequence(first: context, next: \.parent) { level.resultWatch.remove(self) }
        }

        func note(_ change: ResultChange) {
            if let entities, !change.isReset, entities.isDisjoint(with: change.entities) { return }
            self.change.add(change)
        }

        func catchUp() {
            // A handler that changes something ends an event of its own, and a save is no moment to look at what it saves.
            guard !change.isEmpty, !isUpdating, !context.isSaving else { return }
            isUpdating = true
            defer { isUpdating = false }
            for _ in 0..<ContextNotifier.limit {
                guard !change.isEmpty else { return }
                let ended = change
                change = ResultChange()
                update(ended)
            }
            if !change.isEmpty { context.report(.endlessNotifications) }
        }
    }
}
