import FoundationEssentials
import Graben

/// The class of design and README: three lanes, a name, two relationships, a fetched property.
@Entity final class Joint: ManagedObject {
    @Packed("x", "y", "z") var position: SIMD3<Double>
    @Unique var name: String?
    @Relationship(inverse: \Line.start, deleteRule: .cascade) var outgoing: ToMany<Line>
    @Relationship(inverse: \Line.end, deleteRule: .cascade) var incoming: ToMany<Line>
    @FetchedProperty("z == $FETCH_SOURCE.z AND SELF != $FETCH_SOURCE", sort: "-name", limit: 2) var level: [Joint]
    @FetchedProperty("nonsense == $FETCH_SOURCE.z") var broken: [Joint]
    @FetchedProperty("SELF != $FETCH_SOURCE", sort: "z", limit: 1, autoRefresh: true) var lowest: Joint?
    @FetchedProperty("nonsense == $FETCH_SOURCE.z", limit: 1) var brokenOne: Joint?
}

@Entity final class Line: ManagedObject {
    var start: Joint?
    var end: Joint?
    @Relationship(inverse: \Layer.lines) var layer: Layer?
}

@Entity("Level", renamedFrom: "Floor") final class Layer: ManagedObject {
    @Relationship(deleteRule: .deny) var lines: OrderedToMany<Line>
}

enum Style: String { case plain, bold }
enum Kind: Int16 { case pipe = 4, pump = -2 }

struct Flags: OptionSet {
    let rawValue: Int
    static let hidden = Flags(rawValue: 1)
    static let locked = Flags(rawValue: 2)
}

struct Note: Codable, Equatable {
    var text: String
    var lines: [Int]
}

typealias Name = String

/// Every type an attribute can have, with and without a default, optional or not.
@Entity final class Everything: ManagedObject {
    var bool: Bool = true
    var int: Int = -7
    var int16: Int16 = 16
    var int32: Int32 = -32
    var int64: Int64 = 64
    var double: Double = 0.5
    var float: Float = 0.25
    var decimal: Decimal = 12
    var string: String = "text"
    var date: Date = Date(timeIntervalSinceReferenceDate: 86_400)
    var data: Data = Data([1, 2])
    var uuid: UUID = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    var url: URL = URL(filePath: "/a")

    var inferredInt = 3
    var inferredDouble = -1.5
    var inferredText = "inferred"
    var inferredBool = false

    var optionalBool: Bool?
    var optionalInt: Int?
    var optionalInt16: Int16?
    var optionalInt32: Int32?
    var optionalInt64: Int64?
    var optionalDouble: Double?
    var optionalFloat: Float? = 2
    var optionalDecimal: Decimal?
    var optionalString: Optional<String>
    var optionalDate: Date?
    var optionalData: Data?
    var optionalUUID: UUID?
    var optionalURL: URL?

    var bare: String
    var bareInt: Int

    @Attribute var style: Style = .plain
    @Attribute var kind: Kind?
    @Attribute var flags: Flags = [.hidden]
    @Attribute var note: Note?
    @Attribute var tags: [String] = ["a", "b"]
    @Attribute var table: [String: Int] = [:]
    @Attribute var alias: Name = "alias"

    @Attribute(name: "labelKey", renamedFrom: "oldLabel", minimumLength: 2, maximumLength: 4, userInfo: ["a": "b"]) var label: String?
    @Attribute(minimum: 0, maximum: 10) var bounded: Double = 5
    @Transient var scratch: Int = 9
    var `class`: String?
    private var hidden: Int = 1
    var hiddenTwice: Int {
        get { hidden * 2 }
        set { hidden = newValue / 2 }
    }
}

/// Keys, orders and a derived attribute.
@Entity @Unique("owner", "number") @Index("owner", "-number") @Index("code", name: "codes", where: "kode BEGINSWITH 'a'")
final class Keyed: ManagedObject {
    var owner: Joint?
    @Index(descending: true) var number: Int = 0
    @Unique @Attribute(name: "kode", matching: "[a-z]+") var code: String?
    @Derived("owner.outgoing.@count") var degree: Int?
    @Packed @Index var height: Double
}
