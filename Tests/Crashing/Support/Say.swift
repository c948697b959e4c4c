#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Writes a line to standard output at once: whoever waits for hours wants to see it through a pipe as well.
package func say(_ line: String) {
    var bytes = Array((line + "\n").utf8)[...]
    while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
        guard count > 0 || errno == EINTR else { return }
        if count > 0 { bytes = bytes.dropFirst(count) }
    }
}
