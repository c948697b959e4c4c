public import GrabenLog

/// The members of an unordered to-many relationship, by the order of their ids.
///
/// It holds the owner and the relationship, no members: `count`, `contains`, `insert` and `remove` load none. A copy in a variable still
/// edits the relationship. Iterating reads the ids when it begins; the objects come as faults.
public struct ToMany<Member: ManagedObject>: Sequence, ExpressibleByArrayLiteral {
    let source: MemberSource<Member>

    init(_ source: MemberSource<Member>) { self.source = source }

    /// Members to assign to a relationship.
    public init(arrayLiteral members: Member...) { self.init(members) }

    /// Members to assign to a relationship.
    public init(_ members: some Sequence<Member>) { source = .literal(Array(members)) }

    /// How many members there are. Complexity: O(log n) without loading one.
    public var count: Int { source.count }
    /// Whether there is no member.
    public var isEmpty: Bool { count == 0 }
    /// The ids of the members, ascending. Complexity: O(n), no object made.
    public var ids: [ObjectID] { source.ids }

    /// Whether an object is a member. Complexity: O(log n), no member loaded.
    public func contains(_ object: Member) -> Bool { source.contains(object) }

    /// Adds a member and sets the other side. Complexity: O(log n), no other member loaded.
    ///
    /// - Returns: false where it was a member, or cannot be one: then the error goes to the context and is thrown by the next save.
    @discardableResult
    public func insert(_ object: Member) -> Bool { source.insert(object, at: nil) }

    /// Takes a member out and clears the other side; false where it was none. Complexity: O(log n), no other member loaded.
    @discardableResult
    public func remove(_ object: Member) -> Bool { source.remove(object) }

    /// Walks the members there are now; they come as faults.
    public func makeIterator() -> MemberIterator<Member> { MemberIterator(source) }
    /// 0 for the members of an object: of one that is in no context any more the ids are known and no objects can be had.
    public var underestimatedCount: Int { source.knownCount }
}

/// The members of an ordered to-many relationship, in their order; each at most once.
///
/// Like `ToMany` it holds no members, and appending loads none.
public struct OrderedToMany<Member: ManagedObject>: Sequence, ExpressibleByArrayLiteral {
    let source: MemberSource<Member>

    init(_ source: MemberSource<Member>) { self.source = source }

    /// Members to assign to a relationship.
    public init(arrayLiteral members: Member...) { self.init(members) }

    /// Members to assign to a relationship.
    public init(_ members: some Sequence<Member>) { source = .literal(Array(members)) }

    /// How many members there are. Complexity: O(log n) without loading one.
    public var count: Int { source.count }
    /// Whether there is no member.
    public var isEmpty: Bool { count == 0 }
    /// The ids of the members in order. Complexity: O(n), no object made.
    public var ids: [ObjectID] { source.ids }

    /// The member at a place, or nil where there is none. Complexity: O(n) at the first read of the order, then O(1).
    public subscript(place: Int) -> Member? {
        let ids = ids
        guard ids.indices.contains(place) else { return nil }
        switch source {
        case .relationship(let owner, _): return owner._table.context?.object(with: ids[place]) as? Member
        case .literal(let members): return members[place]
        }
    }

    /// Whether an object is a member. Complexity: O(log n), no member loaded.
    public func contains(_ object: Member) -> Bool { source.contains(object) }

    /// Where a member stands. Complexity: O(n).
    public func firstIndex(of object: Member) -> Int? { ids.firstIndex(of: object.objectID) }

    /// Adds a member at the end and sets the other side; a repeat is refused with false. Complexity: O(log n), no other member loaded; O(n)
    /// where the order was changed since the last save.
    @discardableResult
    public func append(_ object: Member) -> Bool { source.insert(object, at: nil) }

    /// Adds a member at a place and sets the other side; a repeat is refused with false. Complexity: O(n).
    @discardableResult
    public func insert(_ object: Member, at place: Int) -> Bool { source.insert(object, at: place) }

    /// Takes a member out and clears the other side; false where it was none. Complexity: O(n).
    @discardableResult
    public func remove(_ object: Member) -> Bool { source.remove(object) }

    /// Moves the member at one place to another; false where either is none. Complexity: O(n).
    @discardableResult
    public func move(from source: Int, to target: Int) -> Bool {
        guard case .relationship(let owner, let number) = self.source else { return false }
        var ids = ids
        guard ids.indices.contains(source), ids.indices.contains(target) else { return false }
        ids.insert(ids.remove(at: source), at: target)
        owner.replaceMembers(number, with: ids)
        return true
    }

    /// Walks the members there are now; they come as faults.
    public func makeIterator() -> MemberIterator<Member> { MemberIterator(source) }
    /// 0 for the members of an object: of one that is in no context any more the ids are known and no objects can be had.
    public var underestimatedCount: Int { source.knownCount }
}

/// Walks the members a relationship had when the walk began.
public struct MemberIterator<Member: ManagedObject>: IteratorProtocol {
    private let context: ManagedObjectContext?
    private let ids: [ObjectID]
    private let literal: [Member]
    private var place = 0

    init(_ source: MemberSource<Member>) {
        switch source {
        case .relationship(let owner, let number):
            context = owner._table.context
            ids = owner.memberIDs(number)
            literal = []
        case .literal(let members):
            context = nil
            ids = []
            literal = members
        }
    }

    /// The next member, or nil after the last.
    public mutating func next() -> Member? {
        defer { place += 1 }
        guard let context else { return place < literal.count ? literal[place] : nil }
        while place < ids.count {
            if let member = context.object(with: ids[place]) as? Member { return member }
            place += 1
        }
        return nil
    }
}

extension ManagedObject {
    /// What a subclass's getter of an unordered to-many relationship returns. Fires nothing.
    public final func toMany<T: ManagedObject>(_ key: String, as type: T.Type = T.self) -> ToMany<T> {
        guard let number = toManyNumber(key) else { return [] }
        return ToMany(.relationship(self, number))
    }

    /// What a subclass's setter of an unordered to-many relationship does; the other sides are set too.
    public final func setToMany<T: ManagedObject>(_ key: String, _ members: ToMany<T>) {
        guard let number = toManyNumber(key), !members.source.isRelationship(number, of: self) else { return }
        do { try setMembers(number, Array(members)) } catch { refuse(error) }
    }

    /// What a subclass's getter of an ordered to-many relationship returns. Fires nothing.
    public final func orderedToMany<T: ManagedObject>(_ key: String, as type: T.Type = T.self) -> OrderedToMany<T> {
        guard let number = toManyNumber(key) else { return [] }
        return OrderedToMany(.relationship(self, number))
    }

    /// What a subclass's setter of an ordered to-many relationship does; the other sides are set too.
    public final func setOrderedToMany<T: ManagedObject>(_ key: String, _ members: OrderedToMany<T>) {
        guard let number = toManyNumber(key), !members.source.isRelationship(number, of: self) else { return }
        do { try setMembers(number, Array(members)) } catch { refuse(error) }
    }

    private final func toManyNumber(_ key: String) -> Int? {
        guard let number = numberOrReport(key) else { return nil }
        return toManyNumber(info.properties[number])
    }

    /// The number of a to-many relationship, its access announced; nil, and a report, where it is none.
    final func toManyNumber(_ property: PropertyInfo) -> Int? {
        guard property.kind == .toMany else {
            _table.context?.report(
                .wrongType(entity: info.name, key: property.name, expected: "one object or value", found: "a to-many accessor"))
            return nil
        }
        willAccessValue(forKey: property.name)
        didAccessValue(forKey: property.name)
        return property.number
    }
}
