import FoundationEssentials
import GrabenLog
public import GrabenModel
public import GrabenPredicate

/// A column of a result of dictionaries: a property, a key path, or something computed, with a name and perhaps a type.
///
///     request.propertiesToFetch = ["layer", .sum(\Joint.z, as: "height"), FetchColumn("count(SELF)", as: "joints", type: .int64)]
///
/// Where its text can be no column, or its key path names no property, the fetch says so.
public struct FetchColumn: Sendable, Equatable, ExpressibleByStringLiteral {
    private enum Source: Sendable, Equatable {
        case text(String)
        case expression(ObjectExpression)
        /// Of a key path that reads no property, and why.
        case unmapped(String)
    }

    /// What the column is called in each row.
    public var name: String
    /// The type its values are brought to; nil leaves them as they come.
    public var resultType: AttributeType?
    /// Whether aggregates in it count equal values once.
    public var isDistinct = false
    private let source: Source

    /// A column of a key path or an expression of the format language; its name is that text unless another is given.
    public init(_ format: String, as name: String? = nil, type: AttributeType? = nil) {
        self.init(.text(format), name ?? format, type)
    }

    /// A column of an expression.
    public init(_ expression: ObjectExpression, as name: String? = nil, type: AttributeType? = nil) {
        self.init(.expression(expression), name ?? expression.format, type)
    }

    /// A column of a key path or an expression, named by its text.
    public init(stringLiteral format: String) { self.init(format) }

    /// A column of what a key path reads: a property, or one of an object that to-one relationships lead to.
    public init<T: ManagedObject>(_ path: PartialKeyPath<T>, as name: String? = nil, type: AttributeType? = nil) {
        do throws(UnmappedKeyPath) {
            let key = try ManagedObject.propertyNames(for: path).joined(separator: ".")
            self.init(.text(key), name ?? key, type)
        } catch { self.init(.unmapped("\(error)"), name ?? "\(path)", type) }
    }

    private init(_ source: Source, _ name: String, _ type: AttributeType?) {
        self.source = source
        self.name = name
        resultType = type
    }

    /// The sum of what a key path reads; nil values do not count, and the sum of none is 0.
    public static func sum<T: ManagedObject>(_ path: PartialKeyPath<T>, as name: String? = nil) -> FetchColumn {
        aggregate("sum", path, name)
    }
    /// The mean of what a key path reads, a Double; nil values do not count, and the mean of none is nil.
    public static func average<T: ManagedObject>(_ path: PartialKeyPath<T>, as name: String? = nil) -> FetchColumn {
        aggregate("average", path, name)
    }
    /// The least of what a key path reads; nil values do not count.
    public static func min<T: ManagedObject>(_ path: PartialKeyPath<T>, as name: String? = nil) -> FetchColumn {
        aggregate("min", path, name)
    }
    /// The greatest of what a key path reads; nil values do not count.
    public static func max<T: ManagedObject>(_ path: PartialKeyPath<T>, as name: String? = nil) -> FetchColumn {
        aggregate("max", path, name)
    }
    /// How many values a key path reads that are not nil, or with `distinct` how many different ones.
    public static func count<T: ManagedObject>(_ path: PartialKeyPath<T>, distinct: Bool = false, as name: String? = nil) -> FetchColumn {
        var column = aggregate("count", path, name)
        column.isDistinct = distinct
        return column
    }
    /// A column of an expression whose aggregates count equal values once.
    public static func distinct(_ format: String, as name: String? = nil, type: AttributeType? = nil) -> FetchColumn {
        var column = FetchColumn(format, as: name, type: type)
        column.isDistinct = true
        return column
    }
    /// How many objects there are.
    public static func count(as name: String = "count") -> FetchColumn { FetchColumn("count(SELF)", as: name) }

    private static func aggregate<T: ManagedObject>(_ function: String, _ path: PartialKeyPath<T>, _ name: String?) -> FetchColumn {
        let column = FetchColumn(path)
        guard case .text(let key) = column.source else { return column }
        // A key may be a word of the language.
        let escaped = key.split(separator: ".").map { "#" + $0 }.joined(separator: ".")
        return FetchColumn(.text("\(function)(\(escaped))"), name ?? "\(function)(\(key))", nil)
    }

    /// What is computed. A text that is a key path is one even where a key is a word of the language.
    func expression() throws(GrabenError) -> ObjectExpression {
        switch source {
        case .expression(let expression): return expression
        case .unmapped(let reason): throw .invalidRequest(reason: "fetching the column \"\(name)\": \(reason)")
        case .text(let text):
            do throws(ObjectPredicateError) {
                let isPath = text.unicodeScalars.allSatisfy {
                    $0.properties.isAlphabetic || $0.properties.numericType != nil || "_.@".unicodeScalars.contains($0)
                }
                if isPath, text.unicodeScalars.first?.properties.numericType == nil, text.uppercased() != "SELF" {
                    return try ObjectExpression(keyPath: text)
                }
                return try ObjectExpression(format: text)
            } catch { throw .predicate(error) }
        }
    }

    /// A value as the column's type has it.
    func typed(_ value: Value, entity: String) throws(GrabenError) -> Value {
        guard let resultType, !value.isNull else { return value }
        if let fitting = resultType.normalized(value) { return fitting }
        switch (resultType, value) {
        case (.int16, .double(let number)), (.int32, .double(let number)), (.int64, .double(let number)):
            if let exact = Int64(exactly: number), let fitting = resultType.normalized(.int(exact)) { return fitting }
        case (.int16, .bool(let flag)), (.int32, .bool(let flag)), (.int64, .bool(let flag)): return .int(flag ? 1 : 0)
        case (.boolean, .int(let number)) where number == 0 || number == 1: return .bool(number == 1)
        case (.decimal, .double(let number)) where number.isFinite: return .decimal(Decimal(number))
        case (.double, .decimal(let number)): return .double(Double(number.description) ?? .nan)
        case (.float, .decimal(let number)): return .float(Float(number.description) ?? .nan)
        default: break
        }
        throw .wrongType(entity: entity, key: name, expected: "values of type \(resultType.rawValue) in this column", found: value.summary)
    }
}
