import FoundationEssentials
import GrabenLog
import GrabenModel

/// What is in a store's file, and its health. Needs no model, so it also tells of a store whose model cannot be read.
enum InfoCommand {
    static func run(_ session: Session) throws {
        let path = session.invocation.store
        let writer = try Log.writer(ofStoreAt: path, in: RealFileSystem())
        let log = try OpenStore.log(path: path, asOf: session.invocation.moment())
        let summary = try log.summary()
        let model = try? ManagedObjectModel(tree: log.catalog.model).resolved()
        let facts = Facts(path: path, log: log, summary: summary, writer: writer, versionHash: model.map { "\($0.versionHash)" })
        if session.invocation.has("json") { try json(facts, JSONWriter(session.output)) } else { try text(facts, session) }
    }

    private struct Facts {
        let path: String
        let log: Log
        let summary: LogSummary
        let writer: LogWriterInfo?
        let versionHash: String?
        var health: LogHealth { log.health }
        /// One word for how the store is.
        var state: String {
            if health.damage != nil { return "damaged" }
            if let commit = health.asOf { return "as of commit \(commit)" }
            if writer != nil { return "being written" }
            if health.tornTail != nil { return "torn tail" }
            return health.wasClosedCleanly ? "closed cleanly" : "not closed"
        }
    }

    private static func text(_ facts: Facts, _ session: Session) throws {
        let (log, summary, health) = (facts.log, facts.summary, facts.health)
        var rows: [(String, String)] = [
            ("file", facts.path), ("format", "version \(Format.version)"), ("store", log.storeUUID.uuidString.lowercased()),
            ("epoch", "\(log.epoch)"), ("created", DateText.shortText(log.creationTime)),
            ("size", "\(ValueText.grouped(summary.fileSize)) bytes, \(ValueText.grouped(summary.logSize)) of them the log"),
            ("commits", ValueText.grouped(summary.commits)),
            (
                "history",
                summary.oldestHistory == 0
                    ? "of all commits" : "of the commits after \(ValueText.grouped(summary.oldestHistory)); what was before is compacted"
            ),
            ("model", "version \(summary.catalogVersion)" + (facts.versionHash.map { ", hash \($0)" } ?? ", which cannot be read")),
            ("state", facts.state),
        ]
        if let tail = health.tornTail {
            rows.append(
                (
                    "torn tail",
                    "\(ValueText.grouped(tail.count)) bytes at \(tail.lowerBound) of a commit that was never finished; the next writer cuts them off"
                ))
        }
        if let damage = health.damage {
            rows.append(("damage", "at byte \(damage.offset): \(damage.reason); what comes before it can be read"))
        }
        if let writer = facts.writer {
            rows.append(("writer", writer.name))
            if let oldest = writer.pinned.oldestCommit {
                let held = writer.pinned.byteCount
                let room = held > 0 ? ", and keeps \(ValueText.grouped(held)) bytes of files that were compacted away" : ""
                rows.append(("pinned", "the writer still reads commit \(oldest)\(room)"))
            }
        }
        let width = rows.map(\.0.count).max() ?? 0
        for (name, value) in rows {
            try session.output.write(name + String(repeating: " ", count: width + 2 - name.count) + value.withoutControls + "\n")
        }
        try session.output.write("\n")
        let table = TextTable(
            session, [.init(title: "entity"), .init(title: "objects", isNumber: true), .init(title: "highest row", isNumber: true)])
        try table.begin()
        for entity in summary.entities {
            try table.row([entity.entity.name, "\(entity.liveCount)", entity.highestRow.map { "\($0)" } ?? ""])
        }
        try table.end()
    }

    private static func json(_ facts: Facts, _ json: JSONWriter) throws {
        let (log, summary, health) = (facts.log, facts.summary, facts.health)
        try json.beginObject()
        try json.field("file", facts.path)
        try json.field("format", Format.version)
        try json.field("store", log.storeUUID.uuidString.lowercased())
        try json.field("epoch", log.epoch)
        try json.key("created")
        try json.date(log.creationTime)
        try json.field("fileSize", summary.fileSize)
        try json.field("logSize", summary.logSize)
        try json.field("commits", summary.commits)
        try json.field("modelVersion", summary.catalogVersion)
        try json.field("versionHash", facts.versionHash)
        try json.field("state", facts.state)
        try json.field("asOf", health.asOf)
        try json.field("closedCleanly", health.wasClosedCleanly)
        try json.key("tornTail")
        if let tail = health.tornTail {
            try json.beginObject()
            try json.field("offset", tail.lowerBound)
            try json.field("bytes", tail.count)
            try json.endObject()
        } else {
            try json.null()
        }
        try json.key("damage")
        if let damage = health.damage {
            try json.beginObject()
            try json.field("offset", damage.offset)
            try json.field("reason", damage.reason)
            try json.endObject()
        } else {
            try json.null()
        }
        try json.field("oldestHistory", summary.oldestHistory)
        try json.field("writer", facts.writer?.name)
        try json.field("oldestPinnedCommit", facts.writer?.pinned.oldestCommit)
        try json.field("pinnedBytes", facts.writer?.pinned.byteCount)
        try json.key("entities")
        try json.beginArray()
        for entity in summary.entities {
            try json.beginObject()
            try json.field("name", entity.entity.name)
            try json.field("objects", entity.liveCount)
            try json.field("highestRow", entity.highestRow)
            try json.endObject()
        }
        try json.endArray()
        try json.endObject()
        try json.newline()
    }
}
