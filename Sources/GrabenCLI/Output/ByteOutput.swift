#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Bytes on their way to a file descriptor: buffered, every write checked, the last ones by `flush()`.
///
/// `print` ends with status 0 on a full disk and Foundation's file handle traps there, so neither is used. A closed pipe ends the process by
/// SIGPIPE, as people expect of `graben dump … | head`.
final class ByteOutput {
    private let descriptor: Int32
    /// What messages call the place.
    let name: String
    @exclusivity(unchecked)
    private var buffer: [UInt8] = []
    private static let capacity = 65_536

    init(_ descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
        buffer.reserveCapacity(Self.capacity + 4096)
    }

    static func standardOutput() -> ByteOutput { ByteOutput(1, name: "standard output") }
    static func standardError() -> ByteOutput { ByteOutput(2, name: "standard error") }

    func write(_ text: String) throws(CLIError) {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= Self.capacity { try flush() }
    }

    func write(_ bytes: some Sequence<UInt8>) throws(CLIError) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.capacity { try flush() }
    }

    func write(byte: UInt8) throws(CLIError) {
        buffer.append(byte)
        if buffer.count >= Self.capacity { try flush() }
    }

    func flush() throws(CLIError) {
        defer { buffer.removeAll(keepingCapacity: true) }
        let failure: Int32? = buffer.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let written = writeSome(UnsafeRawBufferPointer(rebasing: rest))
                if written > 0 {
                    rest = rest.dropFirst(written)
                } else if errno == EAGAIN {
                    // A descriptor shared with a program that made it non-blocking.
                    var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&wait, 1, -1)
                } else if errno != EINTR {
                    return errno
                }
            }
            return nil
        }
        if let failure {
            throw CLIError(.inputOutput, "output.write", "writing to \(name) failed: \(String(cString: strerror(failure)))")
        }
    }

    private func writeSome(_ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
            return Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
            return Musl.write(descriptor, bytes.baseAddress, bytes.count)
        #else
            return Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }
}
