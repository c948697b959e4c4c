/// Graben's part of the workloads, by name ("name/variant" where there are variants). A workload whose name is missing here has no figure
/// and is left out of the table.
///
/// A maker is called once, when its workload is prepared; the closure it gives is run once a round, and once more before each where the
/// workload is warmed. `Outcome`'s figure is in nanoseconds, bytes or commits a sync, and its check is what the closure read.
enum GrabenSide {
    typealias Maker = @Sendable (Bench) throws -> () throws -> Outcome

    static let makers: [String: Maker] = storage.merging(opening) { first, _ in first }.merging(objects) { first, _ in first }
        .merging(fetching) { first, _ in first }
}
