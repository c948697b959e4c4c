import Foundation
import GrabenFixtures
import Testing

@Suite("Filtering lines of JSON")
struct FilterTests {
    private let objects = """
        {"name": "a", "price": 4, "tags": ["red", "blue"], "maker": {"city": "Malmö"}}
          {"name": "b", "price": 2.5, "tags": ["red"], "maker": null}

        {"name":"c","price":5,"tags":[],"maker":{"city":"Oslo"}}
        {"name": "d", "price": 9, "tags": ["red"], "maker": {"city": "Kyiv"}}
        """

    private func names(_ arguments: String...) throws -> String {
        let result = try Tool.run(["filter"] + arguments, input: objects)
        #expect(result.status == 0 && result.errors.isEmpty, "\(arguments): \(result.errors)")
        return try result.lines.map { try json($0)["name"] as? String ?? "?" }.joined()
    }

    @Test("the lines that match come out as they went in, and none is no failure")
    func lines() throws {
        let result = try Tool.run(["filter", "price > 2 AND price < 9"], input: objects)
        #expect(result.status == 0)
        #expect(result.lines == objects.split(separator: "\n").prefix(3).map(String.init))
        #expect(try Tool.run(["filter", "FALSEPREDICATE"], input: objects).output.isEmpty)
        #expect(try Tool.run(["filter", "TRUEPREDICATE"], input: "").status == 0)
        #expect(try names("price > 3 AND ANY tags == \"red\"") == "ad")
        #expect(try names("maker.city BEGINSWITH 'M' OR maker == nil") == "ab")
        #expect(try names("tags[0] == 'red' AND tags.@count == 1") == "bd")
        #expect(try names("price == 5") == "c")
        #expect(try names("price / 2 == 2") == "ac")
    }

    @Test("arguments and variables are JSON, with or without their types")
    func inputs() throws {
        #expect(try names("%K > %d AND name IN %@", "--args", #"["price", 4, ["c", "x"]]"#) == "c")
        #expect(try names("price == %@", "--args", #"[{"t": "double", "v": 4}]"#) == "a")
        #expect(
            try names("price > $low AND maker.city != $o.city", "--vars", #"{"low": {"t":"int","v":4}, "$o": {"city": "Oslo"}}"#) == "d")
        #expect(try names("maker.city == %@.home[0].city", "--args", #"[{"home": [{"city": "Oslo"}]}]"#) == "c")
        #expect(try names("maker == %@", "--args", #"[{"t": "null"}]"#) == "b")
        #expect(try names("%@ > %@", "--args", #"[{"t":"date","v":"2024-03-10T12:00:00Z"}, {"$date":"2024-03-10T11:59:59Z"}]"#) == "abcd")
        #expect(try names("name IN %@", "--args", #"[{"t":"array","v":[{"t":"string","v":"a"},"d"]}]"#) == "ad")
        #expect(try names("price == $t.t", "--vars", #"{"t": {"t": "object", "v": {"t": 9, "v": 1}}}"#) == "d")
        #expect(try names("%@ == %@", "--args", #"[{"t":"bool","v":true}, 1]"#) == "abcd")
        #expect(try names("NOT %@ == %@", "--args", #"[{"t":"double","v":"nan"}, {"$double":"nan"}]"#) == "abcd")
    }

    @Test("an expression may begin with a sign")
    func signs() throws {
        #expect(try names("-price < -4 ") == "cd")
        #expect(try names("--price == 4") == "a")
        #expect(try names("--", "--price==4") == "a")
        #expect(try Tool.run(["filter", "--pirce=4"], input: objects).status == 64)
    }

    @Test("64 is for what cannot be parsed, 65 for what cannot be evaluated, and the matches before it are there")
    func failures() throws {
        for (arguments, status, code) in [
            (["price >"], 64, "predicate.syntax"), ([""], 64, "predicate.syntax"), (["price == %@"], 64, "predicate.syntax"),
            (["%K == 1", "--args", "[5]"], 64, "predicate.syntax"), (["price == 1", "--args", "[5"], 64, "usage.bad-value"),
            (["FUNCTION(price, 'exit') == 1"], 64, "predicate.syntax"), (["a == %@", "--args", "{}"], 64, "usage.bad-value"),
            (["$x == 1", "--vars", "[]"], 64, "usage.bad-value"), ([], 64, "usage.missing-operand"),
            (["$x == 1", "--vars", #"{"x": {"t": "itn", "v": 1}}"#], 64, "usage.bad-value"),
            (["$x == 1", "--vars", #"{"x": {"t": "int", "v": "1"}}"#], 64, "usage.bad-value"),
            (["pirce == 1"], 65, "predicate.unknown-key"), (["price == $x"], 65, "predicate.unbound-variable"),
            (["price < 'a'"], 65, "predicate.evaluation"), (["name MATCHES '('"], 65, "predicate.evaluation"),
        ] as [([String], Int32, String)] {
            let result = try Tool.run(["filter"] + arguments, input: objects)
            #expect(result.status == status && result.output.isEmpty, "\(arguments): \(result.status) \(result.errors)")
            #expect(result.errors.hasPrefix("graben: "), "\(arguments): \(result.errors)")
            let asJSON = try Tool.run(["filter"] + arguments + ["--json"], input: objects)
            #expect((try json(asJSON.errors)["error"] as? [String: Any])?["code"] as? String == code, "\(arguments): \(asJSON.errors)")
            #expect(asJSON.status == status && asJSON.errors.split(separator: "\n").count == 1)
        }
        let late = try Tool.run(["filter", "10 / (price - 5) < 20", "--json"], input: objects)
        #expect(late.status == 65 && late.lines.count == 2)
        let error = try json(late.errors)["error"] as? [String: Any]
        #expect(error?["line"] as? Int == 4 && (error?["message"] as? String)?.contains("10 / (price - 5)") == true)
        for (line, reason) in [
            ("[1]", "no JSON object"), ("{\"a\": }", "column 7"), ("{\"a\": 1, \"a\": 2}", "twice"),
            ("{\"a\": {\"$date\": \"x\"}}", "date"),
            (String(repeating: "{\"a\":", count: 9_000), "nested deeper"),
        ] {
            let result = try Tool.run(["filter", "TRUEPREDICATE"], input: "{}\n\(line)\n{}")
            #expect(result.status == 65 && result.output == "{}\n", "\(line.prefix(20)): \(result.errors)")
            #expect(result.errors.contains("line 2: ") && result.errors.contains(reason), "\(result.errors)")
        }
    }

    @Test("lines of any length go through, the last one without its end too, and a full disk is a failure")
    func streaming() throws {
        let long = "{\"a\": \"" + String(repeating: "é", count: 200_000) + "\"}"
        let result = try Tool.run(["filter", "length(a) > 1"], input: "\(long)\r\n{\"a\":\"x\"}\n\(long)")
        #expect(result.output == "\(long)\r\n\(long)\n")
        let many = (0..<5_000).map { "{\"a\": \($0), \"b\": {\"c\": \($0 % 7)}}\n" }.joined()
        #expect(try Tool.run(["filter", "a > 10 AND b.c == 3"], input: many).lines.count == 712)
        #if os(Linux)
            #expect(try Tool.run(["filter", "TRUEPREDICATE"], input: many, output: "/dev/full").status == 74)
        #endif
    }

    @Test("the conformance cases have their outcomes here too")
    func conformance() throws {
        let text = String(decoding: try Data(contentsOf: Self.cases), as: UTF8.self)
        var count = 0
        for line in text.split(separator: "\n") {
            let fields = RawJSON.fields(String(line))
            guard let format = (try json(String(line)))["format"] as? String, let object = fields["object"],
                let expected = fields["expect"],
                !format.contains("\0")
            else { continue }
            count += 1
            let result = try Tool.run(
                ["filter", format, "--args", fields["args"] ?? "[]", "--vars", fields["vars"] ?? "{}"], input: object + "\n")
            let outcome: String
            switch result.status {
            case 0: outcome = result.output.isEmpty ? "false" : "true"
            case 64: outcome = "\"parse-error\""
            case 65: outcome = "\"eval-error\""
            default: outcome = "\(result.status)"
            }
            #expect(outcome == expected, "\(format): \(result.errors)")
        }
        #expect(count > 150)
    }

    private static let cases = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("GrabenPredicateTests/Cases/predicate-cases.jsonl")
}

/// The text of each value of a JSON object, unread: what is an integer and what a double must not change on the way.
enum RawJSON {
    static func fields(_ text: String) -> [String: String] {
        let bytes = Array(text.utf8)
        var fields: [String: String] = [:]
        var depth = 0
        var place = 0
        var key: String?
        var start = 0
        func slice(_ range: Range<Int>) -> String {
            String(decoding: bytes[range], as: UTF8.self).trimmingCharacters(in: .whitespaces)
        }
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""):
                let begin = place
                place += 1
                while place < bytes.count, bytes[place] != UInt8(ascii: "\"") { place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1 }
                if depth == 1, key == nil { key = String(decoding: bytes[begin + 1..<place], as: UTF8.self) }
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: ":") where depth == 1: start = place + 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ","):
                let isComma = bytes[place] == UInt8(ascii: ",")
                if !isComma { depth -= 1 }
                if depth == (isComma ? 1 : 0), let name = key {
                    fields[name] = slice(start..<place)
                    key = nil
                }
            default: break
            }
            place += 1
        }
        return fields
    }
}
