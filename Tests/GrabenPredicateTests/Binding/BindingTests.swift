import Foundation
import GrabenLog
import Testing

@testable import GrabenPredicate

@Suite("Binding and objects")
struct BindingTests {
    @Test("SELF and relationships compare by identity, with objects and with ids")
    func identity() throws {
        let (a, b) = (Row(1), Row(2))
        a.next = b
        a.lines = [a, b]
        #expect(try a.matches("SELF == %@", a.id))
        #expect(try a.matches("SELF != %@ AND next == %@", b.id, b.id))
        #expect(try a.matches("SELF IN %@", [a.id, b.id]))
        #expect(try a.matches("ANY lines == %@ AND lines CONTAINS %@", b.id, a.id))
        #expect(try a.matches("next.next == nil AND next != SELF"))
        #expect(try a.matches("SELF != $FETCH_SOURCE AND next == $FETCH_SOURCE", variables: ["FETCH_SOURCE": .object(b)]))
        #expect(try a.matches("SUBQUERY(lines, $l, $l == SELF).@count == 1 AND lines.@count == 2"))
    }

    @Test("a key path from a bound object is read once and becomes a condition on the attribute")
    func fetchSource() throws {
        let source = Row(1, name: "here", x: 5)
        let bound = try ObjectPredicate(format: "name == $FETCH_SOURCE.name AND x < $FETCH_SOURCE.x + 1 AND SELF != $FETCH_SOURCE")
            .bind(to: Row.Schema(), variables: ["FETCH_SOURCE": .object(source)])
        #expect(bound.conjuncts.map(\.condition) == [.compare(property: 0, .equal, "here"), .compare(property: 1, .less, 6), nil])
        #expect(bound.properties == [0, 1])
        #expect(try bound.evaluate(Row(2, name: "here", x: 5)))
        #expect(try !bound.evaluate(source))
        source.name = .null
        #expect(try Row(3).matches("name == $FETCH_SOURCE.name", variables: ["FETCH_SOURCE": .object(source)]))
    }

    @Test("a key path goes on from a reference where the caller can read objects, and says so where it cannot")
    func references() throws {
        let target = Row(9, name: "far")
        let predicate = try ObjectPredicate(format: "name == $r.name").withSubstitutionVariables(["r": target.id])
        #expect(try predicate.bind(to: Row.Schema(), resolve: { $0 == target.id ? target : nil }).evaluate(Row(1, name: "far")))
        #expect(throws: ObjectPredicateError.self) { try predicate.bind(to: Row.Schema()).evaluate(Row(1, name: "far")) }
    }

    @Test("errors name the entity, the key path and the object")
    func errors() throws {
        let row = Row(7, name: "a")
        func text(_ format: String) -> String {
            do {
                return "\(try row.matches(format))"
            } catch { return "\(error)" }
        }
        #expect(text("nmae == 'a'") == "cannot bind the predicate: Joint has no property \"nmae\"; did you mean \"name\"?")
        #expect(text("next.nxt.x == 1").contains("Joint has no property \"nxt\" (in the key path \"next.nxt.x\"); did you mean \"next\"?"))
        #expect(text("x == $v") == "cannot bind the predicate: the variable $v has no value; no variables are bound")
        #expect(text("name + 1 == 2") == "cannot evaluate \"name + 1\" for Joint 7: + takes numbers, not a string")
        #expect(text("broken == 1") == "cannot evaluate the predicate: reading \"broken\" of Joint 7 failed: Damage()")
        #expect(text("neighbours.@count == 1").contains("fetched property"))
        #expect(text("ANY neighbours.x == 1").contains("fetched property"))
        #expect(text("x < 'a'").contains("a number and a string have no order between them"))
        #expect(text("lines.x > 1").contains("ANY, ALL or NONE"))
        #expect(text("name MATCHES '('").contains("not a regular expression"))
    }

    @Test("constants are folded, and a predicate that needs no object says so")
    func folding() throws {
        func constant(_ format: String) throws -> Bool? { try ObjectPredicate(format: format).bind(to: Row.Schema()).constant }
        #expect(try constant("TRUEPREDICATE") == true)
        #expect(try constant("1 + 1 == 2 AND 'a' BEGINSWITH ''") == true)
        #expect(try constant("x == 1 OR TRUEPREDICATE") == nil)
        #expect(try constant("FALSEPREDICATE AND x == 1") == false)
        #expect(try constant("NOT (2 IN {1, 3}) OR x == 1") == true)
        #expect(try constant("x == 1") == nil)
        #expect(try constant("1 / 0 == 1") == nil)
        #expect(try constant("random() >= 0") == nil)
        #expect(try constant("now() == now()") == true)
        #expect(try constant("noindex(1) == 1") == nil)
        let bound = try ObjectPredicate(
            format: "noindex(x) == 1 AND x BETWEEN {1, 2} AND name LIKE 'ab*c' AND x IN {1, 2} AND name ==[c] 'a'"
        )
        .bind(to: Row.Schema())
        #expect(
            bound.conjuncts.map(\.condition) == [
                nil, .between(property: 1, 1, 2), .prefix(property: 0, "ab", isExact: false), .oneOf(property: 1, [1, 2]), nil,
            ])
    }
}
