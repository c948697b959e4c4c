import GrabenLog

/// What binding asks of an entity; the language knows no model.
package protocol PredicateSchema: Sendable {
    /// The entity's name, for errors.
    var name: String { get }
    /// The property of a name, or nil.
    func property(named name: String) -> PredicateProperty?
    /// All names, for near misses.
    var propertyNames: [String] { get }
}

/// A property of an entity as the language sees it.
package struct PredicateProperty: Sendable {
    /// What objects are asked for it by. Sub-entities keep the indexes of what they inherit.
    package var index: Int
    package var kind: PredicatePropertyKind

    package init(index: Int, kind: PredicatePropertyKind) {
        self.index = index
        self.kind = kind
    }
}

package enum PredicatePropertyKind: Sendable {
    /// Read by `predicateValue(at:)`; nil where values of several families may come.
    case attribute(PredicateFamily?)
    /// Read by `predicateTarget(at:)`.
    case toOne(any PredicateSchema)
    /// Read by `predicateMembers(at:)`.
    case toMany(any PredicateSchema, ordered: Bool)
    /// Read by `predicateBinding(at:)`: what it is, each object says for itself.
    case dynamic
    /// Cannot be used in a predicate (S107).
    case fetched
}

/// Values of one family compare with each other; of two families, they are only ever unequal (D2).
package enum PredicateFamily: String, Sendable {
    case number, string, date, data, uuid
}

/// What evaluation reads an object through: a cursor over records, a managed object, a JSON object.
///
/// A class, since it is handed on for every row: a reference costs a count, another existential a copy of a box.
package protocol PredicateObject: AnyObject {
    /// What SELF and relationships compare by; a reference value equals the object with its id.
    var predicateIdentity: ObjectID? { get }
    var predicateSchema: any PredicateSchema { get }
    func predicateValue(at index: Int) throws -> Value
    func predicateTarget(at index: Int) throws -> (any PredicateObject)?
    /// The members of a to-many relationship, in order where it is ordered.
    func predicateMembers(at index: Int) throws -> [any PredicateObject]
    /// How many members there are; the default counts them.
    func predicateMemberCount(at index: Int) throws -> Int
    func predicateBinding(at index: Int) throws -> PredicateBinding
    /// Whether both are the same object; the default compares ids.
    func isSameObject(as other: any PredicateObject) -> Bool
}

extension PredicateObject {
    package func predicateBinding(at index: Int) throws -> PredicateBinding { .value(try predicateValue(at: index)) }

    package func predicateMemberCount(at index: Int) throws -> Int { try predicateMembers(at: index).count }

    package func isSameObject(as other: any PredicateObject) -> Bool {
        guard let id = predicateIdentity else { return false }
        return id == other.predicateIdentity
    }
}

/// What a variable can be bound to.
package enum PredicateBinding {
    case value(Value)
    case collection([Value])
    /// Key paths from it work, and compared bare it means identity: `$FETCH_SOURCE`.
    case object(any PredicateObject)
    /// Things with names and no schema: `$FETCHED_PROPERTY.userInfo.key`. A name that is missing is an error, as for an object.
    case dictionary([String: PredicateBinding])
    /// A list of anything.
    case list([PredicateBinding])
}
