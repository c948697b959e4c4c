import FoundationEssentials
import GrabenLog

/// A predicate compiled for an entity, with its variables bound.
package struct BoundPredicate {
    /// The indexes of the entity's properties that evaluation reads of the object itself.
    package let properties: Set<Int>
    /// The answer, where it is the same for every object.
    package let constant: Bool?
    /// The parts that must all be true, in the order they are written.
    package let conjuncts: [PredicateConjunct]
    /// The same as a tree that runs over stored bytes and columns.
    package let compiled: CompiledTest

    private let test: BoundTest

    init(_ root: PredicateNode, _ binder: PredicateBinder) throws(ObjectPredicateError) {
        var binder = binder
        let members: [PredicateNode]
        if case .and(let parts) = root { members = parts } else { members = [root] }
        var conjuncts: [PredicateConjunct] = []
        var answer: Bool? = true
        for member in members {
            let test = try binder.compile(member)
            switch test.constant {
            case true?: continue
            // False decides, unless something before it may throw.
            case false?: if conjuncts.isEmpty { answer = false }
            case nil: if answer == true { answer = nil }
            }
            conjuncts.append(PredicateConjunct(condition: test.condition, test: test))
        }
        constant = answer
        properties = binder.properties
        self.conjuncts = conjuncts
        compiled = answer.map { .constant($0) } ?? .conjunction(conjuncts.map(\.test.compiled))
        if conjuncts.count == 1 {
            test = conjuncts[0].test
        } else {
            let tests = conjuncts.map(\.test)
            test = BoundTest { frame throws(ObjectPredicateError) in
                for test in tests where !(try test.evaluate(&frame)) { return false }
                return true
            }
        }
    }

    /// Whether the predicate is true of an object of the entity it was bound to.
    package func evaluate(_ object: any PredicateObject) throws(ObjectPredicateError) -> Bool {
        try run(test, object)
    }
}

/// One part of a conjunction.
package struct PredicateConjunct {
    /// What it says of one attribute; nil where it says more than that.
    package let condition: PropertyCondition?
    let test: BoundTest

    /// The part in the format language; empty where a plan never shows it.
    package var format: String { test.node?.format ?? "" }

    /// Whether it has an answer for every object, if that can be read.
    package var isSafe: Bool { test.isSafe }

    /// Whether this part is true of an object.
    package func evaluate(_ object: any PredicateObject) throws(ObjectPredicateError) -> Bool {
        try run(test, object)
    }
}

/// A comparison of an attribute with constants, in a form an index or a column can answer.
///
/// nil is below no value: a range never includes it, `!=` a value does (D1). Values of another family than the attribute's match nothing
/// but `!=`.
package enum PropertyCondition: Equatable, Sendable {
    /// `==`, `!=`, `<`, `<=`, `>`, `>=`.
    case compare(property: Int, PredicateOperator, Value)
    /// Both bounds included; a nil bound matches nothing.
    case between(property: Int, Value, Value)
    case oneOf(property: Int, [Value])
    /// Strings that begin with the text; where not exact, the test has to follow.
    case prefix(property: Int, String, isExact: Bool)

    package var property: Int {
        switch self {
        case .compare(let property, _, _), .between(let property, _, _), .oneOf(let property, _), .prefix(let property, _, _): property
        }
    }
}

private func run(_ test: BoundTest, _ object: any PredicateObject) throws(ObjectPredicateError) -> Bool {
    var frame = EvaluationFrame(root: object)
    do throws(ObjectPredicateError) {
        return try test.evaluate(&frame)
    } catch .evaluation(var problem) {
        if problem.object == nil { problem.object = object.predicateIdentity }
        throw .evaluation(problem)
    } catch {
        throw error
    }
}

extension ObjectPredicate {
    /// Resolves every key path against an entity, binds the variables and compiles.
    ///
    /// Throws for an unknown key, an unbound variable and comparisons that cannot be made whatever the values, each even where evaluation
    /// would never come to it. `resolve` reads the object behind a reference where a key path goes on from one.
    package func bind(
        to schema: any PredicateSchema, variables: [String: PredicateBinding] = [:], now: Date = Date(),
        resolve: ((ObjectID) throws -> (any PredicateObject)?)? = nil
    ) throws(ObjectPredicateError) -> BoundPredicate {
        try BoundPredicate(root, PredicateBinder(schema: schema, variables: variables, now: now, resolve: resolve))
    }
}
