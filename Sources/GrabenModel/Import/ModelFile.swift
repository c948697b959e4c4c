#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The bytes of a model's file, which may be a pipe: `model check <(…)`, `/dev/stdin`.
package enum ModelFile {
    /// The longest file read, in bytes.
    package static let lengthLimit = 64 << 20

    /// Reads a file to its end.
    ///
    /// Throws `ModelError.unreadable` for what cannot be opened or read, and what is longer than the limit. A named pipe into which nobody
    /// writes counts as empty instead of being waited for.
    package static func bytes(of path: String) throws(ModelError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unreadable(path: path, reason: lastError) }
        defer { close(descriptor) }
        // Opened without waiting, read with it.
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw .unreadable(path: path, reason: lastError)
            }
            bytes += buffer[..<count]
            guard bytes.count <= lengthLimit else {
                throw .unreadable(path: path, reason: "it is longer than \(lengthLimit >> 20) MB")
            }
        }
    }

    private static var lastError: String { String(cString: strerror(errno)) }
}
