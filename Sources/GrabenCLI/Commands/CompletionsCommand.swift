import GrabenLog
import GrabenModel
import GrabenPredicate

/// Writes what a shell needs to complete commands, options, files and the names of a store's entities, made from the table of commands.
enum CompletionsCommand {
    static func run(_ session: Session) throws {
        let shell = session.invocation.operand(0) ?? ""
        if shell == "entities" {
            guard let path = session.invocation.operand(1) else {
                throw CLIError.usage("missing-operand", "entities needs a STORE", hint: "graben help completions")
            }
            return try entities(of: path, session)
        }
        guard session.invocation.operand(1) == nil else {
            throw CLIError.usage("extra-operand", "only entities takes a STORE", hint: "graben help completions")
        }
        switch shell {
        case "bash": try session.output.write(bash)
        case "zsh": try session.output.write("#compdef graben\nautoload -U +X bashcompinit && bashcompinit\n" + bash)
        case "fish": try session.output.write(fish)
        default:
            throw CLIError.usage(
                "bad-value",
                "\(shell.shown) is no shell known here: bash, zsh or fish"
                    + suggestion(nearestName(to: shell, in: ["bash", "zsh", "fish"])), hint: "graben help completions")
        }
    }

    /// The names of a store's entities, one a line, for the scripts.
    private static func entities(of path: String, _ session: Session) throws {
        for entity in try OpenStore.log(path: path).catalog.entities { try session.output.write(entity.name + "\n") }
    }

    private static var commands: [CommandSpec] { CommandTable.commands }

    /// The first words of all commands.
    private static var words: [String] {
        var words: [String] = []
        for command in commands {
            let word = String(command.name.split(separator: " ")[0])
            if !words.contains(word) { words.append(word) }
        }
        return words
    }

    private static func options(_ command: CommandSpec) -> String { command.options.map { "--\($0.name)" }.joined(separator: " ") }

    private static func takesEntity(_ command: CommandSpec) -> Bool { command.operands.count > 1 && command.operands[1].name == "ENTITY" }

    private static func pattern(_ specs: [CommandSpec]) -> String { specs.map { "'\($0.name)'" }.joined(separator: "|") }

    private static var bash: String {
        var text = """
            # Completion of graben for bash; made by `graben completions bash`.
            _graben() {
                local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} store=${COMP_WORDS[2]} place=2 options=
                COMPREPLY=()
                if [ "$COMP_CWORD" -eq 1 ]; then
                    COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- "$cur"))
                    return
                fi
                case $command in

            """
        for group in words where CommandTable.isGroup(group) {
            text += """
                    \(group))
                        if [ "$COMP_CWORD" -eq 2 ]; then
                            COMPREPLY=($(compgen -W '\(CommandTable.verbs(of: group).joined(separator: " "))' -- "$cur"))
                            return
                        fi
                        command="$command ${COMP_WORDS[2]}" store=${COMP_WORDS[3]} place=3 ;;

                """
        }
        text += """
                    help)
                        COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- "$cur"))
                        return ;;
                    completions)
                        COMPREPLY=($(compgen -W 'bash zsh fish' -- "$cur"))
                        return ;;
                esac
                case $command in

            """
        for command in commands where !command.options.isEmpty {
            text += "        '\(command.name)') options='\(options(command))' ;;\n"
        }
        text += """
                esac
                if [ "${cur:0:1}" = - ]; then
                    COMPREPLY=($(compgen -W "$options" -- "$cur"))
                    return
                fi
                case $command in
                    \(pattern(commands.filter(takesEntity))))
                        if [ "$COMP_CWORD" -eq $((place + 1)) ]; then
                            COMPREPLY=($(compgen -W "$(graben completions entities "$store" 2>/dev/null)" -- "$cur"))
                            return
                        fi ;;
                esac
                COMPREPLY=($(compgen -f -- "$cur"))
            }
            complete -o filenames -F _graben graben

            """
        return text
    }

    private static var fish: String {
        func quoted(_ text: String) -> String { "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'" }
        var text = "# Completion of graben for fish; made by `graben completions fish`.\n"
        for word in words {
            let summary = commands.first { $0.name == word }?.summary ?? CommandTable.verbs(of: word).joined(separator: ", ")
            text += "complete -c graben -n __fish_use_subcommand -f -a \(word) -d \(quoted(summary))\n"
        }
        for group in words where CommandTable.isGroup(group) {
            for command in commands where command.name.hasPrefix(group + " ") {
                let verb = command.name.dropFirst(group.count + 1)
                text += "complete -c graben -n '__fish_seen_subcommand_from \(group)' -f -a \(verb) -d \(quoted(command.summary))\n"
            }
        }
        for command in commands {
            let condition = command.name.split(separator: " ").map { "__fish_seen_subcommand_from \($0)" }.joined(separator: "; and ")
            for option in command.options {
                let letter = option.letter.map { " -s \($0)" } ?? ""
                text +=
                    "complete -c graben -n '\(condition)' -l \(option.name)\(letter)\(option.value == nil ? "" : " -r") -d \(quoted(option.help))\n"
            }
            if takesEntity(command) {
                text += "complete -c graben -n '\(condition); and test (count (commandline -opc)) -eq 3' -f"
                text += " -a '(graben completions entities (commandline -opc)[3] 2>/dev/null)'\n"
            }
        }
        return text
    }
}
