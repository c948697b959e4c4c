import GrabenLog
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How much memory of its own a process needs besides what it had before: mapped files are not counted, since the system takes them back.
final class MemoryWatch: Sendable {
    private let most = Atomic<Int>(0)
    private let isDone = Atomic<Bool>(false)
    private let before = MemoryWatch.kilobytes

    /// Looks a thousand times a second, on a thread of its own.
    init() {
        _ = DetachedThread.start { [self] in
            while !isDone.load(ordering: .relaxed) {
                look()
                usleep(1000)
            }
        }
    }

    func look() { most.max(Self.kilobytes, ordering: .relaxed) }

    /// The most there was more than in the beginning.
    func end() -> Int {
        look()
        isDone.store(true, ordering: .relaxed)
        return most.load(ordering: .relaxed) - before
    }

    /// The process's anonymous memory.
    private static var kilobytes: Int {
        let descriptor = open("/proc/self/status", O_RDONLY)
        guard descriptor >= 0 else { fail("there is no /proc/self/status") }
        defer { close(descriptor) }
        let text = withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 8) { buffer in
            String(decoding: buffer.prefix(max(0, read(descriptor, buffer.baseAddress, buffer.count))), as: UTF8.self)
        }
        for line in text.split(separator: "\n") where line.hasPrefix("RssAnon:") {
            if let number = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({ Int($0) }) { return number }
        }
        fail("/proc/self/status says nothing of RssAnon")
    }
}

/// Makes a store of so many things with a name of a kilobyte, every other of them then deleted.
func fill(_ path: String, _ count: Row) throws {
    let log = try Log.open(path: path, in: RealFileSystem())
    let filling = String(repeating: "abcdefghijklmnop", count: 62)
    let step: Row = 4_096
    for first in stride(from: 0, to: count, by: Int(step)) {
        _ = try log.commit { (snapshot: LogSnapshot, builder: inout CommitBuilder) in
            if snapshot.catalog.version == 0 { builder.setCatalog(catalog) }
            for row in first..<min(first + step, count) {
                builder.appendRecord(layout: layout, row: row, isInsert: true) { _ in .string("\(row)" + filling) }
            }
        }
    }
    _ = try log.commit { (_, builder: inout CommitBuilder) in
        for row in stride(from: 1, to: count, by: 2) { builder.appendTombstone(layout: layout, row: row) }
    }
    try log.close()
}

/// Prints how many kilobytes of memory compacting a store takes, or checking it.
func measure(_ what: String, _ path: String) throws {
    if what == "compact" {
        let log = try Log.open(path: path, in: RealFileSystem())
        let watch = MemoryWatch()
        try log.compact { _ in
            watch.look()
            return true
        }
        print(watch.end())
        try log.close()
    } else {
        let watch = MemoryWatch()
        let report = try Log.check(path: path, in: RealFileSystem()) { _ in
            watch.look()
            return true
        }
        guard report.findings.isEmpty else { fail("the store is not as it should be: \(report.findings)") }
        print(watch.end())
    }
}
