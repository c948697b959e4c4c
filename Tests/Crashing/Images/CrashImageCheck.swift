internal import GrabenFixtures
internal import GrabenLog

/// Opens crash images of one life and says what is wrong with them.
struct CrashImageCheck {
    let life: CrashLife
    /// Where it is to be found again.
    let place: String
    private var report = CrashReport()
    private var options: LogOptions

    init(life: CrashLife, place: String) {
        self.life = life
        self.place = place
        options = life.habits.options
        // Nothing is to happen behind the check's back.
        options.checkpointByteCount = 1 << 40
        options.durability = .full
    }

    mutating func takeReport() -> CrashReport {
        defer { report = CrashReport() }
        return report
    }

    private mutating func wrong(_ event: Int, _ how: String, _ what: String) {
        report.wrong += 1
        report.note("\(place), event \(event), \(how): \(what)")
    }

    private static func system(_ image: [String: [UInt8]]) throws(LogError) -> MemoryFileSystem {
        try MemoryFileSystem(holding: image, reservation: 1 << 22)
    }

    /// The commit a writer finds; nil when the store cannot be opened.
    func survivor(of image: [String: [UInt8]]) -> UInt64? {
        guard let system = try? Self.system(image) else { return nil }
        return try? Log.open(path: CrashLife.path, in: system, options: options).newest.commitNumber
    }

    /// Opens an image for writing, and in all other ways too if it is to be thorough.
    mutating func check(_ image: [String: [UInt8]], _ event: Int, _ how: String, isThorough: Bool, _ random: inout SplitMix64) {
        do throws(LogError) {
            let system = try Self.system(image)
            var read: UInt64?
            if isThorough { read = try checkReader(system, image, event, how) }
            guard let found = try checkWriter(system, event, how, isThorough: isThorough) else { return }
            if let read, read != found { wrong(event, how, "a reader found commit \(read), a writer \(found)") }
            guard isThorough else { return }
            try checkCopies(system, event, how)
            try checkFailingRecovery(image, event, how, &random)
        } catch { wrong(event, how, error.description) }
    }

    /// Compares an opened store with what had to survive, and answers the commit found.
    private mutating func compare(_ log: Log, _ event: Int, _ how: String) -> UInt64? {
        let found = log.newest.commitNumber
        let promised = life.promised(at: event)
        if found < promised {
            report.lost += Int(promised - found)
            report.note("\(place), event \(event), \(how): commit \(promised) was acknowledged, \(found) is the last one found")
            return nil
        }
        if found > promised { report.luckier += 1 }
        guard let model = life.models[found] else {
            wrong(event, how, "commit \(found) was never made")
            return nil
        }
        if let difference = model.difference(from: log.newest) {
            wrong(event, how, "after commit \(found) \(difference)")
            return nil
        }
        return found
    }

    private mutating func checkReader(
        _ system: MemoryFileSystem, _ image: [String: [UInt8]], _ event: Int, _ how: String
    ) throws(LogError) -> UInt64? {
        var reading = options
        reading.readOnly = true
        let log: Log
        do throws(LogError) {
            log = try Log.open(path: CrashLife.path, in: system, options: reading)
        } catch {
            switch error {
            // The creation was interrupted.
            case .noSuchFile, .notAStore: if life.promised(at: event) == 0 { return nil }
            default: break
            }
            throw error
        }
        let found = compare(log, event, "\(how), read")
        for (path, bytes) in image where system.contents(path) != bytes { wrong(event, how, "a reader changed '\(path)'") }
        return found
    }

    private mutating func checkWriter(
        _ system: MemoryFileSystem, _ event: Int, _ how: String, isThorough: Bool
    ) throws(LogError) -> UInt64? {
        let log: Log
        do throws(LogError) {
            log = try Log.open(path: CrashLife.path, in: system, options: options)
        } catch {
            report.lost += Int(life.promised(at: event))
            throw error
        }
        if log.health.tornTail != nil { report.torn += 1 }
        if let summary = try? log.summary(), summary.index != nil { report.indexed += 1 }
        if system.exists("a-compact") { wrong(event, how, "the trace of a compaction was left") }
        guard let found = compare(log, event, how) else { return nil }
        guard isThorough else { return found }
        let problems = try log.check()
        if let problem = problems.first { wrong(event, how, "check: \(problem)") }
        // What was recovered has to go on.
        let next: CrashModel
        do {
            var model = life.models[found] ?? CrashModel()
            var random = SplitMix64(seed: found)
            let habits = life.habits.model
            next = try log.commit { (_, builder: inout CommitBuilder) in
                model.change(&builder, &random, habits)
                return model
            }.0
        } catch {
            switch error {
            case .log(let error): throw error
            case .refused(let error): throw .invalid(what: "\(error)", path: CrashLife.path)
            }
        }
        if found % 2 == 0 { try log.compact() }
        try log.close()
        let again = try Log.open(path: CrashLife.path, in: system, options: options)
        if !again.health.wasClosedCleanly { wrong(event, how, "what was recovered and closed is not closed") }
        if let difference = next.difference(from: again.newest) { wrong(event, how, "a commit after the recovery: \(difference)") }
        return found
    }

    /// A copy that was acknowledged is there, and one that was not is all of it or no store.
    private mutating func checkCopies(_ system: MemoryFileSystem, _ event: Int, _ how: String) throws(LogError) {
        for copy in life.copies {
            var reading = options
            reading.readOnly = true
            report.copying += system.exists(copy.path) ? 1 : 0
            do throws(LogError) {
                let log = try Log.open(path: copy.path, in: system, options: reading)
                guard log.newest.commitNumber == copy.commit, let model = life.models[copy.commit] else {
                    wrong(event, how, "\(copy.path) holds commit \(log.newest.commitNumber), not \(copy.commit)")
                    continue
                }
                if let difference = model.difference(from: log.newest) { wrong(event, how, "in \(copy.path) \(difference)") }
            } catch {
                if let made = copy.event, made <= event { wrong(event, how, "\(copy.path) was made: \(error.description)") }
                switch error {
                // The header is written last, so all of it is there or the file is none of ours.
                case .noSuchFile, .notAStore, .damaged(_, 0, _): break
                default: throw error
                }
            }
        }
    }

    /// A recovery in which some call fails, once or for ever, and a power loss after that; then another one.
    private mutating func checkFailingRecovery(
        _ image: [String: [UInt8]], _ event: Int, _ how: String, _ random: inout SplitMix64
    ) throws(LogError) {
        let disk = try SimulatedDisk(holding: image, reservation: 1 << 24)
        let first = Int(random.below(8))
        disk.setFaults(.init(first: first, isForEver: random.below(2) == 0))
        do throws(LogError) {
            let log = try Log.open(path: CrashLife.path, in: disk, options: options)
            _ = compare(log, event, "\(how), with a call failing")
            try log.close()
        } catch {}
        disk.setFaults(nil)
        var replay = disk.replay()
        replay.advance(to: Int(random.below(UInt32(disk.eventCount + 1))))
        let losses = SimulatedDisk.Loss.allCases
        let second = replay.image(losses[Int(random.below(UInt32(losses.count)))], using: &random)
        let log = try Log.open(path: CrashLife.path, in: try Self.system(second), options: options)
        report.failedRecoveries += 1
        _ = compare(log, event, "\(how), after call \(first) of the recovery failed")
    }
}
