import FoundationEssentials

/// A predicate asked of many plain records, bound anew only where their shape changes.
package struct PlainFilter {
    private let predicate: ObjectPredicate
    private let variables: [String: PredicateBinding]
    private let now: Date
    /// The shapes met last, and the predicate bound to each. Few, since comparing shapes costs about what it saves on a small predicate.
    private var bound: [(schema: PlainSchema, predicate: BoundPredicate)] = []
    private static let shapeLimit = 4

    /// Throws `ObjectPredicateError.unboundVariable` at once, whatever comes to be asked (D18); other errors of binding wait for a record.
    package init(
        _ predicate: ObjectPredicate, variables: [String: PredicateBinding] = [:], now: Date = Date()
    ) throws(ObjectPredicateError) {
        for name in predicate.variableNames.sorted() where variables[name] == nil {
            throw .unboundVariable(name: name, known: variables.keys.filter(isIdentifier).sorted())
        }
        self.predicate = predicate
        self.variables = variables
        self.now = now
    }

    /// Whether the predicate is true of a record.
    package mutating func matches(_ record: PlainRecord) throws(ObjectPredicateError) -> Bool {
        for entry in bound where entry.schema.hasShape(of: record.schema) { return try entry.predicate.evaluate(record) }
        let predicate = try predicate.bind(to: record.schema, variables: variables, now: now)
        if bound.count == Self.shapeLimit { bound.removeFirst() }
        bound.append((record.schema, predicate))
        return try predicate.evaluate(record)
    }
}
