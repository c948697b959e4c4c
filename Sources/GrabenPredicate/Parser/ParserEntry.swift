/// A parsed operand: a predicate or a value, and the steps read after it so far.
///
/// Steps are collected here and put into the tree once, so that a path of a hundred thousand steps costs one array.
struct ParsedOperand {
    enum Content {
        case predicate(PredicateNode)
        case value(ValueExpression)
    }
    var content: Content
    var steps: [PredicateStep] = []
    /// Where its first token stands.
    let start: Int

    init(_ expression: ValueExpression, start: Int) {
        content = .value(expression)
        self.start = start
    }

    init(_ node: PredicateNode, start: Int) {
        content = .predicate(node)
        self.start = start
    }
}

/// What waits on the parser's stack for its (next) operand.
///
/// One struct rather than an enum with payloads: a chain's members are appended in place, and taking them out of an enum to add one
/// would copy all of them each time.
struct ParserEntry {
    enum Kind {
        /// Members of an OR (true) or an AND in `predicates`.
        case logical(isOr: Bool)
        case not
        case quantifier(PredicateQuantifier)
        case comparison(PredicateQuantifier?, PredicateOperator, PredicateStringOptions, negated: Bool)
        /// Operands before the pending operator are in `first` and `terms`.
        case arithmetic(ArithmeticLevel, pending: ArithmeticOperator)
        case unary(UnaryOperator)
        case group(Group)
    }

    /// Everything that a bracket closes.
    enum Group {
        case parentheses, braces
        case index
        case call(PredicateFunction)
        case cast, ternary, custom
        case subquery(variable: String?)
    }

    var kind: Kind
    /// Where its token stands.
    let start: Int
    var predicates: [PredicateNode] = []
    var first: ValueExpression?
    var terms: [ArithmeticTerm] = []
    /// The arguments of a group read so far, or the left side of a comparison.
    var values: [ValueExpression] = []
    /// What an index is applied to.
    var base: ParsedOperand?

    init(_ kind: Kind, start: Int) {
        self.kind = kind
        self.start = start
    }

    /// Precedence: an operator takes its operand from entries that bind tighter than itself. Brackets are never taken.
    var level: Int {
        switch kind {
        case .group: 0
        case .logical(let isOr): isOr ? 1 : 2
        case .not: 3
        case .quantifier, .comparison: 4
        case .arithmetic(let level, _): level.rawValue
        case .unary: 12
        }
    }

    /// Whether its operand is a predicate, so that NOT and ANY may begin it.
    var takesPredicate: Bool {
        switch kind {
        case .logical, .not: true
        case .group(.parentheses): true
        case .group(.ternary): values.isEmpty && predicates.isEmpty
        case .group(.subquery(let variable)): variable != nil
        default: false
        }
    }

    /// Whether it deepens the tree; chains do not.
    var nests: Bool {
        switch kind {
        case .group, .not, .unary: true
        default: false
        }
    }
}
