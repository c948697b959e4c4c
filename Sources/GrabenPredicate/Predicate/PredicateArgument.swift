import FoundationEssentials
import GrabenLog

/// A constant a predicate can hold: one value or a list of constants.
public indirect enum PredicateLiteral: Sendable, Equatable {
    /// One value.
    case value(Value)
    /// A list, in order.
    case collection([PredicateLiteral])
}

/// What can stand for `%@`, `%K` and `%d` in a predicate's format, and be bound to its variables.
///
/// An argument is a value and never read as part of the format, so no text in it can change what a predicate means.
public protocol PredicateArgument {
    /// The constant that stands in the predicate.
    var predicateLiteral: PredicateLiteral { get }
}

extension PredicateLiteral: PredicateArgument {
    /// Itself.
    public var predicateLiteral: PredicateLiteral { self }
}

extension Value: PredicateArgument {
    /// The value itself.
    public var predicateLiteral: PredicateLiteral { .value(self) }
}

extension ObjectID: PredicateArgument {
    /// The id, which equals the object that has it.
    public var predicateLiteral: PredicateLiteral { .value(.reference(self)) }
}

extension String: PredicateArgument {
    /// The text.
    public var predicateLiteral: PredicateLiteral { .value(.string(self)) }
}

extension Substring: PredicateArgument {
    /// The text, as a string of its own.
    public var predicateLiteral: PredicateLiteral { .value(.string(String(self))) }
}

extension PredicateArgument where Self: FixedWidthInteger {
    /// The number as an integer, or as a decimal where it is above the largest signed one.
    public var predicateLiteral: PredicateLiteral {
        if let small = Int64(exactly: self) { return .value(.int(small)) }
        return .value(.decimal(Decimal(UInt64(truncatingIfNeeded: self))))
    }
}

extension Int: PredicateArgument {}
extension Int8: PredicateArgument {}
extension Int16: PredicateArgument {}
extension Int32: PredicateArgument {}
extension Int64: PredicateArgument {}
extension UInt: PredicateArgument {}
extension UInt8: PredicateArgument {}
extension UInt16: PredicateArgument {}
extension UInt32: PredicateArgument {}
extension UInt64: PredicateArgument {}

extension Double: PredicateArgument {
    /// The number.
    public var predicateLiteral: PredicateLiteral { .value(.double(self)) }
}

extension Float: PredicateArgument {
    /// The number as a double, which is exact.
    public var predicateLiteral: PredicateLiteral { .value(.double(Double(self))) }
}

extension Bool: PredicateArgument {
    /// True or false, which compare as 1 and 0.
    public var predicateLiteral: PredicateLiteral { .value(.bool(self)) }
}

extension Decimal: PredicateArgument {
    /// The number.
    public var predicateLiteral: PredicateLiteral { .value(.decimal(self)) }
}

extension Date: PredicateArgument {
    /// The moment.
    public var predicateLiteral: PredicateLiteral { .value(.date(self)) }
}

extension Data: PredicateArgument {
    /// The bytes.
    public var predicateLiteral: PredicateLiteral { .value(.data(self)) }
}

extension UUID: PredicateArgument {
    /// The identifier.
    public var predicateLiteral: PredicateLiteral { .value(.uuid(self)) }
}

extension Array: PredicateArgument where Element: PredicateArgument {
    /// The members in order.
    public var predicateLiteral: PredicateLiteral { .collection(map(\.predicateLiteral)) }
}

extension Set: PredicateArgument where Element: PredicateArgument {
    /// The members, in the order the set happens to have.
    public var predicateLiteral: PredicateLiteral { .collection(map(\.predicateLiteral)) }
}

extension ClosedRange: PredicateArgument where Bound: PredicateArgument {
    /// The two bounds, as BETWEEN takes them.
    public var predicateLiteral: PredicateLiteral { .collection([lowerBound.predicateLiteral, upperBound.predicateLiteral]) }
}

extension Optional: PredicateArgument where Wrapped: PredicateArgument {
    /// The value, or nil.
    public var predicateLiteral: PredicateLiteral { self?.predicateLiteral ?? .value(.null) }
}
