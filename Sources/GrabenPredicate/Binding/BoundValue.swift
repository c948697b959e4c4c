import GrabenLog

/// What the parts of a bound predicate are evaluated with.
struct EvaluationFrame {
    let root: any PredicateObject
    /// The members that the iterators of the SUBQUERYs around stand for.
    var locals: [Operand] = []
    private var visits = 0

    /// How many members one evaluation for one object may look at. SUBQUERYs inside each other, and paths through to-many relationships that
    /// lead in circles, multiply what they look at with every level, so that a short predicate would never end or fill the memory.
    static let visitLimit = 1 << 22

    init(root: any PredicateObject) { self.root = root }

    /// Counts members that are about to be looked at.
    @inline(__always)
    mutating func visit(_ count: Int, _ site: EvaluationSite) throws(ObjectPredicateError) {
        visits &+= count
        if visits > Self.visitLimit {
            throw site.error(
                "it looks at more than \(Self.visitLimit) members for one object; nest fewer SUBQUERYs or to-many relationships")
        }
    }
}

/// A compiled expression.
///
/// A class, because compiling recurses as deep as the tree and a reference needs little stack; and because a closure in an array or an
/// Optional is called through two thunks, one in an object is not.
final class BoundValue {
    typealias Evaluate = (inout EvaluationFrame) throws(ObjectPredicateError) -> Operand

    var type: StaticType
    /// The value, where it is the same for every object.
    var constant: Operand?
    /// The index of the attribute of the object itself that it reads and nothing else.
    var attribute: Int?
    /// Whether it can be computed of every object, if that can be read.
    var isSafe: Bool
    let evaluate: Evaluate

    init(type: StaticType, attribute: Int? = nil, isSafe: Bool = false, evaluate: @escaping Evaluate) {
        self.type = type
        self.attribute = attribute
        self.isSafe = isSafe
        self.evaluate = evaluate
    }

    init(constant: Operand) {
        type = StaticType(constant)
        self.constant = constant
        isSafe = true
        evaluate = { _ throws(ObjectPredicateError) in constant }
    }
}

/// A compiled predicate.
final class BoundTest {
    typealias Evaluate = (inout EvaluationFrame) throws(ObjectPredicateError) -> Bool

    /// The answer, where it is the same for every object.
    var constant: Bool?
    /// What an index of plain values can make of it.
    var condition: PropertyCondition?
    /// The same as a tree of comparisons; nil where only `evaluate` can answer.
    var form: CompiledTest?
    /// Whether it has an answer for every object, if that can be read.
    var isSafe: Bool
    /// What it was made of, for telling of plans.
    var node: PredicateNode?
    let evaluate: Evaluate

    init(form: CompiledTest? = nil, isSafe: Bool = false, evaluate: @escaping Evaluate) {
        self.form = form
        self.isSafe = isSafe
        self.evaluate = evaluate
    }

    init(constant: Bool) {
        self.constant = constant
        isSafe = true
        evaluate = { _ throws(ObjectPredicateError) in constant }
    }

    /// What plans are made of.
    var compiled: CompiledTest {
        if let constant { return .constant(constant) }
        return form ?? .evaluated(PredicateConjunct(condition: condition, test: self))
    }
}

/// A part of a predicate, for the errors it may raise; printed only when one is.
final class EvaluationSite {
    enum Part {
        case node(PredicateNode)
        case expression(ValueExpression)
    }
    let part: Part
    let entity: String

    init(_ part: Part, entity: String) {
        self.part = part
        self.entity = entity
    }

    func error(_ problem: OperandProblem) -> ObjectPredicateError { error(problem.reason) }

    func error(_ reason: String) -> ObjectPredicateError {
        .evaluation(PredicateEvaluationProblem(reason: reason, expression: text, entity: entity, object: nil))
    }

    private var text: String {
        let text: String
        switch part {
        case .node(let node): text = node.format
        case .expression(let expression): text = expression.format
        }
        return text.count > 120 ? text.prefix(117) + "…" : text
    }
}

/// Stands for the object where constants are computed.
final class NoObject: PredicateObject {
    struct Schema: PredicateSchema {
        var name: String { "no entity" }
        func property(named name: String) -> PredicateProperty? { nil }
        var propertyNames: [String] { [] }
    }
    var predicateIdentity: ObjectID? { nil }
    var predicateSchema: any PredicateSchema { Schema() }
    func predicateValue(at index: Int) throws -> Value { .null }
    func predicateTarget(at index: Int) throws -> (any PredicateObject)? { nil }
    func predicateMembers(at index: Int) throws -> [any PredicateObject] { [] }
}

extension EvaluationSite {
    /// The place of the same comparison with another operator.
    func withOperator(_ operation: PredicateOperator) -> EvaluationSite {
        guard case .node(.comparison(var comparison)) = part else { return self }
        comparison.comparison = operation
        return EvaluationSite(.node(.comparison(comparison)), entity: entity)
    }

    /// The key on the left of a comparison, for errors of reading it.
    var key: String {
        if case .node(.comparison(let comparison)) = part { return comparison.left.format }
        return ""
    }
}
