/// Help, made from the table of commands.
enum HelpText {
    static func run(_ session: Session) throws {
        let name = session.invocation.operands.joined(separator: " ")
        if CommandTable.isGroup(name) {
            try session.output.write(group(name))
        } else if !name.isEmpty {
            try session.output.write(text(try CommandTable.command(named: name)))
        } else {
            try session.output.write(overview)
        }
    }

    static var overview: String {
        var text = """
            graben \(VersionCommand.program): looks into Graben stores, and fills them

            Usage: graben COMMAND STORE [options]
                   graben model COMMAND MODEL [options]

            Commands:

            """
        text += table(CommandTable.commands.map { ($0.name, $0.summary) })
        text += """

            Answers go to standard output, everything else to standard error. Only load and compact change a store.
            `graben help COMMAND` shows the options of a command.

            Exit status:

            """
        return text + table(ExitCode.descriptions.map { ("\($0.code.rawValue)", $0.text) })
    }

    /// What the commands of one first word are.
    private static func group(_ name: String) -> String {
        let commands = CommandTable.commands.filter { $0.name.hasPrefix(name + " ") }
        return "Usage: graben \(name) COMMAND …\n\nCommands:\n" + table(commands.map { ($0.name, $0.summary) })
            + "\n`graben help \(name) COMMAND` shows the options of a command.\n"
    }

    static func text(_ command: CommandSpec) -> String {
        var text = "\(command.name): \(command.summary)\n\nUsage: \(command.usage)\n"
        for note in command.notes { text += "\n" + wrapped(note, indentation: 0) + "\n" }
        if !command.options.isEmpty {
            text += "\nOptions:\n"
            text += table(
                command.options.map { option in
                    let letter = option.letter.map { "-\($0), " } ?? ""
                    return (letter + "--\(option.name)" + (option.value.map { " \($0)" } ?? ""), option.help)
                })
        }
        if !command.examples.isEmpty {
            text += "\nExamples:\n" + command.examples.map { "  \($0)\n" }.joined()
        }
        return text
    }

    private static func table(_ rows: [(String, String)]) -> String {
        let width = min(30, rows.map(\.0.count).max() ?? 0)
        return rows.map { name, text in
            let padding = String(repeating: " ", count: max(0, width - name.count))
            return "  \(name)\(padding)  " + wrapped(text, indentation: width + 4) + "\n"
        }.joined()
    }

    private static func wrapped(_ text: String, indentation: Int) -> String {
        let limit = 100 - indentation
        var lines = [""]
        for word in text.split(separator: " ") {
            let last = lines.count - 1
            if lines[last].isEmpty {
                lines[last] = String(word)
            } else if lines[last].count + 1 + word.count <= limit {
                lines[last] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines.joined(separator: "\n" + String(repeating: " ", count: indentation))
    }
}
