#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A folder that files are written into.
enum OutputFolder {
    /// Whether there is something at the path that is no folder: a file or a device.
    static func isOther(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
    }

    /// The path of a file in a folder, which is made where it is missing, but not the folders above it.
    static func path(of file: String, in folder: String) throws(CLIError) -> String {
        if mkdir(folder, 0o755) != 0, errno != EEXIST {
            throw CLIError(
                .cannotCreate, "file.create", "creating the folder '\(folder)' failed: \(String(cString: strerror(errno)))", file: folder)
        }
        return folder.hasSuffix("/") ? folder + file : "\(folder)/\(file)"
    }
}
