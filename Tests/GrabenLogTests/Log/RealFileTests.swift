import FoundationEssentials
import StoreCrashing
import Synchronization
import Testing

@testable import GrabenLog

@Suite struct RealFileTests {
    /// A folder of its own for each test, removed afterwards.
    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/graben-log-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    @Test("a real file holds what was committed, is locked meanwhile, and is trimmed and unlocked by closing")
    func lifeCycle() throws {
        try inFolder { folder in
            let path = folder + "/a.graben"
            let system = RealFileSystem()
            let log = try Log.open(path: path, in: system)
            try log.change { builder in
                builder.setCatalog(Drawing.catalog)
                for row in 0..<3000 as Range<Row> { builder.insertJoint(row, "J\(row)", (Double(row), 0, 0)) }
            }
            do {
                _ = try Log.open(path: path, in: system)
                Issue.record("a second writer was let in")
            } catch {
                let text = "\(error)"
                #expect(text.contains("process \(Platform.processID) ("))
                #expect(text.contains("opened it at 20"))
                #expect(text.contains(path))
            }
            let reader = try Log.open(path: path, in: system, options: LogOptions(readOnly: true))
            #expect(try reader.newest.name(2999) == "J2999")
            #expect(try log.fileSize() > log.newest.endOffset)
            try log.change { $0.rename(0, "later") }
            #expect(try reader.newest.name(0) == "J0")
            #expect(try Log.open(path: path, in: system, options: LogOptions(readOnly: true)).newest.name(0) == "later")
            let snapshot = log.newest
            #expect(system.exists(path + "-lock"))
            try log.close()
            try log.close()
            #expect(!system.exists(path + "-lock"))
            #expect(try snapshot.name(0) == "later")
            #expect(throws: LogError.self) { try log.fileSize() }
            #expect(throws: CommitError<Never>.self) { try log.commit { (_, builder: inout CommitBuilder) in builder.rename(1, "x") } }
            let again = try Log.open(path: path, in: system)
            #expect(again.health.wasClosedCleanly)
            #expect(try again.newest.name(0) == "later")
            #expect(try again.newest.position(2999) == [2999, 0, 0])
            #expect(try again.check() == [])
            #expect(again.storeUUID == log.storeUUID && again.salt == log.salt)
        }
    }

    @Test("a file that is mapped sparsely and leaves memory now and then reads as any other, also where something of it was lent before")
    func sparse() throws {
        try inFolder { folder in
            let path = folder + "/a.graben"
            let log = try Log.open(path: path, in: RealFileSystem())
            let text = String(repeating: "joint ", count: 50)
            try log.change { builder in
                builder.setCatalog(Drawing.catalog)
                for row in 0..<5000 as Range<Row> { builder.insertJoint(row, "\(text)\(row)", (Double(row), 0, 0)) }
            }
            try log.close()
            let again = try Log.open(path: path, in: RealFileSystem(mapsSparsely: true), options: LogOptions(readOnly: true)).newest
            let first = try #require(try again.record(Drawing.joint, 0))
            for row in 0..<5000 as Range<Row> {
                #expect(try again.name(row) == "\(text)\(row)" && again.position(row) == [Double(row), 0, 0])
            }
            #expect(first.string(0) == "\(text)0")
        }
    }

    @Test("missing files, folders and foreign files are refused by name, and a reader creates nothing")
    func refusals() throws {
        try inFolder { folder in
            let system = RealFileSystem()
            for options in [LogOptions(readOnly: true), LogOptions(createIfMissing: false)] {
                #expect(throws: LogError.noSuchFile(path: folder + "/none")) {
                    try Log.open(path: folder + "/none", in: system, options: options)
                }
            }
            #expect(!system.exists(folder + "/none"))
            #expect(throws: LogError.self) { try Log.open(path: folder, in: system) }
            #expect(throws: LogError.self) { try Log.open(path: folder + "/no/such/folder", in: system) }
            let text = Array("some letter".utf8)
            try system.open(folder + "/letter", .create).writeAll(text, at: 0)
            #expect(throws: LogError.self) { try Log.open(path: folder + "/letter", in: system) }
            #expect(try system.open(folder + "/letter", .readOnly).readAll(at: 0, count: 100) == text)
        }
    }

    @Test("snapshots stay what they were while commits go on from several threads, and none of those is lost")
    func threads() throws {
        try inFolder { folder in
            let log = try Log.open(path: folder + "/a.graben", in: RealFileSystem())
            try log.change { builder in
                builder.setCatalog(Drawing.catalog)
                for row in 0..<64 as Range<Row> {
                    builder.insertJoint(row, "0", (0, 0, 0))
                    builder.putLine(row, row, 0)
                }
            }
            let failures = Mutex<[String]>([])
            let committed = Atomic<Int>(0)
            let done = Atomic<Bool>(false)
            @Sendable func note(_ text: String) { failures.withLock { $0.append(text) } }
            let writers = (0..<4).map { thread in
                CrashThread {
                    for step in 1...60 {
                        do {
                            try log.change { builder in
                                // All rows of a thread change together; a reader must see them equal.
                                for row in 0..<16 as Range<Row> {
                                    builder.rename(Row(thread) * 16 + row, "\(step)")
                                    builder.move(Row(thread) * 16 + row, (Double(step), 0, 0))
                                }
                                builder.putLine(Row(thread), isInsert: false, Row(thread), Row(step % 64))
                            }
                            committed.wrappingAdd(1, ordering: .relaxed)
                        } catch { note("\(error)") }
                    }
                }
            }
            let readers = (0..<2).map { _ in
                CrashThread {
                    var last: UInt64 = 0
                    while !done.load(ordering: .acquiring) {
                        let snapshot = log.newest
                        if snapshot.commitNumber < last { note("the newest snapshot went back") }
                        last = snapshot.commitNumber
                        do {
                            for thread in 0..<4 as Range<Row> {
                                let names = try (0..<16 as Range<Row>).map { try snapshot.name(thread * 16 + $0) ?? "" }
                                let places = try (0..<16 as Range<Row>).map { try snapshot.position(thread * 16 + $0)[0] }
                                if Set(names).count != 1 || Set(places).count != 1 || Double(names[0]) != places[0] {
                                    note("torn: \(names) \(places)")
                                }
                            }
                            let total = try (0..<64 as Range<Row>).reduce(0) {
                                try $0 + snapshot.sourceCount(of: $1, through: Drawing.endKey)
                            }
                            if total != 64 { note("\(total) lines") }
                        } catch { note("\(error)") }
                    }
                }
            }
            for writer in writers { writer.join() }
            done.store(true, ordering: .releasing)
            for reader in readers { reader.join() }
            #expect(failures.withLock { $0 } == [])
            #expect(log.newest.commitNumber == 241)
            #expect(committed.load(ordering: .relaxed) == 240)
            #expect(log.statistics.syncs <= log.statistics.commits)
            try log.close()
            #expect(try Log.open(path: folder + "/a.graben", in: RealFileSystem()).newest.commitNumber == 241)
        }
    }
}
