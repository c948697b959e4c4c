import FoundationEssentials
import Graben

/// What the demo knows between its steps.
///
/// Joints and lines of the fixture are given in feet. Every step checks what it prints, and throws `DemoFailure` where it is not
/// so.
final class Demo {
    let fixtures: Fixtures
    let store: String
    var steps = Steps()
    private let directory: URL

    /// How far everything is moved in step 4, in feet.
    static let delta: SIMD3<Double> = [120.5, -80.25, 3.5]

    init(fixtures: Fixtures) throws {
        self.fixtures = fixtures
        directory = FileManager.default.temporaryDirectory.appending(path: "graben-demo-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        } catch {
            throw DemoFailure("creating the folder '\(directory.path)': \(error)")
        }
        store = directory.appending(path: "town.graben").path
    }

    /// Runs every step; the store is removed at the end, whatever happens.
    func run() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try load()
        let moved = try edit()
        try compareAfterReopening(moved)
        try deleteAndUndo()
        try list()
        try draw()
    }

    func openStore() throws -> PersistentContainer {
        try PersistentContainer(model: fixtures.model, classes: [Joint.self, Line.self], at: store)
    }

    /// A context that takes changes back, and whose errors in getters and setters end the demo at the next check.
    func newContext(_ container: PersistentContainer) -> ManagedObjectContext {
        let context = container.newContext()
        context.transactionAuthor = "demo"
        context.errorHandler = { [self] error in errors.append(error) }
        return context
    }

    /// Errors of members that cannot throw.
    private var errors: [GrabenError] = []

    func checkErrors() throws {
        if let error = errors.first { throw error }
    }

    /// The joint with most lines, the first by name of several.
    func busiestJoint(_ context: ManagedObjectContext) throws -> Joint {
        var request = try Joint.fetchRequest(
            where: "outgoing.@count + incoming.@count == %@", fixtures.expected.busiest.degree)
        request.sortDescriptors = [ObjectSortDescriptor("name")]
        request.fetchLimit = 1
        guard let joint = try context.fetch(request).first else { throw DemoFailure("no joint has that many lines") }
        return joint
    }
}
