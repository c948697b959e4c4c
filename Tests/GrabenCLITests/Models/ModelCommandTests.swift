import Foundation
import GrabenFixtures
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("Commands about models")
struct ModelCommandTests {
    private let model = Fixtures.path("ky10.model.json")

    @Test("a store shows the model it was made by, byte for byte")
    func showsStore() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        let fromFile = try Tool.run("model", "show", model, "--json")
        let fromStore = try Tool.run("model", "show", store, "--json")
        #expect(fromFile.status == 0 && fromFile.output == fromStore.output)
        let schema = try Tool.run("schema", store)
        #expect(try Tool.run("model", "show", store).output == schema.output)
        #expect(try Tool.run("model", "show", model, "Line").lines.first == "Line")
        #expect(try Tool.run("model", "diff", model, store).status == 0)
    }

    @Test("check tells every problem with its line, and ends with 1")
    func check() throws {
        let folder = try Folder()
        let path = try folder.write(
            "m.json",
            """
            {"entities": [
              {"name": "Joint",
               "attributes": [
                 {"name": "x", "type": "string", "packed": true},
                 {"name": "x", "type": "double"}
               ],
               "relationships": [
                 {"name": "lines", "destination": "Lnie"}
               ],
               "userInfo": {"name": "Other", "text": "\\"name\\": {[\\""}},
              {"name": "Line"}
            ]}
            """)
        let result = try Tool.run("model", "check", path)
        #expect(result.status == 1 && result.errors.isEmpty)
        #expect(result.lines[0].hasPrefix("\(path):4: problem: Joint.x: "), "\(result.output)")
        #expect(
            result.lines.contains { $0.hasPrefix("\(path):8: problem: Joint.lines: ") && $0.hasSuffix("; Line does") }, "\(result.output)")
        #expect(result.lines.last == "\(path): 3 problems in 2 entities")
        let document = try json(try Tool.run("model", "check", path, "--json").output)
        #expect(document["ok"] as? Bool == false && (document["findings"] as? [Any])?.count == 3)
        #expect(try Tool.run("model", "check", model).output == "\(model): nothing wrong in 2 entities\n")
    }

    @Test("what is no problem but will not work is a warning, and the status 0")
    func warnings() throws {
        let folder = try Folder()
        let path = try folder.write(
            "m.json",
            """
            {"entities": [{"name": "Joint", "attributes": [{"name": "isFault", "type": "boolean"}],
              "fetchedProperties": [
                {"name": "near", "destination": "Joint", "predicate": "isFalut == TRUE"}]}]}
            """)
        let result = try Tool.run("model", "check", path)
        #expect(result.status == 0, "\(result.output)")
        #expect(result.lines[0] == "\(path):3: warning: Joint.near: Joint has no property \"isFalut\"; did you mean \"isFault\"?")
        #expect(result.lines[1].hasPrefix("\(path):1: warning: Joint.isFault: no Swift can be generated: "))
    }

    @Test("a text that is no model is told with its line, also where JSON is wanted")
    func malformed() throws {
        let folder = try Folder()
        let path = try folder.write(
            "m.json", "{\"entities\": [\n{\"name\": \"A\"},\n{\"name\": \"B\", \"attributes\": [{\"nmae\": 1}]}]}\n")
        for verb in ["show", "check", "swift", "graph"] {
            let result = try Tool.run("model", verb, path)
            #expect(result.status == 65 && result.errors.contains("line 3: "), "\(verb): \(result.errors)")
            let error = try json(try Tool.run("model", verb, path, "--json", "-o", folder.path("out")).errors)["error"] as? [String: Any]
            if verb == "swift" || verb == "graph" { #expect(error?["line"] as? Int == 3 && error?["code"] as? String == "model.malformed") }
        }
        #expect(try Tool.run("model", "show", folder.path("none")).status == 66)
        #expect(try Tool.run("model", "show", folder.url.path).status == 66)
        #expect(try Tool.run("model", "swift", try folder.write("p.json", "{\"entities\": [{\"name\": \"1\"}]}")).status == 65)
    }

    @Test("the difference of two models is told by entity and property, and whether stores open")
    func diff() throws {
        let folder = try Folder()
        let text = try Fixtures.text("ky10.model.json")
        func changed(_ old: String, _ new: String) throws -> Tool.Result {
            try Tool.run("model", "diff", model, try folder.write("b.json", text.replacingOccurrences(of: old, with: new)))
        }
        #expect(try Tool.run("model", "diff", model, model).status == 0)
        let same = try changed("\"maximumLength\": 32", "\"maximumLength\": 40")
        #expect(same.status == 1 && same.lines[0] == "~ attribute Joint.name: maximumLength 32 → 40", "\(same.output)")
        #expect(same.lines.last?.hasSuffix("2 differences; both are one version to a store") == true, "\(same.output)")
        let packed = try changed("\"optional\": false, \"packed\": true", "\"optional\": false")
        #expect(
            packed.output.contains("do not open under the second:\n  Joint.x is packed in the file and not in the model"),
            "\(packed.output)")
        let renamed = try changed("\"name\": \"diameter\",", "\"name\": \"bore\", \"renamedFrom\": \"diameter\",")
        #expect(renamed.lines.contains("~ attribute Line.bore: renamed from \"diameter\""), "\(renamed.output)")
        let document = try json(try Tool.run("model", "diff", model, folder.path("b.json"), "--json").output)
        #expect(document["opens"] as? Bool == false && document["same"] as? Bool == false)
        #expect((document["obstacles"] as? [String])?.first?.hasPrefix("Line.bore was called diameter in the file") == true)
    }

    @Test("Swift goes to standard output, into one file or into a folder, and says the same in each")
    func swift() throws {
        let folder = try Folder()
        let printed = try Tool.run("model", "swift", model)
        #expect(printed.status == 0 && printed.errors.isEmpty && printed.output.contains("final class Joint: ManagedObject {"))
        #expect(try Tool.run("model", "swift", model).output == printed.output, "the same model gives the same text")
        #expect(try Tool.run("model", "swift", model, "-o", folder.path("All.swift")).status == 0)
        #expect(try String(contentsOfFile: folder.path("All.swift"), encoding: .utf8) == printed.output)
        #expect(try Tool.run("model", "swift", model, "--output", folder.path("Model")).output.split(separator: "\n").count == 3)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path("Model")).sorted() == [
                "Joint.swift", "Ky10Model.swift", "Line.swift",
            ])
        #expect(try Tool.run("model", "swift", model, "--access", "publik").errors.contains("did you mean \"public\"?"))
        #expect(try Tool.run("model", "swift", model, "-o", folder.path("a/b")).status == 73)
        #expect(try folder.names == ["All.swift", "Model"])
    }

    @Test("names that Swift cannot have are told all at once with their lines")
    func unspeakable() throws {
        let folder = try Folder()
        let path = try folder.write(
            "m.json",
            """
            {"entities": [
            {"name": "Date", "attributes": [{"name": "self", "type": "string"},
              {"name": "entity", "type": "string"}], "relationships":
              [{"name": "lines", "destination": "Date", "toMany": true}]
             , "fetchedProperties": [{"name": "addToLines", "destination": "Date"}]}]}
            """)
        let result = try Tool.run("model", "swift", path)
        #expect(result.status == 65 && result.output.isEmpty)
        for wanted in ["\(path):2: entity Date: ", "\(path):2: Date.self: ", "\(path):3: Date.entity: "] {
            #expect(result.errors.contains(wanted), "\(result.errors)")
        }
    }

    @Test("a picture of a model is well-formed, has every entity, and is the same each time")
    func graph() throws {
        let folder = try Folder()
        let svg = try Tool.run("model", "graph", model)
        #expect(svg.status == 0 && svg.output.hasPrefix("<svg ") && svg.output.hasSuffix("</svg>\n"))
        #expect(XMLParser(data: Data(svg.output.utf8)).parse())
        #expect(svg.output.contains(">Joint</text>") && svg.output.contains(">Line</text>"))
        #expect(try Tool.run("model", "graph", model).output == svg.output)
        // Joint and Line are joined by two relationships, each drawn once for both of its sides.
        #expect(svg.output.components(separatedBy: "<path d=\"M").count - 1 == 2 + 2 * 2)
        #expect(
            try Tool.run("model", "graph", model, "-o", folder.path("a.dot")).output == "drew 2 entities into \(folder.path("a.dot"))\n")
        #expect(try String(contentsOfFile: folder.path("a.dot"), encoding: .utf8).hasPrefix("digraph "))
        #expect(try Tool.run("model", "graph", model, "--format", "dots").errors.contains("did you mean \"dot\"?"))
        #expect(try Tool.run("model", "graph", model, "--json").status == 64)
    }

    @Test("a model goes into Core Data's form and comes back the same, with all versions of a folder")
    func convert() throws {
        let folder = try Folder()
        let town = folder.path("Town.xcdatamodeld")
        #expect(try Tool.run("model", "convert", model, town).output == "wrote \(town): 2 entities\n")
        #expect(try Tool.run("model", "diff", model, town).status == 0)
        #expect(try Tool.run("model", "convert", town, folder.path("b.json"), "--json").status == 0)
        let original = try Tool.run("model", "show", model, "--json").output
        #expect(try String(contentsOfFile: folder.path("b.json"), encoding: .utf8) == original)
        #expect(try Tool.run("model", "convert", town, "-").output == original)
        let contents = try Tool.run("model", "convert", town, "-", "--to", "xcode")
        #expect(contents.output == (try String(contentsOfFile: "\(town)/Town.xcdatamodel/contents", encoding: .utf8)))
        #expect(try Tool.run("model", "convert", town, folder.path("Copy.xcdatamodeld")).status == 0)
        #expect(try Tool.run("model", "convert", model, town).status == 73, "a folder that exists is left alone")
        #expect(try Tool.run("model", "convert", model, model).status == 73)
        #expect(try Tool.run("model", "convert", town, folder.path("c.json"), "--to", "xcdoe").errors.contains("did you mean \"xcode\"?"))
        #expect(try Tool.run("model", "convert", town, folder.path("c.json"), "--to", "xcode").status == 64)
        #expect(try Tool.run("model", "show", town, "--version", "Twon").status == 66)
        #expect(try folder.names == ["Copy.xcdatamodeld", "Town.xcdatamodeld", "b.json"])
    }

    @Test("a problem in a Core Data model is told with the line of its contents")
    func xcodeProblems() throws {
        let folder = try Folder()
        let path = try folder.write(
            "a.xml",
            """
            <?xml version="1.0"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" strange="1">
              <entity name="Joint" representedClassName="Joint" syncable="YES">
                <attribute name="x" attributeType="Double"/>
                <attribute name="x" attributeType="String"/>
              </entity>
            </model>
            """)
        let result = try Tool.run("model", "check", path)
        #expect(result.status == 1 && result.lines[0].hasPrefix("\(path):4: problem: Joint.x: "), "\(result.output)")
        #expect(result.lines[1].hasPrefix("\(path):2: warning: ") && result.lines[1].contains("strange"), "\(result.output)")
        let broken = try folder.write("b.xml", "<model>\n<entity name='A'>\n<attribute></model>")
        let error = try json(try Tool.run("model", "show", broken, "--json").errors)["error"] as? [String: Any]
        #expect(error?["line"] as? Int == 3 && error?["file"] as? String == broken)
    }

    // A file named .json that was not one was "not XML" where it began like it, a place in JSON was told twice, a mistake in
    // .xccurrentversion was told of the folder, and a pipe was "Permission denied".
    @Test("what cannot be read is told of the file it is in and the form it is named after, also from a pipe")
    func unreadableForms() throws {
        let folder = try Folder()
        let text = try folder.write("a.json", "<model/>")
        #expect(
            try Tool.run("model", "check", text).errors
                == "graben: reading a model: \(text), line 1: column 1: expected a value\n")
        let versions = folder.path("V.xcdatamodeld")
        try FileManager.default.createDirectory(atPath: versions + "/A.xcdatamodel", withIntermediateDirectories: true)
        try "<model/>".write(toFile: versions + "/A.xcdatamodel/contents", atomically: true, encoding: .utf8)
        try "bplist00".write(toFile: versions + "/.xccurrentversion", atomically: true, encoding: .utf8)
        #expect(
            try Tool.run("model", "check", versions).errors.hasPrefix(
                "graben: reading a model: \(versions)/.xccurrentversion: it is a binary property list"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "cat \"$1\" | \"$0\" model check /dev/stdin", Tool.path, model]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test("a reader that goes away ends the program by its pipe, without a word")
    func brokenPipe() throws {
        let folder = try Folder()
        // More than a pipe holds.
        let entities = (0..<3000).map { "{\"name\": \"E\($0)\", \"attributes\": [{\"name\": \"x\", \"type\": \"string\"}]}" }
        let path = try folder.write("m.json", "{\"entities\": [\(entities.joined(separator: ","))]}")
        for command in ["show", "swift", "graph"] {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = [
                "-c", "{ \"$0\" model $1 \"$2\" 2>\"$3\"; echo $? >>\"$3\"; } | head -c 10 >/dev/null", Tool.path, command, path,
                folder.path(command),
            ]
            try process.run()
            process.waitUntilExit()
            #expect(try String(contentsOfFile: folder.path(command), encoding: .utf8) == "141\n", "\(command)")
        }
    }

    @Test("show tells indexes, composites, fetch requests and configurations besides entities")
    func showsEverything() throws {
        let folder = try Folder()
        let path = try folder.write(
            "m.json",
            """
            {"entities": [{"name": "A", "attributes": [{"name": "x", "type": "double"}, {"name": "n", "type": "string", "regularExpression": "[a-z]+"},
                           {"name": "p", "type": "transformable", "composite": "Place"}], "indexes": [{"name": "byX", "on": ["x"]}]}],
             "composites": [{"name": "Place", "elements": [{"name": "lat", "type": "double", "optional": false}]}],
             "fetchRequests": [{"name": "some", "entity": "A", "predicate": "x > $x", "limit": 3}],
             "configurations": [{"name": "all", "entities": ["A"]}]}
            """)
        let result = try Tool.run("model", "show", path)
        for line in [
            "  n  string  optional, matches [a-z]+", "  p  Place   optional", "  index byX: x", "composite Place: lat double",
            "fetch request some: A where x > $x; limit 3", "configuration all: A",
        ] {
            #expect(result.lines.contains(line), "\(line) in \(result.output)\(result.errors)")
        }
    }

    @Test("in pictures of random models no box lies on another, and everything is inside")
    func boxes() throws {
        let folder = try Folder()
        var random = SplitMix64(seed: 21)
        for count in [1, 2, 7, 30, 60] {
            let entities = (0..<count).map { number in
                // Names of one entity each: what is inherited may not be declared again.
                let attributes = (0..<Int.random(in: 0...9, using: &random)).map {
                    "{\"name\": \"a\(number)x\($0)\", \"type\": \"string\"}"
                }
                let links = (0..<Int.random(in: 0...3, using: &random)).map {
                    "{\"name\": \"r\(number)x\($0)\", \"destination\": \"E\(Int.random(in: 0..<count, using: &random))\"}"
                }
                let parent = number > 0 && number % 5 == 0 ? ", \"superentity\": \"E0\"" : ""
                return "{\"name\": \"E\(number)\"\(parent), \"attributes\": [\(attributes.joined(separator: ","))], "
                    + "\"relationships\": [\(links.joined(separator: ","))]}"
            }
            let path = try folder.write("m\(count).json", "{\"entities\": [\(entities.joined(separator: ","))]}")
            let svg = try Tool.run("model", "graph", path)
            #expect(svg.status == 0, "\(svg.errors)")
            let number = "\"(-?[0-9.]+)\""
            let shape = try Regex("<rect x=\(number) y=\(number) width=\(number) height=\(number) rx=\"5\" fill=\"none\"")
            let boxes = svg.output.matches(of: shape).map { match in (1...4).map { Double(match.output[$0].substring ?? "") ?? .nan } }
            #expect(boxes.count == count)
            for (place, a) in boxes.enumerated() {
                #expect(a.allSatisfy { $0.isFinite && $0 >= 0 })
                for b in boxes.dropFirst(place + 1) {
                    #expect(a[0] + a[2] <= b[0] || b[0] + b[2] <= a[0] || a[1] + a[3] <= b[1] || b[1] + b[3] <= a[1], "\(a) on \(b)")
                }
            }
        }
    }

    @Test("DOT is taken by Graphviz", .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/dot")))
    func graphviz() throws {
        let folder = try Folder()
        let path = folder.path("a.dot")
        #expect(try Tool.run("model", "graph", model, "-o", path).status == 0)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/dot")
        process.arguments = ["-Tsvg", "-o", folder.path("a.svg"), path]
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0 && said.isEmpty, "\(said)")
    }

    @Test("the second word of a command is asked for, suggested, and has its help")
    func verbs() throws {
        let none = try Tool.run("model")
        #expect(none.status == 64 && none.errors.contains("show, check, "))
        #expect(try Tool.run("model", "shwo", model).errors.contains("did you mean \"model show\"?"))
        for arguments in [["model", "--help"], ["help", "model"], ["model", "-h"]] {
            let result = try Tool.run(arguments)
            #expect(result.status == 0 && result.output.contains("model graph"), "\(arguments)")
        }
        #expect(try Tool.run("model", "swift", "--help").output.contains("Usage: graben model swift MODEL"))
        #expect(try Tool.run("help", "model", "diff").output.contains("Usage: graben model diff OLD NEW"))
    }
}
