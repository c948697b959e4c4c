import GrabenLog

/// What both kinds of to-many stand for: a relationship of an object, or members written down that are not part of one yet.
enum MemberSource<Member: ManagedObject> {
    /// An object and the number of its property.
    case relationship(ManagedObject, Int)
    case literal([Member])

    var count: Int {
        switch self {
        case .relationship(let owner, let number): owner.memberCount(number)
        case .literal(let members): members.count
        }
    }

    /// How many members are there without a look into an object.
    var knownCount: Int {
        switch self {
        case .relationship: 0
        case .literal(let members): members.count
        }
    }

    var ids: [ObjectID] {
        switch self {
        case .relationship(let owner, let number): owner.memberIDs(number)
        case .literal(let members): members.map(\.objectID)
        }
    }

    func contains(_ object: Member) -> Bool {
        switch self {
        case .relationship(let owner, let number): owner.hasMember(number, object.objectID)
        case .literal(let members): members.contains(object)
        }
    }

    /// Adds a member of a relationship; what it cannot be goes to the context, is thrown by the next save, and yields false.
    func insert(_ object: Member, at place: Int?) -> Bool {
        guard case .relationship(let owner, let number) = self else { return false }
        do { return try owner.relate(number, to: object, at: place) } catch {
            owner.refuse(error)
            return false
        }
    }

    func remove(_ object: Member) -> Bool {
        guard case .relationship(let owner, let number) = self else { return false }
        return owner.unrelate(number, from: object)
    }

    func isRelationship(_ number: Int, of object: ManagedObject) -> Bool {
        guard case .relationship(let owner, number) = self else { return false }
        return owner === object
    }
}
