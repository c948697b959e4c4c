import Graben
import GrabenLog
import GrabenModel

/// Verifies everything a store holds, and lists what is wrong.
enum CheckCommand {
    static func run(_ session: Session) throws {
        let path = session.invocation.store
        let log = try OpenStore.log(path: path)
        let progress = Progress(session)
        var report = CheckReport(path: path, commits: log.newest.commitNumber, tornTail: log.health.tornTail)
        for problem in try log.check(progress: {
            progress.show("checking the log", $0)
            return true
        }) {
            report.problems.append(CheckProblem(.log, problem.what, offset: problem.offset))
        }
        if let damage = log.damage, !report.problems.contains(where: { $0.offset == damage.offset }) {
            report.problems.append(CheckProblem(.log, damage.reason, offset: damage.offset))
        }
        do {
            let store = try OpenStore(path: path, log: log)
            // A list of their own: the checker holds the report while objects that cannot be read are told of.
            var unreadable: [CheckProblem] = []
            store.context.errorHandler = { error in unreadable.append(CheckProblem(.object, "\(error)")) }
            defer { report.problems += unreadable }
            var checker = ObjectChecker(store, progress)
            try checker.run(&report)
            store.context.errorHandler = nil
        } catch {
            // A model that cannot be read is a finding; a disk that cannot be read is not.
            let failure = CLIError(error)
            guard failure.exit == .badData else { throw failure }
            report.problems.append(CheckProblem(.model, failure.message, offset: failure.offset))
        }
        progress.end()
        if session.invocation.has("json") { try report.write(to: JSONWriter(session.output)) } else { try report.write(to: session.output) }
        if !report.problems.isEmpty { session.exit = .found }
    }
}

/// Something a check found.
struct CheckProblem {
    enum Kind: String { case log, model, object, reference, inverse, unique }

    let kind: Kind
    let message: String
    var offset: UInt64?
    var object: String?

    init(_ kind: Kind, _ message: String, offset: UInt64? = nil, object: String? = nil) {
        self.kind = kind
        self.message = message
        self.offset = offset
        self.object = object
    }
}

/// What a check looked at and found.
struct CheckReport {
    let path: String
    let commits: UInt64
    let tornTail: Range<UInt64>?
    var objects = 0
    var references = 0
    var problems: [CheckProblem] = []
    /// References that lead nowhere, as their delete rule allows.
    var dangling = 0
    static let limit = 1000

    func write(to output: ByteOutput) throws(CLIError) {
        for problem in problems.prefix(Self.limit) {
            let place = problem.offset.map { "byte \($0): " } ?? problem.object.map { "\($0): " } ?? ""
            try output.write("\(problem.kind.rawValue): \(place)\(problem.message.withoutControls)\n")
        }
        if problems.count > Self.limit { try output.write("… and \(ValueText.grouped(problems.count - Self.limit)) more\n") }
        if let tornTail {
            try output.write(
                "note: \(ValueText.grouped(tornTail.count)) bytes at \(tornTail.lowerBound) are a commit that was never finished; no damage\n"
            )
        }
        if dangling > 0 {
            try output.write("note: \(ValueText.grouped(dangling)) references lead to deleted objects, which their delete rule allows\n")
        }
        let found = problems.isEmpty ? "nothing wrong" : problems.count == 1 ? "1 problem" : "\(ValueText.grouped(problems.count)) problems"
        try output.write(
            "\(path): \(found) in \(ValueText.grouped(commits)) commits, \(ValueText.grouped(objects)) objects,"
                + " \(ValueText.grouped(references)) references\n")
    }

    func write(to json: JSONWriter) throws(CLIError) {
        try json.beginObject()
        try json.field("file", path)
        try json.field("ok", problems.isEmpty)
        try json.field("commits", commits)
        try json.field("objects", objects)
        try json.field("references", references)
        try json.field("dangling", dangling)
        try json.field("tornTailBytes", tornTail.map { UInt64($0.count) })
        try json.key("problems")
        try json.beginArray()
        for problem in problems.prefix(Self.limit) {
            try json.beginObject()
            try json.field("kind", problem.kind.rawValue)
            try json.field("message", problem.message)
            try json.field("offset", problem.offset)
            try json.field("object", problem.object)
            try json.endObject()
        }
        try json.endArray()
        try json.endObject()
        try json.newline()
    }
}
