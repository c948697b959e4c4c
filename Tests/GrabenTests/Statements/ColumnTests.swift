import Graben
import GrabenFixtures
import Testing

/// Lanes of both widths, optional and not.
@Entity("M") final class Mixed: ManagedObject {
    @Packed var a: Double
    @Packed var f: Float
    @Packed var b: Double?
    @Packed var g: Float?
    var name: String?
}

@Suite("Columns")
struct ColumnTests {
    private func container(_ location: StoreLocation) throws -> PersistentContainer {
        try PersistentContainer(for: Mixed.self, stores: [StoreConfiguration(location)])
    }

    @Test("nil, 0, -0, NaN and infinities stay distinct in every lane, float and double, through save and reopen")
    func distinct() throws {
        let folder = try TemporaryFolder()
        let location = StoreLocation.file(folder.path("distinct.graben"))
        let odd: [Double?] = [nil, 0, -0.0, .nan, .infinity, -.infinity, 1.5, -2]
        func bits(_ value: Double?) -> UInt64? { value.map { $0.isNaN ? Double.nan.bitPattern : $0.bitPattern } }
        func check(_ objects: [Mixed], _ context: ManagedObjectContext, _ when: String) throws {
            for (index, object) in objects.enumerated() {
                let value = odd[index % odd.count]
                #expect(bits(object.b) == bits(value) && bits(object.g.map(Double.init)) == bits(value), "\(when) \(index)")
                #expect(bits(object.a) == bits(value ?? 0) && bits(Double(object.f)) == bits(value ?? 0), "\(when) \(index)")
            }
            for name in ["b", "g"] { #expect(try context.column("M", name).map(bits) == objects.map { bits($0.b) }, "\(when) \(name)") }
            for name in ["a", "f"] { #expect(try context.column("M", name).map(bits) == objects.map { bits($0.a) }, "\(when) \(name)") }
        }
        let container = try container(location)
        let context = container.newContext()
        let objects = (0..<1500).map { index in
            let object = Mixed(context: context)
            let value = odd[index % odd.count]
            (object.a, object.f, object.b, object.g) = (value ?? 0, Float(value ?? 0), value, value.map(Float.init))
            return object
        }
        try check(objects, context, "unsaved")
        try context.save()
        try check(objects, context, "saved")
        // The same by patches: every value is exchanged for another and back.
        for object in objects { (object.a, object.f, object.b, object.g) = (9, 9, object.b == nil ? 9 : nil, object.g == nil ? 9 : nil) }
        try context.save()
        for (index, object) in objects.enumerated() {
            let value = odd[index % odd.count]
            (object.a, object.f, object.b, object.g) = (value ?? 0, Float(value ?? 0), value, value.map(Float.init))
        }
        try context.save()
        try check(objects, context, "patched")
        try container.close()
        let again = try self.container(location)
        let second = again.newContext()
        let read = try second.fetch(FetchRequest<Mixed>())
        #expect(read.count == 1500)
        try check(read, second, "reopened")
        let faults = read.filter(\.isFault).count
        #expect(faults == 1500)
    }

    @Test("sums, extents, spans and counts agree with plain loops, over gaps, unsaved rows and nil values")
    func sums() throws {
        let container = try container(.inMemory)
        let context = container.newContext()
        var random = SplitMix64(seed: 3)
        var values: [ObjectID: (Double, Double?)] = [:]
        for round in 0..<6 {
            for _ in 0..<500 {
                let object = Mixed(context: context)
                (object.a, object.f) = (Double(random.below(100)), Float(random.below(100)))
                object.b = random.below(3) == 0 ? nil : Double(random.below(50)) - 25
                values[object.objectID] = (object.a, object.b)
            }
            for id in values.keys.sorted() where random.below(6) == 0 {
                context.delete(context.object(with: id))
                values[id] = nil
            }
            context.processPendingChanges()
            if round % 2 == 0 { try context.save() }
            try context.withColumns(of: Mixed.self) { columns in
                #expect(columns.names == ["a", "f", "b", "g"])
                #expect(columns.sum(0) == values.values.reduce(0) { $0 + $1.0 })
                #expect(columns.sum(2) == values.values.reduce(0) { $0 + ($1.1 ?? 0) })
                let each = (0..<4).map { columns.sum($0) }
                #expect(columns.sums() == each)
                var (count, spanSum, least, greatest) = (0, 0.0, Double.infinity, -Double.infinity)
                for chunk in columns {
                    count += chunk.count
                    if let extent = chunk[2].extent() {
                        (least, greatest) = (min(least, extent.lowerBound), max(greatest, extent.upperBound))
                    }
                    chunk[0].withSpan { span in
                        for slot in 0..<span.count where chunk.isLive(slot) {
                            spanSum += span[slot]
                            #expect(values[chunk.id(slot)]?.0 == span[slot])
                        }
                    }
                    #expect(chunk[1].withSpan { $0.count } == 0)
                    #expect(chunk[1].withFloatSpan { $0.count } == chunk.slotCount)
                    #expect(chunk[99].sum() == 0 && chunk[99].extent() == nil && chunk[99][0] == nil)
                }
                #expect(count == values.count && spanSum == columns.sum(0))
                #expect(least == values.values.compactMap(\.1).min() && greatest == values.values.compactMap(\.1).max())
                #expect(thrown { _ = try columns.lane("c") } != nil)
            }
        }
    }

    @Test("a bulk translate is one undo step, one notification and one patch, reaches fields, and needs no objects")
    func translate() throws {
        let container = try Network.container()
        let context = container.newContext()
        let ids = (0..<100).map { _ in Joint(context: context).objectID }
        try context.save()
        let other = container.newContext()
        other.undoManager = ObjectUndoManager()
        var events = 0
        let token = other.onDidChange { _ in events += 1 }
        defer { token.cancel() }
        other.translate(ids, by: [1, 2, 3])
        other.translate(ids, by: [1, 2, 3])
        other.processPendingChanges()
        #expect(other.registeredObjects.isEmpty && other.hasChanges && events == 1 && other.undoManager?.undoDepth == 1)
        #expect(other.positions(of: ids).allSatisfy { $0 == [2, 4, 6] })
        try other.save()
        #expect(!other.hasChanges && other.statistics.commits == 1)
        other.undo()
        #expect(other.positions(of: ids).allSatisfy { $0 == .zero } && other.hasChanges)
        try other.save()
        #expect(try container.newContext().column("Joint", "x").allSatisfy { $0 == 0 })
        other.redo()
        other.rollback()
        #expect(!other.hasChanges && other.positions(of: ids).allSatisfy { $0 == .zero })

        let nodes = try Node.container()
        let third = nodes.newContext()
        let node = Node(context: third)
        third.translate([node.objectID], by: [1, 1, 1])
        #expect(node.primitiveX == 1 && node.y == 6)
    }

    @Test("positions of strangers, detached objects and unknown rows are zeros or last values, never a trap")
    func positions() throws {
        let container = try Network.container()
        let context = container.newContext()
        let joint = Joint(context: context)
        joint.position = [1, 2, 3]
        let line = Line(context: context)
        try context.save()
        let far = ObjectID(store: joint.objectID.storeNumber, entity: joint.objectID.entityNumber, row: 5_000_000)
        let strange = ObjectID(store: 999_999, entity: 0, row: 0)
        #expect(context.positions(of: [joint.objectID, far, line.objectID, strange]) == [[1, 2, 3], .zero, .zero, .zero])
        let detached = Joint(entity: try #require(container.model.entity(named: "Joint")), insertInto: nil)
        detached.position = [4, 5, 6]
        #expect(context.positions(of: [joint, detached]) == [[1, 2, 3], [4, 5, 6]])
        #expect(context.positions(of: [line]) == [.zero])
        context.translate([line], by: [1, 1, 1])
        #expect(throws: GrabenError.self) { try context.save() }
        context.translate([detached], by: [1, 1, 1])
        #expect(throws: GrabenError.self) { try context.save() }
        try context.save()
        context.reset()
        #expect(context.positions(of: [joint]) == [[1, 2, 3]])
    }

    @Test("chunks and lanes lent to a program keep their values while the context goes on")
    func lentMemory() throws {
        let container = try Network.container()
        let context = container.newContext()
        let joint = Joint(context: context)
        joint.x = 1
        try context.save()
        joint.x = 2
        let chunks = try context.withColumns(of: Joint.self) { Array($0) }
        context.rollback()
        try context.save()
        context.reset()
        #expect(chunks[0][0].sum() == 1 || chunks[0][0].sum() == 2)
    }

    @Test("columns and references by row agree with objects through undo, rollback, refresh and save")
    func references() throws {
        let container = try Network.container()
        let context = container.newContext()
        context.undoManager = ObjectUndoManager()
        let joints = (0..<5).map { _ in Joint(context: context) }
        let lines = (0..<8).map { _ in Line(context: context) }
        func check(_ when: String) throws {
            try context.withReferences(of: Line.self, "start", "end") { starts, ends in
                for line in lines where line.managedObjectContext != nil && !line.isDeleted {
                    let row = Int(line.objectID.row)
                    #expect(starts[row] == line.start?.objectID.row ?? .max, "\(when)")
                    #expect(ends[row] == line.end?.objectID.row ?? .max, "\(when)")
                }
            }
        }
        var random = SplitMix64(seed: 9)
        try check("new")
        for step in 0..<200 {
            let line = lines[Int(random.below(8))]
            switch random.below(9) {
            case 0: try context.save()
            case 1: context.undo()
            case 2: context.redo()
            case 3: context.rollback()
            case 4: if line.managedObjectContext != nil { context.refresh(line, mergeChanges: random.below(2) == 0) }
            case 5: if line.managedObjectContext != nil, random.below(3) == 0 { context.delete(line) }
            default:
                guard line.managedObjectContext != nil, !line.isDeleted else { continue }
                let joint = joints[Int(random.below(5))]
                guard joint.managedObjectContext != nil else { continue }
                if random.below(2) == 0 { line.start = joint } else { line.end = random.below(3) == 0 ? nil : joint }
            }
            context.processPendingChanges()
            try check("step \(step)")
        }
    }
}
