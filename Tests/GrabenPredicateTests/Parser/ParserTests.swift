import GrabenLog
import Testing

@testable import GrabenPredicate

@Suite("The parser")
struct ParserTests {
    func tree(_ format: String, _ arguments: (any PredicateArgument)?...) throws -> PredicateNode {
        try ObjectPredicate(format: format, arguments: arguments).root
    }

    func problem(_ format: String, _ arguments: (any PredicateArgument)?...) -> PredicateSyntaxProblem? {
        do {
            _ = try ObjectPredicate(format: format, arguments: arguments)
        } catch .syntax(let problem) {
            return problem
        } catch {}
        return nil
    }

    @Test(
        "AND binds tighter than OR, NOT tighter than AND, and brackets make no difference to equal trees",
        arguments: [
            ("a == 1 OR b == 2 AND c == 3", "a == 1 OR (b == 2 AND c == 3)"),
            ("a == 1 AND b == 2 OR c == 3", "(a == 1 AND b == 2) OR c == 3"),
            ("NOT a == 1 AND b == 2", "(NOT (a == 1)) AND b == 2"),
            ("a == 1 && (b == 2 && c == 3)", "a = 1 and b = 2 AND c = 3"),
            ("!a == 1 || !(b <> 2)", "NOT a == 1 OR NOT b != 2"),
            ("a NOT IN {1}", "NOT (a IN {1})"),
            ("SOME a.b > 1", "ANY a.b > 1"),
            ("SELF.a.self.b == 1", "a.b == 1"),
            ("a => 1 and b =< 2", "a >= 1 AND b <= 2"),
            ("a . b [ 0 ] . c == 1", "a.b[0].c == 1"),
            ("a CONTAINS [ cd ] 'x'", "a CONTAINS[dc] \"x\""),
        ])
    func sameTrees(_ pair: (String, String)) throws {
        #expect(try tree(pair.0) == tree(pair.1))
    }

    @Test(
        "D4 operators group by precedence and to the left",
        arguments: [
            ("a + b * c ** d == 1", "a + (b * (c ** d)) == 1"),
            ("a ** b ** c == 1", "(a ** b) ** c == 1"),
            ("a - b - c == 1", "(a - b) - c == 1"),
            ("-a ** 2 == 1", "(-a) ** 2 == 1"),
            ("a | b ^ c & d << e + f == 1", "a | (b ^ (c & (d << (e + f)))) == 1"),
            ("a & 1 == 1", "(a & 1) == 1"),
            ("2 ** -1 == 1", "2 ** (-1) == 1"),
        ])
    func precedence(_ pair: (String, String)) throws {
        #expect(try tree(pair.0) == tree(pair.1))
    }

    @Test("brackets that change the grouping change the tree")
    func differentTrees() throws {
        #expect(try tree("a - (b - c) == 1") != tree("a - b - c == 1"))
        #expect(try tree("(items.@sum.price).x == 1") != tree("items.@sum.price.x == 1"))
        #expect(try tree("(a == 1 OR b == 2) AND c == 3") != tree("a == 1 OR b == 2 AND c == 3"))
    }

    @Test(
        "a format that is no predicate is refused at the place where it stops being one",
        arguments: [
            ("number", 6), ("number ==", 9), ("number == 42 AND", 16), ("(a == 1", 7), ("a == 1)", 6), ("a == b == c", 7),
            ("a == 'x", 5), ("a == 4x", 5), ("a..b == 1", 2), ("a IN (1, 2)", 7), ("a == @", 6), ("a == $", 6), ("a == ?", 5),
            ("a CONTAINS[x] 'b'", 11), ("a BETWEEN[c] {1,2}", 9), ("ANY a.b", 0), ("none == 7", 5), ("a.first == 1", 2),
            ("(a == 1) == TRUE", 0), ("a == NOT b", 5), ("foo(a) == 1", 0), ("sqrt() == 1", 5), ("sqrt(1, 2) == 1", 6),
            ("a.@sum == 1", 7), ("a.@what.b == 1", 2), ("'\\x4' == a", 1), ("'\\uD800' == a", 1), ("", 0), ("a == 1 b", 7),
            ("a IS NULL", 2), ("SUBQUERY(a, b, c == 1).@count == 1", 12), ("a == %y", 5), ("a == 1e999", 5), ("a == 0x", 5),
            ("TERNARY(a, 1, 2) == 1", 8), ("a[ == 1", 3), ("a == {1, 2", 10), ("a := 1", 2), ("a == %@", 5), ("%K == 1", 0),
        ])
    func errorPositions(_ format: String, _ position: Int) throws {
        let problem = try #require(self.problem(format))
        #expect(problem.position == position, "\(problem)")
        #expect(problem.format == format)
    }

    // A NUL before a symbol of one character was read as part of it: "a \0== 1" was refused, but "a \0< 1" compared.
    @Test("a NUL before a symbol is no part of it")
    func nul() {
        for symbol in PredicateSymbol.allCases {
            for scalar in symbol.rawValue.unicodeScalars { #expect(PredicateSymbol("\0", scalar) == nil, "\(symbol)") }
            #expect(problem("a \0\(symbol.rawValue) 1")?.position == 2, "\(symbol)")
        }
        #expect(PredicateSymbol("\0") == nil)
        #expect(problem("\0(a == 1)")?.position == 0)
    }

    @Test("a syntax error's caret stands under the place")
    func caret() throws {
        let short = try #require(problem("name == 'é' ANDD b == 1"))
        #expect(short.description.split(separator: "\n").map(String.init).last == "              ^")
        let long = try #require(problem(String(repeating: "a == 1 AND ", count: 50) + "?"))
        let (line, column) = long.excerpt
        #expect(Array(line.unicodeScalars)[column] == "?")
        #expect(line.unicodeScalars.count <= 75)
    }

    @Test("D19 arguments are values, so no text in them is read as format")
    func arguments() throws {
        #expect(
            try tree("a == %@", "' OR 1 == 1")
                == .comparison(.init(left: .path(.object, [.key("a")]), comparison: .equal, right: .value("' OR 1 == 1"))))
        #expect(try tree("%K == %d", "in.first", 3) == tree("#in.#first == 3"))
        #expect(try tree("a.%K > 1", "b.c") == tree("a.b.c > 1"))
        #expect(try tree("%K == 1", "items.@count") == tree("items.@count == 1"))
        #expect(try tree("%K == 1", "items.@sum.self") == tree("items.@sum.self == 1"))
        #expect(try tree("a IN %@", [1, 2]) == tree("a IN {1, 2}"))
        #expect(try tree("a BETWEEN %@", 1...2) == tree("a BETWEEN {1, 2}"))
        #expect(try tree("a == %@", nil) == tree("a == nil"))
        #expect(try tree("a == %f", 7) == tree("a == 7.0"))
        #expect(try tree("a == '%@'") == tree("a == \"%@\""))
        #expect(try tree("a == %ld OR a == %llu OR a == %qi OR a == %hhd", 1, 2, 3, 4) == tree("a == 1 OR a == 2 OR a == 3 OR a == 4"))
        #expect(try tree("a == %@", 1, "extra") == tree("a == 1"))
        #expect(problem("%K == 1", 5) != nil)
        #expect(problem("%K == 1", "a..b") != nil)
        #expect(problem("%K == 1", "a.@sum") != nil)
        #expect(problem("a == %.2f", 1.0) != nil)
        #expect(problem("a == %@ AND b == %@", 1)?.expected.contains("number 2; 1 were given") == true)
    }

    @Test("D13 escapes spell what they say")
    func escapes() throws {
        #expect(
            try tree(#"a == '\\ \' \" \n\t\r \x41 \u00e9 \U0001F600 \101 \q \ud83d\ude00'"#)
                == tree("a == %@", "\\ ' \" \n\t\r A é 😀 A q 😀"))
        // Four digits or eight.
        #expect(try tree(#"a == '\U00e9 \U00E9x \U0041dead \U000000e9 \Ud83d\Ude00 \U0041'"#) == tree("a == %@", "é éx Adead é 😀 A"))
        for bad in [#"a == '\U00e'"#, #"a == '\U'"#, #"a == '\UD800'"#, #"a == '\x4'"#, #"a == '\u00g0'"#] { #expect(problem(bad) != nil) }
    }

    @Test("D23 nesting up to the limit parses and one level more does not, whatever nests")
    func depth() throws {
        for (open, middle, close) in [
            ("(", "a == 1", ")"), ("NOT ", "a == 1", ""), ("abs(", "a", ")"), ("-", "a", ""), ("{", "a", "}"), ("a[", "0", "]"),
            ("TERNARY(TRUEPREDICATE, 1, ", "a", ")"), ("CAST(", "a", ", 'NSDate')"), ("SUBQUERY(", "a", ", $x, TRUEPREDICATE)"),
        ] {
            func nested(_ levels: Int) -> String {
                let inner = String(repeating: open, count: levels) + middle + String(repeating: close, count: levels)
                return middle == "a == 1" ? inner : inner + " == 1"
            }
            #expect(throws: Never.self) { try ObjectPredicate(format: nested(256)) }
            #expect(problem(nested(257)) != nil, "\(open)")
            #expect(problem(nested(100_000)) != nil)
        }
        let rising =
            String(repeating: "abs(1 | 0 ^ 0 & 1 << 0 + 1 * 1 ** ", count: 250) + "1" + String(repeating: ")", count: 250) + " == 1"
        #expect(problem(rising) != nil)
        #expect(problem("a.@sum" + String(repeating: ".b.@sum", count: 300) + ".c == 1") != nil)
    }

    @Test("flat chains of a hundred thousand links parse, print and are released")
    func chains() throws {
        for chain in [
            "a == 1" + String(repeating: " AND a == 1", count: 100_000), "a == 1" + String(repeating: " OR a == 1", count: 100_000),
            "1" + String(repeating: " + 1", count: 100_000) + " == a", "a" + String(repeating: ".b", count: 100_000) + " == 1",
            "a" + String(repeating: "[0]", count: 100_000) + " == 1", "a IN {1" + String(repeating: ", 1", count: 100_000) + "}",
            "1" + String(repeating: " * 2 - 3", count: 50_000) + " == a",
        ] {
            let predicate = try ObjectPredicate(format: chain, arguments: [], limits: PredicateLimits(formatLength: 10_000_000))
            #expect(
                try ObjectPredicate(format: predicate.format, arguments: [], limits: PredicateLimits(formatLength: 10_000_000)) == predicate
            )
        }
    }

    @Test("limits on the length of a format and on MATCHES are kept")
    func limits() {
        #expect(throws: ObjectPredicateError.self) {
            try ObjectPredicate(format: "a == 1", arguments: [], limits: PredicateLimits(formatLength: 5))
        }
        #expect(throws: ObjectPredicateError.self) {
            try ObjectPredicate(format: "a MATCHES 'x'", arguments: [], limits: PredicateLimits(allowsMatches: false))
        }
    }

    @Test("variables are replaced where they stand free and kept where a SUBQUERY declares them")
    func variables() throws {
        let predicate = try ObjectPredicate(format: "a == $x AND SUBQUERY(b, $x, $x.c == $y).@count == $z")
        #expect(predicate.variableNames == ["x", "y", "z"])
        let bound = predicate.withSubstitutionVariables(["x": 1, "y": "two"])
        #expect(try bound == ObjectPredicate(format: "a == 1 AND SUBQUERY(b, $x, $x.c == 'two').@count == $z"))
        #expect(bound.variableNames == ["z"])
        #expect(predicate.keyPaths == [["a"], ["b"]])
    }

    @Test("operators combine predicates without nesting them")
    func compounds() throws {
        let a = try ObjectPredicate(key: "a", .equal, 1)
        let b = try ObjectPredicate(key: "b.c", .beginsWith, "x", options: [.caseInsensitive])
        #expect(try (a && b && a) == ObjectPredicate(format: "a == 1 AND b.c BEGINSWITH[c] 'x' AND a == 1"))
        #expect(try (a || !b) == ObjectPredicate(format: "a == 1 OR NOT b.c BEGINSWITH[c] 'x'"))
        #expect(!(!a) == a)
        #expect(ObjectPredicate.all([]) == ObjectPredicate(value: true))
        #expect(ObjectPredicate.any([]) == ObjectPredicate(value: false))
    }
}
