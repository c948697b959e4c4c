import Graben
import GrabenLog

/// Copies what can be read of a damaged store into a new one, and lists what cannot.
enum RepairCommand {
    static func run(_ session: Session) throws {
        let path = session.invocation.store
        guard let newPath = session.invocation.value("to") else {
            throw CLIError.usage("missing-option", "where the repaired store goes is missing: --to NEW", hint: "graben help repair")
        }
        let progress = Progress(session)
        // Ctrl-C ends it between two frames, with nothing left of the new file.
        let repair = try Interruption.deferred {
            defer { progress.end() }
            return try PersistentStore.repair(storeAt: path, to: newPath) { fraction in
                progress.show("repairing", fraction)
                return !Interruption.isAsked
            }
        }
        if repair.isCancelled { throw CLIError.interrupted }
        if session.invocation.has("json") {
            try write(repair, path, newPath, JSONWriter(session.output))
        } else {
            list(repair, session)
            let count = ValueText.grouped(repair.objectCount)
            try session.output.write(
                "\(newPath): \(count) \(repair.objectCount == 1 ? "object" : "objects") of '\(path)', "
                    + (repair.isLossless ? "nothing lost" : summary(repair)) + "\n")
        }
        if !repair.isLossless { session.exit = .found }
    }

    private static func summary(_ repair: StoreRepair) -> String {
        var parts: [String] = []
        if repair.commitCount > 0 { parts.append("\(ValueText.grouped(repair.commitCount)) damaged commits") }
        for kind in StoreRepair.Loss.Kind.allCases {
            if let count = repair.counts[kind] { parts.append("\(ValueText.grouped(count)) \(words(kind))") }
        }
        if repair.lostByteCount > 0 { parts.append("\(ValueText.grouped(repair.lostByteCount)) bytes that could not be made out") }
        return "lost: " + parts.joined(separator: ", ")
    }

    private static func words(_ kind: StoreRepair.Loss.Kind) -> String {
        switch kind {
        case .object: "objects"
        case .newest: "newest versions"
        case .packed: "packed values"
        case .reference: "references"
        case .link: "members"
        case .key: "unique keys"
        }
    }

    /// What is lost, on standard error.
    private static func list(_ repair: StoreRepair, _ session: Session) {
        for commit in repair.commits {
            var text = commit.number.map { "commit \($0)" } ?? "a commit"
            text += " at byte \(commit.offset): \(commit.message)"
            if let lost = commit.lost {
                let parts = [
                    (lost.inserted, "insertions"), (lost.updated, "updates"), (lost.deleted, "deletions"), (lost.moved, "moves"),
                    (lost.links, "links"),
                ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
                if !parts.isEmpty { text += "; lost \(parts.joined(separator: ", "))" }
            }
            session.say(text.withoutControls)
        }
        if repair.commitCount > repair.commits.count { session.say("… and \(repair.commitCount - repair.commits.count) more commits") }
        for loss in repair.losses {
            let object = "\(loss.entity)/\(loss.row)"
            let text =
                switch loss.kind {
                case .object: "\(object) is lost"
                case .newest: "\(object): its newest version is lost"
                case .packed: "\(object): a value of \(loss.property ?? "a packed attribute") is lost"
                case .reference: "\(object): \(loss.property ?? "a reference") was made null"
                case .link: "\(object): a member of \(loss.property ?? "a relationship") was left out"
                case .key: "\(object): \(loss.property ?? "its key") was made null, another object has the same"
                }
            session.say(text.withoutControls)
        }
        let count = repair.counts.values.reduce(0, +)
        if count > repair.losses.count { session.say("… and \(count - repair.losses.count) more losses") }
        if let tail = repair.tornTail {
            session.say("note: \(tail.count) bytes at \(tail.lowerBound) are a commit that was never finished; no loss")
        }
        for note in repair.notes { session.say("note: \(note.withoutControls)") }
    }

    private static func write(_ repair: StoreRepair, _ path: String, _ newPath: String, _ json: JSONWriter) throws(CLIError) {
        try json.beginObject()
        try json.field("file", path)
        try json.field("repaired", newPath)
        try json.field("lossless", repair.isLossless)
        try json.field("objects", repair.objectCount)
        try json.field("lostBytes", repair.lostByteCount)
        try json.field("tornTailBytes", repair.tornTail.map { UInt64($0.count) })
        try json.field("damagedCommits", repair.commitCount)
        try json.key("counts")
        try json.beginObject()
        for kind in StoreRepair.Loss.Kind.allCases { try json.field(kind.rawValue, repair.counts[kind] ?? 0) }
        try json.endObject()
        try json.key("commits")
        try json.beginArray()
        for commit in repair.commits {
            try json.beginObject()
            try json.field("number", commit.number)
            try json.field("offset", commit.offset)
            try json.field("message", commit.message)
            try json.key("lost")
            if let lost = commit.lost {
                try json.beginObject()
                try json.counts(
                    inserted: lost.inserted, updated: lost.updated, deleted: lost.deleted, moved: lost.moved, links: lost.links)
                try json.endObject()
            } else {
                try json.null()
            }
            try json.endObject()
        }
        try json.endArray()
        try json.key("losses")
        try json.beginArray()
        for loss in repair.losses {
            try json.beginObject()
            try json.field("kind", loss.kind.rawValue)
            try json.field("object", "\(loss.entity)/\(loss.row)")
            try json.field("entity", loss.entity)
            try json.field("row", loss.row)
            try json.field("property", loss.property)
            try json.endObject()
        }
        try json.endArray()
        try json.key("notes")
        try json.beginArray()
        for note in repair.notes { try json.string(note) }
        try json.endArray()
        try json.endObject()
        try json.newline()
    }
}
