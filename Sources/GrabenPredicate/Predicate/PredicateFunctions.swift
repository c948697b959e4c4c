import Synchronization

/// The functions of a program's own that predicates reach as `FUNCTION(target, 'name', …)`.
///
/// Nothing else can be called from a predicate: a name that is not registered is a parse error, so a predicate from a stranger reaches
/// only what the program offers. Register before the first predicate that uses a function is made.
public enum PredicateFunctions {
    /// A function: the target first, then the other arguments; nil and `.null` both answer nil.
    public typealias Body = @Sendable (_ arguments: [PredicateLiteral]) throws -> PredicateLiteral?

    private static let table = Mutex<[String: Body]>([:])

    /// Registers a function, in place of one of the same name.
    ///
    /// It must answer the same for the same arguments while a fetch runs: calls with constant arguments are made once.
    public static func register(_ name: String, _ body: @escaping Body) {
        table.withLock { $0[name] = body }
    }

    /// Removes a function; predicates already bound keep it.
    public static func unregister(_ name: String) {
        table.withLock { $0[name] = nil }
    }

    package static func body(named name: String) -> Body? { table.withLock { $0[name] } }
    package static var names: [String] { table.withLock { $0.keys.sorted() } }
}
