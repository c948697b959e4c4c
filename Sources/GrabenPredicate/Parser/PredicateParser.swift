/// Turns a format into a tree: one operator-precedence loop over an explicit stack.
///
/// `( … )` may hold a predicate or a value, and which of the two is known only behind the closing bracket. So operands carry which kind
/// they are, one loop reads both, and the kind is checked where an operand is used. Nothing is read twice and nothing recurses: time is
/// linear in the length of the format, and the stack is the array below, whose nesting entries the depth limit counts (D23).
struct PredicateParser {
    var lexer: PredicateLexer
    var token: PredicateToken = .end
    /// Where the current token begins.
    var start = 0
    var stack: [ParserEntry] = []
    var depth = 0
    let limits: PredicateLimits
    let arguments: [FormatArgument]
    var argumentsTaken = 0

    init(_ format: String, arguments: [FormatArgument], limits: PredicateLimits) throws(ObjectPredicateError) {
        guard format.utf8.count <= limits.formatLength else {
            throw .syntax(
                PredicateSyntaxProblem(
                    format: String(format.unicodeScalars.prefix(64)), position: 0,
                    expected: "the format is \(format.utf8.count) bytes long, more than the limit of \(limits.formatLength)", found: ""))
        }
        lexer = PredicateLexer(format)
        self.arguments = arguments
        self.limits = limits
        try advance()
    }

    mutating func advance() throws(ObjectPredicateError) {
        start = lexer.skipSpace()
        token = try lexer.next()
    }

    /// An error at the current token.
    func expected(_ what: String) -> ObjectPredicateError {
        lexer.fail(what, found: token.text, at: start)
    }

    mutating func expect(_ symbol: PredicateSymbol) throws(ObjectPredicateError) {
        guard token == .symbol(symbol) else { throw expected("\"\(symbol.rawValue)\"") }
        try advance()
    }

    mutating func push(_ entry: ParserEntry) throws(ObjectPredicateError) {
        if entry.nests {
            depth += 1
            if depth > limits.depth {
                throw lexer.fail("the predicate nests deeper than \(limits.depth) levels", at: entry.start)
            }
        }
        // Operators of rising precedence nest without brackets, up to eight between two of them. The tree's depth is bounded too, at a
        // height that brackets at their limit with an operator or three in each do not reach.
        if stack.count >= 4 * limits.depth {
            throw lexer.fail("the predicate nests deeper than \(4 * limits.depth) operators", at: entry.start)
        }
        stack.append(entry)
    }

    mutating func pop() -> ParserEntry? {
        guard let entry = stack.popLast() else { return nil }
        if entry.nests { depth -= 1 }
        return entry
    }

    /// Reads the whole format as a predicate.
    mutating func parse() throws(ObjectPredicateError) -> PredicateNode {
        let operand = try parseOperand()
        return try predicate(operand)
    }

    /// Reads the whole format as a value.
    mutating func parseExpression() throws(ObjectPredicateError) -> ValueExpression {
        let operand = try parseOperand()
        return try value(operand)
    }

    private mutating func parseOperand() throws(ObjectPredicateError) -> ParsedOperand {
        while true {
            // Each operand is followed by steps, then by operators, one of which asks for the next operand; or by the end.
            guard var operand = try operand() else { continue }
            reading: while true {
                if try steps(&operand) { break reading }
                switch token {
                case .end:
                    operand = try reduce(operand, tighterThan: 0)
                    if let open = stack.last { throw unclosed(open) }
                    return operand
                case .symbol(.close), .symbol(.closeBracket), .symbol(.closeBrace):
                    operand = try close(operand)
                case .symbol(.comma):
                    try comma(operand)
                    break reading
                default:
                    try binary(operand)
                    break reading
                }
            }
        }
    }

    private func unclosed(_ entry: ParserEntry) -> ObjectPredicateError {
        let bracket: String
        switch entry.kind {
        case .group(.braces): bracket = "}"
        case .group(.index): bracket = "]"
        default: bracket = ")"
        }
        return expected("\"\(bracket)\" for the bracket at position \(entry.start)")
    }

    // MARK: Kinds

    /// The operand as a value.
    func value(_ operand: ParsedOperand) throws(ObjectPredicateError) -> ValueExpression {
        guard case .value(let expression) = operand.content else {
            throw lexer.fail(
                "a value where a predicate stands (TERNARY(predicate, TRUE, FALSE) makes one a value)", found: "a predicate",
                at: operand.start)
        }
        return .stepped(expression, operand.steps)
    }

    /// The operand as a predicate (D14).
    func predicate(_ operand: ParsedOperand) throws(ObjectPredicateError) -> PredicateNode {
        guard case .predicate(let node) = operand.content else {
            if case .end = token {
                throw lexer.fail("a comparison such as \"== YES\" after the value", found: token.text, at: start)
            }
            throw lexer.fail("a predicate; a value alone is none, compare it with something", found: "a value", at: operand.start)
        }
        return node
    }

    // MARK: Operators

    /// Hands an operand to every entry on the stack that binds tighter than `level`.
    mutating func reduce(_ given: ParsedOperand, tighterThan level: Int) throws(ObjectPredicateError) -> ParsedOperand {
        var operand = given
        while let top = stack.last, top.level > level {
            guard var entry = pop() else { break }
            switch entry.kind {
            case .logical(let isOr):
                entry.predicates.append(try predicate(operand))
                operand = ParsedOperand(isOr ? .any(entry.predicates) : .all(entry.predicates), start: entry.start)
            case .not:
                operand = ParsedOperand(.not(try predicate(operand)), start: entry.start)
            case .quantifier(let quantifier):
                throw lexer.fail("a comparison after \(quantifier.rawValue)", found: "none", at: entry.start)
            case .comparison(let quantifier, let comparison, let options, let negated):
                let right = try value(operand)
                if comparison == .matches, !limits.allowsMatches {
                    throw lexer.fail("MATCHES is not allowed here", at: entry.start)
                }
                let node = PredicateNode.comparison(
                    PredicateComparison(
                        quantifier: quantifier, left: entry.values[0], comparison: comparison, options: options, right: right))
                operand = ParsedOperand(negated ? .not(node) : node, start: entry.start)
            case .arithmetic(let level, let pending):
                entry.terms.append(ArithmeticTerm(operation: pending, operand: try value(operand)))
                guard let first = entry.first else { break }
                operand = ParsedOperand(.chained(level, first, entry.terms), start: entry.start)
            case .unary(let operation):
                operand = ParsedOperand(.signed(operation, try value(operand)), start: entry.start)
            case .group:
                break
            }
        }
        return operand
    }

    /// Reads an operator that stands between two operands.
    private mutating func binary(_ left: ParsedOperand) throws(ObjectPredicateError) {
        var keyword: PredicateKeyword?
        if case .word(let word) = token { keyword = PredicateKeyword(word) }
        if token == .symbol(.or) || keyword == .or { return try logical(left, isOr: true) }
        if token == .symbol(.and) || keyword == .and { return try logical(left, isOr: false) }
        if case .symbol(let symbol) = token, let operation = symbol.arithmetic { return try arithmetic(left, operation) }

        var comparison = keyword?.comparison
        var negated = false
        if case .symbol(let symbol) = token { comparison = symbol.comparison }
        if keyword == .not {
            try advance()
            guard case .word(let word) = token, PredicateKeyword(word) == .in else { throw expected("IN after NOT") }
            comparison = .in
            negated = true
        }
        guard let comparison else { throw expected("an operator or the end") }
        try self.comparison(left, comparison, negated: negated)
    }

    private mutating func logical(_ given: ParsedOperand, isOr: Bool) throws(ObjectPredicateError) {
        let operand = try reduce(given, tighterThan: isOr ? 1 : 2)
        let node = try predicate(operand)
        if case .logical(isOr) = stack.last?.kind {
            stack[stack.count - 1].predicates.append(node)
        } else {
            var entry = ParserEntry(.logical(isOr: isOr), start: operand.start)
            entry.predicates = [node]
            try push(entry)
        }
        try advance()
    }

    private mutating func arithmetic(_ given: ParsedOperand, _ operation: ArithmeticOperator) throws(ObjectPredicateError) {
        let level = operation.level
        let operand = try reduce(given, tighterThan: level.rawValue)
        let expression = try value(operand)
        if case .arithmetic(level, let pending) = stack.last?.kind {
            stack[stack.count - 1].kind = .arithmetic(level, pending: operation)
            stack[stack.count - 1].terms.append(ArithmeticTerm(operation: pending, operand: expression))
        } else {
            var entry = ParserEntry(.arithmetic(level, pending: operation), start: operand.start)
            entry.first = expression
            try push(entry)
        }
        try advance()
    }

    private mutating func comparison(
        _ given: ParsedOperand, _ comparison: PredicateOperator, negated: Bool
    ) throws(ObjectPredicateError) {
        let operand = try reduce(given, tighterThan: 4)
        var quantifier: PredicateQuantifier?
        var place = operand.start
        switch stack.last?.kind {
        case .comparison: throw expected("AND, OR or the end after a comparison")
        case .quantifier(let found):
            quantifier = found
            place = pop()?.start ?? place
        default: break
        }
        let left = try value(operand)
        try advance()
        let options = try self.options(comparison)
        var entry = ParserEntry(.comparison(quantifier, comparison, options, negated: negated), start: place)
        entry.values = [left]
        try push(entry)
    }

    /// D6. A bracket right after an operator is never an operand.
    private mutating func options(_ comparison: PredicateOperator) throws(ObjectPredicateError) -> PredicateStringOptions {
        guard token == .symbol(.openBracket) else { return [] }
        if comparison == .between { throw expected("the two bounds, since BETWEEN takes no options") }
        try advance()
        guard case .word(let letters) = token else { throw expected("letters of c, d, n, l, w") }
        var options: PredicateStringOptions = []
        for letter in letters {
            let folded = Character(asciiLowercased(String(letter)))
            guard let option = PredicateStringOptions.letters.first(where: { $0.letter == folded })?.option else {
                throw expected("letters of c, d, n, l, w")
            }
            options.insert(option)
        }
        try advance()
        try expect(.closeBracket)
        return options
    }
}
