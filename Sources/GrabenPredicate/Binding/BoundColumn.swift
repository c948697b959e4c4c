import FoundationEssentials
import GrabenLog

/// An expression bound to an entity, of which a result has one value for each object or, where it has aggregates over objects, one for each
/// group of them.
///
/// `sum(price)` is an aggregate over objects where `price` is one value of each, and an aggregate over one object's members where it is a
/// to-many relationship or a path through one.
package struct BoundColumn {
    /// An aggregate over objects inside the expression.
    private struct Aggregate {
        let function: PredicateFunction
        let argument: BoundValue
        let isDistinct: Bool
        let site: EvaluationSite
    }

    private let value: BoundValue
    private let aggregates: [Aggregate]
    private let site: EvaluationSite
    private let readers: [PropertyReader]?
    /// Whether the last reader answers an object.
    private let endsInReference: Bool
    /// The indexes of the object's own properties that it reads.
    package let properties: Set<Int>

    /// Whether it has one value for a group of objects.
    package var isAggregate: Bool { !aggregates.isEmpty }
    /// Whether it is a collection, whatever the object.
    package let isCollection: Bool

    /// Resolves the keys and finds the aggregates. With `isDistinct`, aggregates over objects count equal values once.
    ///
    /// Throws for unknown keys and what cannot be computed, whatever the values.
    package init(
        _ expression: ObjectExpression, isDistinct: Bool = false, schema: any PredicateSchema,
        variables: [String: PredicateBinding] = [:], now: Date = Date()
    ) throws(ObjectPredicateError) {
        var binder = PredicateBinder(schema: schema, variables: variables, now: now, resolve: nil)
        site = EvaluationSite(.expression(expression.root), entity: schema.name)
        if let keys = expression.keyPath, let (readers, endsInReference) = Self.readers(keys, schema) {
            // Read as it is stored: an operand has fewer types than a value.
            (self.readers, self.endsInReference) = (readers, endsInReference)
            value = try binder.compile(expression.root)
            (aggregates, isCollection) = ([], false)
            properties = binder.properties
            return
        }
        (readers, endsInReference) = (nil, false)
        var found: [Aggregate] = []
        var failure: ObjectPredicateError?
        var walk = PredicateWalk(replaceFunction: { function, arguments in
            guard failure == nil, function.isAggregate, arguments.count == 1 else { return nil }
            do throws(ObjectPredicateError) {
                let argument = try binder.compile(arguments[0])
                if case .collection = argument.type { return nil }
                found.append(
                    Aggregate(
                        function: function, argument: argument, isDistinct: isDistinct,
                        site: EvaluationSite(.expression(.function(function, arguments)), entity: schema.name)))
                return .variable(Self.name(found.count - 1))
            } catch {
                failure = error
                return nil
            }
        })
        let outer = walk.walk(expression.root)
        if let failure { throw failure }
        aggregates = found
        for place in found.indices { binder.scope.append((Self.name(place), .unknown)) }
        value = try binder.compile(outer)
        if case .collection = value.type { isCollection = true } else { isCollection = false }
        properties = binder.properties
    }

    /// No format can spell it.
    private static func name(_ place: Int) -> String { "\u{0}\(place)" }

    private static func readers(_ keys: [String], _ schema: any PredicateSchema) -> ([PropertyReader], endsInReference: Bool)? {
        var readers: [PropertyReader] = []
        var at: (any PredicateSchema)? = schema
        for key in keys {
            guard let here = at, let property = here.property(named: key) else { return nil }
            readers.append(PropertyReader(index: property.index, key: key, entity: here.name))
            switch property.kind {
            case .attribute: at = nil
            case .toOne(let target): at = target
            default: return nil
            }
        }
        return (readers, at != nil)
    }

    // MARK: Of one object

    /// The value for one object; nil where a relationship on the way is.
    package func value(of object: any PredicateObject) throws(ObjectPredicateError) -> Value {
        guard let readers else {
            var frame = EvaluationFrame(root: object)
            return try result(try value.evaluate(&frame))
        }
        var at = object
        for (place, reader) in readers.enumerated() {
            if place == readers.count - 1, !endsInReference { return try reader.value(at) }
            guard case .object(let next) = try reader.read(at, .toOne(at.predicateSchema)) else { return .null }
            at = next
        }
        return at.predicateIdentity.map { .reference($0) } ?? .null
    }

    private func result(_ operand: Operand) throws(ObjectPredicateError) -> Value {
        if let value = operand.value { return value }
        if case .object(let object) = operand, let id = object.predicateIdentity { return .reference(id) }
        if case .collection(let collection) = operand {
            var ids: [ObjectID] = []
            for element in collection.elements {
                switch element {
                case .reference(let id): ids.append(id)
                case .object(let object): if let id = object.predicateIdentity { ids.append(id) }
                default: throw site.error("a column has one value for each row, not a collection; use count, sum or another aggregate")
                }
            }
            return .references(ids)
        }
        throw site.error("a column cannot hold \(operand.kindName)")
    }

    // MARK: Of a group

    /// What the aggregates have come to so far.
    package struct Totals {
        fileprivate var totals: [RowTotal]
    }

    package func begin() -> Totals { Totals(totals: aggregates.map { RowTotal($0.function, isDistinct: $0.isDistinct) }) }

    /// Adds an object of the group.
    package func add(_ object: any PredicateObject, to totals: inout Totals) throws(ObjectPredicateError) {
        for (place, aggregate) in aggregates.enumerated() {
            var frame = EvaluationFrame(root: object)
            let operand = try aggregate.argument.evaluate(&frame)
            do throws(OperandProblem) { try totals.totals[place].add(operand) } catch { throw aggregate.site.error(error) }
        }
    }

    /// The value for a group. What the expression reads beside its aggregates it reads of `first`, one of the group's objects.
    package func value(of totals: Totals, first: (any PredicateObject)?) throws(ObjectPredicateError) -> Value {
        var frame = EvaluationFrame(root: first ?? NoObject())
        for (place, aggregate) in aggregates.enumerated() {
            do throws(OperandProblem) { frame.locals.append(try totals.totals[place].result()) } catch { throw aggregate.site.error(error) }
        }
        return try result(try value.evaluate(&frame))
    }
}

/// Values by which rows are the same or not: grouping takes all zeros as one value and all NaNs as one (D1).
package struct RowKey: Hashable {
    private let keys: [OperandKey]

    package init(_ values: [Value]) { keys = values.map { OperandKey(Operand($0)) ?? .null } }
}

extension PredicateFunction {
    /// Whether it makes one value of many.
    package var isAggregate: Bool {
        switch self {
        case .count, .sum, .min, .max, .average, .median, .mode, .stddev: true
        default: false
        }
    }
}
