/// Who is told what a context does, and in which order.
///
/// Invariant: whoever listens hears of everything in the order in which it happened, and no handler is called inside another one of them.
/// What a handler does is told after everyone has heard of what it was told itself. Only the handlers of a coming save run at once, for the
/// save waits for them.
final class ContextNotifier {
    enum Note {
        case changed(ContextChanges)
        case saved(ContextSave)
    }

    let changes = HandlerList<ContextChanges>()
    let saves = HandlerList<ContextSave>()
    let comingSaves = HandlerList<ContextSave>()
    /// Unretained: who reads a sequence keeps its mailbox, and one that nobody reads any more is dropped at the next notification.
    private var changeBoxes: [WeakBox<Mailbox<ContextChanges>>] = []
    private var saveBoxes: [WeakBox<Mailbox<ContextSave>>] = []
    private var waiting: [Note] = []
    private var isDelivering = false

    /// How many notifications one delivery makes at most: handlers that answer every notification with a change of their own would else
    /// never end.
    static var limit: Int { 1000 }

    /// Whether anyone would hear of changes.
    var hearsChanges: Bool { !changes.isEmpty || !changeBoxes.isEmpty }
    /// Whether anyone would hear of saves.
    var hearsSaves: Bool { !saves.isEmpty || !saveBoxes.isEmpty || !comingSaves.isEmpty }

    func makeChangeBox() -> Mailbox<ContextChanges> {
        let box = Mailbox<ContextChanges> { $0.join($1) }
        changeBoxes.append(WeakBox(object: box))
        return box
    }

    func makeSaveBox() -> Mailbox<ContextSave> {
        let box = Mailbox<ContextSave> { $0.join($1) }
        saveBoxes.append(WeakBox(object: box))
        return box
    }

    /// Tells everyone, or leaves it to the delivery that is under way.
    ///
    /// - Returns: false where handlers go on without end; what is left is told with the next notification.
    func post(_ note: Note) -> Bool {
        waiting.append(note)
        guard !isDelivering else { return true }
        isDelivering = true
        defer { isDelivering = false }
        for _ in 0..<Self.limit {
            guard !waiting.isEmpty else { return true }
            switch waiting.removeFirst() {
            case .changed(let change):
                changeBoxes.removeAll { $0.object == nil }
                for box in changeBoxes { box.object?.put(change) }
                changes.deliver(change)
            case .saved(let save):
                saveBoxes.removeAll { $0.object == nil }
                for box in saveBoxes { box.object?.put(save) }
                saves.deliver(save)
            }
        }
        return waiting.isEmpty
    }

    /// The context has ended: whoever waits for it need not.
    func finish() {
        for box in changeBoxes { box.object?.finish() }
        for box in saveBoxes { box.object?.finish() }
        (changeBoxes, saveBoxes) = ([], [])
    }
}
