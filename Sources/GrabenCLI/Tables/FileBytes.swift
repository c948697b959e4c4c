#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The bytes of an input file, every read checked.
enum FileBytes {
    /// Reads a file, or as many bytes of its beginning as are wanted.
    static func read(_ path: String, limit: Int = .max) throws(CLIError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CLIError(.noSuchFile, "file.missing", "opening '\(path)' failed: \(String(cString: strerror(errno)))", file: path)
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = readSome(descriptor, &buffer)
            if count == 0 || bytes.count >= limit { return bytes }
            if count > 0 {
                bytes.append(contentsOf: buffer.prefix(min(count, limit - bytes.count)))
            } else if errno != EINTR {
                throw CLIError(.inputOutput, "file.read", "reading '\(path)' failed: \(String(cString: strerror(errno)))", file: path)
            }
        }
    }

    private static func readSome(_ descriptor: Int32, _ buffer: inout [UInt8]) -> Int {
        #if canImport(Glibc)
            return Glibc.read(descriptor, &buffer, buffer.count)
        #elseif canImport(Musl)
            return Musl.read(descriptor, &buffer, buffer.count)
        #else
            return Darwin.read(descriptor, &buffer, buffer.count)
        #endif
    }

    /// Whether it is an ordinary file, of which reading a part takes nothing away.
    static func isOrdinary(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
