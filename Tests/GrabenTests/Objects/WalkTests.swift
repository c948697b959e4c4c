import Graben
import GrabenFixtures
import Testing

@Suite("Walking objects in order")
struct WalkTests {
    /// A network of which each line's ends are known by the names of joints.
    private struct World {
        let container: PersistentContainer
        var lines: [ObjectID] = []
        var joints: [ObjectID] = []
        /// What each line leads to, by place; nil for a line that is gone.
        var ends: [(start: Int?, end: Int?)?] = []
        var x: [Double?] = []
        var random: SplitMix64

        init(_ location: StoreLocation, lines count: Int, seed: UInt64) throws {
            random = SplitMix64(seed: seed)
            container = try Network.container(location)
            let context = container.newContext()
            let made = (0..<300).map { number in
                let joint = Joint(context: context)
                joint.x = Double(number)
                return joint
            }
            var links: [Line] = []
            for _ in 0..<count {
                let line = Line(context: context)
                let start: Int? = Int.random(in: 0..<8, using: &random) == 0 ? nil : Int.random(in: 0..<300, using: &random)
                let end: Int? = Int.random(in: 0..<8, using: &random) == 0 ? nil : Int.random(in: 0..<300, using: &random)
                line.start = start.map { made[$0] }
                line.end = end.map { made[$0] }
                ends.append((start, end))
                links.append(line)
            }
            try context.save()
            joints = made.map(\.objectID)
            lines = links.map(\.objectID)
            x = (0..<300).map { Double($0) }
            context.close()
        }

        /// Another context's commit: lines turned elsewhere or deleted, joints moved.
        mutating func change(few: Bool) throws {
            let context = container.newContext()
            defer { context.close() }
            for _ in 0..<(few ? 3 : 200) {
                let place = Int.random(in: 0..<lines.count, using: &random)
                guard ends[place] != nil, let line = context.object(with: lines[place]) as? Line else { continue }
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    context.delete(line)
                    ends[place] = nil
                case 1:
                    line.end = nil
                    ends[place]?.end = nil
                default:
                    let start = Int.random(in: 0..<300, using: &random)
                    line.start = context.object(with: joints[start]) as? Joint
                    ends[place]?.start = start
                }
                let joint = Int.random(in: 0..<300, using: &random)
                (context.object(with: joints[joint]) as? Joint)?.x += 0.25
                x[joint]? += 0.25
            }
            try context.save()
        }
    }

    @Test(
        "who walks lines in order finds what each line refers to, whatever happens between two lines",
        arguments: [true, false], TestShare.of(Array(0..<6), brief: 1))
    func whatHappensBetween(isInFile: Bool, seed: Int) throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        var world = try World(isInFile ? .file(folder.path("walk.graben")) : .inMemory, lines: 900, seed: UInt64(seed) + 70)
        let places = Dictionary(uniqueKeysWithValues: world.lines.enumerated().map { ($1, $0) })
        for round in 0..<6 {
            let context = world.container.newContext()
            defer { context.close() }
            context.automaticallyMergesChangesFromParent = round % 2 == 0
            var request = FetchRequest<Line>()
            request.fetchBatchSize = [0, 1, 7, 64, 256, 1000][round]
            var own: [Int: Int?] = [:]
            var steps = 0
            for line in try context.fetchBatched(request) {
                let place = try #require(places[line.objectID])
                steps += 1
                // A line that is gone since the walk began says so.
                guard let ends = world.ends[place] else { continue }
                let start = own[place] ?? ends.start
                let end = ends.end
                if line.start?.objectID != start.map({ world.joints[$0] }) || line.start?.x != start.flatMap({ world.x[$0] })
                    || line.end?.objectID != end.map({ world.joints[$0] }) || line.end?.x != end.flatMap({ world.x[$0] })
                {
                    Issue.record("round \(round), step \(steps): line \(place) leads to \(line.start?.x ?? -1) and \(line.end?.x ?? -1)")
                }
                switch Int.random(in: 0..<150, using: &world.random) {
                case 0:
                    context.rollback()
                    own = [:]
                    try world.change(few: true)
                    context.refreshAllObjects()
                case 1:
                    let target = Int.random(in: 0..<300, using: &world.random)
                    line.start = context.object(with: world.joints[target]) as? Joint
                    own[place] = target
                case 2:
                    context.rollback()
                    own = [:]
                default: break
                }
            }
            try world.change(few: false)
            if round == 3, isInFile { try world.container.compact() }
        }
    }
}
