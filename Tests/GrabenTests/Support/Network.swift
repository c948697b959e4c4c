import Graben
import GrabenLog
import GrabenModel

/// A joint with packed coordinates, written as a user without macros writes it.
final class Joint: ManagedObject {
    override class var packedAttributes: [String]? { ["x", "y", "z"] }

    var x: Double {
        get { packed(0) }
        set { setPacked(0, newValue) }
    }
    var y: Double {
        get { packed(1) }
        set { setPacked(1, newValue) }
    }
    var z: Double {
        get { packed(2) }
        set { setPacked(2, newValue) }
    }
    var position: SIMD3<Double> {
        get { packed3(0) }
        set { setPacked3(0, newValue) }
    }
    var name: String? {
        get { attribute("name") }
        set { setAttribute("name", newValue) }
    }
    var outgoing: ToMany<Line> {
        get { toMany("outgoing") }
        set { setToMany("outgoing", newValue) }
    }
    var incoming: ToMany<Line> {
        get { toMany("incoming") }
        set { setToMany("incoming", newValue) }
    }
    var neighbours: [Joint] { fetchedProperty("neighbours") }
}

final class Line: ManagedObject {
    var start: Joint? {
        get { toOne("start") }
        set { setToOne("start", newValue) }
    }
    var end: Joint? {
        get { toOne("end") }
        set { setToOne("end", newValue) }
    }
}

/// Joints and lines: the model most tests work on.
enum Network {
    static let model = ManagedObjectModel(entities: [
        EntityDescription(
            "Joint",
            attributes: [
                AttributeDescription("x", .double, isOptional: false, isPacked: true),
                AttributeDescription("y", .double, isOptional: false, isPacked: true),
                AttributeDescription("z", .double, isOptional: false, isPacked: true),
                AttributeDescription("name", .string),
            ],
            relationships: [
                RelationshipDescription("outgoing", to: "Line", inverse: "start", isToMany: true, deleteRule: .cascade),
                RelationshipDescription("incoming", to: "Line", inverse: "end", isToMany: true, deleteRule: .cascade),
            ],
            fetchedProperties: [
                FetchedPropertyDescription(
                    "neighbours", of: "Joint", predicateFormat: "SELF != $FETCH_SOURCE AND z == $FETCH_SOURCE.z", sort: ["name"])
            ]),
        EntityDescription(
            "Line",
            relationships: [
                RelationshipDescription("start", to: "Joint", inverse: "outgoing"),
                RelationshipDescription("end", to: "Joint", inverse: "incoming"),
            ]),
    ])

    static func container(_ location: StoreLocation = .inMemory) throws -> PersistentContainer {
        try PersistentContainer(
            model: model, classes: ["Joint": Joint.self, "Line": Line.self], stores: [StoreConfiguration(location)])
    }
}
