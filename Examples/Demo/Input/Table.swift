import FoundationEssentials

/// A table of tab-separated cells without quoting; its first line names the columns.
struct Table {
    private let path: String
    private let columns: [Substring]
    private let rows: [[Substring]]

    init(path: String) throws {
        let text: String
        do {
            text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
        } catch {
            throw DemoFailure("reading the table '\(path)': \(error)")
        }
        let lines = text.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
        guard let header = lines.first else { throw DemoFailure("the table '\(path)' has no header") }
        for (place, line) in lines.enumerated() where line.count != header.count {
            throw DemoFailure("'\(path)', line \(place + 1): \(line.count) cells under \(header.count) columns")
        }
        self.path = path
        columns = header
        rows = Array(lines.dropFirst())
    }

    /// Calls `body` with each row.
    func forEach(_ body: (Row) throws -> Void) throws {
        for (place, cells) in rows.enumerated() { try body(Row(table: self, number: place + 2, cells: cells)) }
    }

    /// One line of the table.
    struct Row {
        fileprivate let table: Table
        fileprivate let number: Int
        fileprivate let cells: [Substring]

        func text(_ column: String) throws(DemoFailure) -> String {
            guard let place = table.columns.firstIndex(of: column[...]) else { throw failure("there is no column \"\(column)\"") }
            return String(cells[place])
        }

        /// A number, or nil for an empty cell.
        func number(_ column: String) throws(DemoFailure) -> Double? {
            let text = try text(column)
            guard !text.isEmpty else { return nil }
            guard let number = Double(text) else { throw failure("\(column) is no number but \"\(text)\"") }
            return number
        }

        func failure(_ reason: String) -> DemoFailure { DemoFailure("'\(table.path)', line \(number): \(reason)") }
    }
}
