import GrabenLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

// A process of its own for the tests of several processes. Ends with 0 when all was as it should be, else with a word on standard error.
//
//     LogProbe fork STORE            opens the store, forks, and sees what the two may do with it
//     LogProbe write STORE COUNT     makes so many commits; prints each one's number and the nanoseconds since boot when it was durable
//     LogProbe follow STORE COMMIT   prints the same for each commit it sees, until the one of that number; what was missed in between is not
//     LogProbe fill STORE COUNT      makes a store of so many objects of a kilobyte, and deletes every other
//     LogProbe memory compact|check STORE   prints how many kilobytes of memory that takes

let layout = RecordLayout(number: 1, entity: 1, fields: [RecordField(name: "name", kind: .string, isOptional: true)], lanes: [])
let catalog = Catalog(version: 1, entities: [.init(code: 1, name: "Thing")], layouts: [layout])

func fail(_ what: String) -> Never {
    _ = "\(what)\n".withCString { write(2, $0, strlen($0)) }
    _exit(1)
}

func insert(_ log: Log, _ row: Row) throws {
    _ = try log.commit { (snapshot: LogSnapshot, builder: inout CommitBuilder) in
        if snapshot.catalog.version == 0 { builder.setCatalog(catalog) }
        builder.appendRecord(layout: layout, row: row, isInsert: true) { _ in .string("thing \(row)") }
    }
}

func isForked(_ body: () throws -> Void) -> Bool {
    var found: LogError?
    do {
        try body()
    } catch let error as LogError {
        found = error
    } catch let error as CommitError<Never> {
        if case .log(let error) = error { found = error }
    } catch {}
    if case .forked? = found { return true }
    return false
}

/// Swift offers no fork, since most programs have threads; this one has none.
func forkProcess() -> Int32 {
    guard let symbol = dlsym(nil, "fork") else { fail("there is no fork") }
    return unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)()
}

func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

func testFork(_ path: String) throws {
    let log = try Log.open(path: path, in: RealFileSystem())
    try insert(log, 1)
    let reader = try Log.open(path: path, in: RealFileSystem(), options: LogOptions(readOnly: true))
    let child = forkProcess()
    if child == 0 {
        alarm(20)
        guard isForked({ try insert(log, 2) }) else { fail("the child could commit") }
        guard isForked({ try log.synchronize() }), isForked({ try log.compact() }), isForked({ try log.close() }) else {
            fail("the child could sync, compact or close")
        }
        guard isForked({ try reader.advance() }) else { fail("the child could follow") }
        // What it holds can be read.
        guard log.newest.contains(1, 1), let record = try log.newest.record(1, 1), record.string(0) == "thing 1" else {
            fail("the child could not read")
        }
        guard (try? Log.open(path: path, in: RealFileSystem())) == nil else { fail("the child could open the store beside its parent") }
        _exit(0)
    }
    var status: Int32 = 0
    guard child > 0, waitpid(child, &status, 0) == child, status == 0 else { fail("the child ended with status \(status)") }
    try insert(log, 2)
    guard try reader.advance().contains(1, 2) else { fail("the parent's reader did not advance") }
    try log.close()
    let again = try Log.open(path: path, in: RealFileSystem())
    guard again.health.wasClosedCleanly, again.newest.commitNumber == 2 else { fail("the store was not closed by its parent") }
    try again.close()
}

func testWriting(_ path: String, _ count: Row) throws {
    let log = try Log.open(path: path, in: RealFileSystem())
    let first = (log.newest.highestRow(1) ?? 0) + 1
    for row in first..<first + count {
        try insert(log, row)
        print(log.newest.commitNumber, nanoseconds())
        fflush(nil)
        usleep(2000)
    }
    try log.close()
}

func testFollowing(_ path: String, _ last: UInt64) throws {
    let log = try Log.open(path: path, in: RealFileSystem(), options: LogOptions(readOnly: true))
    var number = log.newest.commitNumber
    while number < last {
        guard let snapshot = try log.waitForCommit(after: number, seconds: 30) else { fail("there was no commit after \(number)") }
        number = snapshot.commitNumber
        print(number, nanoseconds())
        fflush(nil)
    }
}

let arguments = CommandLine.arguments
do {
    switch arguments.dropFirst().first {
    case "fork" where arguments.count == 3: try testFork(arguments[2])
    case "write" where arguments.count == 4: try testWriting(arguments[2], Row(arguments[3]) ?? 0)
    case "follow" where arguments.count == 4: try testFollowing(arguments[2], UInt64(arguments[3]) ?? 0)
    case "fill" where arguments.count == 4: try fill(arguments[2], Row(arguments[3]) ?? 0)
    case "memory" where arguments.count == 4: try measure(arguments[2], arguments[3])
    default: fail("usage: LogProbe fork STORE | write STORE COUNT | follow STORE COMMIT | fill STORE COUNT | memory compact|check STORE")
    }
} catch { fail("\(error)") }
