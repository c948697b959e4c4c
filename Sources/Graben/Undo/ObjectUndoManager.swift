/// A stack of things that can be taken back, and of those taken back that can be done again.
///
/// Changes of a context are registered by the context at the end of each event; other actions by `registerUndo(named:_:)`. With
/// `groupsByEvent` each event is a step of its own unless a group is open; groups opened by hand may be nested and make one step of
/// everything inside.
///
/// The library's own because Foundation's `UndoManager` does not exist outside Apple's platforms. It belongs to whoever made it, like a
/// context.
///
/// Several contexts of one owner may share a manager: their events are steps in the order in which they ended, a group holds what any of
/// them did in it, and before a group opens or closes, and before an undo or redo, the events of all of them end. Where two of them changed
/// the same property, what an undo puts back is a change like any other, and in conflict with the other's like any other.
///
/// Memory: a step keeps one old value for each property and coordinate that changed in it, however often and in however many events of a
/// group, and one entry for each member that came or went; it keeps the objects concerned. `levelsOfUndo` bounds the number of steps.
public final class ObjectUndoManager {
    /// Whether every event is a step of its own while no group is open by hand; true unless changed. With false, all that happens outside of
    /// groups up to the next group, undo or redo is one step.
    public var groupsByEvent = true
    /// Receives errors of calls that cannot throw; contexts that use the manager report them too.
    public var errorHandler: ((GrabenError) -> Void)?
    /// The greatest number of steps kept to be taken back, and of those to be done again; 0 means no limit. The oldest go first.
    public var levelsOfUndo = 0 {
        didSet { trim() }
    }
    /// Whether an undo is under way.
    public private(set) var isUndoing = false
    /// Whether a redo is under way.
    public private(set) var isRedoing = false

    private var undoSteps: [UndoGroup] = []
    private var redoSteps: [UndoGroup] = []
    private var openGroups: [UndoGroup] = []
    private var disabledCount = 0
    /// Whether the last step goes on with what is registered outside of groups.
    private var isStepOpen = false
    let handlers = HandlerList<UndoNotification>()
    private var contexts: [WeakContext] = []

    /// An empty manager.
    public init() {}

    // MARK: Registering

    /// Whether registrations are kept.
    public var isUndoRegistrationEnabled: Bool { disabledCount == 0 }

    /// Ignores registrations until enabled again; calls may be nested.
    ///
    /// A context's changes are registered at the end of their event: process pending changes first, or use
    /// `ManagedObjectContext.withoutUndo(_:)`, which does.
    public func disableUndoRegistration() { disabledCount += 1 }

    /// Ends one `disableUndoRegistration()`.
    public func enableUndoRegistration() { disabledCount = Swift.max(0, disabledCount - 1) }

    /// Registers what takes something back. While it runs, what it registers becomes the way to do it again.
    public func registerUndo(named name: String? = nil, _ action: @escaping () -> Void) {
        register(ClosureAction(action: action))
        if let name { setActionName(name) }
    }

    func register(_ action: any UndoAction) {
        guard isUndoRegistrationEnabled else { return }
        if !openGroups.isEmpty { return openGroups[openGroups.count - 1].add(action) }
        if !groupsByEvent, isStepOpen, !undoSteps.isEmpty {
            undoSteps[undoSteps.count - 1].add(action)
            return
        }
        handlers.deliver(.didOpenGroup(level: 1))
        handlers.deliver(.willCloseGroup(level: 1))
        undoSteps.append(UndoGroup(actions: [action]))
        redoSteps = []
        isStepOpen = true
        trim()
        handlers.deliver(.didCloseGroup(level: 1))
    }

    // MARK: Groups

    /// How many groups are open.
    public var groupingLevel: Int { openGroups.count }

    /// Opens a group: everything until its end is one step.
    public func beginUndoGrouping() {
        checkpoint()
        openGroups.append(UndoGroup())
        isStepOpen = false
        handlers.deliver(.didOpenGroup(level: openGroups.count))
    }

    /// Closes the innermost group; without one it does nothing.
    public func endUndoGrouping() {
        // The group of an undo or redo under way is not the caller's to close.
        guard openGroups.count > (isUndoing || isRedoing ? 1 : 0) else { return }
        checkpoint()
        handlers.deliver(.willCloseGroup(level: openGroups.count))
        let level = openGroups.count
        let group = openGroups.removeLast()
        isStepOpen = false
        defer { handlers.deliver(.didCloseGroup(level: level)) }
        guard !group.actions.isEmpty else { return }
        if openGroups.isEmpty {
            undoSteps.append(group)
            redoSteps = []
            trim()
        } else {
            openGroups[openGroups.count - 1].actions.append(group)
        }
    }

    /// Names the step being made, or the last one, for a menu.
    public func setActionName(_ name: String) {
        flushContexts()
        if !openGroups.isEmpty {
            openGroups[openGroups.count - 1].name = name
        } else if !undoSteps.isEmpty {
            undoSteps[undoSteps.count - 1].name = name
        }
    }

    /// The name of the step `undo()` takes back.
    public var undoActionName: String? { undoSteps.last?.name }
    /// The name of the step `redo()` does again.
    public var redoActionName: String? { redoSteps.last?.name }

    // MARK: Undo and redo

    /// How many steps can be taken back, the current event not counted.
    package var undoDepth: Int { undoSteps.count }
    /// How many old values all steps keep.
    package var keptValueCount: Int {
        (undoSteps + redoSteps + openGroups).reduce(0) { $0 + $1.keptValueCount }
    }
    /// How many steps can be done again.
    package var redoDepth: Int { redoSteps.count }
    /// Whether there is a step to take back; changes of an event that has not ended count.
    public var canUndo: Bool {
        !undoSteps.isEmpty || openGroups.contains { !$0.actions.isEmpty } || contexts.contains { $0.context?.event.isEmpty == false }
    }
    /// Whether there is a step to do again.
    public var canRedo: Bool { !redoSteps.isEmpty && !contexts.contains { $0.context?.event.isEmpty == false } }

    /// Takes the last step back; groups still open are closed first. Where there is none it does nothing.
    ///
    /// Inside an undo or redo it does nothing either, and reports `GrabenError.nestedUndo`.
    public func undo() {
        guard !isUndoing, !isRedoing else { return refuse(.nestedUndo(doing: "undoing")) }
        while !openGroups.isEmpty { endUndoGrouping() }
        checkpoint()
        guard let step = undoSteps.popLast() else { return }
        isUndoing = true
        let inverse = perform(step, after: .willUndo(name: step.name))
        isUndoing = false
        redoSteps.append(inverse)
        handlers.deliver(.didUndo(name: step.name))
    }

    /// Does the step taken back last again; like `undo()` otherwise.
    public func redo() {
        guard !isUndoing, !isRedoing else { return refuse(.nestedUndo(doing: "redoing")) }
        // What is in an open group came after the undo; there is nothing to do again any more.
        while !openGroups.isEmpty { endUndoGrouping() }
        checkpoint()
        guard let step = redoSteps.popLast() else { return }
        isRedoing = true
        let inverse = perform(step, after: .willRedo(name: step.name))
        isRedoing = false
        undoSteps.append(inverse)
        handlers.deliver(.didRedo(name: step.name))
    }

    private func perform(_ step: UndoGroup, after beginning: UndoNotification) -> UndoGroup {
        openGroups = [UndoGroup(name: step.name)]
        isStepOpen = false
        handlers.deliver(beginning)
        flushContexts()
        step.perform()
        flushContexts()
        // Groups that something opened and did not close end with the step.
        while openGroups.count > 1 {
            let group = openGroups.removeLast()
            if !group.actions.isEmpty { openGroups[openGroups.count - 1].actions.append(group) }
        }
        let inverse = openGroups.first ?? UndoGroup()
        openGroups = []
        return inverse
    }

    private func refuse(_ error: GrabenError) {
        errorHandler?(error)
        for weak in contexts where weak.context?.undoManager === self { weak.context?.report(error) }
    }

    /// Forgets every step.
    public func removeAllActions() {
        undoSteps = []
        redoSteps = []
        isStepOpen = false
        for index in openGroups.indices { openGroups[index].actions = [] }
    }

    /// Forgets a context's steps.
    func removeAllActions(of context: ManagedObjectContext) {
        func without(_ groups: [UndoGroup]) -> [UndoGroup] {
            groups.map { $0.removing(context) }.filter { !$0.actions.isEmpty }
        }
        undoSteps = without(undoSteps)
        redoSteps = without(redoSteps)
        openGroups = openGroups.map { $0.removing(context) }
    }

    // MARK: Contexts

    func attach(_ context: ManagedObjectContext) {
        contexts.removeAll { $0.context == nil || $0.context === context }
        contexts.append(WeakContext(context: context))
    }

    private func checkpoint() {
        handlers.deliver(.checkpoint)
        flushContexts()
    }

    private func flushContexts() {
        for weak in contexts where weak.context?.undoManager === self { weak.context?.processPendingChanges() }
    }

    private func trim() {
        guard levelsOfUndo > 0 else { return }
        undoSteps.removeFirst(max(0, undoSteps.count - levelsOfUndo))
        redoSteps.removeFirst(max(0, redoSteps.count - levelsOfUndo))
    }

    private struct WeakContext {
        weak var context: ManagedObjectContext?
    }
}

/// Something that can be taken back. Performing it registers its inverse.
protocol UndoAction {
    func perform()
    /// The action without what concerns a context, or nil where nothing is left.
    func removing(_ context: ManagedObjectContext) -> (any UndoAction)?
    /// How many old values it keeps.
    var keptValueCount: Int { get }
}

extension UndoAction {
    var keptValueCount: Int { 0 }
}

/// A step, or a group inside one.
struct UndoGroup: UndoAction {
    var name: String?
    var actions: [any UndoAction] = []

    var keptValueCount: Int { actions.reduce(0) { $0 + $1.keptValueCount } }

    /// Adds an action; an event goes into the one before where it can.
    mutating func add(_ action: any UndoAction) {
        if let last = actions.last as? ContextStep, let step = action as? ContextStep, let both = last.joined(with: step) {
            actions[actions.count - 1] = both
        } else {
            actions.append(action)
        }
    }

    func perform() {
        for action in actions.reversed() { action.perform() }
    }

    func removing(_ context: ManagedObjectContext) -> UndoGroup {
        UndoGroup(name: name, actions: actions.compactMap { $0.removing(context) })
    }

    func removing(_ context: ManagedObjectContext) -> (any UndoAction)? {
        let rest: UndoGroup = removing(context)
        return rest.actions.isEmpty ? nil : rest
    }
}

private struct ClosureAction: UndoAction {
    let action: () -> Void
    func perform() { action() }
    func removing(_ context: ManagedObjectContext) -> (any UndoAction)? { self }
}
