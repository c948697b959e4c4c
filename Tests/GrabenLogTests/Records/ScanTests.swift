import Testing

@testable import GrabenLog

@Suite("Scanning records")
struct ScanTests {
    // A scan copied the addresses of every batch up to the highest row: over a file with one object that claimed four billion rows it took minutes.
    @Test("a scan passes over batches in which no row can be, and no other, with and without an index")
    func sparse() throws {
        let system = MemoryFileSystem(reservation: 1 << 28)
        let rows: [Row] = [3, 1_023, 70_000, 1 << 28]
        let log = try Log.open(path: "a", in: system)
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            for row in rows { builder.insertJoint(row, "J\(row)") }
        }
        func visited(_ log: Log) -> [Int] {
            let scan = RecordScan(log.newest, Drawing.joint)
            let batches = [0, 1, 67, 68, 69, 1_000, 200_000, scan.batchCount - 2, scan.batchCount - 1]
            return batches.filter { scan.hasRows($0) }
        }
        let last = (1 << 28) / slotsPerChunk
        #expect(visited(log) == [0, 68, last])
        try log.close()
        let again = try Log.open(path: "a", in: system)
        #expect(visited(again) == [0, 68, last])
        try again.change { $0.appendTombstone(layout: Drawing.jointLayout, row: 70_000) }
        let scan = RecordScan(again.newest, Drawing.joint)
        var bits = [UInt64](repeating: 0, count: RecordScan.wordsPerBatch)
        try bits.withUnsafeMutableBufferPointer { try scan.begin(68, live: try #require($0.baseAddress)) }
        #expect(bits.allSatisfy { $0 == 0 })
    }
}
