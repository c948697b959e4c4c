#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

// `Demo [FIXTURES]`: a town's pipes go into one file and come out again. Ends with status 1 where anything is not as it should be.
do {
    guard CommandLine.arguments.count <= 2, CommandLine.arguments.dropFirst().first?.hasPrefix("-") != true else {
        throw DemoFailure("usage: Demo [FIXTURES]   (the folder with ky10.model.json; found by itself inside the package)")
    }
    try Demo(fixtures: try Fixtures(path: CommandLine.arguments.dropFirst().first)).run()
} catch {
    _ = writeLine("demo: \(error)", to: 2)
    exit(1)
}
