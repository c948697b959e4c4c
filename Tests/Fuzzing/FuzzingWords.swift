import FoundationEssentials
import GrabenLog
import GrabenPredicate

/// What formats are made of, and what they are asked about.
enum FuzzingWords {
    static let formats = [
        "number == 42 AND title BEGINSWITH[cd] 'blue'", "price > 3.5 OR NOT (flag == YES)", "ANY items.price > 5", "NONE tags == 'red'",
        "ALL items.labels.text LIKE '*x?*'", "number BETWEEN {1, 50}", "title IN {'a', nil, \"b\\n\"}", "tags CONTAINS[c] 'RED'",
        "items.@sum.price + items.@count * 2 > number", "items.@max.name == 'banana'", "tags[0] == tags[LAST] OR tags[SIZE] == 2",
        "SUBQUERY(items, $i, $i.price > 5 AND ANY $i.labels.text == 'y').@count == 1", "customer.address.city != nil",
        "TERNARY(number > 1, title, 'none') ENDSWITH 'x'", "CAST('2.5', 'NSNumber') < 2 ** 3 ** -1", "$x == 3 && $y[0] == 'a'",
        "$o.customer.name == customer.name", "modulus:by:(number, 5) == 2", "median(history) >= average({1, 2.5, nil})",
        "placed + 60 < now()", "-7 / 2 | 1 ^ 3 & ~5 << 2 == 0x1F", "length(title) == title.length", "%K == %d AND number IN %@",
        "uppercase(title) LIKE 'A\\\\*'", "count(items.@distinctUnionOfObjects.supplier.country) == 2",
        "SELF == SELF AND SELF.number == 42",
        "#in.#first == 1 OR nothing == nil", "raise:toPower:(2, 63) > 0", "mode({1, 1, 2, 2}) == {1, 2}", "holes[number - 41] == nil",
        "title MATCHES 'x.*'", "FUNCTION(number, 'none') == 1", "sum(items.price) == stddev(history)", "noindex(number) NOT IN {1}",
        "abs(neg) == 7 AND trunc(price) == floor(price)", "SUBQUERY(history, $a, SUBQUERY(history, $b, $b > $a).@count > 2)[0] == 1",
        "bitwiseAnd:with:(number, 2) != 0", "TRUEPREDICATE", "title ==[c] 'BLUE' OR '\\U0001F600' < '\\uD83D\\uDE00'",
    ]

    static let tokens = [
        "AND", "OR", "NOT", "ANY", "ALL", "NONE", "SOME", "(", ")", "{", "}", "[", "]", ",", ".", "==", "!=", "<", ">=", "=<", "<>",
        "BETWEEN",
        "IN", "NOT IN", "CONTAINS[cd]", "BEGINSWITH", "ENDSWITH[c]", "LIKE", "nil", "TRUE", "NO", "SELF", "$x", "$y", "$o", "$z", "@count",
        ".@sum.", ".@avg.", ".@min.", ".@unionOfObjects.", ".@distinctUnionOfObjects.", "self", "[FIRST]", "[LAST]", "[SIZE]", "number",
        "title", "price", "items", "items.price", "tags", "history", "customer", "placed", "holes", "nothing", "flag", "1", "0", "2.5",
        "1e300",
        "9223372036854775807", "0x10", "'a'", "\"b\"", "''", "'*'", "SUBQUERY(items, $i, ", "TERNARY(", "CAST(", "'NSDate'", "'NSString'",
        "sqrt(", "sum(", "max(", "median(", "mode(", "length(", "now()", "random()", "modulus:by:(", "-", "+", "*", "/", "**", "~", "|",
        "^",
        "&", "<<", ">>", "#", "%@", "%K", "%d", "\\", "'", "\"", "é", "e\u{301}", "\u{0}", "😀", "TRUEPREDICATE", "FALSEPREDICATE",
    ]

    static func record() -> PlainRecord {
        func text(_ value: String) -> PlainValue { .value(.string(value)) }
        func item(_ name: String, _ price: Double, _ labels: [String], _ country: String?) -> PlainValue {
            .object([
                ("name", text(name)), ("price", .value(.double(price))),
                ("labels", .array(labels.map { .object([("text", text($0))]) })),
                ("supplier", country.map { .object([("country", text($0))]) } ?? .value(.null)),
            ])
        }
        return PlainRecord([
            ("number", .value(.int(42))), ("neg", .value(.int(-7))), ("price", .value(.double(4.25))), ("flag", .value(.bool(true))),
            ("title", text("Blue Ridge Café")), ("nothing", .value(.null)), ("in", .object([("first", .value(.int(1)))])),
            ("placed", .value(.date(Date(timeIntervalSinceReferenceDate: 731_764_800)))), ("tags", .array([text("red"), text("green")])),
            ("history", .array((1...4).map { .value(.int($0)) })), ("holes", .array([.value(.int(1)), .value(.null)])),
            ("customer", .object([("name", text("Zoë")), ("address", .object([("city", text("Malmö"))]))])),
            ("items", .array([item("Apple", 10, ["x", "y"], "SE"), item("banana", 25.5, [], nil), item("Cherry", 4, ["y"], "DE")])),
        ])
    }
}
