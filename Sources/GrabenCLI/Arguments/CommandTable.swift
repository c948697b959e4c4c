import GrabenPredicate

/// Every command, with its operands and options: the one description that parsing, help and suggestions are made from.
enum CommandTable {
    static let store = OperandSpec("STORE")

    static let json = OptionSpec("json", "write one JSON document; errors too, as a line on standard error")
    static let wide = OptionSpec("wide", "do not cut columns to the terminal's width")
    private static let formats = [
        json,
        OptionSpec("jsonl", "write one JSON object a line"),
        OptionSpec("csv", "write comma-separated values with a header"),
        wide,
    ]
    private static let filter = OptionSpec(
        "where", value: "PREDICATE", "only objects for which it is true: 'z > 700 AND name BEGINSWITH \"J\"'")
    static let asOf = OptionSpec(
        "as-of", value: "N|TIME", "the store as it was after commit N, or after the last commit made at or before TIME")
    private static let queryOptions = [
        filter,
        OptionSpec("sort", value: "KEYS", "by these key paths, separated by commas; a leading - for descending"),
        OptionSpec("limit", value: "N", "at most N objects"),
        OptionSpec("offset", value: "N", "leave out the first N"),
    ]
    private static let selection =
        queryOptions + [
            OptionSpec("columns", value: "KEYS", "only these, separated by commas: id, attributes, relationships, paths such as start.name")
        ]

    static let commands: [CommandSpec] = storeCommands + modelCommands + languageCommands + programCommands

    private static let storeCommands: [CommandSpec] = [
        CommandSpec(
            name: "info", summary: "what is in a store, and its health", operands: [store], options: [asOf, json],
            notes: [
                "Shows the format version, identity, sizes, commits, the objects of each entity, how the store was last closed, what is"
                    + " damaged, and who writes it."
            ],
            examples: ["graben info town.graben"], run: InfoCommand.run),
        CommandSpec(
            name: "schema", summary: "the model: entities and their properties", operands: [store, OperandSpec("ENTITY", .optional)],
            options: [asOf, json],
            notes: ["With --json the model's own JSON form, which `load --model` reads; it is always the whole model."],
            examples: ["graben schema town.graben", "graben schema town.graben --json > town.model.json"], run: SchemaCommand.run),
        CommandSpec(
            name: "stats", summary: "counts, bounds, nils and sizes", operands: [store, OperandSpec("ENTITY", .optional)],
            options: [asOf, wide, json],
            notes: [
                "Of the file how much of it lives; of each entity its objects and their bytes; of each property how many objects have no value, the"
                    + " least and the greatest value (of texts and bytes the length), and of relationships the members.",
                "The dead share is what a compaction would free. Record bytes are those before compression.",
            ],
            examples: ["graben stats town.graben", "graben stats town.graben Joint --json"], run: StatsCommand.run),
        CommandSpec(
            name: "dump", summary: "all objects, of one entity or of all", operands: [store, OperandSpec("ENTITY", .optional)],
            options: formats + selection + [asOf],
            notes: [
                "Text shows ids as Entity/row and references by the destination's key; JSON shows both as URIs.",
                "`load` reads --jsonl and --csv back exactly. --csv, --where, --sort, --limit, --offset and --columns need an ENTITY.",
            ],
            examples: [
                "graben dump town.graben --jsonl", "graben dump town.graben Joint --csv --columns name,x,y,z",
                "graben dump town.graben --as-of 12 --json",
            ],
            run: DumpCommand.run),
        CommandSpec(
            name: "get", summary: "one object, with both ends of its relationships",
            operands: [store, OperandSpec("ENTITY"), OperandSpec("ID|KEY=VALUE", .some)],
            options: [asOf, json, OptionSpec("fetched", "evaluate fetched properties too")],
            notes: [
                "An id is a row number, Entity/row or a URI (either of the last two may stand in the place of ENTITY). Several KEY=VALUE"
                    + " together make one key."
            ],
            examples: ["graben get town.graben Joint name=J-12", "graben get town.graben Line 4 --json"], run: GetCommand.run),
        CommandSpec(
            name: "query", summary: "objects that match, sorted, in columns", operands: [store, OperandSpec("ENTITY")],
            options: selection + [
                OptionSpec("group-by", value: "KEYS", "one row for each group of objects that have the same of these"),
                OptionSpec("having", value: "PREDICATE", "only groups for which it is true: 'count(SELF) > 10'"),
                OptionSpec("distinct", "rows that are the same come once"),
            ] + formats + [asOf],
            notes: [
                "PREDICATE is written in the format language of NSPredicate.",
                "A column may be an expression of that language with a name: 'z / 100 as metres'; or an aggregate over objects, of all of them or of"
                    + " each group: 'count(SELF) as joints', 'average(z)'. --sort, --limit and --offset are then of rows, and name columns.",
            ],
            examples: [
                "graben query town.graben Joint --where 'z > 700' --sort -z --limit 10 --columns name,x,y,z",
                "graben query town.graben Line --group-by layer --columns 'layer,count(SELF) as lines,sum(length) as total' --sort -total",
            ],
            run: QueryCommand.run),
        CommandSpec(
            name: "explain", summary: "how a query would run: which rows it reads, and what it asks of them",
            operands: [store, OperandSpec("ENTITY")], options: queryOptions + [asOf, json],
            notes: [
                "Nothing is run. A part of the predicate is answered by a column (packed attributes), a record (its bytes, where they lie) or the"
                    + " interpreter; what an index answers is not looked at again."
            ],
            examples: ["graben explain town.graben Joint --where 'z > 700 AND name BEGINSWITH \"J\"' --sort -z --limit 10"],
            run: ExplainCommand.run),
        CommandSpec(
            name: "count", summary: "how many objects there are, or match", operands: [store, OperandSpec("ENTITY", .optional)],
            options: [filter, asOf, json],
            examples: ["graben count town.graben", "graben count town.graben Line --where 'length == nil'"], run: CountCommand.run),
        CommandSpec(
            name: "log", summary: "the commits, newest first", operands: [store],
            options: [
                OptionSpec("limit", value: "N", "at most the N newest"),
                OptionSpec("changes", "also what each did: the objects, and the properties of those it updated"),
                OptionSpec("follow", letter: "f", "the last 10 (or --limit), oldest first, and then each new one as it is made"),
            ] + formats,
            notes: [
                "--changes marks inserted objects with +, updated ones with ~ and deleted ones with -. The first commit of a compacted store holds"
                    + " what lived then, and says nothing of what was changed.",
                "--follow goes on until it is interrupted. It shows commits once they are durable, and follows a store across compactions.",
            ],
            examples: ["graben log town.graben --limit 5", "graben log town.graben --changes --jsonl", "graben log town.graben --follow"],
            run: LogCommand.run),
        CommandSpec(
            name: "diff", summary: "in what two commits of a store differ, or two stores",
            operands: [store, OperandSpec("N|TIME|STORE", .some)],
            options: [json, OptionSpec("jsonl", "write one JSON object a line")],
            notes: [
                "STORE A B compares the store after commit A with it after commit B; STORE A with the store as it is; STORE STORE one store with"
                    + " another, each as it is. A and B may be times.",
                "Objects of the same entity and row are compared: + only the second has, - only the first has, ~ has other values. Ends with status 1"
                    + " where there is a difference.",
            ],
            examples: [
                "graben diff town.graben 12 15", "graben diff town.graben 2024-03-10T12:00:00Z", "graben diff town.graben copy.graben",
            ],
            run: DiffCommand.run),
        CommandSpec(
            name: "check", summary: "verify everything: checksums, records, references, inverses, unique keys, the index",
            operands: [store],
            options: [json],
            notes: [
                "Reads every byte of the log and of the index beside it, and compares the index with what the log comes to. Ends with status 1 and a"
                    + " list when something is found: the first 1,000, and how many there are of each kind. Changes nothing."
            ],
            examples: ["graben check town.graben"], run: CheckCommand.run),
        CommandSpec(
            name: "repair", summary: "copy what can be read of a damaged store into a new one", operands: [store],
            options: [OptionSpec("to", value: "NEW", "the new store; no file may be there"), json],
            notes: [
                "Keeps the newest readable version of every object. References to what is lost are made null, so that the new store passes a check."
                    + " What is lost goes to standard error, or with --json into the answer.",
                "Ends with status 0 when nothing was lost, with 1 when something was. The damaged store is left as it is.",
            ],
            examples: ["graben repair town.graben --to town-2.graben"], run: RepairCommand.run),
        CommandSpec(
            name: "compact", summary: "write what lives into a new file that takes the store's place", operands: [store],
            options: [
                OptionSpec("keep", value: "N|TIME", "keep the history of the last N commits, or of those made at TIME or later"), json,
            ],
            notes: [
                "Without --keep history up to the newest commit goes, and with it what was deleted or replaced; commit and row numbers stay. Whoever reads the"
                    + " store meanwhile reads on. Interrupted, or out of room, it leaves the store as it was."
            ],
            examples: ["graben compact town.graben", "graben compact town.graben --keep 100"], run: CompactCommand.run),
        CommandSpec(
            name: "load", summary: "fill a new store from tables: TSV, CSV or JSON lines",
            operands: [OperandSpec("STORE"), OperandSpec("FILE", .some)],
            options: [
                OptionSpec("model", value: "FILE", "the model, as in `graben model show`; needed for a new store"),
                OptionSpec("append", "add to a store that exists, in one commit"),
                OptionSpec("author", value: "NAME", "who the commit says it is by"), json,
            ],
            notes: [
                "A FILE is named after its entity, Entity.tsv, Entity.csv or Entity.jsonl; ENTITY=FILE names another. In JSON lines an object"
                    + " may say its entity itself. Its header, or the keys, are property names.",
                "A to-one's column holds the destination's key: the attribute that the relationship's userInfo names under \"key\", else its"
                    + " only unique one, else \"name\".",
                "All rows go into one commit; when one is bad nothing is written.",
            ],
            examples: ["graben load town.graben --model ky10.model.json ky10/Joint.tsv ky10/Line.tsv"], run: LoadCommand.run),
        CommandSpec(
            name: "export", summary: "objects as tables that `load` reads back exactly",
            operands: [store, OperandSpec("ENTITY", .optional)],
            options: [
                OptionSpec("to", value: "FOLDER", "write a file for each entity into a folder, and model.json"),
                OptionSpec("csv", "comma-separated values in place of JSON lines"), asOf,
                OptionSpec("json", "with --to, say what was written as one JSON document; errors are a line of JSON"),
            ],
            notes: [
                "Without --to the tables go to standard output. References are ids. CSV has no place for to-many relationships that no to-one says"
                    + " from the other side; JSON lines have.",
                "`graben load NEW --model FOLDER/model.json FOLDER/*.jsonl` makes a store that exports the same, but for its identity and its rows,"
                    + " which it numbers without gaps.",
            ],
            examples: ["graben export town.graben --to town", "graben export town.graben Joint --csv > Joint.csv"],
            run: ExportCommand.run),
        CommandSpec(
            name: "draw", summary: "a drawing of points and lines as SVG", operands: [store],
            options: [
                OptionSpec("output", letter: "o", value: "FILE", "write to FILE; - is standard output, and the default"),
                OptionSpec("entity", value: "ENTITY", "the points"),
                OptionSpec("xy", value: "KEYS", "the points' attributes across and up"),
                OptionSpec("lines", value: "ENTITY:START,END", "the lines, and their two to-one relationships to points"),
                OptionSpec("points", "draw the points too"),
                OptionSpec("color", value: "KEY", "color by an attribute of the lines, or of their ends"),
                OptionSpec("view", value: "VIEW", "top, front, side or iso; of the first three packed attributes"),
                OptionSpec("where", value: "PREDICATE", "only lines (or, without lines, points) for which it is true"),
                OptionSpec("size", value: "PIXELS", "the longer side of the drawing; 1000 unless said"), asOf, json,
            ],
            notes: [
                "Without --entity the points are the only entity with two packed attributes or more, and the lines the only one with two"
                    + " to-ones to it. To scale, y up; the same store gives the same bytes."
            ],
            examples: ["graben draw town.graben -o town.svg", "graben draw town.graben --color z -o - | rsvg-convert > town.png"],
            run: DrawCommand.run),
    ]

    private static let languageCommands: [CommandSpec] = [
        CommandSpec(
            name: "filter", summary: "the lines of JSON on standard input that match a predicate",
            operands: [OperandSpec("PREDICATE")],
            options: [
                OptionSpec("args", value: "JSON", "an array: what stands for %@, %K, %d and their like, in turn"),
                OptionSpec("vars", value: "JSON", "an object: what $variables are, by name"),
                OptionSpec("json", "an error is written as a line of JSON"),
            ],
            notes: [
                "The language of `query --where` without a store. Each line is an object; its keys are its properties, nested objects are to-one"
                    + " relationships, arrays of objects to-many ones, and arrays have an order. A number with a point or an exponent is a"
                    + " double, others are integers; {\"$date\": \"2024-03-10T12:00:00Z\"} is a date. A key that an object lacks is an error;"
                    + " null is nil.",
                "In --args and --vars a value may say its type: {\"t\": \"int\", \"v\": 5}, of string, int, double, bool, date, null, array, object.",
                "Ends with 0 when it ran, whether or not lines matched; 64 when the predicate cannot be parsed; 65 at the first line that is no"
                    + " JSON object or for which the predicate cannot be evaluated, after the matching lines before it.",
            ],
            examples: [
                "graben filter 'price > 3 AND ANY tags == \"red\"' < objects.jsonl",
                "graben filter 'name BEGINSWITH[c] %@ AND x < $limit' --args '[\"j\"]' --vars '{\"limit\": 5}' < joints.jsonl",
            ], takesExpression: true, run: FilterCommand.run)
    ]

    private static let programCommands: [CommandSpec] = [
        CommandSpec(
            name: "help", summary: "this, or the help of a command",
            operands: [OperandSpec("COMMAND", .optional), OperandSpec("VERB", .optional)],
            run: HelpText.run),
        CommandSpec(
            name: "completions", summary: "a script by which a shell completes commands, options and names of entities",
            operands: [OperandSpec("bash|zsh|fish|entities"), OperandSpec("STORE", .optional)],
            notes: ["`entities STORE` writes the names of a store's entities, which the scripts ask for."],
            examples: ["source <(graben completions bash)", "graben completions fish > ~/.config/fish/completions/graben.fish"],
            run: CompletionsCommand.run),
        CommandSpec(name: "version", summary: "the versions of the program and the file format", options: [json], run: VersionCommand.run),
    ]

    static func command(named name: String) throws(CLIError) -> CommandSpec {
        if let command = commands.first(where: { $0.name == name }) { return command }
        let nearest = nearestName(to: name, in: commands.map(\.name))
        throw .usage("unknown-command", "no command \(name.shown)\(suggestion(nearest))", hint: "graben help")
    }

    /// Whether the word is the first of commands of two words.
    static func isGroup(_ name: String) -> Bool { commands.contains { $0.name.hasPrefix(name + " ") } }

    /// The second words of such commands.
    static func verbs(of group: String) -> [String] {
        commands.filter { $0.name.hasPrefix(group + " ") }.map { String($0.name.dropFirst(group.count + 1)) }
    }
}
