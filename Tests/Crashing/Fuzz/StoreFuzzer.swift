internal import GrabenFixtures
package import GrabenLog

/// Reads the bytes of a fuzzer as changes to a log and its index, makes the checksums right again, and does with the store whatever can be
/// done: every ending is an answer or a typed error.
package struct StoreFuzzer: Sendable {
    private let bases: [(log: [UInt8], index: [UInt8]?)]

    /// Makes the stores that are changed: with and without coordinates, in one part and many, closed or not, compacted or not.
    package init() throws(LogError) {
        var bases: [(log: [UInt8], index: [UInt8]?)] = []
        for number in 0..<6 {
            let system = MemoryFileSystem(reservation: 1 << 24)
            var options = LogOptions(preallocation: 0)
            options.partByteCount = number == 1 ? 100 : 1 << 24
            let log = try Log.open(path: "a", in: system, options: options)
            var random = SplitMix64(seed: UInt64(number))
            var habits = CrashModel.Habits()
            habits.hasCoordinates = number > 1
            habits.writesChunks = number == 3
            var model = CrashModel()
            for _ in 0..<(number == 5 ? 40 : 8) { try log.commit(changing: &model, &random, habits) }
            if number == 5 { try log.compact() }
            if number != 0 { try log.close() }
            bases.append((system.contents("a") ?? [], system.contents("a-index")))
        }
        self.bases = bases
    }

    /// Makes a store of the input and uses it. Answers how many bytes its files have.
    @discardableResult
    package func run(_ input: [UInt8]) -> Int {
        var script = FuzzScript(input)
        let base = bases[script.below(bases.count)]
        let mode = script.byte()
        var log = FuzzLog(base.log)
        var index = base.index.map { FuzzIndex($0) }
        var count = 0
        while !script.isAtEnd, count < 40 {
            count += 1
            if mode & 1 != 0, mode & 2 == 0 || count % 2 == 0 { index?.change(&script) } else { log.change(&script) }
        }
        // A log that was not changed keeps its bytes, so that the index is believed.
        var logBytes = mode & 3 == 1 ? base.log : log.assembled()
        var indexBytes = index?.assembled()
        if mode & 4 != 0 {
            // And a few bytes whose checksums do not fit.
            for _ in 0..<(mode >> 5) {
                if !logBytes.isEmpty { logBytes[script.below(logBytes.count)] ^= script.byte() | 1 }
                if let size = indexBytes?.count, size > 0 { indexBytes?[script.below(size)] ^= script.byte() }
            }
        }
        if mode & 24 == 24 { logBytes.removeLast(script.below(logBytes.count + 1)) }
        var files = ["a": logBytes]
        if mode & 8 == 0 || mode & 1 != 0 { files["a-index"] = indexBytes }
        use(files)
        follow(base.log, logBytes)
        return logBytes.count + (indexBytes?.count ?? 0)
    }

    private static func options(readOnly: Bool) -> LogOptions {
        var options = LogOptions(readOnly: readOnly)
        options.mappingByteCount = 1 << 16
        options.checkpointByteCount = 1 << 40
        return options
    }

    private func use(_ files: [String: [UInt8]]) {
        guard let system = try? MemoryFileSystem(holding: files, reservation: 1 << 24) else { return }
        if let log = try? Log.open(path: "a", in: system, options: Self.options(readOnly: true)) {
            FuzzReader.read(log)
            _ = try? log.check()
            let newest = log.newest.commitNumber
            for moment in [.commit(newest / 2), .commit(newest), .time(log.newest.metadata.time)] as [LogMoment] {
                var past = Self.options(readOnly: true)
                past.asOf = moment
                if let log = try? Log.open(path: "a", in: system, options: past) { FuzzReader.read(log) }
            }
        }
        _ = try? Log.check(path: "a", in: system)
        repair(system)
        guard let log = try? Log.open(path: "a", in: system, options: Self.options(readOnly: false)) else { return }
        FuzzReader.read(log)
        _ = try? log.commit { (snapshot, builder: inout CommitBuilder) in FuzzReader.commit(snapshot, &builder) }
        _ = try? log.compact(keepingAfter: log.newest.commitNumber / 2)
        FuzzReader.read(log)
        _ = try? log.compact()
        FuzzReader.read(log)
        try? log.close()
        if let again = try? Log.open(path: "a", in: system, options: Self.options(readOnly: false)) { FuzzReader.read(again) }
    }

    /// What a repair makes is a store in which a check finds nothing, whatever it was made of.
    private func repair(_ system: MemoryFileSystem) {
        guard (try? Log.repair(path: "a", to: "r", in: system)) != nil else { return }
        let found: [LogFinding]
        do { found = try Log.check(path: "r", in: system).findings } catch { fatalError("what was repaired cannot be checked: \(error)") }
        if let first = found.first { fatalError("what was repaired is wrong: \(first)") }
        if let log = try? Log.open(path: "r", in: system, options: Self.options(readOnly: true)) { FuzzReader.read(log) }
    }

    /// Has a reader of a sound store come by bytes of another: behind what it has read, and in the place of its file.
    private func follow(_ sound: [UInt8], _ changed: [UInt8]) {
        let first = FuzzLog(sound)
        let beginning = FuzzLog(page: first.page, frames: Array(first.frames.prefix(first.frames.count / 2))).assembled()
        guard let system = try? MemoryFileSystem(holding: ["a": beginning], reservation: 1 << 24),
            let log = try? Log.open(path: "a", in: system, options: Self.options(readOnly: true))
        else { return }
        if changed.count > beginning.count, let file = try? system.open("a", .readWrite) {
            _ = changed[beginning.count...].withUnsafeBytes { bytes in try? file.write(bytes, at: UInt64(beginning.count)) }
            _ = try? log.advance()
            FuzzReader.read(log)
        }
        if (try? system.setContents("a", changed)) != nil {
            _ = try? log.advance()
            FuzzReader.read(log)
        }
    }
}
