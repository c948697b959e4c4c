import Graben
import GrabenModel

/// A joint with packed coordinates.
@Entity final class Joint: ManagedObject {
    @Packed("x", "y", "z") var position: SIMD3<Double>
    var name: String?
    @Relationship(inverse: \Line.start, deleteRule: .cascade) var outgoing: ToMany<Line>
    @Relationship(inverse: \Line.end, deleteRule: .cascade) var incoming: ToMany<Line>
    @FetchedProperty("SELF != $FETCH_SOURCE AND z == $FETCH_SOURCE.z", sort: "name") var neighbours: [Joint]
}

@Entity final class Line: ManagedObject {
    var start: Joint?
    var end: Joint?
}

/// Joints and lines: the classes most tests work on.
enum Network {
    /// The model they declare, for tests that bind other classes to it.
    static var model: ManagedObjectModel { get throws { try ManagedObjectModel(of: Joint.self, Line.self) } }

    static func container(_ location: StoreLocation = .inMemory) throws -> PersistentContainer {
        try PersistentContainer(for: Joint.self, Line.self, stores: [StoreConfiguration(location)])
    }
}
