/// The catalog's number of a concrete entity; never used again in a file.
package typealias EntityCode = UInt16
/// A row of an entity: dense, beginning with 0, at most 2^32 - 2.
package typealias Row = UInt32

/// The slots of a chunk, a constant of the format.
package let slotsPerChunk = 1024
/// The bytes of one validity bitmap: a bit for each slot of a chunk.
package let validityByteCount = slotsPerChunk / 8

/// What a field of a record holds; the raw values stand in the file.
package enum FieldKind: UInt8, Sendable, CaseIterable {
    case bool = 1
    case int16, int32, int64, float, double, decimal, date, uuid, string, data, uri, json
    /// A row of the one entity the field names.
    case reference
    /// An entity's code and a row of it.
    case polymorphicReference

    /// Where in a record the field lies.
    var place: FieldPlace {
        switch self {
        case .bool, .int16, .int32, .int64, .reference, .polymorphicReference: .integer
        case .double, .date: .fixed8
        case .float: .fixed4
        case .uuid: .fixed16
        case .decimal, .string, .data, .uri, .json: .variable
        }
    }
}

/// The parts of a record, in the order in which they follow each other.
enum FieldPlace: Int, Sendable {
    case integer, fixed8, fixed4, fixed16, variable
    static let count = 5
}

/// A field without its name: trivial memory.
struct FieldInfo {
    let kind: FieldKind
    let place: FieldPlace
    let hasDestination: Bool
    let destination: EntityCode
    /// Among the fields of its place.
    let position: Int32
    /// In the null bitmap, which has bits for optional fields only; -1 for the others.
    let nullBit: Int32

    /// Whether it is a reference to that one entity.
    @inline(__always)
    func leads(to entity: EntityCode) -> Bool { kind == .reference && hasDestination && destination == entity }
}

/// An unpacked attribute or a to-one relationship as a record stores it.
package struct RecordField: Hashable, Sendable {
    package let name: String
    package let kind: FieldKind
    package let isOptional: Bool
    /// The entity a `reference` leads to.
    package let destination: EntityCode?

    package init(name: String, kind: FieldKind, isOptional: Bool, destination: EntityCode? = nil) {
        self.name = name
        self.kind = kind
        self.isOptional = isOptional
        self.destination = destination
    }
}

/// The width of a lane's numbers; the raw value is their size in bytes.
package enum LaneWidth: UInt8, Sendable {
    case float = 4
    case double = 8
}

/// A packed attribute.
package struct Lane: Hashable, Sendable {
    package let name: String
    package let width: LaneWidth
    package let isOptional: Bool
    /// The bits rows have that are older than the attribute (a float's in the low 32); nil for a null.
    package let defaultBits: UInt64?

    package init(name: String, width: LaneWidth = .double, isOptional: Bool = false, defaultBits: UInt64? = nil) {
        self.name = name
        self.width = width
        self.isOptional = isOptional
        self.defaultBits = defaultBits
    }
}

/// How the records and chunks of one version of an entity are laid out. Never changed once it is in a file.
///
///     chunk:   lane 0 (1024 numbers) | lane 1 | ... | validity of the first optional lane (128 B) | ... | zeros up to 64
///     record:  see FileFormat.md; the fields stand in it by place, and within a place in this order
package final class RecordLayout: @unchecked Sendable {
    /// Unique in the file; later versions of an entity have greater numbers.
    package let number: UInt32
    package let entity: EntityCode
    package let fields: [RecordField]
    package let lanes: [Lane]

    /// The byte offset of each lane in a chunk.
    package let laneOffsets: [Int]
    /// The byte offset of each lane's validity bitmap in a chunk; nil for lanes that are never null.
    package let validityOffsets: [Int?]
    /// A multiple of 64; 0 for an entity without lanes.
    package let chunkByteCount: Int

    /// What reading and writing records needs of each field. Plain memory, never changed, because records are bound and read a million times
    /// a second and an array of structs with names in it would be retained each time.
    let infos: UnsafeMutablePointer<FieldInfo>
    /// The fields' indexes by place, and within a place in order; the fields of place `p` stand at `starts[p]..<starts[p + 1]`.
    let order: UnsafeMutablePointer<Int>
    let starts: UnsafeMutablePointer<Int>
    let fieldCount: Int
    let nullByteCount: Int
    let maskByteCount: Int
    /// The bytes of all fields of fixed size when none is null.
    let fixedByteCount: Int
    /// No record's bytes before its variable fields are more, eight to spare included.
    let headBound: Int

    package init(number: UInt32, entity: EntityCode, fields: [RecordField], lanes: [Lane]) {
        self.number = number
        self.entity = entity
        self.fields = fields
        self.lanes = lanes

        var offset = 0
        laneOffsets = lanes.map { lane in
            defer { offset += slotsPerChunk * Int(lane.width.rawValue) }
            return offset
        }
        validityOffsets = lanes.map { lane in
            guard lane.isOptional else { return nil }
            defer { offset += validityByteCount }
            return offset
        }
        chunkByteCount = (offset + 63) / 64 * 64

        fieldCount = fields.count
        infos = .allocate(capacity: max(fields.count, 1))
        order = .allocate(capacity: max(fields.count, 1))
        starts = .allocate(capacity: FieldPlace.count + 1)
        starts.initialize(repeating: 0, count: FieldPlace.count + 1)
        var bit: Int32 = 0
        var positions = [Int32](repeating: 0, count: FieldPlace.count)
        for (index, field) in fields.enumerated() {
            let place = field.kind.place
            (infos + index).initialize(
                to: FieldInfo(
                    kind: field.kind, place: place, hasDestination: field.destination != nil, destination: field.destination ?? 0,
                    position: positions[place.rawValue], nullBit: field.isOptional ? bit : -1))
            positions[place.rawValue] += 1
            if field.isOptional { bit += 1 }
        }
        var next = 0
        for place in 0..<FieldPlace.count {
            starts[place] = next
            for (index, field) in fields.enumerated() where field.kind.place.rawValue == place {
                (order + next).initialize(to: index)
                next += 1
            }
        }
        starts[FieldPlace.count] = next
        nullByteCount = (Int(bit) + 7) / 8
        maskByteCount = (fields.count + 7) / 8
        fixedByteCount =
            Int(positions[FieldPlace.fixed8.rawValue]) * 8 + Int(positions[FieldPlace.fixed4.rawValue]) * 4
            + Int(positions[FieldPlace.fixed16.rawValue]) * 16
        let integers = Int(positions[FieldPlace.integer.rawValue])
        // Length, number, row, flags; mask; bitmap; byte counts and bytes of integers.
        headBound = 1 + 5 + 5 + 1 + maskByteCount + nullByteCount + (integers + 1) / 2 + integers * 8 + fixedByteCount + 8
    }

    deinit {
        infos.deallocate()
        order.deallocate()
        starts.deallocate()
    }

    @inline(__always) func count(_ place: FieldPlace) -> Int { starts[place.rawValue + 1] - starts[place.rawValue] }
    @inline(__always) func indexes(_ place: FieldPlace) -> UnsafeBufferPointer<Int> {
        UnsafeBufferPointer(start: order + starts[place.rawValue], count: count(place))
    }

    /// The field's index, found by its name. O(fields).
    package func fieldIndex(_ name: String) -> Int? { fields.firstIndex { $0.name == name } }
    /// The lane's index, found by its name. O(lanes).
    package func laneIndex(_ name: String) -> Int? { lanes.firstIndex { $0.name == name } }
}

extension RecordLayout: Equatable {
    package static func == (a: RecordLayout, b: RecordLayout) -> Bool {
        a === b || (a.number == b.number && a.entity == b.entity && a.fields == b.fields && a.lanes == b.lanes)
    }
}
