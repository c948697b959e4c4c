import GrabenLog
import Testing

@testable import GrabenPredicate

/// The record most tests ask, much like that of the conformance cases.
enum Sample {
    static let json = """
        {"number": 42, "total": 99.5, "discount": null, "paid": true, "title": "Blue Ridge Café", "code": "AB-123", "note": null,
         "blank": "", "neg": -7, "zero": 0.0, "minusZero": -0.0, "big": 9007199254740993, "tags": ["red", "green"], "holes": [1, null],
         "history": [1, 2, 3, 4], "placed": {"$date": "2024-03-10T12:00:00Z"}, "due": {"$date": "2024-03-15T12:00:00Z"},
         "agent": null, "customer": {"name": "Zoë", "age": 31, "address": {"city": "Malmö"}},
         "items": [
           {"name": "Apple", "price": 10.0, "qty": 3, "color": null, "labels": [{"text": "x"}, {"text": "y"}], "supplier": {"country": "SE"}},
           {"name": "banana", "price": 25.5, "qty": 1, "color": "yellow", "labels": [], "supplier": null},
           {"name": "Cherry", "price": 4.0, "qty": 10, "color": "red", "labels": [{"text": "y"}], "supplier": {"country": "DE"}}],
         "gifts": []}
        """

    /// "true", "false", "parse-error" or "eval-error".
    static func outcome(
        _ format: String, _ arguments: [(any PredicateArgument)?] = [], variables: [String: PredicateBinding] = [:]
    ) -> String {
        do {
            let record = try TestData.record(json)
            let predicate = try ObjectPredicate(format: format, arguments: arguments)
            return String(try predicate.bind(to: record.schema, variables: variables).evaluate(record))
        } catch let error as ObjectPredicateError {
            return error.isSyntaxError ? "parse-error" : "eval-error"
        } catch {
            return "\(error)"
        }
    }

    static func expect(
        _ outcome: String, _ formats: [String], variables: [String: PredicateBinding] = [:], at location: SourceLocation = #_sourceLocation
    ) {
        for format in formats {
            #expect(Self.outcome(format, variables: variables) == outcome, "\(format)", sourceLocation: location)
        }
    }
}

/// An object with an id in an entity written by hand.
final class Row: PredicateObject {
    struct Schema: PredicateSchema {
        var name: String { "Joint" }
        let propertyNames = ["name", "x", "next", "lines", "neighbours", "broken"]
        func property(named name: String) -> PredicateProperty? {
            guard let index = propertyNames.firstIndex(of: name) else { return nil }
            switch name {
            case "name": return PredicateProperty(index: index, kind: .attribute(.string))
            case "x", "broken": return PredicateProperty(index: index, kind: .attribute(.number))
            case "next": return PredicateProperty(index: index, kind: .toOne(Schema()))
            case "lines": return PredicateProperty(index: index, kind: .toMany(Schema(), ordered: false))
            default: return PredicateProperty(index: index, kind: .fetched)
            }
        }
    }

    struct Damage: Error {}
    let id: ObjectID
    var name: Value = .null
    var x: Value = .null
    var next: Row?
    var lines: [Row] = []

    init(_ row: UInt32, name: Value = .null, x: Value = .null) {
        id = ObjectID(store: 1, entity: 2, row: row)
        self.name = name
        self.x = x
    }

    var predicateIdentity: ObjectID? { id }
    var predicateSchema: any PredicateSchema { Schema() }

    func predicateValue(at index: Int) throws -> Value {
        switch index {
        case 0: return name
        case 1: return x
        default: throw Damage()
        }
    }
    func predicateTarget(at index: Int) throws -> (any PredicateObject)? { next }
    func predicateMembers(at index: Int) throws -> [any PredicateObject] { lines }

    func matches(_ format: String, _ arguments: (any PredicateArgument)?..., variables: [String: PredicateBinding] = [:]) throws -> Bool {
        try ObjectPredicate(format: format, arguments: arguments).bind(to: Schema(), variables: variables).evaluate(self)
    }
}
