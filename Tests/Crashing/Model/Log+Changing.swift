internal import GrabenFixtures
internal import GrabenLog

extension Log {
    /// Commits a random change, to the model too.
    func commit(changing model: inout CrashModel, _ random: inout SplitMix64, _ habits: CrashModel.Habits) throws(LogError) {
        do {
            model = try commit { (_, builder: inout CommitBuilder) in
                var next = model
                next.change(&builder, &random, habits)
                return next
            }.0
        } catch {
            if case .log(let error) = error { throw error }
        }
    }
}
