import GrabenDrawing

/// Rows of text in columns: aligned and cut to the terminal's width, or separated by tabs and full where the output goes elsewhere.
///
/// The widths are those of the first rows, so that a table of any length is written in bounded memory.
final class TextTable {
    struct Column {
        var title: String
        var isNumber = false
        /// Whether it is never cut: half a number is another number, half an id is none.
        var isWhole = false
    }

    private let output: ByteOutput
    private let terminal: Terminal
    private let columns: [Column]
    private let isWide: Bool
    private var waiting: [[String]] = []
    private var widths: [Int]?
    private static let sample = 500

    init(_ session: Session, _ columns: [Column], isWide: Bool = false) {
        output = session.output
        terminal = session.terminal
        self.columns = columns
        self.isWide = isWide
    }

    /// Writes the header where rows need not be measured first.
    func begin() throws(CLIError) {
        if terminal.width == nil { try writeTabs(columns.map(\.title)) }
    }

    func row(_ cells: [String]) throws(CLIError) {
        if terminal.width == nil { return try writeTabs(cells) }
        let cells = cells.map(\.withoutControls)
        if widths != nil { return try writeAligned(cells) }
        waiting.append(cells)
        if waiting.count >= Self.sample { try measure() }
    }

    func end() throws(CLIError) {
        if terminal.width != nil, widths == nil { try measure() }
    }

    private func writeTabs(_ cells: [String]) throws(CLIError) {
        for (place, cell) in cells.enumerated() {
            if place > 0 { try output.write(byte: UInt8(ascii: "\t")) }
            try output.write(cell.withoutControls)
        }
        try output.write(byte: UInt8(ascii: "\n"))
    }

    private func measure() throws(CLIError) {
        var found = columns.map(\.title.displayWidth)
        for row in waiting {
            for (place, cell) in row.enumerated() where place < found.count { found[place] = max(found[place], cell.displayWidth) }
        }
        if let limit = terminal.width, !isWide { shrink(&found, to: limit - 2 * (columns.count - 1)) }
        widths = found
        try writeAligned(columns.map(\.title), isHeader: true)
        for row in waiting { try writeAligned(row) }
        waiting = []
    }

    /// Takes from the widest columns of text what is too much, down to eight characters each; what is left over the terminal wraps.
    private func shrink(_ widths: inout [Int], to limit: Int) {
        let able = columns.indices.filter { !columns[$0].isNumber && !columns[$0].isWhole }
        var excess = widths.reduce(0, +) - limit
        while excess > 0, let place = able.max(by: { widths[$0] < widths[$1] }), widths[place] > 8 {
            let next = max(8, able.map { widths[$0] }.filter { $0 < widths[place] }.max() ?? 8)
            let cut = min(excess, max(1, widths[place] - next))
            widths[place] -= cut
            excess -= cut
        }
    }

    private func writeAligned(_ cells: [String], isHeader: Bool = false) throws(CLIError) {
        guard let widths else { return }
        var line = ""
        for (place, cell) in cells.enumerated() where place < widths.count {
            let last = place == cells.count - 1
            let text = cell.cut(to: last && isWide ? .max : widths[place])
            let padding = String(repeating: " ", count: max(0, widths[place] - text.displayWidth))
            let shown = isHeader ? terminal.heading(text) : text
            line += columns[place].isNumber ? padding + shown : last ? shown : shown + padding
            if !last { line += "  " }
        }
        try output.write(line + "\n")
    }
}
