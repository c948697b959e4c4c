import GrabenDrawing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Prints the steps of the demo, numbered, each with what it shows.
struct Steps {
    private var number = 0

    mutating func begin(_ title: String) throws(DemoFailure) {
        number += 1
        try say("\(number). \(title)")
    }

    func show(_ line: String) throws(DemoFailure) { try say("   \(line)") }

    private func say(_ line: String) throws(DemoFailure) {
        guard writeLine(line, to: 1) else {
            throw DemoFailure("writing to standard output failed: \(String(cString: strerror(errno)))")
        }
    }
}

/// Writes a line at once; false where a disk is full or a pipe closed, which `print` would hide.
func writeLine(_ line: String, to descriptor: Int32) -> Bool {
    var bytes = Array((line + "\n").utf8)[...]
    while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 || errno == EINTR else { return false }
        bytes = bytes.dropFirst(max(0, count))
    }
    return true
}

extension BinaryInteger {
    /// The number with a comma every three digits.
    var grouped: String { PlainText.grouped(self) }
}

extension Double {
    /// The number with two decimals.
    var short: String { PlainText.hundredths(self) }
}

extension SIMD3<Double> {
    /// The three bit patterns: equal only where every coordinate is the same to the last bit.
    var bits: SIMD3<UInt64> { SIMD3<UInt64>(x.bitPattern, y.bitPattern, z.bitPattern) }
}
