import FoundationEssentials
import GrabenLog
import GrabenModel
import Testing

@Suite struct JSONTests {
    @Test("a model comes back from its JSON form the same, every value with its bits, and writes the same bytes again")
    func roundTrip() throws {
        var random = RandomModel(random: Seeded(state: 3))
        for round in 0..<400 {
            let model = random.model()
            let data = try model.jsonData()
            let back = try ManagedObjectModel.load(json: data)
            #expect(back == model, "round \(round): \(String(decoding: data, as: UTF8.self))")
            #expect(try back.jsonData() == data)
        }
        #expect(try ManagedObjectModel.load(json: drawingModel().jsonData()) == drawingModel())
    }

    @Test("a model comes back from the bytes of a catalog the same, and a tree that is no model is an error")
    func catalog() throws {
        var random = RandomModel(random: Seeded(state: 5))
        for _ in 0..<200 {
            let model = random.model()
            #expect(try ManagedObjectModel(tree: CBOR.decode(model.tree().encoded())) == model)
        }
        for tree: CBOR in [.null, .bytes([1]), ["entities": [.bytes([])]], ["entities": [["name": "A", "name": "B"]]]] {
            #expect(throws: ModelError.self) { try ManagedObjectModel(tree: tree) }
        }
    }

    private func reason(_ json: String) -> String {
        do {
            _ = try ManagedObjectModel.load(json: Data(json.utf8))
            return "no error"
        } catch {
            return error.description
        }
    }

    @Test("a mistake in the JSON form is an error that leads to the spot")
    func mistakes() {
        #expect(reason("[]") == "reading a model: expected an object, found a list")
        #expect(reason("{}") == "reading a model: the key \"entities\" is missing")
        #expect(
            reason(#"{"entities": [], "entitys": 1}"#) == "reading a model: unknown key \"entitys\"; did you mean \"entities\"?")
        #expect(
            reason(#"{"format": "graben-model-2", "entities": []}"#)
                == "reading a model: format: \"graben-model-2\" is not \"graben-model-1\", the only form this version reads")
        let attribute = { (text: String) in
            self.reason(#"{"entities": [{"name": "Joint", "attributes": [{"name": "x", \#(text)}]}]}"#)
        }
        let place = #"reading a model: entities[0] "Joint" / attributes[0] "x""#
        #expect(attribute(#""optional": true"#) == place + ": the key \"type\" is missing")
        #expect(attribute(#""type": "dobule""#).hasPrefix(place + " / type: \"dobule\" is none of int16, int32"))
        #expect(attribute(#""type": "dobule""#).hasSuffix("; did you mean \"double\"?"))
        #expect(attribute(#""type": "double", "optional": 1"#) == place + " / optional: expected true or false, found a number")
        #expect(attribute(#""type": "double", "userInfo": {"a": 1}"#) == place + " / userInfo / a: expected text, found a number")
        #expect(
            attribute(#""type": "int16", "default": 40000"#)
                == place + " / default: expected a value of type int16, written as an integer in its range; found a number")
        for (type, value) in [
            ("int64", "9223372036854775808"), ("int32", "1.5"), ("decimal", "0.1"), ("decimal", #"{"$decimal": "1-2"}"#),
            ("decimal", #"{"$decimal": ""}"#), ("date", #"{"$date": "yesterday"}"#), ("date", "5"), ("data", #"{"$data": "?"}"#),
            ("uuid", #""x""#), ("double", #"{"$double": "many"}"#), ("boolean", "1"), ("string", "1"), ("string", "{}"), ("uri", "[]"),
            ("transformable", "{}"),
        ] {
            #expect(
                attribute(#""type": "\#(type)", "maximum": \#(value)"#).hasPrefix(place + " / maximum: expected a value of type \(type)"),
                "\(type) \(value)")
        }
        #expect(
            reason(#"{"entities": [{"name": "A", "unique": ["name"]}]}"#)
                == #"reading a model: entities[0] "A" / unique[0] / key: expected a list, found text"#)
    }

    @Test("text that is no JSON, cut short or absurdly deep is an error, never a trap")
    func noJSON() throws {
        for text in [
            "", "{", "nul", "{\"entities\": [}", "\u{feff}", "\"\\ud800\"", "1e999", "-", "01", "[1,]", "{\"a\": 1, \"a\": 2}",
            String(repeating: "[", count: 100_000),
        ] {
            #expect(reason(text).hasPrefix("reading a model: "), "\(text.prefix(20))")
        }
        #expect(reason("{\n  \"entities\": [},") == "reading a model: line 2, column 16: expected a value")
        #expect(reason("{\"a\": 1,\n\"a\": 2}") == "reading a model: line 2, column 1: the key \"a\" occurs twice")
        let whole = try drawingModel().jsonData()
        for length in stride(from: 0, to: whole.count - 2, by: 7) {
            #expect(throws: ModelError.self) { try ManagedObjectModel.load(json: whole.prefix(length)) }
        }
        var random = Seeded(state: 9)
        for _ in 0..<300 {
            var bytes = whole
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            _ = try? ManagedObjectModel.load(json: bytes).resolved()
        }
    }

    @Test("a file that is not there is an error with its path")
    func noFile() {
        let error = #expect(throws: ModelError.self) { try ManagedObjectModel.load(path: "nowhere/a.model.json") }
        #expect(error?.description == "reading a model from nowhere/a.model.json: No such file or directory")
        let folder = #expect(throws: ModelError.self) { try ManagedObjectModel.load(path: "/") }
        #expect(folder?.description.hasPrefix("reading a model from /: ") == true)
    }

    @Test("a default that is no value of its type cannot be written, and the error says which")
    func unwritable() {
        let model = ManagedObjectModel(entities: [
            EntityDescription("A", attributes: [AttributeDescription("p", .int16, defaultValue: "x")])
        ])
        let error = #expect(throws: ModelError.self) { try model.jsonData() }
        #expect(error?.description.hasPrefix(#"reading a model: entities[0] "A" / p / default: expected a value of type int16"#) == true)
    }
}
