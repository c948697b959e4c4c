import GrabenLog

extension PredicateParser {
    /// Reads what begins an operand. Answers nil after a prefix or an opening bracket, behind which the operand follows.
    mutating func operand() throws(ObjectPredicateError) -> ParsedOperand? {
        let place = start
        switch token {
        case .string(let text): return try literal(.string(text))
        case .int(let number): return try literal(.int(number))
        case .double(let number): return try literal(.double(number))
        case .variable(let name):
            try advance()
            return ParsedOperand(.variable(name), start: place)
        case .escaped(let name):
            try advance()
            return path([.key(name)], place)
        case .collection:
            // Operators at the beginning apply to SELF; `steps` reads them.
            var operand = ParsedOperand(.object, start: place)
            try collectionStep(&operand)
            return operand
        case .conversion(let letter): return try conversion(letter, place)
        case .word(let word): return try self.word(word, place)
        case .symbol(.open): try open(.parentheses)
        case .symbol(.openBrace):
            try open(.braces)
            if token == .symbol(.closeBrace) {
                _ = pop()
                try advance()
                return ParsedOperand(.aggregate([]), start: place)
            }
        case .symbol(.not): try prefix(.not, "NOT")
        case .symbol(.minus): try unary(.minus)
        case .symbol(.plus): try unary(.plus)
        case .symbol(.tilde): try unary(.complement)
        default: throw expected("a name, a value or a predicate")
        }
        return nil
    }

    private mutating func literal(_ value: Value) throws(ObjectPredicateError) -> ParsedOperand {
        let place = start
        try advance()
        return ParsedOperand(.value(value), start: place)
    }

    private func path(_ steps: [PredicateStep], _ place: Int) -> ParsedOperand {
        var operand = ParsedOperand(.object, start: place)
        operand.steps = steps
        return operand
    }

    private mutating func open(_ group: ParserEntry.Group) throws(ObjectPredicateError) {
        try push(ParserEntry(.group(group), start: start))
        try advance()
    }

    private mutating func unary(_ operation: UnaryOperator) throws(ObjectPredicateError) {
        try push(ParserEntry(.unary(operation), start: start))
        try advance()
    }

    /// NOT and quantifiers begin a predicate, so they may stand only where one may.
    private mutating func prefix(_ kind: ParserEntry.Kind, _ name: String) throws(ObjectPredicateError) {
        guard stack.last?.takesPredicate ?? true else { throw expected("a value; \(name) begins a predicate") }
        try push(ParserEntry(kind, start: start))
        try advance()
    }

    private mutating func word(_ word: String, _ place: Int) throws(ObjectPredicateError) -> ParsedOperand? {
        guard let keyword = PredicateKeyword(word) else {
            try advance()
            if token == .symbol(.open) || token == .symbol(.colon) { return try call(word, place) }
            return path([.key(word)], place)
        }
        if let quantifier = keyword.quantifier {
            try prefix(.quantifier(quantifier), quantifier.rawValue)
            return nil
        }
        switch keyword {
        case .truePredicate, .falsePredicate:
            try advance()
            return ParsedOperand(.constant(keyword == .truePredicate), start: place)
        case .true, .yes: return try literal(.bool(true))
        case .false, .no: return try literal(.bool(false))
        case .null, .nil: return try literal(.null)
        case .self:
            try advance()
            return ParsedOperand(.object, start: place)
        case .not:
            try prefix(.not, "NOT")
            return nil
        case .subquery: return try special(.subquery(variable: nil), word)
        case .ternary: return try special(.ternary, word)
        case .cast: return try special(.cast, word)
        case .function: return try special(.custom, word)
        default:
            throw expected("a name, a value or a predicate (\"\(word)\" is a reserved word; as a name write #\(word))")
        }
    }

    private mutating func special(_ group: ParserEntry.Group, _ word: String) throws(ObjectPredicateError) -> ParsedOperand? {
        try advance()
        guard token == .symbol(.open) else { throw expected("\"(\" after \(word)") }
        try open(group)
        return nil
    }

    // MARK: Functions

    /// Reads the rest of a function's name (`modulus:by:`) and its opening bracket.
    private mutating func call(_ word: String, _ place: Int) throws(ObjectPredicateError) -> ParsedOperand? {
        var name = word
        while token == .symbol(.colon) {
            name += ":"
            let colon = start
            try advance()
            if case .symbol(.equal) = token {
                throw lexer.fail("an operator (assignments are not part of the language)", found: "\":=\"", at: colon)
            }
            if case .word(let part) = token {
                name += part
                try advance()
                guard token == .symbol(.colon) else { throw expected("\":\" after \"\(name)\"") }
            }
        }
        guard let function = PredicateFunction(written: name) else {
            let near = nearestName(to: name, in: PredicateFunction.allCases.map(\.rawValue)).map { "; did you mean \($0)?" } ?? ""
            throw lexer.fail("there is no function \"\(name)\"\(near)", at: place)
        }
        guard token == .symbol(.open) else { throw expected("\"(\" after \(name)") }
        try push(ParserEntry(.group(.call(function)), start: place))
        try advance()
        guard token == .symbol(.close) else {
            if function.argumentCount == 0 { throw expected("\")\", since \(function.rawValue)() takes no argument") }
            return nil
        }
        guard function.argumentCount == 0 else { throw expected("an argument of \(function.rawValue)") }
        _ = pop()
        try advance()
        return ParsedOperand(.function(function, []), start: place)
    }

    // MARK: Arguments

    private mutating func conversion(_ letter: Character, _ place: Int) throws(ObjectPredicateError) -> ParsedOperand {
        let argument = try takeArgument(letter)
        if letter == "K" {
            let steps = try keySteps(argument, place)
            try advance()
            return path(steps, place)
        }
        try advance()
        return ParsedOperand(argument.expression, start: place)
    }

    /// The argument of the conversion at the current token (D19).
    mutating func takeArgument(_ letter: Character) throws(ObjectPredicateError) -> FormatArgument {
        guard argumentsTaken < arguments.count else {
            throw lexer.fail(
                "an argument for %\(letter), the format's number \(argumentsTaken + 1); \(arguments.count) were given", at: start)
        }
        let argument = arguments[argumentsTaken]
        argumentsTaken += 1
        if "fega".contains(letter), case .literal(.value(.int(let number))) = argument { return .literal(.value(.double(Double(number)))) }
        return argument
    }

    /// The steps a `%K` argument spells: split at dots, every part a name whatever it says, `@name` an operator.
    func keySteps(_ argument: FormatArgument, _ place: Int) throws(ObjectPredicateError) -> [PredicateStep] {
        guard case .literal(.value(.string(let text))) = argument else {
            throw lexer.fail("a string as the argument of %K", found: "another value", at: place)
        }
        guard let steps = PredicateStep.steps(dotted: text) else {
            throw lexer.fail("a key path as the argument of %K", found: "\"\(text)\"", at: place)
        }
        return steps
    }
}

extension PredicateStep {
    /// The steps of a dotted key path; nil where a part is empty or an operator is unknown or lacks its keys.
    package static func steps(dotted text: String) -> [PredicateStep]? {
        var reversed: [PredicateStep] = []
        for part in text.split(separator: ".", omittingEmptySubsequences: false).reversed() {
            if part.isEmpty { return nil }
            if part.first == "@" {
                guard let operation = CollectionOperator(rawValue: String(part.dropFirst())) else { return nil }
                if reversed.isEmpty, operation != .count { return nil }
                // `self` alone is the member itself, in any operator.
                let keys = reversed == [.key("self")] ? [] : Array(reversed.reversed())
                reversed = [.collection(operation, keys)]
            } else {
                reversed.append(.key(String(part)))
            }
        }
        return reversed.reversed()
    }
}
