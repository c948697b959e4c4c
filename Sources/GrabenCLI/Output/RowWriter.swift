import Graben
import GrabenLog
import GrabenModel

/// Writes objects as rows in one of the four forms, as they come.
struct RowWriter {
    private let store: OpenStore
    private let columns: [ObjectColumn]
    private let format: RowFormat
    private let output: ByteOutput
    private let json: JSONWriter
    private let table: TextTable

    /// Rows go to the session's output unless told otherwise.
    init(
        _ session: Session, _ store: OpenStore, _ columns: [ObjectColumn], _ format: RowFormat, _ json: JSONWriter,
        _ output: ByteOutput? = nil
    ) {
        self.store = store
        self.columns = columns
        self.format = format
        self.json = json
        self.output = output ?? session.output
        table = TextTable(
            session, columns.map { TextTable.Column(title: $0.title, isNumber: $0.isNumber, isWhole: $0.isIdentity) },
            isWide: session.invocation.has("wide"))
    }

    /// Writes what stands before the rows.
    func begin() throws {
        switch format {
        case .text: try table.begin()
        case .csv: try output.write(CSVText.line(columns.map(\.title)))
        case .json: try json.beginArray()
        case .jsonLines: break
        }
    }

    func write(_ object: ManagedObject) throws {
        switch format {
        case .text: try table.row(columns.map { try $0.text(try $0.value(of: object), store, uris: false) })
        case .csv:
            let cells = try columns.map { column in
                let value = try column.value(of: object)
                return value.isNull ? nil : try column.text(value, store, uris: true)
            }
            try output.write(CSVText.line(cells))
        case .json:
            try json.breakLine()
            try writeJSON(object)
        case .jsonLines:
            try writeJSON(object)
            try json.newline()
        }
    }

    private func writeJSON(_ object: ManagedObject) throws {
        try json.beginObject()
        for column in columns {
            try json.key(column.title)
            try json.value(try column.value(of: object))
        }
        try json.endObject()
    }

    func end() throws {
        switch format {
        case .text: try table.end()
        case .json:
            try json.newline()
            try json.endArray()
        case .csv, .jsonLines: break
        }
    }

    /// Writes the objects of a selection.
    func writeAll(_ selection: Selection) throws {
        try begin()
        try selection.forEach(in: store) { try write($0) }
        try end()
    }
}
