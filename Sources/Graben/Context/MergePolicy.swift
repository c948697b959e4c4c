public import GrabenLog

/// What a save does about conflicts: with changes of other contexts, and of uniqueness constraints.
///
/// Only what is in conflict is decided; everything else of both sides survives under every policy but `overwrite` and `rollback`, which are
/// about whole objects. After a decision the objects are validated again, and the save goes on.
public enum MergePolicy {
    /// The save fails and lists every conflict; nothing changes.
    case error
    /// What the store has wins, property by property. A deletion or reference made here that another commit stands against is taken back.
    case storeTrump
    /// What was changed here wins, property by property. A deletion made here reaches what refers to the object since; a reference to what
    /// is gone is cleared; an object that another commit deleted and this context changed comes back. Of two saved objects with one unique key the one that
    /// got it here keeps it, and the other is deleted, by its delete rules; where that is too much, decide with `custom`.
    case objectTrump
    /// An object in conflict is written as a whole as it is here, also what was not changed here. Two saved objects with one unique key are as under
    /// `objectTrump`.
    case overwrite
    /// An object in conflict loses its changes; a new one leaves the context.
    case rollback
    /// A program's own decision for each conflict of a save; all are asked for before anything changes. It may read the context's objects and
    /// must not change them, which is what its answer is for.
    case custom((SaveConflict) -> MergeResolution)
}

/// How one conflict is decided.
public enum MergeResolution: Sendable, Equatable {
    /// The save fails and lists every conflict.
    case refuse
    /// As `MergePolicy.storeTrump`.
    case storeTrump
    /// As `MergePolicy.objectTrump`.
    case objectTrump
    /// As `MergePolicy.overwrite`.
    case overwrite
    /// As `MergePolicy.rollback`.
    case rollback
    /// As `MergePolicy.objectTrump`, with these values by key in the object that goes on: the sum of two numbers, say, or the newer of two texts.
    case values([String: Value])
}

extension MergePolicy {
    func resolution(of conflict: SaveConflict) -> MergeResolution {
        switch self {
        case .error: .refuse
        case .storeTrump: .storeTrump
        case .objectTrump: .objectTrump
        case .overwrite: .overwrite
        case .rollback: .rollback
        case .custom(let decide): decide(conflict)
        }
    }
}

extension MergeResolution {
    /// Whether what the store has is kept where both sides cannot be.
    var isForStore: Bool { self == .storeTrump || self == .rollback }
}
