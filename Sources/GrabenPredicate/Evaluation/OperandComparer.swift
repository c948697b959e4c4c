/// Which outcomes of a comparison an operator of order or equality accepts.
struct OrderMask {
    let ascending: Bool
    let same: Bool
    let descending: Bool
    /// NaN on a side.
    let unordered: Bool

    init?(_ operation: PredicateOperator) {
        switch operation {
        case .equal: self.init(false, true, false, false)
        case .notEqual: self.init(true, false, true, true)
        case .less: self.init(true, false, false, false)
        case .lessOrEqual: self.init(true, true, false, false)
        case .greater: self.init(false, false, true, false)
        case .greaterOrEqual: self.init(false, true, true, false)
        default: return nil
        }
    }

    private init(_ ascending: Bool, _ same: Bool, _ descending: Bool, _ unordered: Bool) {
        self.ascending = ascending
        self.same = same
        self.descending = descending
        self.unordered = unordered
    }

    @inline(__always)
    func accepts(_ x: Int64, _ y: Int64) -> Bool { x < y ? ascending : (x == y ? same : descending) }

    @inline(__always)
    func accepts(_ x: Double, _ y: Double) -> Bool { x < y ? ascending : (x > y ? descending : (x == y ? same : unordered)) }

    func accepts(_ sign: Int?) -> Bool {
        guard let sign else { return unordered }
        return sign < 0 ? ascending : (sign == 0 ? same : descending)
    }
}

/// Applies an operator to two operands: the one place where the semantics of comparisons are written (D1, D2, D5-D11, D22, D24).
///
/// Faster forms for constants must answer what this answers.
struct OperandComparer {
    let operation: PredicateOperator
    let options: PredicateStringOptions
    private var fixedLeft: Operand?
    private let cache = PatternCache()

    init(_ operation: PredicateOperator, _ options: PredicateStringOptions) {
        self.operation = operation
        self.options = options
    }

    /// Folds a constant left side once.
    mutating func fix(left: Operand) {
        fixedLeft = operation == .matches ? left : left.folded(options)
    }

    func matches(_ left: Operand, _ right: Operand) throws(OperandProblem) -> Bool {
        // A regular expression folds on its own: folding its letters would change what \W means.
        if operation == .matches { return try compare(fixedLeft ?? left, right) }
        return try compare(fixedLeft ?? left.folded(options), right.folded(options))
    }

    /// The operator over operands already folded.
    func compare(_ left: Operand, _ right: Operand) throws(OperandProblem) -> Bool {
        // What else is refused, each operator finds by itself.
        if left.isCollection || right.isCollection, let refusal = operation.refusal(StaticType(left), StaticType(right)) {
            throw OperandProblem(refusal)
        }
        switch operation {
        case .equal: return left.equals(right)
        case .notEqual: return !left.equals(right)
        case .less, .lessOrEqual, .greater, .greaterOrEqual: return try ordered(left, right)
        case .between: return try between(left, right)
        case .in: return try isMember(left, of: right)
        case .contains: return try isMember(right, of: left)
        case .beginsWith, .endsWith, .like, .matches: return try textual(left, right)
        }
    }

    private func ordered(_ left: Operand, _ right: Operand) throws(OperandProblem) -> Bool {
        guard let mask = OrderMask(operation) else { return false }
        if left.isNull || right.isNull { return left.isNull && right.isNull && mask.same }
        switch left.order(right) {
        case .ascending: return mask.ascending
        case .same: return mask.same
        case .descending: return mask.descending
        case .unordered: return mask.unordered
        case .incomparable: throw OperandProblem("\(left.kindName) and \(right.kindName) have no order between them")
        }
    }

    private func between(_ left: Operand, _ right: Operand) throws(OperandProblem) -> Bool {
        if right.isNull { return false }
        guard case .collection(let bounds) = right else {
            throw OperandProblem("BETWEEN takes two bounds, {low, high}, not \(right.kindName)")
        }
        guard bounds.elements.count == 2 else { throw OperandProblem("BETWEEN takes two bounds, not \(bounds.elements.count)") }
        if left.isNull || bounds.elements[0].isNull || bounds.elements[1].isNull { return false }
        let low = left.order(bounds.elements[0])
        let high = left.order(bounds.elements[1])
        for (order, bound) in [(low, bounds.elements[0]), (high, bounds.elements[1])] {
            if case .incomparable = order { throw OperandProblem("\(left.kindName) and \(bound.kindName) have no order between them") }
        }
        switch (low, high) {
        case (.descending, .ascending), (.descending, .same), (.same, .ascending), (.same, .same): return true
        default: return false
        }
    }

    private func isMember(_ part: Operand, of whole: Operand) throws(OperandProblem) -> Bool {
        switch whole {
        case .null: return false
        case .collection(let collection):
            for element in collection.elements where element.equals(part) { return true }
            return false
        case .string(let text):
            if part.isNull { return false }
            guard case .string(let needle) = part else { throw OperandProblem("\(part.kindName) cannot be part of a string") }
            return TextSearch.contains(text, needle)
        default: throw OperandProblem("\(operation.rawValue) takes a collection or a string, not \(whole.kindName)")
        }
    }

    private func textual(_ left: Operand, _ right: Operand) throws(OperandProblem) -> Bool {
        if left.isNull || right.isNull { return false }
        guard case .string(let text) = left, case .string(let other) = right else {
            throw OperandProblem("\(operation.rawValue) compares strings, not \(left.kindName) with \(right.kindName)")
        }
        switch operation {
        case .beginsWith: return TextSearch.begins(text, with: other)
        case .endsWith: return TextSearch.ends(text, with: other)
        case .like:
            let pattern = LikePattern(other)
            if let refusal = pattern.refusal { throw OperandProblem(refusal) }
            return pattern.matches(text)
        default:
            do throws(MatchPattern.Refusal) { return try cache.pattern(other, options).matches(text) } catch {
                throw OperandProblem(error.reason)
            }
        }
    }
}

/// The regular expressions of one comparison whose pattern is not constant, the last few of them compiled.
final class PatternCache {
    private var patterns: [(text: String, pattern: MatchPattern)] = []

    func pattern(_ text: String, _ options: PredicateStringOptions) throws(MatchPattern.Refusal) -> MatchPattern {
        if let known = patterns.first(where: { TextSearch.equal($0.text, text) }) { return known.pattern }
        let pattern = try MatchPattern(text, options)
        if patterns.count == 16 { patterns.removeFirst() }
        patterns.append((text, pattern))
        return pattern
    }
}
