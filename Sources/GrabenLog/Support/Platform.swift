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

    /// A time in UTC as ISO 8601 writes it, to the second. The library's formatter takes longer than all else of opening a store.
    static func text(ofTime time: Double) -> String {
        // Days and years are counted from the first of March of the year 0, so that a leap day is the last of its year.
        let seconds = Int(clamping: Int64(time.rounded(.down))) + 978_307_200
        let (days, second) = (seconds - seconds % 86_400, seconds % 86_400)
        let day = days / 86_400 + 719_468
        let era = day / 146_097
        let dayOfEra = day % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(year)-\(two(month < 10 ? month + 3 : month - 9))-\(two(dayOfYear - (153 * month + 2) / 5 + 1))"
            + "T\(two(second / 3_600)):\(two(second / 60 % 60)):\(two(second % 60))Z"
    }

    /// The error number of something that may work the next time.
    package static var tryAgain: Int32 { EAGAIN }

    /// Asks for large pages under memory that is about to be filled, where it is some megabytes: half of the time of a first store there is the
    /// kernel's, page by page.
    static func preferLargePages(_ start: UnsafeMutableRawPointer, _ byteCount: Int) {
        #if os(Linux)
            let large = UInt(1 << 21)
            guard byteCount >= Int(large) * 2 else { return }
            let first = (UInt(bitPattern: start) + large - 1) / large * large
            let end = (UInt(bitPattern: start) + UInt(byteCount)) / large * large
            guard first < end, let address = UnsafeMutableRawPointer(bitPattern: first) else { return }
            // A wish: without it everything is as it was.
            _ = madvise(address, Int(end - first), MADV_HUGEPAGE)
        #endif
    }

    /// Waits for somebody else to go on: a fifth of a millisecond.
    static func pause() { usleep(200) }

    package static var processID: Int32 { getpid() }

    /// How many threads can run at once.
    static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

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
