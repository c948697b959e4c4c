/// Something that looks at, and may replace, each expression of a tree.
///
/// `sawPath` gets the keys of a path from SELF; `replaceVariable` gets each variable that no SUBQUERY around it declares;
/// `replaceFunction` gets each call with its arguments as they were, and `replacePath` each path, but for those inside a SUBQUERY's predicate.
struct PredicateWalk {
    var replaceVariable: (String) -> ValueExpression?
    var replaceFunction: (PredicateFunction, [ValueExpression]) -> ValueExpression?
    var replacePath: (ValueExpression, [PredicateStep]) -> ValueExpression?
    var sawPath: (ValueExpression, [PredicateStep]) -> Void
    private var declared: [String] = []

    init(
        replaceVariable: @escaping (String) -> ValueExpression? = { _ in nil },
        replaceFunction: @escaping (PredicateFunction, [ValueExpression]) -> ValueExpression? = { _, _ in nil },
        replacePath: @escaping (ValueExpression, [PredicateStep]) -> ValueExpression? = { _, _ in nil },
        sawPath: @escaping (ValueExpression, [PredicateStep]) -> Void = { _, _ in }
    ) {
        self.replaceVariable = replaceVariable
        self.replaceFunction = replaceFunction
        self.replacePath = replacePath
        self.sawPath = sawPath
    }

    mutating func walk(_ node: PredicateNode) -> PredicateNode {
        switch node {
        case .constant: return node
        case .not(let inner): return .not(walk(inner))
        case .and(let members): return .and(walk(members))
        case .or(let members): return .or(walk(members))
        case .comparison(var comparison):
            comparison.left = walk(comparison.left)
            comparison.right = walk(comparison.right)
            return .comparison(comparison)
        }
    }

    private mutating func walk(_ members: [PredicateNode]) -> [PredicateNode] {
        var walked = members
        for index in walked.indices { walked[index] = walk(walked[index]) }
        return walked
    }

    private mutating func walk(_ members: [ValueExpression]) -> [ValueExpression] {
        var walked = members
        for index in walked.indices { walked[index] = walk(walked[index]) }
        return walked
    }

    mutating func walk(_ expression: ValueExpression) -> ValueExpression {
        switch expression {
        case .value, .object: return expression
        case .variable(let name): return declared.contains(name) ? expression : replaceVariable(name) ?? expression
        case .aggregate(let members): return .aggregate(walk(members))
        case .path(let base, let steps):
            sawPath(base, steps)
            if declared.isEmpty, let replacement = replacePath(base, steps) { return replacement }
            let walked = walk(base)
            return .stepped(walked, walk(steps))
        case .chain(let level, let first, var terms):
            let walked = walk(first)
            for index in terms.indices { terms[index].operand = walk(terms[index].operand) }
            return .chained(level, walked, terms)
        case .unary(let operation, let operand): return .signed(operation, walk(operand))
        case .function(let function, let arguments):
            if declared.isEmpty, let replacement = replaceFunction(function, arguments) { return replacement }
            return .function(function, walk(arguments))
        case .custom(let name, let arguments): return .custom(name, walk(arguments))
        case .cast(let operand, let type): return .casting(walk(operand), walk(type))
        case .ternary(let test, let first, let second): return .ternary(walk(test), walk(first), walk(second))
        case .subquery(let collection, let variable, let predicate):
            let walked = walk(collection)
            declared.append(variable)
            defer { declared.removeLast() }
            return .subquery(walked, variable: variable, walk(predicate))
        }
    }

    private mutating func walk(_ steps: [PredicateStep]) -> [PredicateStep] {
        var walked = steps
        for index in walked.indices {
            if case .index(let place) = walked[index] { walked[index] = .index(walk(place)) }
        }
        return walked
    }
}

extension PredicateNode {
    /// The variables that need a value: all but those a SUBQUERY around them declares.
    package var variableNames: Set<String> {
        var names: Set<String> = []
        var walk = PredicateWalk(replaceVariable: {
            names.insert($0)
            return nil
        })
        _ = walk.walk(self)
        return names
    }

    /// The keys of each path from SELF, up to its first operator or index, and those of operators' right sides behind them.
    package var keyPaths: [[String]] {
        var paths: [[String]] = []
        var walk = PredicateWalk(sawPath: { base, steps in
            guard base == .object else { return }
            var keys: [String] = []
            func add(_ steps: [PredicateStep]) {
                for step in steps {
                    switch step {
                    case .key(let name): keys.append(name)
                    case .collection(_, let inner): return add(inner)
                    default: break
                    }
                }
            }
            add(steps)
            if !keys.isEmpty { paths.append(keys) }
        })
        _ = walk.walk(self)
        return paths
    }
}
