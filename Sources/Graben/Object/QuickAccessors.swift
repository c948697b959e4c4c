import GrabenLog

/// What an accessor has to know of its property where it can take the short way: plain memory, for who looks at objects that count references
/// spends more on counting them than on reading or setting a value.
struct QuickAccessor {
    enum Kind: UInt8 { case none, attribute, toOne }

    var kind = Kind.none
    var property: Int32 = -1
    /// Its place in the entity's records.
    var field: Int32 = -1
    /// Whether a number has to be compared with what the attribute's width holds.
    var isNarrow = false
    /// The entity a to-one leads to, and its inverse or -1.
    var destination: Int32 = -1
    var inverse: Int32 = -1
    var lane = FreshLane(kind: .bool, offset: 0)
    /// The place of a to-one among those that are read ahead, or -1.
    var ahead: Int32 = -1
}

/// The accessors of one entity in one store, by the numbers its class gives them.
///
/// Unchecked because of the memory, which is filled before anybody else has the object and never changed.
final class QuickAccessors: @unchecked Sendable {
    let accessors: UnsafeMutablePointer<QuickAccessor>
    let count: Int
    /// By property number: whether it is an unordered to-many whose members are found by their references.
    let isReverse: UnsafeMutablePointer<Bool>
    /// The fields of to-ones that are read ahead.
    let aheadFields: [Int]

    init(_ info: EntityInfo, _ relationships: [StoredEntity.RelationshipStorage?]) {
        count = info.numbered.count
        accessors = .allocate(capacity: max(1, count))
        var aheadFields: [Int] = []
        for (number, property) in info.numbered.enumerated() {
            var accessor = QuickAccessor()
            // Who looks objects up by a key has to hear of it.
            if let property, let lane = property.fresh, !property.isKey {
                accessor.kind = property.kind == .toOne ? .toOne : .attribute
                accessor.property = Int32(property.number)
                accessor.field = Int32(property.field)
                accessor.isNarrow = property.attributeType == .int16 || property.attributeType == .int32
                accessor.destination = Int32(property.destination)
                accessor.inverse = property.inverse.map { Int32($0) } ?? -1
                accessor.lane = lane
                if property.kind == .toOne, aheadFields.count < ReferenceAhead.fieldLimit {
                    accessor.ahead = Int32(aheadFields.count)
                    aheadFields.append(property.field)
                }
            }
            (accessors + number).initialize(to: accessor)
        }
        self.aheadFields = aheadFields
        isReverse = .allocate(capacity: max(1, info.properties.count))
        for property in info.properties {
            var isFound = false
            if case .reverse? = relationships[property.number] { isFound = !property.isOrdered }
            (isReverse + property.number).initialize(to: isFound)
        }
    }

    /// None.
    init() {
        count = 0
        accessors = .allocate(capacity: 1)
        aheadFields = []
        isReverse = .allocate(capacity: 1)
    }

    deinit {
        accessors.deallocate()
        isReverse.deallocate()
    }
}
