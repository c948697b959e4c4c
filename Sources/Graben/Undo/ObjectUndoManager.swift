/// A stack of things that can be taken back, and of those taken back that can be done again.
///
/// Changes of a context are registered by the context at the end of each event; other actions by `registerUndo(named:_:)`. With
/// `groupsByEvent` each event is a step of its own unless a group is open; groups opened by hand may be nested and make one step of
/// everything inside.
///
/// The library's own because Foundation's `UndoManager` does not exist outside Apple's platforms. It belongs to whoever made it, like a
/// context; several contexts may share one.
public final class ObjectUndoManager {
    /// Whether every event is a step of its own while no group is open by hand; true unless changed.
    public var groupsByEvent = true
    /// The greatest number of steps kept; 0 means no limit. The oldest go first.
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
        if !openGroups.isEmpty {
            openGroups[openGroups.count - 1].actions.append(action)
            return
        }
        undoSteps.append(UndoGroup(actions: [action]))
        redoSteps = []
        trim()
    }

    // MARK: Groups

    /// How many groups are open.
    public var groupingLevel: Int { openGroups.count }

    /// Opens a group: everything until its end is one step.
    public func beginUndoGrouping() {
        flushContexts()
        openGroups.append(UndoGroup())
    }

    /// Closes the innermost group; without one it does nothing.
    public func endUndoGrouping() {
        guard !openGroups.isEmpty else { return }
        flushContexts()
        let group = openGroups.removeLast()
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
    /// How many steps can be done again.
    package var redoDepth: Int { redoSteps.count }
    /// Whether there is a step to take back; changes of an event that has not ended count.
    public var canUndo: Bool {
        !undoSteps.isEmpty || openGroups.contains { !$0.actions.isEmpty } || contexts.contains { $0.context?.event.isEmpty == false }
    }
    /// Whether there is a step to do again.
    public var canRedo: Bool { !redoSteps.isEmpty && !contexts.contains { $0.context?.event.isEmpty == false } }

    /// Takes the last step back; groups still open are closed first. Does nothing inside an undo or redo, or where there is none.
    public func undo() {
        guard !isUndoing, !isRedoing else { return }
        while !openGroups.isEmpty { endUndoGrouping() }
        flushContexts()
        guard let step = undoSteps.popLast() else { return }
        isUndoing = true
        let inverse = perform(step)
        isUndoing = false
        redoSteps.append(inverse)
    }

    /// Does the step taken back last again.
    public func redo() {
        guard !isUndoing, !isRedoing else { return }
        flushContexts()
        guard let step = redoSteps.popLast() else { return }
        isRedoing = true
        let inverse = perform(step)
        isRedoing = false
        undoSteps.append(inverse)
    }

    private func perform(_ step: UndoGroup) -> UndoGroup {
        openGroups = [UndoGroup(name: step.name)]
        step.perform()
        flushContexts()
        let inverse = openGroups.first ?? UndoGroup()
        openGroups = []
        return inverse
    }

    /// Forgets every step.
    public func removeAllActions() {
        undoSteps = []
        redoSteps = []
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

    private func flushContexts() {
        for weak in contexts where weak.context?.undoManager === self { weak.context?.processPendingChanges() }
    }

    private func trim() {
        if levelsOfUndo > 0, undoSteps.count > levelsOfUndo { undoSteps.removeFirst(undoSteps.count - levelsOfUndo) }
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
}

/// A step, or a group inside one.
struct UndoGroup: UndoAction {
    var name: String?
    var actions: [any UndoAction] = []

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
