import Graben
import GrabenLog
import GrabenModel
import GrabenPredicate

/// A query for rows that are no objects: computed columns, groups, aggregates.
struct RowQuery {
    private let columns: [FetchColumn]
    private let groupBy: [FetchColumn]
    private let having: ObjectPredicate?
    private let isDistinct: Bool

    /// nil where an invocation asks for objects and nothing else.
    init?(_ invocation: Invocation, _ entity: Entity) throws {
        let columns = try Self.expressions(invocation, "columns")
        let isComputed = columns?.contains { !Self.isPath($0) } ?? false
        guard isComputed || ["group-by", "having", "distinct"].contains(where: { invocation.has($0) }) else { return nil }
        self.columns = (columns ?? []).map { Self.column($0, entity) }
        groupBy = (try Self.expressions(invocation, "group-by") ?? []).map { Self.column($0, entity) }
        having = try invocation.value("having").map { try ObjectPredicate(format: $0) }
        isDistinct = invocation.has("distinct")
    }

    /// What the request has besides which objects.
    func complete(_ request: inout FetchRequest<ManagedObject>) {
        request.propertiesToFetch = columns
        request.propertiesToGroupBy = groupBy
        request.havingPredicate = having
        request.returnsDistinctResults = isDistinct
    }

    // MARK: Columns

    private static func isPath(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || $0.properties.numericType != nil || "_.$".unicodeScalars.contains($0)
        }
    }

    /// `sum(length) as total`: an expression and its name.
    private static func column(_ text: String, _ entity: Entity) -> FetchColumn {
        if text == ObjectColumn.identityTitle(entity) || text == "$id" { return FetchColumn("SELF", as: text) }
        let words = text.split(separator: " ")
        guard words.count >= 3, words[words.count - 2].lowercased() == "as" else { return FetchColumn(text) }
        return FetchColumn(words.dropLast(2).joined(separator: " "), as: String(words[words.count - 1]))
    }

    /// Expressions separated by commas that no bracket or quote is around.
    private static func expressions(_ invocation: Invocation, _ option: String) throws(CLIError) -> [String]? {
        guard let text = invocation.value(option) else { return nil }
        var parts = [""]
        var depth = 0
        var quote: Character?
        for character in text {
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if "([{".contains(character) {
                depth += 1
            } else if ")]}".contains(character) {
                depth -= 1
            } else if character == ",", depth <= 0 {
                parts.append("")
                continue
            }
            parts[parts.count - 1].append(character)
        }
        parts = parts.map { part in String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
        guard parts.allSatisfy({ !$0.isEmpty }) else {
            throw .usage("bad-value", "--\(option) takes key paths or expressions separated by commas, not \(text.shown)")
        }
        return parts
    }
}

/// Writes rows of values in one of the four forms.
struct ValueRowWriter {
    let session: Session
    let store: OpenStore
    let format: RowFormat

    func write(_ rows: [FetchedDictionary], names: [String]) throws {
        let json = JSONWriter(session.output)
        switch format {
        case .text:
            let columns = names.indices.map { place in
                TextTable.Column(
                    title: names[place],
                    isNumber: rows.contains { $0.values[place].isNumber } && rows.allSatisfy { $0.values[place].isNumberOrNull })
            }
            let table = TextTable(session, columns, isWide: session.invocation.has("wide"))
            try table.begin()
            for row in rows { try table.row(try row.values.map { try text($0, uris: false) }) }
            try table.end()
        case .csv:
            try session.output.write(CSVText.line(names))
            for row in rows { try session.output.write(CSVText.line(try row.values.map { $0.isNull ? nil : try text($0, uris: true) })) }
        case .json:
            try json.beginArray()
            for row in rows {
                try json.breakLine()
                try object(row, json)
            }
            try json.newline()
            try json.endArray()
            try json.newline()
        case .jsonLines:
            for row in rows {
                try object(row, json)
                try json.newline()
            }
        }
    }

    private func object(_ row: FetchedDictionary, _ json: JSONWriter) throws {
        try json.beginObject()
        for (name, value) in zip(row.names, row.values) {
            try json.key(name)
            try json.value(value)
        }
        try json.endObject()
    }

    private func text(_ value: Value, uris: Bool) throws -> String {
        try ValueText.text(value) { id in uris ? id.uriRepresentation : store.names.shortID(id) }
    }
}

extension Value {
    fileprivate var isNumber: Bool {
        switch self {
        case .int, .float, .double, .decimal: true
        default: false
        }
    }
    fileprivate var isNumberOrNull: Bool { isNull || isNumber }
}
