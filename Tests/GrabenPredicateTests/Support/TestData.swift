import Foundation
import GrabenLog

@testable import GrabenPredicate

/// Reads the JSON of the conformance cases into plain records, literals and bindings.
enum TestData {
    /// JSON with integers, doubles and Booleans kept apart, which JSONSerialization does not do everywhere.
    indirect enum JSON {
        case null, bool(Bool), int(Int64), double(Double), string(String), array([JSON]), object([(key: String, value: JSON)])

        subscript(_ key: String) -> JSON? {
            if case .object(let fields) = self { return fields.first { $0.key == key }?.value }
            return nil
        }
        var string: String? {
            if case .string(let text) = self { return text }
            return nil
        }
        var array: [JSON]? {
            if case .array(let members) = self { return members }
            return nil
        }
    }

    struct Malformed: Error {
        let place: Int
    }

    static func parse(_ text: String) throws -> JSON {
        var parser = Parser(bytes: Array(text.utf8))
        let json = try parser.value()
        parser.space()
        guard parser.place == parser.bytes.count else { throw Malformed(place: parser.place) }
        return json
    }

    private struct Parser {
        let bytes: [UInt8]
        var place = 0

        mutating func space() { while place < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[place]) { place += 1 } }

        mutating func take(_ character: Character) -> Bool {
            space()
            guard place < bytes.count, bytes[place] == character.asciiValue else { return false }
            place += 1
            return true
        }

        mutating func value() throws -> JSON {
            space()
            guard place < bytes.count else { throw Malformed(place: place) }
            if take("{") {
                var fields: [(key: String, value: JSON)] = []
                if take("}") { return .object(fields) }
                repeat {
                    space()
                    let key = try string()
                    guard take(":") else { throw Malformed(place: place) }
                    fields.append((key, try value()))
                } while take(",")
                guard take("}") else { throw Malformed(place: place) }
                return .object(fields)
            }
            if take("[") {
                var members: [JSON] = []
                if take("]") { return .array(members) }
                repeat { members.append(try value()) } while take(",")
                guard take("]") else { throw Malformed(place: place) }
                return .array(members)
            }
            if bytes[place] == 0x22 { return .string(try string()) }
            let start = place
            while place < bytes.count, !",]} \n".utf8.contains(bytes[place]) { place += 1 }
            let word = String(decoding: bytes[start..<place], as: UTF8.self)
            switch word {
            case "null": return .null
            case "true": return .bool(true)
            case "false": return .bool(false)
            default:
                if let integer = Int64(word) { return .int(integer) }
                guard let double = Double(word) else { throw Malformed(place: start) }
                return .double(double)
            }
        }

        mutating func string() throws -> String {
            let start = place
            place += 1
            while place < bytes.count, bytes[place] != 0x22 { place += bytes[place] == 0x5C ? 2 : 1 }
            place += 1
            guard place <= bytes.count else { throw Malformed(place: start) }
            return try JSONDecoder().decode(String.self, from: Data(bytes[start..<place]))
        }
    }

    // MARK: Records

    static func date(_ text: String) throws -> Date {
        guard let date = ISO8601DateFormatter().date(from: text) else { throw Malformed(place: 0) }
        return date
    }

    static func plain(_ json: JSON) throws -> PlainValue {
        switch json {
        case .null: return .value(.null)
        case .bool(let x): return .value(.bool(x))
        case .int(let x): return .value(.int(x))
        case .double(let x): return .value(.double(x))
        case .string(let x): return .value(.string(x))
        case .array(let members): return .array(try members.map(plain))
        case .object(let fields):
            if fields.count == 1, fields[0].key == "$date", let text = fields[0].value.string { return .value(.date(try date(text))) }
            return .object(try fields.map { ($0.key, try plain($0.value)) })
        }
    }

    static func record(_ json: JSON) throws -> PlainRecord {
        guard case .object(let fields) = try plain(json) else { throw Malformed(place: 0) }
        return PlainRecord(fields)
    }

    static func record(_ text: String) throws -> PlainRecord { try record(parse(text)) }

    // MARK: Typed values

    static func literal(_ json: JSON) throws -> PredicateLiteral {
        if json["t"]?.string == "array" { return .collection(try (json["v"]?.array ?? []).map(literal)) }
        return .value(try value(json))
    }

    static func binding(_ json: JSON) throws -> PredicateBinding {
        switch json["t"]?.string {
        case "array": return .list(try (json["v"]?.array ?? []).map(binding))
        case "object": return .object(try record(json["v"] ?? .null))
        default: return .value(try value(json))
        }
    }

    private static func value(_ json: JSON) throws -> Value {
        switch (json["t"]?.string, json["v"]) {
        case ("null", _): return .null
        case ("date", .string(let text)?): return .date(try date(text))
        case ("double", .int(let x)?): return .double(Double(x))
        case (_, let found?):
            guard case .value(let value) = try plain(found) else { throw Malformed(place: 0) }
            return value
        default: throw Malformed(place: 0)
        }
    }
}

/// A seeded generator (splitmix64), so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64
    init(_ seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }
}
