/// Reads the lines of a table of text: cells between tabs without quoting, or between commas with quoting as RFC 4180 has it.
struct DelimitedReader {
    struct Line {
        /// The line of the file it begins in, from 1.
        let number: Int
        /// nil is no value: an empty cell without quotes.
        let cells: [String?]
    }

    private let bytes: [UInt8]
    private let file: String
    private let separator: UInt8
    private let hasQuotes: Bool
    private var place = 0
    private var line = 1

    init(_ bytes: [UInt8], file: String, commas: Bool) {
        self.bytes = bytes
        self.file = file
        separator = UInt8(ascii: commas ? "," : "\t")
        hasQuotes = commas
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
    }

    /// The next line, or nil at the end of the file.
    mutating func next() throws(CLIError) -> Line? {
        guard place < bytes.count else { return nil }
        let number = line
        var cells: [String?] = []
        while true {
            cells.append(try cell())
            guard place < bytes.count else { break }
            let byte = bytes[place]
            place += 1
            if byte == separator { continue }
            // `cell` stops only at a separator or at the end of a line.
            if byte == UInt8(ascii: "\r"), place < bytes.count, bytes[place] == UInt8(ascii: "\n") { place += 1 }
            line += 1
            break
        }
        return Line(number: number, cells: cells)
    }

    private func isEnd(_ byte: UInt8) -> Bool { byte == separator || byte == UInt8(ascii: "\n") || isReturn(byte) }
    /// A carriage return ends a line of its own accord only in CSV; between tabs it does before a line feed.
    private func isReturn(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\r") && hasQuotes }

    private mutating func cell() throws(CLIError) -> String? {
        if hasQuotes, place < bytes.count, bytes[place] == UInt8(ascii: "\"") { return try quotedCell() }
        let start = place
        while place < bytes.count, !isEnd(bytes[place]) {
            if hasQuotes, bytes[place] == UInt8(ascii: "\"") { throw problem("a quotation mark inside a cell that has none around it") }
            place += 1
        }
        var end = place
        // The line feed's carriage return is none of the cell's, as the separator takes one byte only.
        if !hasQuotes, end > start, bytes[end - 1] == UInt8(ascii: "\r"), place == bytes.count || bytes[place] == UInt8(ascii: "\n") {
            end -= 1
        }
        return start == end ? nil : try text(bytes[start..<end])
    }

    private mutating func quotedCell() throws(CLIError) -> String {
        let mark = UInt8(ascii: "\"")
        let first = line
        var content: [UInt8] = []
        place += 1
        while true {
            guard place < bytes.count else {
                line = first
                throw problem("a quotation mark is never closed")
            }
            let byte = bytes[place]
            place += 1
            if byte == mark {
                if place < bytes.count, bytes[place] == mark {
                    content.append(mark)
                    place += 1
                    continue
                }
                guard place == bytes.count || isEnd(bytes[place]) else { throw problem("text follows a closing quotation mark") }
                return try text(content[...])
            }
            if byte == UInt8(ascii: "\n") { line += 1 }
            content.append(byte)
        }
    }

    private func text(_ bytes: ArraySlice<UInt8>) throws(CLIError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw problem("bytes that are no UTF-8") }
        return text
    }

    private func problem(_ what: String) -> CLIError {
        CLIError(.badData, "table.malformed", "\(file), line \(line): \(what)", file: file, line: line)
    }
}
