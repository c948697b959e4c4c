import FoundationEssentials
import GrabenLog

/// Compiles a tree for an entity: names become indexes, types are checked, constants computed once.
///
/// The result is closures over what was resolved. Recursion is as deep as the tree, which the parser's limit bounds.
struct PredicateBinder {
    let schema: any PredicateSchema
    let variables: [String: PredicateBinding]
    let now: Date
    /// Reads the object a reference names, where a key path goes on from one.
    let resolve: ((ObjectID) throws -> (any PredicateObject)?)?
    /// The iterators in scope, innermost last, each with its place among the frame's locals.
    var scope: [(name: String, type: StaticType)] = []
    /// The indexes of the object's own properties that are read.
    var properties: Set<Int> = []

    init(
        schema: any PredicateSchema, variables: [String: PredicateBinding], now: Date,
        resolve: ((ObjectID) throws -> (any PredicateObject)?)?
    ) {
        self.schema = schema
        self.variables = variables
        self.now = now
        self.resolve = resolve
    }

    func site(_ node: PredicateNode) -> EvaluationSite { EvaluationSite(.node(node), entity: schema.name) }
    func site(_ expression: ValueExpression) -> EvaluationSite { EvaluationSite(.expression(expression), entity: schema.name) }

    // MARK: Predicates

    mutating func compile(_ node: PredicateNode) throws(ObjectPredicateError) -> BoundTest {
        switch node {
        case .constant(let value): return BoundTest(constant: value)
        case .not(let inner): return negate(try compile(inner))
        case .and(let members): return try all(members)
        case .or(let members): return try any(members)
        case .comparison(let comparison):
            let test = try compile(comparison, site(node))
            test.node = node
            return test
        }
    }

    private func negate(_ test: BoundTest) -> BoundTest {
        if let constant = test.constant { return BoundTest(constant: !constant) }
        let evaluate = test.evaluate
        return BoundTest(form: .negation(test.compiled), isSafe: test.isSafe) { frame throws(ObjectPredicateError) in
            !(try evaluate(&frame))
        }
    }

    private mutating func all(_ members: [PredicateNode]) throws(ObjectPredicateError) -> BoundTest {
        var tests: [BoundTest] = []
        var isFalse = false
        for member in members {
            // Every member is bound, so that an unknown key is reported even behind a false (D20).
            let test = try compile(member)
            if isFalse { continue }
            if test.constant == true { continue }
            // What stands before a constant false is still evaluated: it may throw, and errors are part of the answer.
            if test.constant == false { isFalse = true }
            tests.append(test)
        }
        if tests.isEmpty { return BoundTest(constant: true) }
        if isFalse, tests.count == 1 { return BoundTest(constant: false) }
        if tests.count == 1 { return tests[0] }
        let form = CompiledTest.conjunction(tests.map(\.compiled))
        let isSafe = tests.allSatisfy(\.isSafe)
        if tests.count == 2 {
            let first = tests[0].evaluate
            let second = tests[1].evaluate
            return BoundTest(form: form, isSafe: isSafe) { frame throws(ObjectPredicateError) in
                if !(try first(&frame)) { return false }
                return try second(&frame)
            }
        }
        let kept = tests
        return BoundTest(form: form, isSafe: isSafe) { frame throws(ObjectPredicateError) in
            for test in kept where !(try test.evaluate(&frame)) { return false }
            return true
        }
    }

    private mutating func any(_ members: [PredicateNode]) throws(ObjectPredicateError) -> BoundTest {
        var tests: [BoundTest] = []
        var isTrue = false
        for member in members {
            let test = try compile(member)
            if isTrue { continue }
            if test.constant == false { continue }
            if test.constant == true { isTrue = true }
            tests.append(test)
        }
        if tests.isEmpty { return BoundTest(constant: false) }
        if isTrue, tests.count == 1 { return BoundTest(constant: true) }
        if tests.count == 1 { return tests[0] }
        let kept = tests
        let isSafe = tests.allSatisfy(\.isSafe)
        return BoundTest(form: .disjunction(tests.map(\.compiled)), isSafe: isSafe) { frame throws(ObjectPredicateError) in
            for test in kept where try test.evaluate(&frame) { return true }
            return false
        }
    }

    // MARK: Values

    mutating func compile(_ expression: ValueExpression) throws(ObjectPredicateError) -> BoundValue {
        switch expression {
        case .value(let value): return BoundValue(constant: Operand(value))
        case .aggregate(let members): return try aggregate(members, site(expression))
        case .object: return BoundValue(type: .object(schema), isSafe: true) { frame throws(ObjectPredicateError) in .object(frame.root) }
        case .variable(let name): return try variable(name)
        case .path(let base, let steps): return try path(base, steps, expression)
        case .chain(_, let first, let terms): return try chain(first, terms, site(expression))
        case .unary(let operation, let operand): return try unary(operation, operand, site(expression))
        case .function(let function, let arguments): return try call(function, arguments, site(expression))
        case .custom(let name, let arguments): return try custom(name, arguments, site(expression))
        case .cast(let operand, let type): return try cast(operand, type, site(expression))
        case .ternary(let test, let first, let second): return try ternary(test, first, second)
        case .subquery(let collection, let name, let predicate): return try subquery(collection, name, predicate, site(collection))
        }
    }

    /// A value computed of others, computed now where they are all constant. An error then waits for the evaluation: behind a short
    /// circuit it may never come; but a key that does not exist is always reported (D20).
    func folded(_ value: BoundValue, constant: Bool) throws(ObjectPredicateError) -> BoundValue {
        guard constant else { return value }
        var frame = EvaluationFrame(root: NoObject())
        do throws(ObjectPredicateError) {
            let folded = BoundValue(constant: try value.evaluate(&frame))
            if case .unknown = folded.type { folded.type = value.type }
            return folded
        } catch .unknownKey(let key, let keyPath, let entity, let nearest) {
            throw .unknownKey(key: key, keyPath: keyPath, entity: entity, nearest: nearest)
        } catch {
            return value
        }
    }

    func apply(
        _ value: BoundValue, type: StaticType = .scalar(nil), site: EvaluationSite,
        _ operation: @escaping (Operand) throws(OperandProblem) -> Operand
    ) throws(ObjectPredicateError) -> BoundValue {
        let evaluate = value.evaluate
        let bound = BoundValue(type: type) { frame throws(ObjectPredicateError) in
            let operand = try evaluate(&frame)
            do throws(OperandProblem) { return try operation(operand) } catch { throw site.error(error) }
        }
        return try folded(bound, constant: value.constant != nil)
    }

    private mutating func unary(
        _ operation: UnaryOperator, _ operand: ValueExpression, _ site: EvaluationSite
    ) throws(ObjectPredicateError) -> BoundValue {
        try apply(try compile(operand), type: .scalar(.number), site: site) { value throws(OperandProblem) in
            try Operand.unary(operation, value)
        }
    }

    private mutating func aggregate(
        _ members: [ValueExpression], _ site: EvaluationSite
    ) throws(ObjectPredicateError) -> BoundValue {
        var values: [BoundValue] = []
        values.reserveCapacity(members.count)
        for member in members { values.append(try compile(member)) }
        var constants: [Operand] = []
        for value in values {
            guard let constant = value.constant else { break }
            constants.append(constant)
        }
        if constants.count == values.count { return BoundValue(constant: .list(constants)) }
        let parts = values
        return BoundValue(type: .collection(.unknown, isOrdered: true, .computed)) { frame throws(ObjectPredicateError) in
            try frame.visit(parts.count, site)
            var elements: [Operand] = []
            elements.reserveCapacity(parts.count)
            for part in parts { elements.append(try part.evaluate(&frame)) }
            return .list(elements)
        }
    }

    private func variable(_ name: String) throws(ObjectPredicateError) -> BoundValue {
        if let slot = scope.lastIndex(where: { $0.name == name }) {
            return BoundValue(type: scope[slot].type, isSafe: true) { frame throws(ObjectPredicateError) in frame.locals[slot] }
        }
        guard let binding = variables[name] else { throw .unboundVariable(name: name, known: variables.keys.sorted()) }
        return BoundValue(constant: Operand(binding, origin: .computed))
    }

    private mutating func chain(
        _ first: ValueExpression, _ terms: [ArithmeticTerm], _ site: EvaluationSite
    ) throws(ObjectPredicateError) -> BoundValue {
        var left = try compile(first)
        var parts: [(operation: ArithmeticOperator, operand: BoundValue)] = []
        for term in terms {
            let right = try compile(term.operand)
            // Leading constants are computed now, one operator at a time.
            if parts.isEmpty, let x = left.constant, let y = right.constant, let result = try? Operand.arithmetic(term.operation, x, y) {
                left = BoundValue(constant: result)
            } else {
                parts.append((term.operation, right))
            }
        }
        if parts.isEmpty { return left }
        let begin = left.evaluate
        let rest = parts
        // Sums may be dates, so no family is claimed.
        return BoundValue(type: .scalar(nil)) { frame throws(ObjectPredicateError) in
            var result = try begin(&frame)
            for part in rest {
                let operand = try part.operand.evaluate(&frame)
                do throws(OperandProblem) { result = try Operand.arithmetic(part.operation, result, operand) } catch {
                    throw site.error(error)
                }
            }
            return result
        }
    }

    private mutating func ternary(
        _ test: PredicateNode, _ first: ValueExpression, _ second: ValueExpression
    ) throws(ObjectPredicateError) -> BoundValue {
        let test = try compile(test)
        let (first, second) = (try compile(first), try compile(second))
        if let constant = test.constant { return constant ? first : second }
        let decide = test.evaluate
        let yes = first.evaluate
        let no = second.evaluate
        return BoundValue(type: .unknown) { frame throws(ObjectPredicateError) in
            try decide(&frame) ? try yes(&frame) : try no(&frame)
        }
    }

    private mutating func subquery(
        _ collection: ValueExpression, _ name: String, _ predicate: PredicateNode, _ site: EvaluationSite
    ) throws(ObjectPredicateError) -> BoundValue {
        let source = try compile(collection)
        switch source.type {
        case .scalar(let family?): throw site.error("SUBQUERY takes a collection, not \(family.kindName)")
        case .object: throw site.error("SUBQUERY takes a collection, not an object")
        default: break
        }
        scope.append((name, source.type.member))
        defer { scope.removeLast() }
        let bound = try compile(predicate)
        let test = bound.evaluate
        let isSafe = source.isSafe && bound.isSafe
        let members = source.evaluate
        let slot = scope.count - 1
        var isOrdered = true
        if case .collection(_, let ordered, _) = source.type { isOrdered = ordered }
        return BoundValue(type: .collection(source.type.member, isOrdered: isOrdered, .computed), isSafe: isSafe) {
            frame throws(ObjectPredicateError) in
            switch try members(&frame) {
            case .null: return .list([])
            case .collection(var collection):
                var kept: [Operand] = []
                // The locals are those of the SUBQUERYs around; one inside the predicate puts them back as it found them.
                let outer = frame.locals
                frame.locals = outer.prefix(slot) + [.null]
                for element in collection.elements {
                    try frame.visit(1, site)
                    frame.locals[slot] = element
                    if try test(&frame) { kept.append(element) }
                }
                frame.locals = outer
                collection.elements = kept
                collection.origin = .computed
                return .collection(collection)
            case let other: throw site.error("SUBQUERY takes a collection, not \(other.kindName)")
            }
        }
    }
}
