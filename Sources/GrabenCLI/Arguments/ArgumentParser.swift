import GrabenPredicate

/// Reads a command line by the table of commands: options anywhere after the command, `--name=value` or `--name value`, `--` ends them.
struct ArgumentParser {
    private let arguments: [String]
    private var place = 0

    static func parse(_ arguments: [String]) throws(CLIError) -> Invocation {
        var parser = ArgumentParser(arguments: arguments)
        return try parser.invocation()
    }

    private init(arguments: [String]) { self.arguments = arguments }

    /// Whether errors are to be written as JSON: looked for before anything is understood, so that usage errors are too.
    static func wantsJSON(_ arguments: [String]) -> Bool {
        arguments.prefix { $0 != "--" }.contains { $0 == "--json" || $0 == "--jsonl" }
    }

    private mutating func next() -> String? {
        guard place < arguments.count else { return nil }
        place += 1
        return arguments[place - 1]
    }

    private mutating func invocation() throws(CLIError) -> Invocation {
        var early: [String] = []
        var name: String?
        while name == nil, let argument = next() {
            switch argument {
            case "--help", "-h": name = "help"
            case "--version": name = "version"
            case "--json": early.append("json")
            case _ where argument.hasPrefix("-") && argument != "-":
                throw .usage("unknown-option", "\(argument.shown) stands before the command; options follow it", hint: "graben help")
            default: name = argument
            }
        }
        guard var name else { throw .usage("no-command", "a command is missing", hint: "graben help") }
        if CommandTable.isGroup(name) {
            // The command is two words; without a second one that is a name, what follows asks for help or is a mistake.
            guard place < arguments.count, !arguments[place].hasPrefix("-"), let verb = next() else {
                if place < arguments.count, ["--help", "-h"].contains(arguments[place]) { return try help(name) }
                throw .usage(
                    "no-command", "\(name) what? Known are \(CommandTable.verbs(of: name).joined(separator: ", "))",
                    hint: "graben help \(name)")
            }
            name += " \(verb)"
        }
        let command = try CommandTable.command(named: name)
        var invocation = Invocation(command)
        for option in early where command.options.contains(where: { $0.name == option }) { invocation.add(option, "") }
        while let argument = next() {
            if argument == "--" {
                invocation.operands += arguments[place...]
                break
            }
            if argument == "--help" || argument == "-h" {
                return try help(command.name == "help" ? nil : command.name)
            }
            if command.takesExpression, !Self.looksLikeOption(argument, command) {
                invocation.operands.append(argument)
            } else if argument.hasPrefix("--") {
                try long(argument.dropFirst(2), &invocation)
            } else if argument.hasPrefix("-"), argument.count > 1 {
                try short(argument, &invocation)
            } else {
                invocation.operands.append(argument)
            }
        }
        try checkOperands(invocation)
        return invocation
    }

    /// `--name`, `--name=value`, or a letter that the command knows; `-x == 1` and `--x < 5` are expressions.
    private static func looksLikeOption(_ argument: String, _ command: CommandSpec) -> Bool {
        guard argument.hasPrefix("--") else {
            return argument.hasPrefix("-") && command.options.contains { $0.letter != nil && $0.letter == argument.dropFirst().first }
        }
        let name = argument.dropFirst(2).prefix { $0 != "=" }
        return !name.isEmpty && name.allSatisfy { $0 == "-" || ("a"..."z").contains($0) }
    }

    private func help(_ name: String?) throws(CLIError) -> Invocation {
        var help = Invocation(try CommandTable.command(named: "help"))
        if let name { help.operands = [name] }
        return help
    }

    private mutating func long(_ text: Substring, _ invocation: inout Invocation) throws(CLIError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        let command = invocation.command
        guard let option = command.options.first(where: { $0.name == name }) else {
            let nearest = nearestName(to: name, in: command.options.map(\.name)).map { "--\($0)" }
            throw .usage(
                "unknown-option", "\(command.name) has no option \("--\(name)".shown)\(suggestion(nearest))",
                hint: "graben help \(command.name)")
        }
        try add(option, parts.count > 1 ? String(parts[1]) : nil, &invocation)
    }

    private mutating func short(_ argument: String, _ invocation: inout Invocation) throws(CLIError) {
        let command = invocation.command
        let letter = argument.dropFirst().first
        guard let option = command.options.first(where: { $0.letter == letter && letter != nil }) else {
            throw .usage(
                "unknown-option", "\(command.name) has no option \(argument.shown); put -- before an operand that begins with -",
                hint: "graben help \(command.name)")
        }
        let rest = argument.dropFirst(2)
        guard option.value != nil || rest.isEmpty else {
            throw .usage("unknown-option", "-\(argument.dropFirst().prefix(1)) takes no value, so \(argument.shown) means nothing")
        }
        try add(option, rest.isEmpty ? nil : String(rest.first == "=" ? rest.dropFirst() : rest), &invocation)
    }

    private mutating func add(_ option: OptionSpec, _ attached: String?, _ invocation: inout Invocation) throws(CLIError) {
        if !option.repeats, invocation.has(option.name), option.value != nil {
            throw .usage("repeated-option", "--\(option.name) is given twice")
        }
        guard let placeholder = option.value else {
            guard attached == nil else { throw .usage("bad-value", "--\(option.name) takes no value") }
            return invocation.add(option.name, "")
        }
        if let attached { return invocation.add(option.name, attached) }
        // A value such as -z is one; what begins with two dashes is an option, and the value was forgotten.
        guard let following = next(), !following.hasPrefix("--") else {
            throw .usage(
                "missing-value", "--\(option.name) needs a value: \(placeholder)",
                hint: "--\(option.name)=\(placeholder), also for a value that begins with --")
        }
        invocation.add(option.name, following)
    }

    private func checkOperands(_ invocation: Invocation) throws(CLIError) {
        let command = invocation.command
        let needed = command.operands.filter { $0.count != .optional }
        let given = invocation.operands.count
        if given < needed.count {
            // `get STORE Entity/row` says in one operand what else takes two.
            if command.name == "get", given == 2, invocation.operands[1].contains("/") { return }
            throw .usage("missing-operand", "\(needed[given].name) is missing: \(command.usage)", hint: "graben help \(command.name)")
        }
        if !command.operands.contains(where: { $0.count == .some }), given > command.operands.count {
            let extra = invocation.operands[command.operands.count]
            throw .usage("extra-operand", "\(extra.shown) is one operand too many: \(command.usage)", hint: "graben help \(command.name)")
        }
    }
}
