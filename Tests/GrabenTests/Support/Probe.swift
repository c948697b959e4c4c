import Foundation
import Graben
import GrabenModel
import Testing

/// An object that keeps an attribute of every kind in a field of its own, SIMD lanes and optional ones among them.
final class Probe: ManagedObject {
    fileprivate var double = -1.0
    fileprivate var optionalDouble: Double? = -1
    fileprivate var float: Float = -1
    fileprivate var optionalFloat: Float? = -1
    fileprivate var vector: SIMD2<Double> = [-1, -1]
    fileprivate var small: SIMD3<Float> = [-1, -1, -1]
    /// The second lane of `masked` has no value where this is false.
    fileprivate var hasMasked = true
    fileprivate var masked: SIMD2<Double> = [-1, -1]
    fileprivate var int = -1
    fileprivate var optionalInt: Int? = -1
    fileprivate var int16: Int16 = -1
    fileprivate var bool = true
    fileprivate var text: String? = "?"
    fileprivate var date: Date? = Date(timeIntervalSinceReferenceDate: -1)
    fileprivate var uuid: UUID? = UUID(uuidString: "00000000-0000-0000-0000-000000000009")
    fileprivate var data: Data? = Data([9])
    fileprivate var plain: Double? = -1
    fileprivate var decimal: Decimal? = -1
    var name: String? {
        get { attribute("name") }
        set { setAttribute("name", newValue) }
    }

    /// An attribute in a field: how it is read and written there, and values that differ.
    struct Field: Sendable, CustomTestStringConvertible {
        let accessor: PrimitiveAccessor
        let description: AttributeDescription
        /// What a new object has: the model's default, or else what the class begins with.
        let initial: Value
        /// Three values, the first two of which differ, and the last two but for a Bool.
        let values: [Value]
        let get: @Sendable (Probe) -> Value
        let set: @Sendable (Probe, Value) -> Void
        var key: String { description.name }
        /// What the class begins with where the model says nothing.
        private static let own: [String: Value] = [
            "optionalDouble": -1.0, "text": "?", "date": .date(Date(timeIntervalSinceReferenceDate: -1)), "data": .data(Data([9])),
            "plain": -1.0,
            "decimal": .decimal(-1), "uuid": .uuid(UUID(uuidString: "00000000-0000-0000-0000-000000000009") ?? UUID()),
        ]
        var testDescription: String { key }

        init<V: PrimitiveConvertible>(
            _ path: ReferenceWritableKeyPath<Probe, V> & Sendable, _ description: AttributeDescription, _ values: Value...
        ) {
            accessor = PrimitiveAccessor(description.name, get: { (probe: Probe) in probe[keyPath: path] }, set: { $0[keyPath: path] = $1 })
            self.description = description
            let isLane = description.isPacked && !description.isOptional
            initial =
                description.defaultValue ?? (isLane ? description.type == .double ? 0.0 : .float(0) : Self.own[description.name] ?? .null)
            self.values = values
            get = { $0[keyPath: path].primitiveValue }
            set = { $0[keyPath: path] = V(primitiveValue: $1) ?? V.missingPrimitive }
        }
    }

    fileprivate var maskedY: Double? {
        get { hasMasked ? masked.y : nil }
        set {
            hasMasked = newValue != nil
            masked.y = newValue ?? 0
        }
    }

    static let fields: [Field] = [
        Field(\.double, .init("double", .double, isOptional: false, defaultValue: 1.5, isPacked: true), 1.0, -0.0, .double(.nan)),
        Field(\.optionalDouble, .init("optionalDouble", .double, isPacked: true), 0.0, -0.0, 3.5),
        Field(\.float, .init("float", .float, isOptional: false, isPacked: true), .float(1), .float(.infinity), .float(-0.0)),
        Field(\.optionalFloat, .init("optionalFloat", .float, defaultValue: .float(2), isPacked: true), .float(0), .null, .float(1)),
        Field(\.vector.x, .init("vectorX", .double, isOptional: false, isPacked: true), 1.0, 2.0, 3.0),
        Field(\.vector.y, .init("vectorY", .double, isOptional: false, isPacked: true), 4.0, 5.0, 6.0),
        Field(\.small.z, .init("smallZ", .float, isOptional: false, isPacked: true), .float(1), .float(2), .float(3)),
        Field(\.masked.x, .init("maskedX", .double, isOptional: false, isPacked: true), 1.0, 2.0, 3.0),
        Field(\.maskedY, .init("maskedY", .double, defaultValue: 8.0, isPacked: true), 0.0, .null, 3.0),
        Field(\.int, .init("int", .int64, isOptional: false, defaultValue: 4), 1, .int(.max), .int(.min)),
        Field(\.optionalInt, .init("optionalInt", .int64, defaultValue: 4), 0, .null, 7),
        Field(\.int16, .init("int16", .int16, isOptional: false, defaultValue: 4), 1, 32_767, -32_768),
        Field(\.bool, .init("bool", .boolean, isOptional: false, defaultValue: false), true, false, true),
        Field(\.text, .init("text", .string), "é", "e\u{301}", ""),
        Field(
            \.date, .init("date", .date), .date(.init(timeIntervalSinceReferenceDate: 1)),
            .date(.init(timeIntervalSinceReferenceDate: -0.0)),
            .date(.init(timeIntervalSinceReferenceDate: 0))),
        Field(
            \.uuid, .init("uuid", .uuid), .uuid(UUID(uuidString: "00000000-0000-0000-0000-000000000001") ?? UUID()), .null, .uuid(UUID())),
        Field(\.data, .init("data", .data), .data(Data()), .data(Data(repeating: 7, count: 5_000)), .data(Data([0]))),
        Field(\.plain, .init("plain", .double), 0.0, .null, .double(.nan)),
        Field(\.decimal, .init("decimal", .decimal), .decimal(1), .null, .decimal(2)),
    ]

    override class var primitiveAccessors: [PrimitiveAccessor] { fields.map(\.accessor) }

    /// By a getter as C1 asks for.
    func read(_ field: Field) -> Value {
        willAccessValue(forKey: field.key)
        defer { didAccessValue(forKey: field.key) }
        return field.get(self)
    }

    /// By a setter as C1 asks for.
    func write(_ field: Field, _ value: Value) {
        willChangeValue(forKey: field.key)
        field.set(self, value)
        didChangeValue(forKey: field.key)
    }

    override func didTurnIntoFault() {
        for field in Self.fields { field.set(self, field.values[2]) }
    }

    static func container() throws -> PersistentContainer {
        let attributes = fields.map(\.description) + [AttributeDescription("name", .string)]
        return try PersistentContainer(
            model: ManagedObjectModel(entities: [EntityDescription("Probe", attributes: attributes)]), classes: ["Probe": Probe.self],
            stores: [StoreConfiguration(.inMemory)])
    }
}
