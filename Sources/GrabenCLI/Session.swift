/// What a command works with: its arguments, where its answer goes, and what is said beside it.
final class Session {
    let invocation: Invocation
    let output = ByteOutput.standardOutput()
    let terminal = Terminal.current()
    /// What the process will answer when the command ends without an error.
    var exit = ExitCode.ok
    private let messages = ByteOutput.standardError()
    private var warnings = 0

    init(_ invocation: Invocation) { self.invocation = invocation }

    /// Tells people what is not the answer; the first few, so that a damaged store does not fill the screen.
    func warn(_ text: String) {
        warnings += 1
        guard warnings <= 10 else { return }
        say("graben: \(text.linesWithoutControls)\(warnings == 10 ? " (further warnings are left out)" : "")")
    }

    /// As `warn(_:)`, for something without which the answer is not whole.
    func flaw(_ text: String, _ code: ExitCode = .badData) {
        exit = code
        warn(text)
    }

    /// A line on standard error; whether it arrives decides nothing.
    func say(_ line: String) { sayAside(line + "\n") }

    func sayAside(_ text: String) {
        try? messages.write(text)
        try? messages.flush()
    }
}
