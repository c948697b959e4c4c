#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One run of the program: nothing thrown leaves it, and every byte of the answer has been written when it says so.
enum Program {
    static func run(_ arguments: [String]) -> ExitCode {
        occupyStandardDescriptors()
        Interruption.install()
        // A limit on the size of files shall be an error of the write, not the end of the process.
        signal(SIGXFSZ, SIG_IGN)
        do {
            let session = Session(try ArgumentParser.parse(arguments))
            do {
                try session.invocation.command.run(session)
            } catch {
                // What was found up to there is part of the answer.
                try? session.output.flush()
                throw error
            }
            try session.output.flush()
            return session.exit
        } catch {
            return report(CLIError(error), asJSON: ArgumentParser.wantsJSON(arguments))
        }
    }

    private static func report(_ error: CLIError, asJSON: Bool) -> ExitCode {
        let output = ByteOutput.standardError()
        if asJSON {
            try? error.write(to: JSONWriter(output))
        } else {
            let terminal = Terminal.current()
            try? output.write(error.text(bold: terminal.alarm))
        }
        try? output.flush()
        return error.exit
    }

    /// A program started with standard output closed would get its number for the store, and write its answer into it.
    private static func occupyStandardDescriptors() {
        for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
            // The wrong way round, so that using it is still an error.
            _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }
}
