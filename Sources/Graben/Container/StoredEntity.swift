import FoundationEssentials
import GrabenLog
import GrabenModel
import Synchronization

/// How one entity is kept in one store: its number in the file, the layout of its records, and where each relationship is found.
final class StoredEntity: Sendable {
    unowned let store: PersistentStore
    let storeNumber: UInt32
    let info: EntityInfo
    let code: EntityCode
    /// The layout new records are written in.
    let layout: RecordLayout
    /// For records in older layouts: the field of each property, or nil where the layout has none.
    private let olderFields: [UInt32: [Int?]]
    /// The same for layouts that a writer has added since a reader was bound.
    private let newerFields = Mutex<[UInt32: [Int?]]>([:])
    /// How relationships are kept, by property number.
    let relationships: [RelationshipStorage?]
    /// For accessors that take the short way.
    let quick: QuickAccessors

    /// Where members of a to-many relationship are found.
    enum RelationshipStorage: Sendable {
        /// A reference in the record.
        case field
        /// The objects whose reference leads here: one index for each entity they can be of.
        case reverse([ReverseKey])
        /// Link records in which this side is the owner.
        case owner(LinkRelationship)
        /// Link records in which this side is the member.
        case member(LinkRelationship)
        /// A many-to-many that is its own inverse: both.
        case both(LinkRelationship)
    }

    init(
        store: PersistentStore, info: EntityInfo, code: EntityCode, layout: RecordLayout, older: [RecordLayout],
        relationships: [RelationshipStorage?]
    ) {
        self.store = store
        storeNumber = store.number
        self.info = info
        self.code = code
        self.layout = layout
        self.relationships = relationships
        quick = QuickAccessors(info, relationships)
        var fields: [UInt32: [Int?]] = [:]
        for old in older where old.number != layout.number { fields[old.number] = Self.fields(of: info, layout, in: old) }
        olderFields = fields
    }

    /// The field of each property in another layout; nil where it has none, or one of another kind, which was another property of that name.
    private static func fields(of info: EntityInfo, _ layout: RecordLayout, in other: RecordLayout) -> [Int?] {
        info.properties.map { property in
            guard property.field >= 0, let field = other.fieldIndex(property.name),
                other.fields[field].kind == layout.fields[property.field].kind
            else { return nil }
            return field
        }
    }

    /// Learns to read records in layouts that the file did not have when the store was bound.
    func learnLayouts(of catalog: Catalog) {
        newerFields.withLock { known in
            for new in catalog.layouts
            where new.entity == code && new.number != layout.number && olderFields[new.number] == nil && known[new.number] == nil {
                known[new.number] = Self.fields(of: info, layout, in: new)
            }
        }
    }

    // MARK: Values

    /// A property's value in a record; what an older layout lacks has the attribute's default.
    ///
    /// Bytes that no value of the property's kind has are an error and never a nil: a save would write that nil over them.
    func value(_ property: PropertyInfo, of record: RecordView) throws(LogError) -> Value {
        guard property.field >= 0 else { return .null }
        var field = property.field
        if record.layout.number != layout.number {
            guard let old = self.field(property, in: record.layout) else { return property.defaultValue }
            field = old
        }
        // A reference to an entity that the model does not have (any more) is none.
        if let (entity, row) = record.reference(field) { return store.id(entity, row).map { .reference($0) } ?? .null }
        do { return Value(try record.value(at: field)) } catch {
            throw store.newestSnapshot.undecodable("the value of \(info.name).\(property.name) in row \(record.row)", in: record)
        }
    }

    /// Where a property stands in records of a layout; nil where they do not have it.
    func field(_ property: PropertyInfo, in layout: RecordLayout) -> Int? {
        guard property.field >= 0 else { return nil }
        if layout.number == self.layout.number { return property.field }
        let fields = olderFields[layout.number] ?? newerFields.withLock { $0[layout.number] }
        return fields?[property.number]
    }

    /// The object a record's to-one refers to.
    func reference(_ property: PropertyInfo, of record: RecordView) throws(LogError) -> ObjectID? {
        if case .reference(let id) = try value(property, of: record) { return id }
        return nil
    }

    /// The row a record's to-one refers to, where its destination is one entity.
    func targetRow(_ property: PropertyInfo, of record: RecordView) throws(LogError) -> Row? {
        if record.layout.number == layout.number, let (_, row) = record.reference(property.field) { return row }
        return try reference(property, of: record)?.row
    }

    /// A value as a record holds it.
    func stored(_ value: Value) -> StoredValue {
        guard case .reference(let id) = value else { return StoredValue(attribute: value) }
        guard let code = store.code(ofEntity: id.entityNumber) else { return .null }
        return .reference(code, id.row)
    }

    // MARK: Members of to-many relationships

    /// The members in a snapshot: in order where ordered, else by id.
    func members(of row: Row, _ property: PropertyInfo, in snapshot: LogSnapshot) throws(LogError) -> [ObjectID] {
        switch relationships[property.number] {
        case .reverse(let keys):
            var ids: [ObjectID] = []
            for key in keys {
                guard let entity = store.entityNumber(of: key.source) else { continue }
                for source in try snapshot.sources(of: row, through: key) {
                    ids.append(ObjectID(store: storeNumber, entity: UInt32(entity), row: source))
                }
            }
            return keys.count > 1 ? ids.sorted() : ids
        case .owner(let link): return memberIDs(snapshot, link, row, sorted: !property.isOrdered)
        case .member(let link): return ownerIDs(snapshot, link, row).sorted()
        case .both(let link): return Set(memberIDs(snapshot, link, row, sorted: false) + ownerIDs(snapshot, link, row)).sorted()
        case .field, nil: return []
        }
    }

    func memberCount(of row: Row, _ property: PropertyInfo, in snapshot: LogSnapshot) throws(LogError) -> Int {
        switch relationships[property.number] {
        case .reverse(let keys):
            var count = 0
            for key in keys { count += try snapshot.sourceCount(of: row, through: key) }
            return count
        case .owner(let link): return snapshot.memberCount(of: ObjectKey(code, row), through: link)
        case .member(let link): return snapshot.ownerCount(of: ObjectKey(code, row), through: link)
        case .both: return try members(of: row, property, in: snapshot).count
        case .field, nil: return 0
        }
    }

    func hasMember(of row: Row, _ property: PropertyInfo, _ id: ObjectID, in snapshot: LogSnapshot) throws(LogError) -> Bool {
        guard let source = store.stored(entity: Int(id.entityNumber)) else { return false }
        let (this, other) = (ObjectKey(code, row), ObjectKey(source.code, id.row))
        switch relationships[property.number] {
        case .reverse(let keys):
            guard let key = keys.first(where: { $0.source == source.code }), let record = try snapshot.record(source.code, id.row) else {
                return false
            }
            guard let field = record.layout.fieldIndex(key.field), let target = record.reference(field) else { return false }
            return target.entity == code && target.row == row
        case .owner(let link): return snapshot.containsMember(other, of: this, through: link)
        case .member(let link): return snapshot.containsMember(this, of: other, through: link)
        case .both(let link):
            return snapshot.containsMember(other, of: this, through: link) || snapshot.containsMember(this, of: other, through: link)
        case .field, nil: return false
        }
    }

    /// Members with their order keys, by order.
    func orderedMembers(of row: Row, _ link: LinkRelationship, in snapshot: LogSnapshot) -> [(order: Int64, id: ObjectID)] {
        snapshot.members(of: ObjectKey(code, row), through: link).compactMap { member in
            store.id(member.entity, member.row).map { (member.order, $0) }
        }
    }

    private func memberIDs(_ snapshot: LogSnapshot, _ link: LinkRelationship, _ row: Row, sorted: Bool) -> [ObjectID] {
        let ids = orderedMembers(of: row, link, in: snapshot).map(\.id)
        return sorted ? ids.sorted() : ids
    }

    private func ownerIDs(_ snapshot: LogSnapshot, _ link: LinkRelationship, _ row: Row) -> [ObjectID] {
        snapshot.owners(of: ObjectKey(code, row), through: link).compactMap { store.id($0.entity, $0.row) }
    }

    // MARK: Rows

    func id(of row: Row) -> ObjectID { ObjectID(store: storeNumber, entity: UInt32(info.index), row: row) }

    func reserveRows(_ count: Int) throws(GrabenError) -> Range<Row> {
        do { return try store.log.reserveRows(entity: code, count: count) } catch { throw .store(error) }
    }

    func releaseRows(_ rows: Range<Row>) { store.log.releaseRows(entity: code, rows) }
}

extension StoredValue {
    /// An attribute's value as a record holds it; references need to know the store and are none here.
    init(attribute value: Value) {
        self =
            switch value {
            case .null, .reference, .references: .null
            case .bool(let value): .bool(value)
            case .int(let value): .int(value)
            case .float(let value): .float(value)
            case .double(let value): .double(value)
            case .decimal(let value): .decimal(value)
            case .string(let value): .string(value)
            case .date(let value): .date(value.timeIntervalSinceReferenceDate)
            case .data(let value): .data(value)
            case .uuid(let value): .uuid(value)
            case .uri(let value): .uri(value)
            case .json(let value): .json(value)
            }
    }
}

extension Value {
    init(_ stored: StoredValue) {
        self =
            switch stored {
            case .null: .null
            case .bool(let value): .bool(value)
            case .int(let value): .int(value)
            case .float(let value): .float(value)
            case .double(let value): .double(value)
            case .decimal(let value): .decimal(value)
            case .date(let value): .date(Date(timeIntervalSinceReferenceDate: value))
            case .uuid(let value): .uuid(value)
            case .string(let value): .string(value)
            case .data(let value): .data(value)
            case .uri(let value): .uri(value)
            case .json(let value): .json(value)
            case .reference: .null
            }
    }
}
