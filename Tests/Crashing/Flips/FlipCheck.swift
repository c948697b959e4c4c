package import GrabenLog

/// Turns over bits of a store and its index, one at a time, and looks at what is read: the bit is found out, or what it said is taken from
/// elsewhere, or nobody needs it. Wrong data is never read.
package struct FlipCheck {
    package struct Report: Sendable {
        package var flips = 0
        /// An error, or a log that says it is damaged.
        package var detected = 0
        /// Everything was read and right: the index was made anew, or the bit means nothing.
        package var harmless = 0
        /// The last commit of a store that was not closed, taken for a torn tail.
        package var torn = 0
        package var findings: [String] = []

        package init() {}

        package mutating func add(_ other: Report) {
            flips += other.flips
            detected += other.detected
            harmless += other.harmless
            torn += other.torn
            findings = Array((findings + other.findings).prefix(20))
        }
    }

    package enum Place: Sendable { case log, index }

    private let store: FlipStore
    private let system: MemoryFileSystem
    private let files: [Place: any LogFile]
    package private(set) var report = Report()

    package init(_ store: FlipStore) throws(LogError) {
        self.store = store
        system = MemoryFileSystem(reservation: 1 << 24)
        try system.setContents(store.path, store.log)
        var files: [Place: any LogFile] = [.log: try system.open(store.path, .readWrite)]
        if let index = store.index {
            try system.setContents(store.path + "-index", index)
            files[.index] = try system.open(store.path + "-index", .readWrite)
        }
        self.files = files
    }

    /// Turns over a bit, reads everything, and turns it back.
    package mutating func flip(_ place: Place, _ bit: Int) throws(LogError) {
        guard let file = files[place], let byte = (place == .log ? store.log : store.index ?? [])[safe: bit / 8] else { return }
        try Self.put(byte ^ 1 << UInt8(bit % 8), bit / 8, file)
        report.flips += 1
        if let finding = look(place, bit) { note("bit \(bit % 8) of byte \(bit / 8) of the \(place): \(finding)") }
        try Self.put(byte, bit / 8, file)
    }

    private mutating func note(_ text: String) {
        if report.findings.count < 20 { report.findings.append(text) }
    }

    private static func put(_ byte: UInt8, _ offset: Int, _ file: any LogFile) throws(LogError) {
        let result: Result<Void, LogError> = withUnsafeBytes(of: byte) { raw in
            Result { () throws(LogError) -> Void in try file.write(raw, at: UInt64(offset)) }
        }
        try result.get()
    }

    private mutating func look(_ place: Place, _ bit: Int) -> String? {
        var options = LogOptions(readOnly: true)
        options.mappingByteCount = 1 << 16
        guard let log = try? Log.open(path: store.path, in: system, options: options) else {
            report.detected += 1
            return nil
        }
        let commit = log.newest.commitNumber
        guard let model = store.models[commit] else { return "commit \(commit) was found, which was never made" }
        let difference: String?
        do throws(LogError) { difference = try model.readDifference(from: log.newest) } catch {
            report.detected += 1
            return nil
        }
        // Whoever reads on in a log that says it is damaged still reads nothing wrong.
        if let difference { return "after commit \(commit) \(difference)" }
        if log.damage != nil {
            report.detected += 1
            return nil
        }
        if commit == store.newest {
            report.harmless += 1
            return nil
        }
        guard store.index == nil, commit == store.newest - 1, UInt64(bit / 8) >= store.lastCommit else {
            return "commit \(commit) is the last one, and nothing is said to be damaged"
        }
        report.torn += 1
        return nil
    }
}

extension [UInt8] {
    fileprivate subscript(safe index: Int) -> UInt8? { indices.contains(index) ? self[index] : nil }
}
