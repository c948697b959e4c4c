import GrabenLog

extension ManagedObjectContext {
    /// Ends the event: deletions reach related objects, what changed becomes one undo step, and handlers hear of it.
    ///
    /// Complexity: O(changes of the event).
    public func processPendingChanges() {
        checkOwner()
        if propagatesDeletesAtEndOfEvent { propagateDeletions() }
        guard !event.isEmpty else {
            sweepIfWorthwhile()
            return resultWatch.catchUp()
        }
        let ended = event
        event = ContextEvent()
        noteForResults(ended)

        var changes = ContextChanges()
        let step = undoManager?.isUndoRegistrationEnabled == true ? StepBuilder(self) : nil
        // What came and went in one event is neither.
        let deleted = ended.inserted.isEmpty ? [] : Set(ended.deleted.map(ObjectIdentifier.init))
        // Ids are for handlers; a drawing being loaded mostly has none.
        let isHeard = notifier.hearsChanges
        if isHeard || step != nil {
            for object in ended.inserted where deleted.isEmpty || !deleted.contains(ObjectIdentifier(object)) {
                step?.inserted.append(object)
                if isHeard { changes.inserted.append(object.objectID) }
            }
        }
        for object in ended.deleted where !object.has(ObjectFlag.newInEvent) {
            step?.deleted.append(object)
            changes.deleted.append(object.objectID)
        }
        ended.objects.forEachBorrowed { object in
            object.clear(ObjectFlag.inEvent)
            let isNew = object.has(ObjectFlag.newInEvent)
            if let data = object._data {
                if !isNew || isRestoringStep { step?.add(object, data.event) }
                data.event.removeAll()
            }
            if isHeard, !isNew, !object.has(ObjectFlag.deleted) { changes.updated.append(object.objectID) }
        }
        ended.inserted.forEachBorrowed { $0.clear(ObjectFlag.newInEvent) }
        for (table, overlay, index) in ended.chunks {
            step?.add(table, index, overlay)
            for slot in overlay.event.slots where isHeard {
                let id = table.id(row(chunk: index, slot: Int(slot), in: table))
                changes.moved.append(id)
            }
            overlay.event = EventSlots()
        }
        if let step = step?.step { undoManager?.register(step) }
        sweepIfWorthwhile()
        if isHeard { notify(changes) }
        resultWatch.catchUp()
    }

    /// Whether changes of objects that came in this event are noted too: an undo that brings an object back changes it in the same event.
    var notesNewObjects: Bool { isRestoring || isRestoringStep }

    private var isRestoringStep: Bool { undoManager.map { $0.isUndoing || $0.isRedoing } ?? false }

    /// Runs `body` with nothing in it becoming an undo step.
    public func withoutUndo<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        processPendingChanges()
        undoManager?.disableUndoRegistration()
        defer {
            processPendingChanges()
            undoManager?.enableUndoRegistration()
        }
        return try body()
    }

    // MARK: Undo

    /// Takes the last step back; without an undo manager it does nothing.
    public func undo() {
        processPendingChanges()
        undoManager?.undo()
    }

    /// Does the step taken back last again.
    public func redo() {
        processPendingChanges()
        undoManager?.redo()
    }
}

/// Gathers what an event changed into an undo step.
private final class StepBuilder {
    let context: ManagedObjectContext
    var inserted: [ManagedObject] = []
    var deleted: [ManagedObject] = []
    private var objects: [ContextStep.ObjectChanges] = []
    private var packed: [ContextStep.PackedChanges] = []

    init(_ context: ManagedObjectContext) { self.context = context }

    func add(_ object: ManagedObject, _ changes: [EventChange]) {
        if !changes.isEmpty { objects.append(.init(object: object, changes: changes)) }
    }

    func add(_ table: ObjectTable, _ chunk: Int, _ overlay: OverlayChunk) {
        overlay.completeEvent()
        let event = overlay.event
        guard !event.isEmpty else { return }
        let laneCount = table.info.laneProperties.count
        let lanes = event.slots.enumerated().map { place, slot in
            // Lanes that this event left alone may be changed without undo meanwhile, so undo leaves them alone too. The column does not
            // know the values of an object that has left.
            let object = table.registered(context.row(chunk: chunk, slot: Int(slot), in: table))
            guard laneCount <= 64, object != nil || overlay.dirty[Int(slot)] else { return UInt64.max }
            var mask: UInt64 = 0
            for lane in 0..<laneCount
            where event.value(at: place, lane, overlay.geometry) != overlay.geometry.value(overlay.data, lane, Int(slot)) {
                mask |= 1 << UInt64(lane)
            }
            return mask
        }
        packed.append(.init(table: table, chunk: chunk, before: event, lanes: lanes))
    }

    /// The step, or nil where nothing happened.
    var step: ContextStep? {
        if inserted.isEmpty, deleted.isEmpty, objects.isEmpty, packed.isEmpty { return nil }
        return ContextStep(context: context, inserted: inserted, deleted: deleted, objects: objects, packed: packed)
    }
}
