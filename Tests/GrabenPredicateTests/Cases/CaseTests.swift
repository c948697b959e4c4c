import Foundation
import GrabenLog
import Testing

@testable import GrabenPredicate

/// One conformance case: a format, what it is given, and what must come of it.
struct ConformanceCase: CustomTestStringConvertible {
    let id: String
    let format: String
    let json: TestData.JSON
    var testDescription: String { "\(id): \(format.prefix(80))" }

    static let all: [ConformanceCase] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("predicate-cases.jsonl")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            guard let json = try? TestData.parse(String(line)), let id = json["id"]?.string, let format = json["format"]?.string else {
                return nil
            }
            return ConformanceCase(id: id, format: format, json: json)
        }
    }()
}

@Suite("The conformance cases")
struct CaseTests {
    @Test("the file of cases is read whole")
    func count() {
        #expect(ConformanceCase.all.count == 157)
    }

    @Test("a case has the outcome it expects, and so has its printed form", arguments: ConformanceCase.all)
    func outcome(_ example: ConformanceCase) throws {
        let arguments = try (example.json["args"]?.array ?? []).map(TestData.literal)
        let record = try TestData.record(example.json["object"] ?? .null)
        var variables: [String: PredicateBinding] = [:]
        if case .object(let fields) = example.json["vars"] {
            for field in fields { variables[field.key] = try TestData.binding(field.value) }
        }

        func outcome(_ predicate: () throws -> ObjectPredicate) -> String {
            do {
                let bound = try predicate().bind(to: record.schema, variables: variables)
                let answer = try bound.evaluate(record)
                return String(answer)
            } catch let error as ObjectPredicateError {
                return error.isSyntaxError ? "parse-error" : "eval-error"
            } catch {
                return "\(error)"
            }
        }
        let expected: String
        switch example.json["expect"] {
        case .bool(let value): expected = String(value)
        case .string(let text): expected = text
        default: expected = "missing"
        }
        #expect(outcome { try ObjectPredicate(format: example.format, arguments: arguments) } == expected)
        if expected != "parse-error" {
            let printed = try ObjectPredicate(format: example.format, arguments: arguments).format
            #expect(outcome { try ObjectPredicate(format: printed) } == expected, "\(printed)")
            #expect(try ObjectPredicate(format: printed) == ObjectPredicate(format: example.format, arguments: arguments))
        }
    }
}
