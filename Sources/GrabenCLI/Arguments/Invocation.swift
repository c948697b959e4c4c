import GrabenLog

/// A command line that was understood.
struct Invocation: Sendable {
    let command: CommandSpec
    var operands: [String] = []
    private var values: [String: [String]] = [:]

    init(_ command: CommandSpec) { self.command = command }

    mutating func add(_ option: String, _ value: String) { values[option, default: []].append(value) }

    func has(_ option: String) -> Bool { values[option] != nil }
    func value(_ option: String) -> String? { values[option]?.last }

    /// A number of objects: 0 or more.
    func count(_ option: String) throws(CLIError) -> Int? {
        guard let text = value(option) else { return nil }
        // Beyond this no store reaches, and nothing that is added to it overflows.
        guard let number = Int(text), (0...(1 << 48)).contains(number) else {
            throw .usage("bad-value", "--\(option) takes a number from 0 on, not \(text.shown)", hint: "graben help \(command.name)")
        }
        return number
    }

    /// Names separated by commas.
    func list(_ option: String) throws(CLIError) -> [String]? {
        guard let text = value(option) else { return nil }
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map {
            String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        guard names.allSatisfy({ !$0.isEmpty }) else {
            throw .usage("bad-value", "--\(option) takes names separated by commas, not \(text.shown)")
        }
        return names
    }

    /// What stands at a place after the command.
    func operand(_ place: Int) -> String? { operands.indices.contains(place) ? operands[place] : nil }
    /// The store's path; parsing made sure of it.
    var store: String { operand(0) ?? "" }
}

extension Invocation {
    /// The point of the store's history that `--as-of` names: a commit's number, or a time. A time to the second takes in the whole of that
    /// second, for so the times of commits are shown.
    func moment() throws(CLIError) -> LogMoment? {
        guard let text = value("as-of") else { return nil }
        guard let moment = Self.moment(text) else {
            throw .usage(
                "bad-value", "--as-of takes the number of a commit or a time such as 2024-03-10T12:00:00Z, not \(text.shown)",
                hint: "graben help \(command.name)")
        }
        return moment
    }

    /// The point of history that a text names; nil where it is neither a number nor a time.
    static func moment(_ text: String) -> LogMoment? {
        if let number = UInt64(text) { return .commit(number) }
        guard let seconds = DateText.seconds(text) else { return nil }
        let isToTheSecond = text.count { $0 == ":" } >= 2 && !text.contains(".")
        return .time(isToTheSecond ? (seconds + 1).nextDown : seconds)
    }
}

/// In which form rows are written.
enum RowFormat: Sendable {
    case text, json, jsonLines, csv

    init(_ invocation: Invocation) throws(CLIError) {
        let asked = ["json", "jsonl", "csv"].filter { invocation.has($0) }
        guard asked.count <= 1 else {
            throw .usage("conflict", "--\(asked[0]) and --\(asked[1]) are two forms of output; choose one")
        }
        self =
            switch asked.first {
            case "json": .json
            case "jsonl": .jsonLines
            case "csv": .csv
            default: .text
            }
    }
}
