/// What an undo manager tells: around everything that changes its stacks.
public enum UndoNotification: Sendable, Equatable {
    /// Changes that have not ended as events are about to be collected: before a group opens or closes and before an undo or redo. The last
    /// chance to register what belongs to the step.
    case checkpoint
    /// A group was opened; the outermost has level 1. An event that is a step of its own, or an action registered outside groups, opens and
    /// closes one.
    case didOpenGroup(level: Int)
    /// A group is about to close.
    case willCloseGroup(level: Int)
    /// A group was closed. After level 1 there is one more step to take back, unless nothing was registered in it.
    case didCloseGroup(level: Int)
    /// The step of this name is about to be taken back.
    case willUndo(name: String?)
    /// The step was taken back.
    case didUndo(name: String?)
    /// The step of this name is about to be done again.
    case willRedo(name: String?)
    /// The step was done again.
    case didRedo(name: String?)
}

extension ObjectUndoManager {
    /// Calls `handler` for everything the manager does, until the token is cancelled or released.
    ///
    /// Handlers are called at once, in the order they came. In one of `willUndo`, `willRedo` and what lies between them and their `did…`, an
    /// undo or redo is refused with `GrabenError.nestedUndo`, and whatever is registered or changed belongs to the step that does it again.
    /// In a `didUndo` or `didRedo` everything is allowed.
    public func onNotification(_ handler: @escaping (UndoNotification) -> Void) -> NotificationToken { handlers.add(handler) }
}
