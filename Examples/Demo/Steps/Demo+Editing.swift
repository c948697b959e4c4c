import Graben

extension Demo {
    /// Steps 2 to 5: the busiest joint, its fetched property, and all joints moved, moved back, moved again and saved.
    ///
    /// - Returns: where the joints are now, by name.
    func edit() throws -> [String: SIMD3<Double>] {
        let container = try openStore()
        let context = newContext(container)
        context.undoManager = ObjectUndoManager()
        let joints = try context.fetch(Joint.fetchRequest())
        let busiest = try findBusiest(joints, context)
        try readNearby(of: busiest, context)
        try move(joints, context)
        var places: [String: SIMD3<Double>] = [:]
        for joint in joints { places[joint.name] = joint.position }
        try checkErrors()
        context.close()
        try container.close()
        return places
    }

    private func findBusiest(_ joints: [Joint], _ context: ManagedObjectContext) throws -> Joint {
        try steps.begin("The joint with most lines")
        let expected = fixtures.expected.busiest
        var degrees: [String: Int] = [:]
        for joint in joints { degrees["\(joint.degree)", default: 0] += 1 }
        try expect("joints by number of lines", degrees, is: fixtures.expected.degrees)
        try expect("faults fired by counting the lines of every joint", context.statistics.firedFaults, is: 0)
        let busiest = try busiestJoint(context)
        try expect("its name", busiest.name, is: expected.name)
        try expect("its lines", busiest.degree, is: expected.degree)
        try expect("its position", [busiest.x, busiest.y, busiest.z], is: expected.position)
        let spread = degrees.sorted { $0.key < $1.key }.map { "\($0.value) have \($0.key)" }.joined(separator: ", ")
        try steps.show("\(expected.name) with \(busiest.degree) lines; of all joints \(spread), counted without loading a line")
        return busiest
    }

    private func readNearby(of busiest: Joint, _ context: ManagedObjectContext) throws {
        try steps.begin("Its fetched property `nearby`: the joints in the box of 500 feet around it")
        let before = context.statistics
        let nearby = busiest.nearby
        let distances = nearby.map { joint in
            let away = joint.position - busiest.position
            return (away * away).sum().squareRoot()
        }
        let after = context.statistics
        try expect("fetches run for it", after.fetches - before.fetches, is: 1)
        try expect("faults fired by it and by reading coordinates", after.firedFaults - before.firedFaults, is: 0)
        try expect("every one of them is still a fault", nearby.allSatisfy(\.isFault))
        try expect("store reads", after.storeReads - before.storeReads, is: 0)
        try steps.show(
            "\(nearby.count) joints, read x, y and z of each: they are \((distances.min() ?? 0).short) to \((distances.max() ?? 0).short)"
                + " feet away; faults fired: 0, records read: 0")
        try expect("their names", nearby.map(\.name), is: fixtures.expected.busiest.nearby)
        let fired = context.statistics.firedFaults - after.firedFaults
        try expect("faults fired by reading their names", fired, is: nearby.count)
        try steps.show("\(nearby.map(\.name).joined(separator: ", ")), as expected; asking for the names fired \(fired) faults")
        let fetches = context.statistics.fetches
        try expect("the second read is answered by the cache", busiest.nearby == nearby && context.statistics.fetches == fetches)
    }

    private func move(_ joints: [Joint], _ context: ManagedObjectContext) throws {
        try steps.begin("Move every joint, undo, redo")
        let old = joints.map(\.position)
        let new = old.map { $0 + Self.delta }
        func places(_ what: String, are expected: [SIMD3<Double>]) throws {
            for (joint, place) in zip(joints, expected) {
                try expect("position of \(joint.objectID.uriRepresentation) \(what)", joint.position.bits, is: place.bits)
            }
        }
        context.translate(joints, by: Self.delta)
        context.undoManager?.setActionName("Move")
        try places("after the move", are: new)
        context.undo()
        try places("after the undo", are: old)
        try expect("nothing is left to undo", context.undoManager?.canUndo == false)
        try expect("the step to do again", context.undoManager?.redoActionName, is: "Move")
        context.redo()
        try places("after the redo", are: new)
        let d = Self.delta
        try steps.show(
            "all \(joints.count.grouped) joints there are, by (\(d.x.short), \(d.y.short), \(d.z.short)) feet, as one undo step; undone and done again,"
                + " every coordinate right to the last bit")

        try steps.begin("Save")
        let before = context.statistics
        try context.save()
        let after = context.statistics
        try expect("commits", after.commits - before.commits, is: 1)
        try expect("syncs", after.syncs - before.syncs, is: 1)
        let commit = try context.coordinator.stores[0].commits().last
        try expect("joints moved by the commit", commit?.movedCount, is: joints.count)
        try steps.show("1 commit, 1 sync, \((commit?.byteCount ?? 0).grouped) bytes for \((commit?.movedCount ?? 0).grouped) moved joints")
    }

    /// Step 6: the file is closed and opened again, and says what it was told.
    func compareAfterReopening(_ expected: [String: SIMD3<Double>]) throws {
        try steps.begin("Close, open again, compare")
        let container = try openStore()
        let context = newContext(container)
        let joints = try context.fetch(Joint.fetchRequest())
        try expect("joints", joints.count, is: expected.count)
        for joint in joints {
            let name = joint.name
            try expect("position of \(name)", joint.position.bits, is: expected[name]?.bits)
        }
        try checkErrors()
        context.close()
        try container.close()
        try steps.show("\((3 * joints.count).grouped) coordinates of \(joints.count.grouped) joints are the same, bit for bit")
    }
}

private func expect<T: Equatable>(_ what: @autoclosure () -> String, _ found: T, is expected: T?) throws(DemoFailure) {
    guard let expected else { throw DemoFailure("\(what()): nothing was expected") }
    try expect(what(), found, is: expected)
}
