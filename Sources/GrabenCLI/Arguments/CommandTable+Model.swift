/// The commands about models, which need no store.
extension CommandTable {
    private static let model = OperandSpec("MODEL")
    private static let input =
        "MODEL is a file in the JSON form of models, an .xcdatamodeld or .xcdatamodel folder or its contents, or a store, whose own model it is"
        + " then."
    private static let version = OptionSpec("version", value: "NAME", "of an .xcdatamodeld this version; else its current one")

    static let modelCommands: [CommandSpec] = [
        CommandSpec(
            name: "model show", summary: "a model's entities and their properties", operands: [model, OperandSpec("ENTITY", .optional)],
            options: [version, json], notes: [input, "With --json the model's JSON form, always the whole of it."],
            examples: ["graben model show drawing.graben-model.json", "graben model show town.graben Joint"], run: ModelShowCommand.run),
        CommandSpec(
            name: "model check", summary: "everything that is wrong in a model, with lines", operands: [model], options: [version, json],
            notes: [
                input,
                "Ends with status 1 when something is wrong. Warnings are about what can be used all the same: predicates with unknown keys,"
                    + " and names that Swift cannot have.",
            ],
            examples: ["graben model check drawing.graben-model.json"], run: ModelCheckCommand.run),
        CommandSpec(
            name: "model convert", summary: "a model in another form", operands: [model, OperandSpec("OUT")],
            options: [
                version, OptionSpec("to", value: "FORM", "json or xcode; else by OUT's ending, and json"), json,
            ],
            notes: [
                input,
                "OUT ends in .json, .xcdatamodel, .xcdatamodeld or .xml (the contents alone); - is standard output. Of an .xcdatamodeld that"
                    + " becomes one again all versions are written. Folders that exist are left alone.",
            ],
            examples: [
                "graben model convert Town.xcdatamodeld town.graben-model.json", "graben model convert town.graben Town.xcdatamodeld",
            ], run: ModelConvertCommand.run),
        CommandSpec(
            name: "model diff", summary: "in what two models differ, and whether stores of the first open under the second",
            operands: [OperandSpec("OLD"), OperandSpec("NEW")], options: [json],
            notes: [
                "OLD and NEW are models as in `graben model show`; an .xcdatamodeld stands for its current version, each .xcdatamodel in it for"
                    + " its own. Ends with status 1 when they differ.",
                "What differs is told by the keys of the JSON form; (usual) stands for the value that a key has when it is not written.",
            ],
            examples: ["graben model diff town.graben drawing.graben-model.json"], run: ModelDiffCommand.run),
        CommandSpec(
            name: "model swift", summary: "the classes of a model as Swift", operands: [model],
            options: [
                OptionSpec(
                    "output", letter: "o", value: "PATH",
                    "write one file where PATH ends in .swift, else a file for each class into a folder"),
                OptionSpec("access", value: "WORD", "internal, package or public; else as the model's userInfo says under access"),
                OptionSpec("module", value: "NAME", "the module of the code; classes that the model has in other modules are imported"),
                OptionSpec("name", value: "NAME", "the type that holds the model; else after the file"),
                OptionSpec("every-class", "classes for all entities, those left to be written by hand too"), version, json,
            ],
            notes: [input, "Documentation/GeneratedCode.md says what is generated for what."],
            examples: ["graben model swift drawing.graben-model.json -o Sources/Drawing/Model", "graben model swift town.graben"],
            run: ModelSwiftCommand.run),
        CommandSpec(
            name: "model graph", summary: "a picture of a model as SVG or DOT", operands: [model],
            options: [
                OptionSpec("output", letter: "o", value: "FILE", "write to FILE; - is standard output, and the default"),
                OptionSpec("format", value: "WORD", "svg or dot; else by FILE's ending, and svg"), version, json,
            ],
            notes: [
                input,
                "Entities are boxes. An arrow with one point leads to one object, with two to many; relationships that are each other's"
                    + " inverse are one arrow. A hollow triangle stands at the super-entity, a dot at unique attributes.",
            ],
            examples: ["graben model graph town.graben -o town.svg", "graben model graph town.graben --format dot | dot -Tpdf > town.pdf"],
            run: ModelGraphCommand.run),
    ]
}
