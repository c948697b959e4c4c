import Graben

extension Demo {
    /// Step 1: the tables go into a new store, in one commit.
    func load() throws {
        try steps.begin("A new store takes the town")
        let container = try openStore()
        let context = newContext(container)
        var joints: [String: Joint] = [:]
        try fixtures.table("Joint").forEach { row in
            let joint = Joint(context: context)
            joint.name = try row.text("name")
            joint.kind = try row.text("kind")
            guard let x = try row.number("x"), let y = try row.number("y"), let z = try row.number("z") else {
                throw row.failure("a joint needs x, y and z")
            }
            joint.position = [x, y, z]
            guard joints.updateValue(joint, forKey: joint.name) == nil else { throw row.failure("\(joint.name) was there before") }
        }
        try fixtures.table("Line").forEach { row in
            let line = Line(context: context)
            line.name = try row.text("name")
            line.kind = try row.text("kind")
            line.diameter = try row.number("diameter")
            line.length = try row.number("length")
            line.start = joints[try row.text("start")]
            line.end = joints[try row.text("end")]
            guard line.start != nil, line.end != nil else { throw row.failure("\(line.name) begins or ends at no joint of the table") }
        }
        try checkErrors()
        try context.save()
        try expect("the town is one commit and one sync", context.statistics.commits == 1 && context.statistics.syncs == 1)
        let commit = try container.coordinator.stores[0].commits().last
        try steps.show(
            "\(joints.count.grouped) joints, and the lines between them, in one commit of \((commit?.byteCount ?? 0).grouped) bytes and one sync"
        )
        try checkCounts(container.newContext())
        try checkBox(container.newContext())
        context.close()
        try container.close()
    }

    private func checkCounts(_ context: ManagedObjectContext) throws {
        let counts = fixtures.expected.counts
        try expect("joints", try context.count(for: Joint.fetchRequest()), is: counts.joints)
        try expect("lines", try context.count(for: Line.fetchRequest()), is: counts.lines)
        for (kind, count) in counts.kinds["Joint"] ?? [:] {
            try expect("joints of kind \(kind)", try context.count(for: Joint.fetchRequest(where: "kind == %@", kind)), is: count)
        }
        for (kind, count) in counts.kinds["Line"] ?? [:] {
            try expect("lines of kind \(kind)", try context.count(for: Line.fetchRequest(where: "kind == %@", kind)), is: count)
        }
        try steps.show(
            "counted by fetch requests: \(counts.joints.grouped) joints, \(counts.lines.grouped) lines, and every kind, as expected")
        try expect("faults fired by counting", context.statistics.firedFaults, is: 0)
    }

    private func checkBox(_ context: ManagedObjectContext) throws {
        let (lower, upper) = try box(context)
        let expected = fixtures.expected.boundingBox
        try expect("lower corner", lower, is: [expected.x.min, expected.y.min, expected.z.min])
        try expect("upper corner", upper, is: [expected.x.max, expected.y.max, expected.z.max])
        try steps.show(
            "bounding box, from the columns: x \(lower.x.short) to \(upper.x.short), y \(lower.y.short) to \(upper.y.short),"
                + " z \(lower.z.short) to \(upper.z.short) feet, as expected")
    }

    /// The box around all joints, from whole chunks: no object is made.
    func box(_ context: ManagedObjectContext) throws -> (lower: SIMD3<Double>, upper: SIMD3<Double>) {
        try context.withColumns(of: Joint.self) { columns in
            var lower = SIMD3<Double>(repeating: .infinity)
            var upper = SIMD3<Double>(repeating: -.infinity)
            for chunk in columns {
                for lane in 0..<3 {
                    guard let extent = chunk[lane].extent() else { continue }
                    lower[lane] = min(lower[lane], extent.lowerBound)
                    upper[lane] = max(upper[lane], extent.upperBound)
                }
            }
            return (lower, upper)
        }
    }
}
