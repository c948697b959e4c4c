#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file that is written whole or not at all: under another name first where its own is free or an ordinary file's.
final class OutputFile {
    let output: ByteOutput
    private let path: String
    private let draft: String?
    private var descriptor: Int32

    /// Creates it. `input` is a file that must not be overwritten.
    init(_ path: String, besides input: String) throws(CLIError) {
        func failure(_ doing: String) -> CLIError {
            CLIError(.cannotCreate, "file.create", "\(doing) '\(path)' failed: \(String(cString: strerror(errno)))", file: path)
        }
        var status = stat()
        var source = stat()
        let exists = stat(path, &status) == 0
        if exists, stat(input, &source) == 0, status.st_ino == source.st_ino, status.st_dev == source.st_dev {
            throw CLIError(.cannotCreate, "file.exists", "'\(path)' is what is read here, and is not overwritten", file: path)
        }
        // A device or a pipe is no name to put a file in the place of.
        let isDirect = exists && status.st_mode & S_IFMT != S_IFREG
        draft = isDirect ? nil : "\(path).writing-\(getpid())"
        descriptor = open(draft ?? path, O_WRONLY | O_CLOEXEC | (isDirect ? 0 : O_CREAT | O_EXCL), 0o644)
        guard descriptor >= 0 else { throw failure("creating") }
        if let draft { Interruption.setDrafts([draft]) }
        self.path = path
        output = ByteOutput(descriptor, name: "'\(path)'")
    }

    /// Writes what is left and gives the file its name.
    func finish() throws(CLIError) {
        func failure(_ exit: ExitCode, _ doing: String) -> CLIError {
            CLIError(exit, "file.write", "\(doing) '\(path)' failed: \(String(cString: strerror(errno)))", file: path)
        }
        try output.flush()
        let closed = close(descriptor)
        descriptor = -1
        guard closed == 0 else { throw failure(.inputOutput, "closing") }
        if let draft, rename(draft, path) != 0 { throw failure(.cannotCreate, "creating") }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if let draft {
            unlink(draft)
            Interruption.setDrafts([])
        }
    }
}
