internal import GrabenFixtures
package import GrabenLog

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Kills a process that commits, again and again over the same store, and compares the store with what was acknowledged.
package struct KillRounds {
    /// What came of the rounds.
    package struct Report: Sendable {
        package var rounds = 0
        package var acknowledged = 0
        package var lost = 0
        package var findings: [String] = []
        /// Rounds in which there was something to be cut off, a trace of an index or of a compaction.
        package var torn = 0
        package var indexing = 0
        package var compacting = 0
        /// Rounds after which an index was there to be opened from.
        package var indexed = 0
    }

    private let program: String
    private let path: String
    private let seed: UInt64
    private var random: SplitMix64
    /// The same commits in memory, for their numbers, and what they come to.
    private let shadow: Log
    private var model = CrashModel()
    package private(set) var report = Report()

    /// `program` runs `KillChild` when it is called with the words `child`, path, seed and round.
    package init(program: String, folder: String, seed: UInt64) throws(LogError) {
        self.program = program
        self.seed = seed
        path = folder + "/killed.graben"
        random = SplitMix64(seed: seed)
        shadow = try Log.open(path: "shadow", in: MemoryFileSystem(reservation: 1 << 30), options: LogOptions(writesIndex: false))
    }

    package mutating func round() {
        report.rounds += 1
        let number = report.rounds
        let output = kill(round: UInt64(number))
        var acknowledged: UInt64 = 0
        for line in output.split(separator: "\n") {
            if let commit = UInt64(line) {
                acknowledged = max(acknowledged, commit)
                report.acknowledged += 1
            } else {
                report.findings.append("round \(number): the process says: \(line)")
            }
        }
        do throws(LogError) { try compare(number, acknowledged) } catch { report.findings.append("round \(number): \(error.description)") }
    }

    private mutating func compare(_ number: Int, _ acknowledged: UInt64) throws(LogError) {
        let system = RealFileSystem()
        report.indexing += system.exists(path + "-index-new") ? 1 : 0
        report.compacting += system.exists(path + "-compact") ? 1 : 0
        report.indexed += system.exists(path + "-index") ? 1 : 0
        guard system.exists(path) else {
            if acknowledged > 0 { report.lost += Int(acknowledged) }
            return
        }
        // Every other time a reader looks, and the next process has to recover the store by itself.
        var options = LogOptions(readOnly: number % 2 == 0)
        options.checkpointByteCount = 1 << 40
        let log: Log
        do throws(LogError) { log = try Log.open(path: path, in: system, options: options) } catch {
            switch error {
            // Killed before the store was there.
            case .notAStore, .noSuchFile: if shadow.newest.commitNumber == 0, acknowledged == 0 { return }
            default: break
            }
            throw error
        }
        if log.health.tornTail != nil { report.torn += 1 }
        let found = log.newest.commitNumber
        if found < max(acknowledged, shadow.newest.commitNumber) {
            report.lost += Int(max(acknowledged, shadow.newest.commitNumber) - found)
            report.findings.append("round \(number): commit \(acknowledged) was acknowledged, \(found) is the last one found")
            return
        }
        while shadow.newest.commitNumber < found { try advance() }
        if let difference = model.difference(from: log.newest) { report.findings.append("round \(number), commit \(found): \(difference)") }
        if let problem = try log.check().first { report.findings.append("round \(number): check: \(problem)") }
    }

    /// Makes the next commit in the model.
    private mutating func advance() throws(LogError) {
        var random = KillChild.random(seed: seed, commit: shadow.newest.commitNumber + 1)
        try shadow.commit(changing: &model, &random, CrashModel.Habits())
    }

    // MARK: The process

    /// Starts the process, kills it at a random moment, and answers what it said.
    private mutating func kill(round: UInt64) -> String {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return "no pipe" }
        var actions = posix_spawn_file_actions_t()
        #if canImport(Darwin)
            var spawning: posix_spawn_file_actions_t? = nil
            _ = actions
            posix_spawn_file_actions_init(&spawning)
            defer { posix_spawn_file_actions_destroy(&spawning) }
            posix_spawn_file_actions_adddup2(&spawning, ends[1], 1)
            posix_spawn_file_actions_addclose(&spawning, ends[0])
        #else
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
            posix_spawn_file_actions_addclose(&actions, ends[0])
        #endif
        var words: [UnsafeMutablePointer<CChar>?] = []
        for word in [program, "child", path, String(seed), String(round)] { words.append(strdup(word)) }
        words.append(nil)
        defer { for word in words { free(word) } }
        var process = pid_t()
        #if canImport(Darwin)
            let status = posix_spawn(&process, program, &spawning, nil, words, environ)
        #else
            let status = posix_spawn(&process, program, &actions, nil, words, nil)
        #endif
        close(ends[1])
        defer { close(ends[0]) }
        guard status == 0 else { return "cannot start '\(program)': error \(status)" }
        // Some while it opens the store, most after so many commits, and then a moment later.
        let wanted = random.below(4) == 0 ? 0 : Int(random.below(60))
        var output: [UInt8] = []
        while output.count(where: { $0 == 10 }) < wanted, readMore(ends[0], &output) {}
        usleep(random.below(wanted == 0 ? 30_000 : 3_000))
        #if canImport(Glibc)
            Glibc.kill(process, SIGKILL)
        #elseif canImport(Musl)
            Musl.kill(process, SIGKILL)
        #else
            Darwin.kill(process, SIGKILL)
        #endif
        while readMore(ends[0], &output) {}
        var end: Int32 = 0
        while waitpid(process, &end, 0) < 0, errno == EINTR {}
        return String(decoding: output, as: UTF8.self)
    }

    private func readMore(_ descriptor: Int32, _ output: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return count < 0 && errno == EINTR }
        output += buffer.prefix(count)
        return true
    }
}
