/// How many properties and lanes stand before an accessor's: those of superclasses, and those declared further up in the class.
///
/// A class made by `@Entity` has its own numbers at hand and adds those of its superclass, which it cannot see, through a static property
/// named after that class. Everything is inlinable and folds to constants, in another module too: a lane has to be a literal in the machine
/// code for a packed getter to be two loads.
@frozen
public struct AccessorPlace: Sendable {
    /// Properties of any kind.
    public let accessors: Int
    /// Lanes of Doubles.
    public let doubles: Int
    /// Lanes of Floats.
    public let floats: Int

    /// The place behind so many.
    @inlinable @inline(__always)
    public init(accessors: Int = 0, doubles: Int = 0, floats: Int = 0) {
        self.accessors = accessors
        self.doubles = doubles
        self.floats = floats
    }

    /// The place that lies behind both.
    @inlinable @inline(__always)
    public static func + (a: AccessorPlace, b: AccessorPlace) -> AccessorPlace {
        AccessorPlace(accessors: a.accessors &+ b.accessors, doubles: a.doubles &+ b.doubles, floats: a.floats &+ b.floats)
    }

    /// Lanes of any width: the number of the next one.
    @inlinable @inline(__always)
    public var lane: Int { doubles &+ floats }

    @inlinable @inline(__always)
    var offset: Int { doubles &* 8192 &+ floats &* 4096 }
}
