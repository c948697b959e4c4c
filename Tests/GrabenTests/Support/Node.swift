import Graben

/// A class that keeps attributes in stored properties of its own, as C1 asks: a point, an optional Float, an Int, an optional Double.
final class Node: ManagedObject {
    private var point: SIMD3<Double> = [-1, -1, -1]
    private var weightField: Float?
    private var levelField = -1
    private var loadField: Double?
    /// What the hooks were called for.
    var calls: [String] = []
    /// Run by the hooks of that name.
    var onHook: ((String, Node) -> Void)?

    override class var primitiveAccessors: [PrimitiveAccessor] {
        [
            .init("x", get: { (node: Node) in node.primitiveX }, set: { $0.primitiveX = $1 }),
            .init("y", get: { (node: Node) in node.primitiveY }, set: { $0.primitiveY = $1 }),
            .init("z", get: { (node: Node) in node.primitiveZ }, set: { $0.primitiveZ = $1 }),
            .init("weight", \Node.primitiveWeight),
            .init("level", \Node.primitiveLevel),
            .init("load", \Node.primitiveLoad),
        ]
    }

    var primitiveX: Double {
        get { point.x }
        set { point.x = newValue }
    }
    var primitiveY: Double {
        get { point.y }
        set { point.y = newValue }
    }
    var primitiveZ: Double {
        get { point.z }
        set { point.z = newValue }
    }
    var primitiveWeight: Float? {
        get { weightField }
        set { weightField = newValue }
    }
    var primitiveLevel: Int {
        get { levelField }
        set { levelField = newValue }
    }
    var primitiveLoad: Double? {
        get { loadField }
        set { loadField = newValue }
    }

    private func read<V>(_ key: String, _ value: () -> V) -> V {
        willAccessValue(forKey: key)
        defer { didAccessValue(forKey: key) }
        return value()
    }

    private func write(_ key: String, _ body: () -> Void) {
        willChangeValue(forKey: key)
        body()
        didChangeValue(forKey: key)
    }

    var x: Double {
        get { read("x") { primitiveX } }
        set { write("x") { primitiveX = newValue } }
    }
    var y: Double {
        get { read("y") { primitiveY } }
        set { write("y") { primitiveY = newValue } }
    }
    var z: Double {
        get { read("z") { primitiveZ } }
        set { write("z") { primitiveZ = newValue } }
    }
    /// The three attributes at once.
    var position: SIMD3<Double> {
        get { [x, y, z] }
        set { (x, y, z) = (newValue.x, newValue.y, newValue.z) }
    }
    var weight: Float? {
        get { read("weight") { primitiveWeight } }
        set { write("weight") { primitiveWeight = newValue } }
    }
    var level: Int {
        get { read("level") { primitiveLevel } }
        set { write("level") { primitiveLevel = newValue } }
    }
    var load: Double? {
        get { read("load") { primitiveLoad } }
        set { write("load") { primitiveLoad = newValue } }
    }

    var title: String? {
        get { attribute("title") }
        set { setAttribute("title", newValue) }
    }
    var scratch: Int? {
        get { attribute("scratch") }
        set { setAttribute("scratch", newValue) }
    }
    var next: Node? {
        get { toOne("next") }
        set { setToOne("next", newValue) }
    }
    var previous: ToMany<Node> { toMany("previous") }

    private func note(_ name: String) {
        calls.append(name)
        onHook?(name, self)
    }

    override func awakeFromInsert() { note("awakeFromInsert") }
    override func awakeFromFetch() { note("awakeFromFetch") }
    override func awake(fromSnapshotEvents events: SnapshotEvents) { note("awake \(events.rawValue)") }
    override func prepareForDeletion() { note("prepareForDeletion") }
    override func willSave() { note("willSave") }
    override func didSave() { note("didSave") }
    override func willTurnIntoFault() { note("willTurnIntoFault") }
    override func didTurnIntoFault() {
        note("didTurnIntoFault")
        (point, weightField, levelField, loadField) = ([-2, -2, -2], -2, -2, -2)
    }

    /// Everything that can be read, once by accessor, once by key, once from the column.
    var all: [Value] {
        get throws {
            try ["x", "y", "z", "weight", "level", "load", "title"].map { try value(forKey: $0) }
        }
    }

    static let model = ManagedObjectModel(entities: [
        EntityDescription(
            "Node",
            attributes: [
                AttributeDescription("x", .double, isOptional: false, isPacked: true),
                AttributeDescription("y", .double, isOptional: false, defaultValue: 5, isPacked: true),
                AttributeDescription("z", .double, isOptional: false, isPacked: true),
                AttributeDescription("weight", .float, isPacked: true),
                AttributeDescription("level", .int64, isOptional: false, defaultValue: 4),
                AttributeDescription("load", .double),
                AttributeDescription("title", .string),
                AttributeDescription("scratch", .int64, isTransient: true),
            ],
            relationships: [
                RelationshipDescription("next", to: "Node", inverse: "previous"),
                RelationshipDescription("previous", to: "Node", inverse: "next", isToMany: true),
            ])
    ])

    static func container(_ location: StoreLocation = .inMemory) throws -> PersistentContainer {
        try PersistentContainer(model: model, classes: ["Node": Node.self], stores: [StoreConfiguration(location)])
    }
}

extension ManagedObjectContext {
    /// A lane of the whole entity as the columns have it, nil for nil.
    func column(_ entity: String, _ name: String) throws -> [Double?] {
        try withColumns(ofEntity: entity) { columns in
            let lane = try columns.lane(name)
            var values: [Double?] = []
            for chunk in columns {
                for slot in 0..<chunk.slotCount where chunk.isLive(slot) { values.append(chunk[lane][slot]) }
            }
            return values
        }
    }
}
