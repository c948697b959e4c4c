import FoundationEssentials
import GrabenFixtures
import Testing

@testable import GrabenLog

/// The limits that FileFormat.md states: at each, and past it.
@Suite("Limits of the format")
struct LimitTests {
    private static let blob = RecordLayout(
        number: 4, entity: 7, fields: [RecordField(name: "data", kind: .data, isOptional: true)], lanes: [])

    private func log(_ catalog: Catalog = Drawing.catalog) throws -> Log {
        let log = try Log.open(path: "a", in: MemoryFileSystem(), options: LogOptions(writesIndex: false))
        try log.change { $0.setCatalog(catalog) }
        return log
    }

    /// The error of a commit that is refused; the log must be as it was.
    private func refusal(_ log: Log, _ body: (inout CommitBuilder) -> Void) throws -> String {
        let before = log.newest.commitNumber
        do { try log.change(body) } catch CommitError<Never>.log(let error) {
            #expect(log.newest.commitNumber == before)
            return error.description
        }
        Issue.record("it was written")
        return ""
    }

    @Test("a value of 2^30 bytes is written and read, one of a byte more is refused by name")
    func values() throws {
        var catalog = Drawing.catalog
        catalog.entities.append(CatalogEntity(code: 7, name: "Blob"))
        catalog.layouts.append(Self.blob)
        let log = try log(catalog)
        // Zeros are pages that the system has yet to make, and take four megabytes in the file.
        let value = Data(count: Format.valueLimit)
        try log.change { $0.appendRecord(layout: Self.blob, row: 0, isInsert: true) { _ in .data(value) } }
        let record = try #require(try log.newest.record(7, 0))
        #expect(record.withBytes(0) { $0.count } == Format.valueLimit)
        let more = Data(count: Format.valueLimit + 1)
        let text = try refusal(log) { $0.appendRecord(layout: Self.blob, row: 1, isInsert: true) { _ in .data(more) } }
        #expect(text.contains("'data'") && text.contains("1 GB"))
    }

    @Test("rows go to 2^32 - 2, and no further")
    func rows() throws {
        let log = try log()
        try log.change { $0.insertJoint(Format.highestRow - 1, "last but one") }
        #expect(try log.reserveRows(entity: Drawing.joint, count: 1) == Format.highestRow..<Format.highestRow + 1)
        try log.change { $0.putLine(Format.highestRow, 1, Format.highestRow) }
        #expect(try log.newest.record(Drawing.line, Format.highestRow)?.reference(1)?.row == Format.highestRow)
        #expect(log.newest.highestRow(Drawing.line) == Format.highestRow)
        #expect {
            try log.reserveRows(entity: Drawing.line, count: 1)
        } throws: { error in
            if case .limit(let what, _)? = error as? LogError { return what.contains("2^32") }
            return false
        }
        #expect(try refusal(log) { $0.putLine(.max, 1, 2) }.contains("row 4294967295 is beyond the highest"))
    }

    @Test("a layout has 4,096 fields and 256 lanes, and no more")
    func layouts() throws {
        func catalog(fields: Int, lanes: Int) -> Catalog {
            var catalog = Drawing.catalog
            catalog.version = 2
            catalog.layouts.append(
                RecordLayout(
                    number: 9, entity: Drawing.group,
                    fields: (0..<fields).map { RecordField(name: "f\($0)", kind: .int64, isOptional: true) },
                    lanes: (0..<lanes).map { Lane(name: "l\($0)", isOptional: true) }))
            return catalog
        }
        for (fields, lanes) in [(4097, 0), (0, 257)] {
            #expect(try refusal(try log()) { $0.setCatalog(catalog(fields: fields, lanes: lanes)) }.contains("4096 fields or 256 lanes"))
        }
        let log = try log()
        let most = catalog(fields: 4096, lanes: 256)
        try log.change { $0.setCatalog(most) }
        let layout = try #require(log.catalog.layout(9))
        try log.change { builder in
            builder.appendRecord(layout: layout, row: 3, isInsert: true) { $0 % 3 == 0 ? .null : .int(Int64($0)) }
            builder.appendPatch(layout: layout, lanes: Array(0..<256), rows: [3], bits: (0..<256).map { UInt64($0) })
        }
        let record = try #require(try log.newest.record(Drawing.group, 3))
        #expect(record.int(4094) == 4094 && record.isNull(4095) && record.changedFields == nil)
        #expect(try log.check() == [])
        // And through a file, with an update whose mask has a bit for each.
        try log.change { builder in
            builder.appendRecord(layout: layout, row: 3, isInsert: false, changed: { $0 == 4095 }, value: { _ in .int(-1) })
        }
        #expect(try log.newest.record(Drawing.group, 3)?.changedFields == FieldMask([4095]))
    }

    @Test("a patch of more than 65,536 rows becomes two; a file with a longer one is malformed")
    func patches() throws {
        let log = try log()
        let rows = (0..<70_000).map { Row($0) }
        try log.change { builder in
            builder.appendPatch(layout: Drawing.jointLayout, lanes: [0], rows: rows, bits: rows.map { Double($0).bitPattern })
        }
        #expect(try log.newest.position(69_999)[0] == 69_999 && log.check() == [])
        #expect(log.newest.changes[Drawing.joint]?.patched.count == 2)
        let buffer = ByteBuffer()
        RowListCoding.encodeDense(first: 0, count: Format.patchRowLimit + 1, into: buffer)
        var reader = ByteReader(UnsafeRawPointer(buffer.base), to: buffer.count)
        #expect(throws: ByteError.outOfRange) { try RowListCoding.decode(&reader, atMost: Format.patchRowLimit) }
    }

    @Test("a chunk has 1,024 rows, and no more")
    func chunks() throws {
        let log = try log()
        let chunk = ChunkHandle(layout: Drawing.jointLayout, owner: 1)
        try log.change { $0.appendChunk(layout: Drawing.jointLayout, firstRow: 0, count: 1024, from: chunk.base) }
        let text = try refusal(log) { $0.appendChunk(layout: Drawing.jointLayout, firstRow: 1024, count: 1025, from: chunk.base) }
        #expect(text.contains("1 to 1024"))
    }

    @Test("a catalog's tree is 64 deep, and no deeper")
    func nesting() throws {
        func tree(_ depth: Int) -> [UInt8] { [UInt8](repeating: 0x81, count: depth - 1) + [0x00] }
        _ = try tree(64).withUnsafeBytes { try CBOR.decode($0) }
        #expect(throws: (any Error).self) { try tree(65).withUnsafeBytes { try CBOR.decode($0) } }
    }

    @Test("a frame with a longer payload than any writer makes is no frame")
    func frames() throws {
        let system = MemoryFileSystem()
        let log = try Log.open(path: "a", in: system)
        try log.change { $0.setCatalog(Drawing.catalog) }
        var bytes = Array(try #require(system.contents("a")).prefix(Int(log.newest.endOffset)))
        let length = UInt32(Format.payloadLimit + 1)
        withUnsafeBytes(of: length.littleEndian) { bytes.replaceSubrange(4096 + 24..<4096 + 28, with: $0) }
        bytes.withUnsafeBytes { raw in
            let base = raw.baseAddress.map { $0 + 4096 }
            // Whatever the file's length.
            #expect(base.flatMap { FrameHeader($0, offset: 4096, limit: .max, salt: log.salt) } == nil)
        }
    }

    @Test("names and authors may be long, and links have orders of 64 bits")
    func names() throws {
        var catalog = Drawing.catalog
        catalog.version = 2
        let name = String(repeating: "n", count: 1 << 20)
        catalog.entities.append(CatalogEntity(code: .max, name: name))
        let long = catalog
        let log = try log()
        _ = try log.commit(author: name) { (_, builder: inout CommitBuilder) in
            builder.setCatalog(long)
            for (row, order) in [(0, Int64.min), (1, .max), (2, 0)] as [(Row, Int64)] {
                builder.appendLink(Drawing.members, owner: (Drawing.group, 0), member: (.max, row), order: order, removed: false)
            }
        }
        #expect(log.catalog.entity(.max)?.name == name && log.newest.metadata.author == name)
        #expect(log.newest.members(of: ObjectKey(Drawing.group, 0), through: Drawing.members).map(\.row) == [0, 2, 1])
        #expect(try log.check() == [])
    }

    @Test("a member of many, and an owner of many, are no different")
    func links() throws {
        let log = try log()
        try log.change { builder in
            for row in 0..<200_000 as Range<Row> {
                builder.appendLink(Drawing.members, owner: (Drawing.group, 0), member: (Drawing.joint, row), order: 0, removed: false)
                builder.appendLink(Drawing.members, owner: (Drawing.group, row), member: (Drawing.joint, 0), order: 0, removed: false)
            }
        }
        #expect(log.newest.memberCount(of: ObjectKey(Drawing.group, 0), through: Drawing.members) == 200_000)
        #expect(log.newest.ownerCount(of: ObjectKey(Drawing.joint, 0), through: Drawing.members) == 200_000)
    }
}
