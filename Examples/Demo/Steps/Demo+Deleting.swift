import Graben

extension Demo {
    /// Step 7: the busiest joint goes, with its lines, for good; and comes back, with its lines, as the same objects.
    func deleteAndUndo() throws {
        try steps.begin("Delete the busiest joint, save, undo, save")
        let container = try openStore()
        let context = newContext(container)
        context.undoManager = ObjectUndoManager()
        let busiest = try busiestJoint(context)
        let lines = busiest.lines
        let ends = lines.map { End(line: $0) }
        let names = lines.map(\.name)
        let name = busiest.name
        let position = busiest.position
        let id = busiest.objectID

        context.delete(busiest)
        try context.save()
        try checkTotals(container.newContext(), deleted: lines.count)
        try expect("no trace of it in the store", container.newContext().isMissing(id))

        context.undo()
        try context.save()
        try expect("it is there again under its id", !busiest.isDeleted && busiest.objectID == id)
        try expect("it is where it was", busiest.position.bits, is: position.bits)
        try expect("its lines are the same instances", Set(busiest.lines) == Set(lines) && lines.allSatisfy { !$0.isDeleted })
        try expect("their ids and ends are the same", lines.map { End(line: $0) }, is: ends)
        try expect("their names are the same", lines.map(\.name), is: names)
        let reader = newContext(container)
        try checkTotals(reader, deleted: 0)
        let other = try busiestJoint(reader)
        try expect("another context sees it with its lines", Set(other.lines.map(\.objectID)) == Set(lines.map(\.objectID)))
        try expect("names of its outgoing lines", other.outgoing.map(\.name).sorted(), is: fixtures.expected.busiest.outgoing.sorted())
        try expect("names of its incoming lines", other.incoming.map(\.name).sorted(), is: fixtures.expected.busiest.incoming.sorted())
        let neighbours = Set(other.outgoing.compactMap(\.end?.name) + other.incoming.compactMap(\.start?.name))
        try expect("names at the other ends", neighbours.sorted(), is: fixtures.expected.busiest.neighbours.sorted())
        try checkErrors()
        reader.close()
        context.close()
        try container.close()
        try steps.show(
            "\(name) and its \(lines.count) lines were gone from the file and are back:"
                + " same instances, same ids, both ends of \(names.sorted().joined(separator: ", "))")
    }

    /// A line and what it joins, by id.
    private struct End: Equatable {
        let line: ObjectID
        let start: ObjectID?
        let end: ObjectID?

        init(line: Line) {
            self.line = line.objectID
            start = line.start?.objectID
            end = line.end?.objectID
        }
    }

    private func checkTotals(_ context: ManagedObjectContext, deleted: Int) throws {
        let counts = fixtures.expected.counts
        try expect("joints", try context.count(for: Joint.fetchRequest()), is: counts.joints - (deleted > 0 ? 1 : 0))
        try expect("lines", try context.count(for: Line.fetchRequest()), is: counts.lines - deleted)
    }
}

extension ManagedObjectContext {
    fileprivate func isMissing(_ id: ObjectID) -> Bool {
        do {
            _ = try existingObject(with: id)
            return false
        } catch {
            return true
        }
    }
}
