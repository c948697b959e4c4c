#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

#if os(Linux) || os(Android)
    extension RealFile {
        /// The process that holds the writer's lock, found among the open files of all that one may look at.
        ///
        /// The kernel does not say who holds a lock of this kind, but of each open file whether it has one (`/proc/PID/fdinfo`). Takes as long
        /// as a walk over all open files, which only who has been refused waits for.
        func lockHolder() -> String? {
            guard let mine = KernelFiles.status(of: path) else { return nil }
            for process in KernelFiles.names(in: "/proc") where process.allSatisfy(\.isNumber) {
                for number in KernelFiles.names(in: "/proc/\(process)/fd") {
                    guard let other = KernelFiles.status(of: "/proc/\(process)/fd/\(number)"), other.st_ino == mine.st_ino,
                        other.st_dev == mine.st_dev, let text = KernelFiles.text(of: "/proc/\(process)/fdinfo/\(number)"),
                        text.split(separator: "\n").contains(where: { $0.contains("OFDLCK") && $0.contains("WRITE") })
                    else { continue }
                    let command = KernelFiles.text(of: "/proc/\(process)/comm")?.split(separator: "\n").first.map { " (\($0))" } ?? ""
                    return "process \(process)\(command)"
                }
            }
            return nil
        }
    }

    /// What the kernel tells of processes by way of files.
    private enum KernelFiles {
        static func status(of path: String) -> stat? {
            var status = stat()
            return stat(path, &status) == 0 ? status : nil
        }

        static func names(in directory: String) -> [String] {
            guard let stream = opendir(directory) else { return [] }
            defer { closedir(stream) }
            var names: [String] = []
            while let entry = readdir(stream) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
                if name.first != "." { names.append(name) }
            }
            return names
        }

        /// What a small file says.
        static func text(of path: String) -> String? {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                return count >= 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
            }
        }
    }
#endif
