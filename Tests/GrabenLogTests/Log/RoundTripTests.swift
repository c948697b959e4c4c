import GrabenFixtures
import Testing

@testable import GrabenLog

@Suite struct RoundTripTests {
    @Test("what was committed is read back, live and after reopening")
    func roundTrip() throws {
        let system = MemoryFileSystem()
        let log = try Log.open(path: "a", in: system)
        #expect(log.catalog.version == 0)
        let first = try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            for row in 0..<3000 as Range<Row> { builder.insertJoint(row, "J\(row)", (Double(row), -0.0, .nan), w: row % 2 == 0 ? 0 : nil) }
            for row in 0..<500 as Range<Row> { builder.putLine(row, row, row % 7) }
        }
        #expect(first.commitNumber == 1)
        func check(_ snapshot: LogSnapshot) throws {
            #expect(snapshot.catalog.entities.count == 3)
            #expect(snapshot.catalog.model == ["name": "drawing"])
            #expect(snapshot.liveCount(Drawing.joint) == 3000)
            #expect(snapshot.highestRow(Drawing.joint) == 2999)
            #expect(try snapshot.name(17) == "J17")
            let position = try snapshot.position(2047)
            #expect(position[0] == 2047)
            #expect(position[1].sign == .minus)
            #expect(position[2].isNaN)
            #expect(try snapshot.weight(2) == 0)
            #expect(try snapshot.weight(3) == nil)
            #expect(try snapshot.sources(of: 3, through: Drawing.endKey) == (0..<500).filter { $0 % 7 == 3 })
            #expect(try snapshot.sourceCount(of: 499, through: Drawing.startKey) == 1)
            #expect(try snapshot.record(Drawing.joint, 3000) == nil)
        }
        try check(first)
        let second = try log.change { builder in
            builder.move(5, (1, 2, 3))
            builder.appendTombstone(layout: Drawing.lineLayout, row: 3)
            builder.putLine(10, isInsert: false, 10, 4)
        }
        try check(first)
        #expect(first.next?.commitNumber == second.commitNumber)
        #expect(try second.position(5) == [1, 2, 3])
        #expect(try second.containsSource(3, of: 3, through: Drawing.endKey) == false)
        #expect(try second.containsSource(10, of: 4, through: Drawing.endKey))
        #expect(second.changes[Drawing.line]?.deleted.contains(3) == true)
        #expect(second.changes[Drawing.line]?.updated == [RowChange(row: 10, mask: FieldMask([0, 1]))])
        #expect(second.changes[Drawing.joint]?.patched.first?.lanes == FieldMask([0, 1, 2, 3]))
        try log.close()
        let again = try Log.open(path: "a", in: system)
        #expect(again.newest.commitNumber == 2)
        #expect(again.health.wasClosedCleanly)
        #expect(try again.newest.position(5) == [1, 2, 3])
        #expect(try again.newest.name(17) == "J17")
        #expect(again.newest.contains(Drawing.line, 3) == false)
        #expect(try again.newest.containsSource(10, of: 4, through: Drawing.endKey))
        #expect(try again.newest.sources(of: 2, through: Drawing.endKey).contains(9))
    }
}
