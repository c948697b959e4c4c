#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

exit(Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
