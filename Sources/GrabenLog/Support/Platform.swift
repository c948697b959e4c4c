#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The few facts about the process and the clock that the log writes down.
package enum Platform {
    /// Seconds since the first instant of 2001, which is how the file counts time.
    package static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) - 978_307_200 + Double(time.tv_nsec) * 1e-9
    }

    /// The error number of something that may work the next time.
    package static var tryAgain: Int32 { EAGAIN }

    package static var processID: Int32 { getpid() }

    /// The text of an error number, without the C library's shared buffer.
    package static func message(_ number: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let base = buffer.baseAddress else { return "error \(number)" }
            buffer.initialize(repeating: 0)
            _ = strerror_r(number, base, 256)
            return String(cString: base)
        }
    }

    /// Sixteen random bytes as two words, from the system's generator.
    package static func random() -> (UInt64, UInt64) {
        var generator = SystemRandomNumberGenerator()
        return (generator.next(), generator.next())
    }
}
