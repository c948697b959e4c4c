import GrabenLog
import GrabenModel
import GrabenPredicate

/// What the rows of a result of dictionaries consist of.
struct DictionaryPlan {
    typealias Column = DictionaryFetch.Column

    /// All that is worked out for each row: what the result shows, then what order and `havingPredicate` need.
    private(set) var columns: [Column]
    /// What objects are grouped by.
    let keys: [Column]
    /// The columns the result shows.
    let visible: [Column]
    /// Whether a row is of a group of objects.
    let isGrouped: Bool
    /// By which columns rows are put in order.
    private(set) var order: [(descriptor: ObjectSortDescriptor, column: Int)] = []
    private let entity: String
    private let ownOrder: [ObjectSortDescriptor]

    init(_ fetch: DictionaryFetch) throws(GrabenError) {
        let request = fetch.request
        entity = fetch.info.name
        ownOrder = request.sort
        keys = try Self.columns(request.groupBy, fetch)
        var shown = request.columns
        if shown.isEmpty { shown = request.groupBy.isEmpty ? Self.attributes(of: fetch.info) : request.groupBy }
        visible = try Self.columns(shown, fetch)
        columns = visible
        isGrouped = !keys.isEmpty || visible.contains { $0.bound.isAggregate }
        for key in keys where key.bound.isAggregate {
            throw Self.refusal(entity, "objects cannot be grouped by \"\(key.name)\", which is an aggregate over them")
        }
        var names: Set<String> = []
        for column in visible where !names.insert(column.name).inserted {
            throw Self.refusal(entity, "two columns are named \"\(column.name)\"; give one of them another name")
        }
        if isGrouped {
            for column in visible where !column.bound.isAggregate && !keys.contains(where: { $0.expression == column.expression }) {
                if column.bound.properties.isEmpty, column.expression.keyPath == nil { continue }
                throw Self.refusal(
                    entity, "the column \"\(column.name)\" is neither grouped by nor an aggregate; add it to propertiesToGroupBy")
            }
        } else if request.having != nil {
            throw Self.refusal(entity, "havingPredicate is of groups; set propertiesToGroupBy, or fetch an aggregate")
        }
    }

    private static func refusal(_ entity: String, _ reason: String) -> GrabenError {
        .invalidRequest(reason: "fetching dictionaries of \(entity): \(reason)")
    }

    /// Every stored attribute: what a request shows that names no columns (S88).
    private static func attributes(of info: EntityInfo) -> [FetchColumn] {
        info.properties.filter { $0.kind == .attribute || $0.kind == .packed }.map { FetchColumn($0.name) }
    }

    private static func columns(_ columns: [FetchColumn], _ fetch: DictionaryFetch) throws(GrabenError) -> [Column] {
        var bound: [Column] = []
        for column in columns {
            let expression = try column.expression()
            try check(expression, column.name, fetch.info)
            let value = try fetch.bind(expression, isDistinct: column.isDistinct)
            if value.isCollection {
                throw refusal(
                    fetch.info.name,
                    "the column \"\(column.name)\" has many values for each object; take their count, sum or another aggregate")
            }
            if let transient = value.properties.first(where: { fetch.info.properties[$0].kind == .transient }) {
                throw refusal(fetch.info.name, "\"\(fetch.info.properties[transient].name)\" is transient, so no store has it")
            }
            bound.append(Column(name: column.name, bound: value, expression: expression, declared: column))
        }
        return bound
    }

    /// To-many relationships and fetched properties have no place in a row, by whatever way they are spelled.
    private static func check(_ expression: ObjectExpression, _ name: String, _ info: EntityInfo) throws(GrabenError) {
        guard let keys = expression.keyPath, keys.count == 1, let number = info.entity.propertyNumber(named: keys[0]) else { return }
        switch info.properties[number].kind {
        case .toMany:
            throw refusal(info.name, "\"\(name)\" is a to-many relationship, which no row can hold; fetch \"\(name).@count\", or objects")
        case .fetched: throw refusal(info.name, "\"\(name)\" is a fetched property, which no row can hold; read it of the objects")
        default: break
        }
    }

    // MARK: Order

    /// Whether every criterion is one of the objects, so that the stores can put them in order: none names a column that is computed.
    var ordersByObjects: Bool {
        ownOrder.allSatisfy { descriptor in
            visible.allSatisfy { $0.name != descriptor.keyPath || $0.expression.keyPath?.joined(separator: ".") == descriptor.keyPath }
        }
    }

    /// Adds a criterion: a column by its name, else what a key path leads to.
    mutating func addOrder(_ descriptor: ObjectSortDescriptor, _ fetch: DictionaryFetch) throws(GrabenError) {
        if let place = visible.firstIndex(where: { $0.name == descriptor.keyPath }) { return order.append((descriptor, place)) }
        let expression: ObjectExpression
        do { expression = try ObjectExpression(keyPath: descriptor.keyPath) } catch { throw .predicate(error) }
        if isGrouped, !keys.contains(where: { $0.expression == expression }) {
            let names = visible.map(\.name) + keys.map(\.name)
            let nearest = nearestName(to: descriptor.keyPath, in: names).map { "; did you mean \"\($0)\"?" } ?? ""
            throw Self.refusal(
                entity,
                "groups cannot be sorted by \"\(descriptor.keyPath)\", which is none of their columns (\(names.joined(separator: ", ")))\(nearest)"
            )
        }
        order.append((descriptor, try add(expression, named: descriptor.keyPath, fetch)))
    }

    /// The place of a column of an expression, added where there is none.
    private mutating func add(_ expression: ObjectExpression, named name: String, _ fetch: DictionaryFetch) throws(GrabenError) -> Int {
        if let place = columns.firstIndex(where: { $0.expression == expression && $0.declared?.isDistinct != true }) { return place }
        columns.append(Column(name: name, bound: try fetch.bind(expression), expression: expression, declared: nil))
        return columns.count - 1
    }

    // MARK: Having

    var schema: RowSchema { RowSchema(name: "a group of \(entity)", names: columns.map(\.name)) }

    /// The predicate on groups, bound to their rows.
    mutating func having(_ fetch: DictionaryFetch) throws(GrabenError) -> BoundPredicate? {
        guard let predicate = fetch.request.having else { return nil }
        for key in keys { _ = try add(key.expression, named: key.name, fetch) }
        var failure: GrabenError?
        var plan = self
        let known = columns.map(\.name)
        let about = predicate.aboutRows { expression in
            guard failure == nil else { return nil }
            do throws(GrabenError) {
                guard try fetch.bind(expression).isAggregate else { return nil }
                return plan.columns[try plan.add(expression, named: expression.format, fetch)].name
            } catch {
                failure = error
                return nil
            }
        } path: { path in
            known.contains(path) ? path : plan.columns.first { $0.expression.keyPath?.joined(separator: ".") == path }?.name
        } variable: { name in
            known.contains(name) && fetch.variables[name] == nil ? name : nil
        }
        if let failure { throw failure }
        self = plan
        do throws(ObjectPredicateError) { return try about.bind(to: schema, variables: fetch.variables) } catch { throw .predicate(error) }
    }
}

/// Rows of a result as predicates know them: each column an attribute of some type.
struct RowSchema: PredicateSchema {
    let name: String
    let names: [String]

    var propertyNames: [String] { names }

    func property(named name: String) -> PredicateProperty? {
        names.firstIndex(of: name).map { PredicateProperty(index: $0, kind: .attribute(nil)) }
    }
}

/// A row of a result as predicates read it.
final class RowObject: PredicateObject {
    private let schema: RowSchema
    private let values: [Value]

    init(_ schema: RowSchema, _ values: [Value]) {
        self.schema = schema
        self.values = values
    }

    var predicateIdentity: ObjectID? { nil }
    var predicateSchema: any PredicateSchema { schema }
    func predicateValue(at index: Int) throws -> Value { values[index] }
    func predicateTarget(at index: Int) throws -> (any PredicateObject)? { nil }
    func predicateMembers(at index: Int) throws -> [any PredicateObject] { [] }
}
