/// Why the benchmarks cannot go on: what was being done, and what is wrong.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
