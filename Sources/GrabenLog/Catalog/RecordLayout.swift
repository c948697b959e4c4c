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
package final class RecordLayout: Sendable {
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

    /// The fields of each place, in order (index: `FieldPlace`).
    let fieldsByPlace: [[Int]]
    /// Each field's position among those of its place.
    let positionInPlace: [Int]
    /// Each field's bit in the null bitmap, which has bits for optional fields only; -1 for the others.
    let nullBits: [Int]
    let nullByteCount: Int
    let maskByteCount: Int

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

        var byPlace: [[Int]] = Array(repeating: [], count: 5)
        positionInPlace = fields.indices.map { index in
            let place = fields[index].kind.place.rawValue
            defer { byPlace[place].append(index) }
            return byPlace[place].count
        }
        fieldsByPlace = byPlace
        var bit = 0
        nullBits = fields.map { field in
            guard field.isOptional else { return -1 }
            defer { bit += 1 }
            return bit
        }
        nullByteCount = (bit + 7) / 8
        maskByteCount = (fields.count + 7) / 8
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
