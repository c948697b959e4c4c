import GrabenFixtures
import Testing

@testable import GrabenLog

/// An entity with a field of every kind, in a catalog beside the drawing's.
private enum Things {
    static let entity: EntityCode = 9
    static let kinds: [FieldKind] = [
        .bool, .int16, .int32, .polymorphicReference, .string, .uri, .decimal, .data, .json,
    ]
    static let layout = RecordLayout(
        number: 9, entity: entity, fields: kinds.map { RecordField(name: "\($0)", kind: $0, isOptional: true) }, lanes: [])
    static var catalog: Catalog {
        var catalog = Drawing.catalog
        catalog.entities.append(CatalogEntity(code: entity, name: "Thing"))
        catalog.layouts.append(layout)
        return catalog
    }

    /// A record with one value, whatever its bytes.
    static func record(_ kind: FieldKind, integer: [UInt8] = [], variable: [UInt8] = []) -> [UInt8] {
        let place = kinds.firstIndex(of: kind) ?? 0
        let nulls = ~(UInt16(1) << UInt16(place)) & 0x1FF
        var body: [UInt8] = [9, 5, 3, UInt8(truncatingIfNeeded: nulls), UInt8(nulls >> 8)]
        if !integer.isEmpty { body += [UInt8(integer.count)] + integer }
        if !variable.isEmpty { body += [UInt8(variable.count << 1)] + variable }
        return [UInt8(body.count)] + body
    }
}

/// What is made wrong, and what a check has to say of it.
private struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let kind: LogFinding.Kind
    let says: String
    var entity: EntityCode?
    var row: Row?
    var field: String?
    /// Adds bad frames to a sound log, or spoils its bytes.
    let spoil: @Sendable (inout CraftedLog) -> Void
    var testDescription: String { name }

    init(
        _ name: String, _ kind: LogFinding.Kind, _ says: String, entity: EntityCode? = nil, row: Row? = nil, field: String? = nil,
        _ spoil: @escaping @Sendable (inout CraftedLog) -> Void
    ) {
        (self.name, self.kind, self.says, self.entity, self.row, self.field, self.spoil) = (name, kind, says, entity, row, field, spoil)
    }

    /// A section of these bytes in a commit of its own.
    static func section(
        _ name: String, _ kind: LogFinding.Kind, _ says: String, entity: EntityCode? = nil, row: Row? = nil, field: String? = nil,
        counts: CommitCounts = CommitCounts(), _ section: UInt8, _ bytes: [UInt8]
    ) -> Case {
        Case(name, kind, says, entity: entity, row: row, field: field) { log in
            var metadata = CheckTests.metadata
            metadata.counts = counts
            log.add([(section, { buffer, _ in bytes.withUnsafeBytes { buffer.append($0) } })], metadata: metadata)
        }
    }
}

@Suite("Checking a log")
struct CheckTests {
    /// What the last sound commit says of the highest rows.
    static let metadata: CommitMetadata = {
        var metadata = CommitMetadata()
        metadata.highestRows = [(Drawing.joint, 19), (Drawing.line, 3), (Things.entity, 5)]
        return metadata
    }()
    private static let one = CommitCounts(inserted: 1)

    private static let cases: [Case] = [
        Case("a byte of the header page that must be zero", .header, "must be zero") { log in
            log.bytes[100] = 1
            resealHeader(&log.bytes)
        },
        Case("the checksum of the header page", .header, "checksum of the header") {
            $0.bytes[40] ^= 1; $0.bytes[33] ^= 1
        },
        Case("a frame that is gone", .frame, "no valid frame") { log in
            let start = log.add([])
            log.add([])
            for place in start..<start + 64 { log.bytes[place] = 0 }
        },
        Case("a commit whose number is not the next", .frame, "does not follow") { $0.add([]) { $0.commit += 3 } },
        Case("a part that is not the next", .frame, "does not follow") { $0.add([]) { $0.part = 2 } },
        Case("reserved bytes of a frame", .frame, "must be zero") { log in
            let start = log.add([])
            log.bytes[start + 45] = 7
            reseal(&log.bytes, at: start)
        },
        Case("a close marker that names another offset", .frame, "close marker") { $0.close { $0.durableEnd -= 8 } },
        Case("a close marker of another commit", .frame, "close marker") { $0.close { $0.commit -= 1 } },
        Case("a bit of a record", .block, "checksum of a block") { $0.bytes[4096 + 64 + 900] ^= 4 },
        .section("a section of a kind nobody knows", .section, "no section", 99, [1, 2, 3]),
        Case("a section longer than its frame", .section, "no section") { log in
            let start = log.add([(3, { buffer, _ in buffer.append(UInt32(0)) })])
            log.bytes[start + 64 + 3] = 1
            reseal(&log.bytes, at: start)
        },
        Case("counts that are wrong", .metadata, "the commit says") { log in
            var metadata = metadata
            metadata.counts.deleted = 4
            log.add([], metadata: metadata)
        },
        Case("a highest row that is lower than before", .metadata, "was 19 before", entity: Drawing.joint) { log in
            var metadata = metadata
            metadata.highestRows[0].row = 3
            log.add([], metadata: metadata)
        },
        Case("a highest row that a record exceeds", .metadata, "there is row 8", entity: Drawing.line) { log in
            var metadata = metadata
            metadata.counts.deleted = 1
            log.add([(3, { buffer, _ in RecordEncoder.tombstone(Drawing.lineLayout, row: 8, into: buffer) })], metadata: metadata)
        },
        Case("entities out of order", .metadata, "ascending", entity: Drawing.joint) { log in
            var metadata = metadata
            metadata.highestRows.swapAt(0, 1)
            log.add([], metadata: metadata)
        },
        Case("no section about the commit", .metadata, "not where the frame's header says") { $0.add([], metadata: nil) },
        Case("a time that is none", .metadata, "time") { log in
            var metadata = metadata
            metadata.time = .nan
            log.add([], metadata: metadata)
        },
        .section("a catalog that is no tree", .catalog, "cannot be used", 2, [0xFF, 0xFF]),
        Case("a catalog that gives a layout another meaning", .catalog, "another meaning") { log in
            var catalog = Things.catalog
            catalog.version = 9
            catalog.layouts[0] = RecordLayout(number: 1, entity: Drawing.joint, fields: [], lanes: [])
            let tree = catalog.tree
            log.add([(2, { buffer, _ in tree.encode(into: buffer) })], metadata: metadata)
        },
        .section("a record of an unknown layout", .record, "layout 77", row: 4, counts: one, 3, [4, 77, 4, 1, 0]),
        .section("a record that ends too early", .record, "cannot be read", entity: Drawing.line, row: 2, counts: one, 3, [3, 2, 2, 1]),
        .section("a record longer than its section", .section, "cannot be read", 3, [90, 2, 2, 1]),
        .section(
            "a deletion with contents", .record, "has contents", entity: Drawing.line, row: 1, counts: CommitCounts(deleted: 1), 3,
            [4, 2, 1, 4, 0]),
        .section(
            "a bool of 2", .value, "neither 0 nor 1", entity: 9, row: 5, field: "bool", counts: one, 3, Things.record(.bool, integer: [2])),
        .section(
            "an int16 of three bytes", .value, "16 bits", entity: 9, row: 5, field: "int16", counts: one, 3,
            Things.record(.int16, integer: [0, 0, 1])),
        .section(
            "an int32 of five bytes", .value, "32 bits", entity: 9, row: 5, field: "int32", counts: one, 3,
            Things.record(.int32, integer: [0, 0, 0, 0, 1])),
        .section(
            "a reference beyond the highest row", .value, "no reference", entity: 9, row: 5, field: "polymorphicReference", counts: one, 3,
            Things.record(.polymorphicReference, integer: [1, 0, 255, 255, 255, 255])),
        .section(
            "a string that is no UTF-8", .value, "UTF-8", entity: 9, row: 5, field: "string", counts: one, 3,
            Things.record(.string, variable: [0xC3, 0x28])),
        .section(
            "a decimal of a sign nobody knows", .value, "decoded", entity: 9, row: 5, field: "decimal", counts: one, 3,
            Things.record(.decimal, variable: [7, 0, 1])),
        .section(
            "compressed bytes that are none", .value, "decoded", entity: 9, row: 5, field: "data", counts: one, 3,
            Things.record(.data, variable: [1, 2, 3]).enumerated().map { $0 == 6 ? $1 | 1 : $1 }),
        .section(
            "a patch of a lane twice", .patch, "lane twice", entity: 1, counts: CommitCounts(moved: 1), 4,
            [1, 2, 0, 0, 1, 0, 3]
                + [UInt8](repeating: 0, count: 16)),
        .section(
            "a null whose bits are not zero", .patch, "null", entity: 1, row: 3, field: "w", counts: CommitCounts(moved: 1), 4,
            [1, 1, 3, 1, 0, 3, 0, 9, 0, 0, 0]),
        .section(
            "a validity bitmap with a bit too many", .patch, "behind the last row", entity: 1, field: "w", counts: CommitCounts(moved: 1),
            4,
            [1, 1, 3, 1, 0, 3, 3, 9, 0, 0, 0]),
        .section("a patch that ends too early", .section, "cannot be read", 4, [1, 1, 0, 1, 0, 3, 1]),
        chunk("a chunk that is not aligned", "aligned", shift: 8),
        chunk("a chunk with values behind its last row", "behind its last row", field: "y", set: 1024 * 8 + 500 * 8),
        chunk("a dense chunk that begins in the middle", "middle", rows: [3, 0, 5]),
        chunk("a chunk with a row twice", "twice", rows: [3, 1, 5, 2, 1]),
        .section(
            "a link of an unknown relationship", .link, "relationship 66", entity: 3, row: 1, counts: CommitCounts(links: 1), 6,
            [66, 0, 3, 1, 1, 2, 0]),
        .section(
            "a link to an unknown entity", .link, "cannot be", entity: 44, row: 2, field: "Group.members", counts: CommitCounts(links: 1),
            6,
            [1, 0, 3, 1, 44, 2, 0]),
        .section(
            "a follower of an unknown entity", .follower, "cannot be", entity: 44, row: 2, counts: CommitCounts(followers: 1), 7,
            [44, 2, 1, 1]),
    ]

    /// A chunk of joints, moved off its alignment or with a byte set that must not be.
    private static func chunk(
        _ name: String, _ says: String, shift: Int = 0, field: String? = nil, set: Int? = nil, rows: [UInt8] = [3, 0, 0]
    ) -> Case {
        Case(name, .chunk, says, entity: Drawing.joint, field: field) { log in
            var metadata = metadata
            metadata.counts.moved = 3
            log.add(
                [
                    (
                        5,
                        { buffer, offset in
                            buffer.append(UInt8(1))
                            rows.withUnsafeBytes { buffer.append($0) }
                            buffer.appendZeros(Int((64 - (offset + UInt64(buffer.count)) % 64) % 64) + shift)
                            let start = buffer.count
                            buffer.appendZeros(Drawing.jointLayout.chunkByteCount)
                            if let set { buffer.set(UInt8(1), at: start + set) }
                        }
                    )
                ], metadata: metadata)
        }
    }

    /// A sound log of two commits.
    private func sound() throws -> CraftedLog {
        let system = MemoryFileSystem(reservation: 1 << 28)
        let log = try Log.open(path: "a", in: system)
        try log.change { builder in
            builder.setCatalog(Things.catalog)
            for row in 0..<20 as Range<Row> { builder.insertJoint(row, "J\(row)", (1, 2, 3), w: row % 2 == 0 ? nil : 1) }
            for row in 0..<4 as Range<Row> { builder.putLine(row, 1, row) }
            builder.noteRow(entity: Things.entity, row: 5)
        }
        try log.change { builder in
            builder.appendLink(Drawing.members, owner: (Drawing.group, 1), member: (Drawing.joint, 2), order: 5, removed: false)
            builder.rename(3, "other")
        }
        return try CraftedLog(system, log)
    }

    private func check(_ bytes: [UInt8], beside files: [String: [UInt8]] = [:]) throws -> LogReport {
        let system = MemoryFileSystem(reservation: 1 << 28)
        try system.setContents("a", bytes)
        for (name, bytes) in files { try system.setContents(name, bytes) }
        let report = try Log.check(path: "a", in: system)
        // Nothing is ever changed, nor anything made.
        #expect(system.contents("a") == bytes)
        for (name, bytes) in files { #expect(system.contents(name) == bytes) }
        for name in ["a-index", "a-lock", "a-compact", "a-index-new"] where files[name] == nil { #expect(!system.exists(name)) }
        return report
    }

    @Test("a sound log has no findings, closed or not")
    func soundLog() throws {
        var log = try sound()
        #expect(try check(log.bytes).findings == [])
        log.close()
        let report = try check(log.bytes)
        #expect(report.findings == [] && report.lastCommit == 2 && report.tornTail == nil && report.byteCount == UInt64(log.bytes.count))
    }

    @Test("everything that can be wrong with a log is found, and named", arguments: cases)
    private func findings(_ wrong: Case) throws {
        var log = try sound()
        wrong.spoil(&log)
        log.close()
        let report = try check(log.bytes)
        let found = report.findings.first { finding in
            finding.kind == wrong.kind && finding.what.contains(wrong.says) && (wrong.entity == nil || finding.entity == wrong.entity)
                && (wrong.row == nil || finding.row == wrong.row) && (wrong.field == nil || finding.field == wrong.field)
        }
        let finding = try #require(found, "\(report.findings)")
        #expect(finding.offset != nil)
        if ![.header, .frame].contains(finding.kind) { #expect(finding.frame != nil && finding.commit != nil) }
    }

    // A commit whose time was no number came through a repair as it was, and the new store did not pass a check. The fuzzer of logs found it.
    @Test("whatever is wrong with a log, what a repair makes of it passes a check", arguments: cases)
    private func repairs(_ wrong: Case) throws {
        var log = try sound()
        wrong.spoil(&log)
        // As the last commit, and with another behind it, whose time the new store has.
        for isLast in TestShare.of([true, false], brief: 1) {
            var bytes = log
            if !isLast { bytes.add([], metadata: Self.metadata) }
            bytes.close()
            let system = MemoryFileSystem(reservation: 1 << 28)
            try system.setContents("a", bytes.bytes)
            do { _ = try Log.repair(path: "a", to: "b", in: system) } catch LogError.damaged { continue } catch LogError.notAStore {
                continue
            }
            #expect(try Log.check(path: "b", in: system).findings == [])
        }
    }

    @Test("damage in the middle hides nothing behind it")
    func behindDamage() throws {
        var log = try sound()
        let first = log.add([], metadata: Self.metadata)
        log.add([(99, { buffer, _ in buffer.append(UInt8(1)) })], metadata: Self.metadata)
        log.add([], metadata: Self.metadata)
        for place in first + 8..<first + 40 { log.bytes[place] = 0xAA }
        log.close()
        let findings = try check(log.bytes).findings
        #expect(findings.map(\.kind) == [.frame, .frame, .section])
        #expect(findings.first?.offset == UInt64(first))
        #expect(findings.dropFirst().first?.what.contains("commit 3 is") == true)
        #expect(findings.last?.commit == 4)
    }

    // Behind a commit with the greatest number there is, a check added one to that and trapped: whoever was sent such a file could not check it.
    @Test("a frame with the number that none can follow is no frame")
    func greatestNumber() throws {
        var log = try sound()
        let first = log.add([]) { $0.commit = .max }
        log.add([]) { $0.commit = .max }
        log.close()
        let findings = try check(log.bytes).findings
        #expect(findings.first?.kind == .frame && findings.first?.offset == UInt64(first))
    }

    @Test("a torn tail is no finding, and what was durable once is one")
    func tornTail() throws {
        var log = try sound()
        let end = log.bytes.count
        log.bytes += [UInt8](repeating: 7, count: 333)
        let report = try check(log.bytes)
        #expect(report.findings == [] && report.tornTail == UInt64(end)..<UInt64(end + 333))
        log.bytes.removeLast(333)
        log.add([]) { $0.durableEnd = UInt64(end) }
        for place in end - 64..<end { log.bytes[place] = 0 }
        #expect(try !check(log.bytes).isClean)
    }

    // A writer that dies between a frame and finding that it cannot be applied leaves what the next one cuts off. A check called that damage, with
    // status 1, of a store that opens as if nothing had been.
    @Test("a last commit that was never durable and cannot be applied is a torn tail, as it is to an opening")
    func neverDurable() throws {
        let unknown: (UInt8, (ByteBuffer, UInt64) -> Void) = (99, { buffer, _ in buffer.append(UInt8(1)) })
        var log = try sound()
        let end = log.bytes.count
        log.add([unknown], metadata: Self.metadata)
        let report = try check(log.bytes)
        #expect(report.findings == [] && report.tornTail == UInt64(end)..<UInt64(log.bytes.count))
        #expect(report.lastCommit == 2 && report.byteCount == UInt64(end))
        // A block that did not reach the disk.
        var torn = try sound()
        torn.add([], metadata: Self.metadata)
        torn.bytes[end + 70] ^= 1
        #expect(try check(torn.bytes).tornTail?.lowerBound == UInt64(end))
        // What can be applied stays, and so does what is wrong in it.
        var wrong = try sound()
        var metadata = Self.metadata
        metadata.counts.deleted = 4
        wrong.add([], metadata: metadata)
        #expect(try check(wrong.bytes).findings.map(\.kind) == [.metadata])
        // Once something names it durable it is damage.
        log.close()
        #expect(try check(log.bytes).findings.map(\.kind) == [.section])
    }

    @Test("what interrupted writers left is told of and is no finding; a side file that is no one's is one")
    func leftovers() throws {
        var log = try sound()
        log.close()
        let side = "durable \(String(repeating: "0", count: 16))4096\nsalt \(log.header.salt)\npid 1\nstarted x\ncommand y\n"
        let report = try check(log.bytes, beside: ["a-compact": [1], "a-index-new": [2], "a-lock": Array(side.utf8)])
        #expect(report.findings == [] && report.notes.count == 3)
        #expect(try check(log.bytes, beside: ["a-lock": [1, 2, 3]]).findings.map(\.kind) == [.sideFile])
        // A side file that vouches for more than there is.
        let more = side.replacing("4096", with: "9999999")
        #expect(try check(log.bytes, beside: ["a-lock": Array(more.utf8)]).findings.map(\.kind) == [.frame])
    }

    @Test("a check can be ended, and says so; a file that is no store is an error")
    func ending() throws {
        let log = try sound()
        let system = MemoryFileSystem(reservation: 1 << 28)
        try system.setContents("a", log.bytes)
        var calls = 0
        let report = try Log.check(path: "a", in: system) { _ in
            calls += 1
            return false
        }
        #expect(report.isCancelled && calls == 1)
        var other = log.bytes
        other[0] = 0
        // The frames tell what it is.
        #expect(try check(other).findings.map(\.kind) == [.header])
        #expect(throws: LogError.self) { try check([UInt8](repeating: 7, count: 9000)) }
        #expect(throws: LogError.self) { try check(Array(log.bytes.prefix(100))) }
        other = log.bytes
        other[8] = 9
        resealHeader(&other)
        #expect(throws: LogError.unsupportedVersion(path: "a", version: 9)) { try check(other) }
    }

    @Test("of more findings than a thousand all are counted and a thousand are listed")
    func bounds() throws {
        var log = try sound()
        var bytes: [UInt8] = []
        for _ in 0..<1500 { bytes += [66, 0, 3, 1, 1, 2, 0] }
        let contents = bytes
        log.add([(6, { buffer, _ in contents.withUnsafeBytes { buffer.append($0) } })], metadata: nil)
        log.close()
        let report = try check(log.bytes)
        #expect(report.findings.count == 1000 && report.counts[.link] == 1500)
    }
}
