/// An option of a command: what parsing and help need to know.
struct OptionSpec: Sendable {
    /// The name without its two dashes.
    let name: String
    /// A single letter that stands for it.
    var letter: Character?
    /// What its value is called in help; nil for a switch.
    var value: String?
    var repeats = false
    let help: String

    init(_ name: String, letter: Character? = nil, value: String? = nil, repeats: Bool = false, _ help: String) {
        self.name = name
        self.letter = letter
        self.value = value
        self.repeats = repeats
        self.help = help
    }
}

/// What stands after a command without an option's name.
struct OperandSpec: Sendable {
    enum Count: Sendable { case one, optional, some }

    /// What it is called in help.
    let name: String
    var count = Count.one

    init(_ name: String, _ count: Count = .one) {
        self.name = name
        self.count = count
    }

    var usage: String {
        switch count {
        case .one: name
        case .optional: "[\(name)]"
        case .some: "\(name)…"
        }
    }
}

/// A command: its words, and what it does.
struct CommandSpec: Sendable {
    let name: String
    let summary: String
    var operands: [OperandSpec] = []
    var options: [OptionSpec] = []
    /// Paragraphs for the command's help.
    var notes: [String] = []
    var examples: [String] = []
    /// Whether an operand is an expression, which may begin with a sign: then only what is spelt like an option is one.
    var takesExpression = false
    let run: @Sendable (Session) throws -> Void

    var usage: String {
        (["graben", name] + operands.map(\.usage) + (options.isEmpty ? [] : ["[options]"])).joined(separator: " ")
    }
}
