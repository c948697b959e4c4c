#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The lines of a descriptor as they arrive, every read checked; in memory is one line and a buffer.
struct LineReader {
    private let descriptor: Int32
    /// What messages call the place.
    private let name: String
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    /// What of the buffer was read and not yet handed out.
    private var rest = 0..<0
    private var isAtEnd = false
    /// The number of the line handed out last, beginning with 1.
    private(set) var number = 0

    init(_ descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    static func standardInput() -> LineReader { LineReader(0, name: "standard input") }

    /// The next line without its end; nil after the last one. What follows the last line feed is a line too unless it is empty.
    mutating func next() throws(CLIError) -> [UInt8]? {
        var line: [UInt8] = []
        while true {
            if let end = buffer[rest].firstIndex(of: UInt8(ascii: "\n")) {
                line.append(contentsOf: buffer[rest.lowerBound..<end])
                rest = end + 1..<rest.upperBound
                number += 1
                return line
            }
            line.append(contentsOf: buffer[rest])
            rest = 0..<0
            if isAtEnd {
                guard !line.isEmpty else { return nil }
                number += 1
                return line
            }
            try fill()
        }
    }

    private mutating func fill() throws(CLIError) {
        while true {
            let count = Self.readSome(descriptor, &buffer)
            if count >= 0 {
                rest = 0..<count
                isAtEnd = count == 0
                return
            }
            switch errno {
            case EINTR: break
            case EAGAIN:
                // A descriptor shared with a program that made it non-blocking.
                var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = poll(&wait, 1, -1)
            default:
                throw CLIError(.inputOutput, "input.read", "reading \(name) failed: \(String(cString: strerror(errno)))")
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
}
