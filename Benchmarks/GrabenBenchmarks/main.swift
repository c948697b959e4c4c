#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Measures Graben against SQLite, LMDB and the bare machine and prints a table; `--help` tells the options.
func runBenchmarks() throws {
    let options = try Options(arguments: Array(CommandLine.arguments.dropFirst()))
    if let path = options.loadPath { return try Drawing.load(count: options.count, at: path) }
    if options.asksForHelp { return print(Options.usage) }
    let chosen = Workloads.all.filter { options.selects($0.name) }
    guard !chosen.isEmpty else {
        throw BenchmarkError("No workload is called \(options.only.joined(separator: " or ")); --list prints the names.")
    }
    if options.listsNames { return print(chosen.map(\.name).joined(separator: "\n")) }

    let bench = try Bench(options: options)
    defer { bench.removeStores() }
    print("\(Report.short(Double(options.count))) joints and as many lines; medians of interleaved rounds; a ratio below 1 is better.")
    for engine in bench.engines { print("\(engine.side.rawValue): \(engine.settings)") }
    if bench.sqlite == nil { print("sqlite: left out, its development package (libsqlite3-dev) was missing when this was built") }
    if bench.lmdb == nil { print("lmdb: left out, its development package (liblmdb-dev) was missing when this was built") }
    print("\n" + Report.header)

    var results: [Result] = []
    var absent: [String] = []
    for workload in chosen {
        let new = try Runner(options: options).run(workload, in: bench)
        if !new.contains(where: { $0.figures[.graben] != nil }) { absent.append(workload.name) }
        for result in new { print(Report.line(result)) }
        fflush(nil)
        results += new
    }
    if !absent.isEmpty { print("\nnot measured for Graben yet: \(absent.joined(separator: ", "))") }
    if let path = options.jsonPath { try Report.writeJSON(results, to: path) }
}

do {
    try runBenchmarks()
} catch {
    let text = "GrabenBenchmarks: \(error)\n"
    _ = text.withCString { write(STDERR_FILENO, $0, text.utf8.count) }
    exit(1)
}
