import Graben
import GrabenLog
import GrabenModel

/// Counts, bounds, nils and sizes: of the file, of each entity, of each of its properties.
enum StatsCommand {
    static func run(_ session: Session) throws {
        let store = try OpenStore(session)
        let entities: [Entity]
        if let name = session.invocation.operand(1) {
            entities = store.model.concreteDescendants(of: try store.entity(name))
        } else {
            entities = store.concreteEntities
        }
        let progress = Progress(session)
        let snapshot = store.log.newest
        let total = entities.reduce(0) { sum, entity in
            sum + (store.log.catalog.entity(named: entity.name).map { snapshot.liveCount($0.code) } ?? 0)
        }
        var done = 0
        var statistics: [EntityStatistics] = []
        for entity in entities {
            let size = try store.log.catalog.entity(named: entity.name).map { try snapshot.size(of: $0.code) } ?? EntitySize()
            var found = EntityStatistics(entity, size: size)
            try Selection(entity, includesSubentities: false).forEach(in: store) { object in
                try found.add(object)
                done += 1
                if done % 1024 == 0 { progress.show("counting", Double(done) / Double(max(total, 1))) }
            }
            statistics.append(found)
        }
        progress.end()
        let file = File(summary: try store.log.summary(), live: try store.log.liveByteCount())
        if session.invocation.has("json") {
            try json(file, statistics, store.path, JSONWriter(session.output))
        } else {
            try text(file, statistics, store.path, session)
        }
    }

    /// What is said of the file as a whole.
    private struct File {
        let summary: LogSummary
        /// About how much of the log lives.
        let live: UInt64
        /// How much of it a compaction would free, from 0 to 1.
        var deadShare: Double { summary.logSize == 0 ? 0 : max(0, 1 - Double(live) / Double(summary.logSize)) }
    }

    private static func text(_ file: File, _ entities: [EntityStatistics], _ path: String, _ session: Session) throws {
        let output = session.output
        let share = Int((file.deadShare * 100).rounded())
        try output.write(
            "\(path.withoutControls): \(ValueText.grouped(file.summary.logSize)) bytes of log, about \(ValueText.grouped(file.live)) of them live,"
                + " \(share) % dead; \(ValueText.grouped(file.summary.commits)) commits\n")
        for found in entities {
            let noun = found.objects == 1 ? "object" : "objects"
            try output.write(
                "\n\(found.entity.name): \(ValueText.grouped(found.objects)) \(noun), \(ValueText.grouped(found.size.records)) bytes of records,"
                    + " \(ValueText.grouped(found.size.columns)) of columns\n")
            let table = TextTable(
                session,
                [
                    .init(title: "property"), .init(title: "type"), .init(title: "nil", isNumber: true), .init(title: "of"),
                    .init(title: "least", isNumber: true), .init(title: "greatest", isNumber: true),
                    .init(title: "total", isNumber: true),
                ], isWide: session.invocation.has("wide"))
            try table.begin()
            for attribute in found.attributes {
                let bounds = [attribute.least, attribute.greatest].map { $0.map { ValueText.text($0) } ?? "" }
                let hasTotal = [.boolean, .string, .uri, .data, .transformable].contains(attribute.type)
                try table.row(
                    [attribute.property.name, "\(attribute.type)", "\(attribute.nulls)", attribute.measures] + bounds
                        + [hasTotal ? "\(attribute.total)" : attribute.notNumbers > 0 ? "\(attribute.notNumbers) NaN" : ""])
            }
            for relationship in found.relationships {
                let kind = relationship.property.isToMany ? "to-many" : "to-one"
                try table.row(
                    [
                        relationship.property.name, kind, "\(relationship.empty)", "members", "", "\(relationship.most)",
                        "\(relationship.members)",
                    ])
            }
            try table.end()
        }
    }

    private static func json(_ file: File, _ entities: [EntityStatistics], _ path: String, _ json: JSONWriter) throws {
        try json.beginObject()
        try json.field("file", path)
        try json.field("fileSize", file.summary.fileSize)
        try json.field("logSize", file.summary.logSize)
        try json.field("indexSize", file.summary.index?.byteCount)
        try json.field("liveBytes", file.live)
        try json.field("deadShare", file.deadShare)
        try json.field("commits", file.summary.commits)
        try json.key("entities")
        try json.beginArray()
        for found in entities {
            try json.beginObject()
            try json.field("name", found.entity.name)
            try json.field("objects", found.objects)
            try json.field("recordBytes", found.size.records)
            try json.field("columnBytes", found.size.columns)
            try json.key("attributes")
            try json.beginArray()
            for attribute in found.attributes {
                try json.beginObject()
                try json.field("name", attribute.property.name)
                try json.field("type", "\(attribute.type)")
                try json.field("packed", attribute.property.isPacked)
                try json.field("nil", attribute.nulls)
                switch attribute.type {
                case .boolean: try json.field("true", attribute.total)
                case .string, .uri, .data, .transformable:
                    for (name, value) in [("shortest", attribute.least), ("longest", attribute.greatest)] {
                        try json.key(name)
                        try json.value(value ?? .null)
                    }
                    try json.field("totalLength", attribute.total)
                case .uuid: break
                default:
                    for (name, value) in [("least", attribute.least), ("greatest", attribute.greatest)] {
                        try json.key(name)
                        try json.value(value ?? .null)
                    }
                    try json.field("nan", attribute.notNumbers)
                }
                try json.endObject()
            }
            try json.endArray()
            try json.key("relationships")
            try json.beginArray()
            for relationship in found.relationships {
                try json.beginObject()
                try json.field("name", relationship.property.name)
                try json.field("toMany", relationship.property.isToMany)
                try json.field("empty", relationship.empty)
                try json.field("members", relationship.members)
                try json.field("most", relationship.most)
                try json.endObject()
            }
            try json.endArray()
            try json.endObject()
        }
        try json.endArray()
        try json.endObject()
        try json.newline()
    }
}
