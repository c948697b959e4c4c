internal import Synchronization

/// The side file `Name.graben-lock`: who writes, for the text of a refusal, and up to where the log is durable, for readers in other
/// processes. The kernel's lock alone decides who may write.
///
/// A writer that opens a store which was closed makes it before the first byte it writes: a lock without a side file says that the store is as it
/// was closed. Making a file is a third of such an opening.
///
/// Text lines of fixed order; the numbers of the first three have twenty digits, so that they are rewritten in place.
struct SideFile: Sendable {
    static func path(of log: String) -> String { log + "-lock" }

    private static let command = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "unknown"

    private static func padded(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 20 - digits.count)) + digits
    }

    struct Contents {
        var durableEnd: UInt64
        var salt: UInt64
        var holder: String
        var pinned = PinnedSnapshots()
    }

    let file: any LogFile

    /// Creates the side file of a writer that has just taken the lock.
    init(_ system: any LogFileSystem, log path: String, salt: UInt64, durableEnd: UInt64) throws(LogError) {
        file = try system.open(Self.path(of: path), .replace)
        let text = """
            durable \(Self.padded(durableEnd))
            salt \(Self.padded(salt))
            pinned \(Self.padded(0)) \(Self.padded(0))
            pid \(Platform.processID)
            started \(Platform.text(ofTime: Platform.now()))
            command \(Self.command)

            """
        try file.writeAll(Array(text.utf8), at: 0)
    }

    func update(durableEnd: UInt64) throws(LogError) {
        // After every sync, so nothing is allocated.
        let result = withUnsafeTemporaryAllocation(byteCount: 20, alignment: 8) { digits in
            var rest = durableEnd
            for place in (0..<20).reversed() {
                digits[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            return Result { () throws(LogError) in try file.write(UnsafeRawBufferPointer(digits), at: 8) }
        }
        try result.get()
    }

    /// The oldest commit that the writer's process still reads besides the newest, 0 for none, and the bytes that are kept for such readers.
    func update(pinned: PinnedSnapshots) throws(LogError) {
        // Behind the two lines before it, which always have the same length.
        try file.writeAll(Array("pinned \(Self.padded(pinned.oldestCommit ?? 0)) \(Self.padded(pinned.byteCount))".utf8), at: 29 + 26)
    }

    /// What is said of the process that writes a log, whose lock this handle did not get.
    static func holder(_ system: any LogFileSystem, log path: String, _ file: any LogFile) -> String {
        if let known = read(system, log: path) { return known.holder }
        return file.lockHolder().map { "\($0), which has written nothing since it opened it" }
            ?? "another process or another handle of this one"
    }

    /// What the side file says; nil when there is none or it is not whole.
    static func read(_ system: any LogFileSystem, log path: String) -> Contents? {
        guard let file = try? system.open(Self.path(of: path), .readOnly) else { return nil }
        guard let bytes = try? file.readAll(at: 0, count: 4096) else { return nil }
        var fields: [Substring: Substring] = [:]
        let text = String(decoding: bytes, as: UTF8.self)
        for line in text.split(separator: "\n") {
            guard let space = line.firstIndex(of: " ") else { continue }
            fields[line[..<space]] = line[line.index(after: space)...]
        }
        guard let durable = fields["durable"].flatMap({ UInt64($0) }), let salt = fields["salt"].flatMap({ UInt64($0) }) else { return nil }
        let holder = "process \(fields["pid"] ?? "?") (\(fields["command"] ?? "?")), which opened it at \(fields["started"] ?? "?")"
        var contents = Contents(durableEnd: durable, salt: salt, holder: holder)
        let pinned = (fields["pinned"] ?? "").split(separator: " ").compactMap { UInt64($0) }
        if pinned.count == 2, pinned[0] > 0 {
            contents.pinned.oldestCommit = pinned[0]
            contents.pinned.byteCount = pinned[1]
        }
        return contents
    }
}
