/// What the process answers its caller; the numbers are part of the interface and never change.
enum ExitCode: Int32 {
    case ok = 0
    /// Differences or damage were found by a command that looks for them.
    case found = 1
    /// No such object or entity.
    case notFound = 2
    case usage = 64
    /// A damaged store, a table or model that cannot be read, an evaluation that failed.
    case badData = 65
    case noSuchFile = 66
    case locked = 69
    case cannotCreate = 73
    case inputOutput = 74
    case tryAgain = 75
    case interrupted = 130
}

extension ExitCode {
    /// What help says of each code.
    static let descriptions: [(code: ExitCode, text: String)] = [
        (.ok, "done"),
        (.found, "check or diff found something, or repair could not save everything"),
        (.notFound, "no such object or entity"),
        (.usage, "wrong command line"),
        (.badData, "bad data: a damaged store, a bad table or model, a failed evaluation"),
        (.noSuchFile, "no such file"),
        (.locked, "the store is locked by another process"),
        (.cannotCreate, "a file cannot be created, or exists"),
        (.inputOutput, "reading or writing failed, a full disk included"),
        (.tryAgain, "not possible at the moment; try again"),
        (.interrupted, "interrupted"),
    ]
}
