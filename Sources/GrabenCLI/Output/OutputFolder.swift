#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A folder that files are written into.
enum OutputFolder {
    /// The path of a file in a folder, which is made where it is missing, but not the folders above it.
    static func path(of file: String, in folder: String) throws(CLIError) -> String {
        if mkdir(folder, 0o755) != 0, errno != EEXIST {
            throw CLIError(
                .cannotCreate, "file.create", "creating the folder '\(folder)' failed: \(String(cString: strerror(errno)))", file: folder)
        }
        return folder.hasSuffix("/") ? folder + file : "\(folder)/\(file)"
    }
}
