import CPeers
import Graben
import GrabenFixtures

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The classes a program has whose drawing this is.
@Entity final class Joint: ManagedObject {
    @Packed("x", "y", "z") var position: SIMD3<Double>
    var name: String?
    @Relationship(inverse: \Line.start, deleteRule: .cascade) var outgoing: ToMany<Line>
    @Relationship(inverse: \Line.end, deleteRule: .cascade) var incoming: ToMany<Line>
}

@Entity final class Line: ManagedObject {
    var start: Joint?
    var end: Joint?
}

/// A joint that is known by its name.
@Entity final class NamedJoint: ManagedObject {
    @Packed("x", "y", "z") var position: SIMD3<Double>
    @Unique var name: String?
}

/// The network as objects of a store in a file.
struct Drawing {
    static func open(_ path: String) throws -> PersistentContainer {
        try PersistentContainer(for: Joint.self, Line.self, at: path)
    }

    /// Loads a network into a new store and prints how many joints it has.
    static func load(count: Int, at path: String) throws {
        let container = try open(path)
        try load(RandomNetwork(count: count), into: container)
        try container.close()
        print(count)
    }

    /// As above, in a process of its own: the heap that objects are then read from is one that nobody has used before.
    static func loadElsewhere(_ bench: Bench, at path: String) throws {
        let arguments = [CommandLine.arguments[0], "--load", path, "--n", "\(bench.network.count)"]
        var pointers = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        let result = peer_read_number(&pointers)
        guard result.nanoseconds >= 0, Int(result.count) == bench.network.count else {
            throw BenchmarkError("Loading the drawing: \(String(cString: peer_message()))")
        }
    }

    /// Inserts every joint and line through managed objects and saves once.
    static func load(_ network: RandomNetwork, into container: PersistentContainer) throws {
        let context = container.newContext()
        var joints: [Joint] = []
        joints.reserveCapacity(network.count)
        for row in 0..<network.count {
            let joint = Joint(context: context)
            joint.position = [network.x[row], network.y[row], network.z[row]]
            joint.name = network.name(row)
            joints.append(joint)
        }
        for row in 0..<network.count {
            let line = Line(context: context)
            line.start = joints[Int(network.starts[row])]
            line.end = joints[Int(network.ends[row])]
        }
        try context.save()
        context.close()
    }
}

/// The drawing as a program has it that has been at work for a while: saved, reopened, every joint registered, one in ten with unsaved
/// moves, an undo manager set, and the snapshot advanced over another context's commit. Moves keep x + y + z, so that sums can be checked.
final class WorkedDrawing {
    let container: PersistentContainer
    let context: ManagedObjectContext
    let joints: [Joint]
    let ids: [ObjectID]
    private(set) lazy var shuffled: [Joint] = {
        var random = SplitMix64(seed: 45)
        return joints.shuffled(using: &random)
    }()

    init(_ bench: Bench) throws {
        let path = try bench.freshDirectory("graben-drawing") + "/network.graben"
        try Drawing.loadElsewhere(bench, at: path)
        container = try Drawing.open(path)
        context = container.newContext()
        context.undoManager = ObjectUndoManager()
        joints = try context.fetch(FetchRequest<Joint>())
        ids = joints.map(\.objectID)
        for joint in joints.indices where joint % 10 == 0 { Self.shift(joints[joint], by: 0.25) }
        let other = container.newContext()
        for row in bench.movedRows.prefix(1000) where row % 10 != 0 {
            if let joint = other.object(with: ids[Int(row)]) as? Joint { Self.shift(joint, by: 0.5) }
        }
        try other.save()
        _ = try context.count(for: FetchRequest<Joint>(entity: "Joint"))
    }

    private static func shift(_ joint: Joint, by distance: Double) {
        joint.x += distance
        joint.y -= distance
    }

    static func of(_ bench: Bench) throws -> WorkedDrawing {
        if let drawing = bench.kept["drawing"] as? WorkedDrawing { return drawing }
        let drawing = try WorkedDrawing(bench)
        bench.kept["drawing"] = drawing
        return drawing
    }
}
