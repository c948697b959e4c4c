#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What is known of the terminal, if there is one.
struct Terminal {
    /// Columns of the terminal standard output goes to; nil when it goes elsewhere.
    let width: Int?
    let isErrorTerminal: Bool
    private let hasColor: Bool

    static func current() -> Terminal {
        var width: Int?
        if isatty(1) == 1 {
            var size = winsize()
            let known = ioctl(1, UInt(TIOCGWINSZ), &size) == 0 ? Int(size.ws_col) : 0
            width = known > 0 ? known : variable("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? 80
        }
        let hasColor = (variable("NO_COLOR") ?? "").isEmpty && variable("TERM") != "dumb"
        return Terminal(width: width, isErrorTerminal: isatty(2) == 1, hasColor: hasColor)
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Bold text for standard output.
    func heading(_ text: String) -> String { width != nil && hasColor ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

    /// Bold red text for standard error.
    func alarm(_ text: String) -> String { isErrorTerminal && hasColor ? "\u{1B}[1;31m\(text)\u{1B}[0m" : text }
}
