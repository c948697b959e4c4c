import GrabenLog

extension PredicateParser {
    // MARK: Steps

    /// Reads keys, operators and indexes behind an operand. Answers true where an index holds an expression, which comes next.
    mutating func steps(_ operand: inout ParsedOperand) throws(ObjectPredicateError) -> Bool {
        while true {
            switch token {
            case .symbol(.dot):
                try mustBeValue(operand)
                try advance()
                if case .collection = token { try collectionStep(&operand) } else { operand.steps += try key() }
            case .symbol(.openBracket):
                try mustBeValue(operand)
                if try index(&operand) { return true }
            default:
                return false
            }
        }
    }

    private func mustBeValue(_ operand: ParsedOperand) throws(ObjectPredicateError) {
        guard case .value = operand.content else { throw expected("AND, OR or the end after a predicate") }
    }

    /// One key, or several where a `%K` argument has dots in it; none for `self`, which leaves the value as it is.
    private mutating func key() throws(ObjectPredicateError) -> [PredicateStep] {
        var steps: [PredicateStep]
        switch token {
        case .escaped(let name): steps = [.key(name)]
        case .word(let word):
            switch PredicateKeyword(word) {
            case nil: steps = [.key(word)]
            case .self: steps = []
            default: throw expected("a key (\"\(word)\" is a reserved word; as a key write #\(word))")
            }
        case .conversion("K"): steps = try keySteps(try takeArgument("K"), start)
        default: throw expected("a key")
        }
        try advance()
        return steps
    }

    /// Reads `@name` and the whole rest of the path as its keys; operators in the rest nest to the right.
    mutating func collectionStep(_ operand: inout ParsedOperand) throws(ObjectPredicateError) {
        var operations: [(operation: CollectionOperator, keys: [PredicateStep])] = []
        reading: while case .collection(let name) = token {
            let place = start
            guard let operation = CollectionOperator(rawValue: name) else {
                let names = CollectionOperator.allCases.map(\.rawValue)
                let near = nearestName(to: name, in: names).map { "; did you mean @\($0)?" } ?? ""
                throw lexer.fail("there is no collection operator @\(name)\(near)", at: place)
            }
            if operations.count >= limits.depth { throw lexer.fail("the predicate nests deeper than \(limits.depth) levels", at: place) }
            try advance()
            var keys: [PredicateStep] = []
            var hasKeys = false
            while token == .symbol(.dot) {
                try advance()
                hasKeys = true
                if case .collection = token {
                    operations.append((operation, keys))
                    continue reading
                }
                keys += try key()
            }
            if !hasKeys, operation != .count {
                throw lexer.fail("a key after @\(name), or self for the members themselves", found: token.text, at: start)
            }
            operations.append((operation, keys))
            break
        }
        var step: PredicateStep?
        for (operation, keys) in operations.reversed() { step = .collection(operation, keys + (step.map { [$0] } ?? [])) }
        if let step { operand.steps.append(step) }
    }

    private mutating func index(_ operand: inout ParsedOperand) throws(ObjectPredicateError) -> Bool {
        let place = start
        try advance()
        if case .word(let word) = token {
            let step: PredicateStep?
            switch PredicateKeyword(word) {
            case .first: step = .first
            case .last: step = .last
            case .size: step = .size
            default: step = nil
            }
            if let step {
                try advance()
                try expect(.closeBracket)
                operand.steps.append(step)
                return false
            }
        }
        try push(ParserEntry(.group(.index), start: place))
        stack[stack.count - 1].base = operand
        operand = ParsedOperand(.object, start: place)
        return true
    }

    // MARK: Brackets

    /// Reads a closing bracket and answers what it completes.
    mutating func close(_ given: ParsedOperand) throws(ObjectPredicateError) -> ParsedOperand {
        var operand = try reduce(given, tighterThan: 0)
        // Only the kind is looked at: a copy of the entry would share its arguments, and adding one would copy them all.
        guard case .group(let group) = stack.last?.kind else { throw expected("an operator or the end") }
        let closing: PredicateSymbol
        switch group {
        case .braces: closing = .closeBrace
        case .index: closing = .closeBracket
        default: closing = .close
        }
        guard token == .symbol(closing), var entry = pop() else {
            throw expected("\"\(closing.rawValue)\" for the bracket at position \(stack.last?.start ?? 0)")
        }
        switch group {
        case .parentheses:
            operand = try parenthesized(operand, entry.start)
        case .braces:
            entry.values.append(try value(operand))
            operand = ParsedOperand(.aggregate(entry.values), start: entry.start)
        case .index:
            let step = PredicateStep.index(try value(operand))
            guard var base = entry.base else { break }
            // The entry lets go first, so that the steps have one owner and are not copied.
            entry.base = nil
            base.steps.append(step)
            operand = base
        case .call(let function):
            entry.values.append(try value(operand))
            guard entry.values.count == function.argumentCount else { throw expected("another argument of \(function.rawValue)") }
            operand = ParsedOperand(.function(function, entry.values), start: entry.start)
        case .cast:
            entry.values.append(try value(operand))
            guard entry.values.count == 2 else { throw expected("\",\" and the name of a type") }
            operand = ParsedOperand(.casting(entry.values[0], entry.values[1]), start: entry.start)
        case .ternary:
            entry.values.append(try value(operand))
            guard let test = entry.predicates.first, entry.values.count == 2 else {
                throw expected("\",\": TERNARY takes a predicate and two values")
            }
            operand = ParsedOperand(.ternary(test, entry.values[0], entry.values[1]), start: entry.start)
        case .custom:
            operand = try custom(entry, last: operand)
        case .subquery(let variable):
            guard let variable else { throw expected("\",\", a $variable and a predicate") }
            operand = ParsedOperand(.subquery(entry.values[0], variable: variable, try predicate(operand)), start: entry.start)
        }
        try advance()
        return operand
    }

    /// What stood in parentheses: its steps are settled, so that an operator among them does not take keys from behind the bracket.
    private func parenthesized(_ operand: ParsedOperand, _ start: Int) throws(ObjectPredicateError) -> ParsedOperand {
        switch operand.content {
        case .predicate(let node): ParsedOperand(node, start: start)
        case .value: ParsedOperand(try value(operand), start: start)
        }
    }

    /// Reads a comma between arguments.
    mutating func comma(_ given: ParsedOperand) throws(ObjectPredicateError) {
        let operand = try reduce(given, tighterThan: 0)
        guard case .group(let group) = stack.last?.kind else { throw expected("an operator or the end") }
        let top = stack.count - 1
        switch group {
        case .parentheses: throw expected("\")\" (lists are written in braces: {1, 2})")
        case .index: throw expected("\"]\"")
        case .braces:
            stack[top].values.append(try value(operand))
        case .call(let function):
            guard stack[top].values.count + 1 < function.argumentCount else {
                throw expected("\")\", since \(function.rawValue) takes \(function.argumentCount) argument(s)")
            }
            stack[top].values.append(try value(operand))
        case .cast:
            guard stack[top].values.isEmpty else { throw expected("\")\": CAST takes a value and the name of a type") }
            stack[top].values.append(try value(operand))
        case .ternary:
            if stack[top].predicates.isEmpty {
                stack[top].predicates.append(try predicate(operand))
            } else {
                guard stack[top].values.isEmpty else { throw expected("\")\": TERNARY takes a predicate and two values") }
                stack[top].values.append(try value(operand))
            }
        case .custom:
            stack[top].values.append(try value(operand))
            if stack[top].values.count == 2 { try checkCustom(stack[top].values[1]) }
        case .subquery(let variable):
            guard variable == nil else { throw expected("\")\": SUBQUERY takes a collection, a $variable and a predicate") }
            let collection = try value(operand)
            try advance()
            guard case .variable(let name) = token else { throw expected("the $variable that stands for a member") }
            try advance()
            guard token == .symbol(.comma) else { throw expected("\",\" and a predicate") }
            stack[top].kind = .group(.subquery(variable: name))
            stack[top].values = [collection]
        }
        try advance()
    }

    // MARK: FUNCTION

    /// D17: the name is a string, and one that is registered.
    private func checkCustom(_ name: ValueExpression) throws(ObjectPredicateError) {
        guard case .value(.string(let text)) = name else {
            throw expected("the name of a registered function as a string before this")
        }
        guard PredicateFunctions.body(named: text) == nil else { return }
        let names = PredicateFunctions.names
        let near = nearestName(to: text, in: names).map { "; did you mean \"\($0)\"?" } ?? ""
        throw lexer.fail("no function \"\(text)\" is registered\(near)", at: start)
    }

    private func custom(_ given: ParserEntry, last: ParsedOperand) throws(ObjectPredicateError) -> ParsedOperand {
        var entry = given
        entry.values.append(try value(last))
        guard entry.values.count >= 2 else { throw expected("\",\" and the name of a function as a string") }
        if entry.values.count == 2 { try checkCustom(entry.values[1]) }
        guard case .value(.string(let name)) = entry.values[1] else { throw expected("the name of a function as a string") }
        return ParsedOperand(.custom(name, [entry.values[0]] + entry.values[2...]), start: entry.start)
    }
}
