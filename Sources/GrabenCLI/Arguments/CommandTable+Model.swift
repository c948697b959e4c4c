/// The commands about models, which need no store.
extension CommandTable {
    private static let model = OperandSpec("MODEL")
    private static let input =
        "MODEL is a model in its JSON form or a store, whose own model it is then."

    static let modelCommands: [CommandSpec] = [
        CommandSpec(
            name: "model show", summary: "a model's entities and their properties", operands: [model, OperandSpec("ENTITY", .optional)],
            options: [json], notes: [input, "With --json the model's JSON form, always the whole of it."],
            examples: ["graben model show drawing.graben-model.json", "graben model show town.graben Joint"], run: ModelShowCommand.run),
        CommandSpec(
            name: "model check", summary: "everything that is wrong in a model, with lines", operands: [model], options: [json],
            notes: [
                input,
                "Ends with status 1 when something is wrong. Warnings are about what can be used all the same: predicates with unknown keys,"
                    + " and names that Swift cannot have.",
            ],
            examples: ["graben model check drawing.graben-model.json"], run: ModelCheckCommand.run),
        CommandSpec(
            name: "model swift", summary: "the classes of a model as Swift", operands: [model],
            options: [
                OptionSpec(
                    "output", letter: "o", value: "PATH",
                    "write one file where PATH ends in .swift, else a file for each class into a folder"),
                OptionSpec("access", value: "WORD", "internal, package or public; else as the model's userInfo says under access"),
                OptionSpec("module", value: "NAME", "the module of the code; classes that the model has in other modules are imported"),
                OptionSpec("name", value: "NAME", "the type that holds the model; else after the file"),
                OptionSpec("every-class", "classes for all entities, those left to be written by hand too"), json,
            ],
            notes: [input, "Documentation/ModelFormat.md says what is generated for what."],
            examples: ["graben model swift drawing.graben-model.json -o Sources/Drawing/Model", "graben model swift town.graben"],
            run: ModelSwiftCommand.run),
    ]
}
