/// Cells of comma-separated values as RFC 4180 has them, lines ended by a line feed.
enum CSVText {
    /// A line of cells; nil is no value, which is told from empty text by having no quotes.
    static func line(_ cells: [String?]) -> String { cells.map { $0.map(cell) ?? "" }.joined(separator: ",") + "\n" }

    private static func cell(_ text: String) -> String {
        let needsQuotes =
            text.isEmpty
            || text.utf8.contains {
                $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r")
            }
        guard needsQuotes else { return text }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
