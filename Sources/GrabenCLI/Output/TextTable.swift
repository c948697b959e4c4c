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
    private let hasHeader: Bool
    private var waiting: [[String]] = []
    private var widths: [Int]?
    private static let sample = 500

    init(_ session: Session, _ columns: [Column], isWide: Bool = false, hasHeader: Bool = true) {
        output = session.output
        terminal = session.terminal
        self.columns = columns
        self.isWide = isWide
        self.hasHeader = hasHeader
    }

    /// Writes the header where rows need not be measured first.
    func begin() throws(CLIError) {
        if terminal.width == nil, hasHeader { try writeTabs(columns.map(\.title)) }
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
        var found = columns.map { hasHeader ? $0.title.displayWidth : 0 }
        for row in waiting {
            for (place, cell) in row.enumerated() where place < found.count { found[place] = max(found[place], cell.displayWidth) }
        }
        if let limit = terminal.width, !isWide { shrink(&found, to: limit - 2 * (columns.count - 1)) }
        widths = found
        if hasHeader { try writeAligned(columns.map(\.title), isHeader: true) }
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

extension String {
    /// How many columns of a terminal the text takes, as far as that can be known: East Asian wide characters and emoji take two.
    var displayWidth: Int {
        if utf8.count == unicodeScalars.count { return utf8.count }
        return reduce(0) { $0 + $1.displayWidth }
    }

    /// The text, or as much of it as fits before an ellipsis.
    func cut(to width: Int) -> String {
        guard displayWidth > width else { return self }
        var text = ""
        var used = 1
        for character in self {
            used += character.displayWidth
            if used > width { break }
            text.append(character)
        }
        return text + "…"
    }
}

extension Character {
    fileprivate var displayWidth: Int {
        guard let scalar = unicodeScalars.first else { return 0 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return scalar.properties.generalCategory == .nonspacingMark ? 0 : 1
        }
    }
}
