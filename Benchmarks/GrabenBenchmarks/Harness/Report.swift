#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The table on the terminal and the JSON list.
enum Report {
    static func short(_ value: Double) -> String {
        switch abs(value) {
        case 0: "0"
        case 10000...: grouped(value)
        case 100...: fixed(value, 0)
        case 1... where value == value.rounded(): fixed(value, 0)
        case 10...: fixed(value, 1)
        case 1...: fixed(value, 2)
        default: fixed(value, 3)
        }
    }

    private static func fixed(_ value: Double, _ digits: Int) -> String {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let scaled = Int((abs(value) * scale).rounded())
        let whole = "\(scaled / Int(scale))"
        guard digits > 0 else { return (value < 0 ? "-" : "") + whole }
        let part = "\(scaled % Int(scale))"
        return (value < 0 ? "-" : "") + whole + "." + String(repeating: "0", count: digits - part.count) + part
    }

    private static func grouped(_ value: Double) -> String {
        var digits = Substring("\(Int(abs(value).rounded()))")
        var groups: [Substring] = []
        while !digits.isEmpty {
            groups.insert(digits.suffix(3), at: 0)
            digits = digits.dropLast(3)
        }
        return (value < 0 ? "-" : "") + groups.joined(separator: ",")
    }

    static let header = row(["name", "unit", "graben", "(min-max)", "sqlite", "lmdb", "bare", "ratio", "target", ""])

    static func line(_ result: Result) -> String {
        let graben = result.figures[.graben]
        let met = graben.flatMap { result.target.isMet(by: $0.median, peers: result.peers) }
        return row([
            result.label.isEmpty ? result.name : "\(result.name) \(result.label)", result.unit,
            graben.map { short($0.median) } ?? "-", graben.map { "\(short($0.least))-\(short($0.greatest))" } ?? "",
            result.figures[.sqlite].map { short($0.median) } ?? "-", result.figures[.lmdb].map { short($0.median) } ?? "-",
            result.figures[.bare].map { short($0.median) } ?? "-", result.ratio.map(short) ?? "-", result.target.text,
            met.map { $0 ? "reached" : "MISSED" } ?? "",
        ])
    }

    private static func row(_ cells: [String]) -> String {
        let widths = [36, 12, 10, 17, 10, 10, 10, 7, 16, 7]
        let padded = zip(cells, widths).enumerated().map { column, cell in
            let space = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
            return column < 2 || column > 7 ? cell.0 + space : space + cell.0
        }
        let text = padded.joined(separator: " ")
        return String(text[..<(text.lastIndex { $0 != " " }.map(text.index(after:)) ?? text.startIndex)])
    }

    private struct Entry: Encodable {
        let name: String
        let unit: String
        let graben: Double
        let peers: [String: Double]
        let ratio: Double?
    }

    /// Writes one object a workload that Graben took part in; of several variants the one whose ratio is worst.
    static func writeJSON(_ results: [Result], to path: String) throws {
        var entries: [Entry] = []
        for result in results {
            guard let graben = result.figures[.graben] else { continue }
            let entry = Entry(
                name: result.name, unit: result.unit, graben: graben.median,
                peers: Dictionary(uniqueKeysWithValues: result.peers.map { ($0.key.rawValue, $0.value) }), ratio: result.ratio)
            if let last = entries.lastIndex(where: { $0.name == entry.name }) {
                if (entry.ratio ?? 0) > (entries[last].ratio ?? 0) { entries[last] = entry }
            } else {
                entries.append(entry)
            }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            try encoder.encode(entries).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw BenchmarkError("Cannot write the figures to \(path): \(error)")
        }
    }
}
