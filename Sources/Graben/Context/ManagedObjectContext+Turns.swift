/// Events that end by themselves, once the actor that the context belongs to comes to its next job.
extension ManagedObjectContext {
    /// Has each event end at a turn of the context's actor: `turn` is called with its first change, and is to have `endTurn()` called there.
    func endEvents(by turn: @escaping @Sendable () -> Void) {
        self.turn = turn
        awaitsTurn = true
    }

    /// Notes that something has changed. Costs one test where nobody waits for it.
    @inline(__always)
    func noteTurn() {
        if awaitsTurn { askForTurn() }
    }

    @inline(never)
    private func askForTurn() {
        awaitsTurn = false
        turn?()
    }

    /// Ends the event, if there is one still.
    func endTurn() {
        awaitsTurn = true
        if !isClosed, !event.isEmpty { processPendingChanges() }
    }
}
