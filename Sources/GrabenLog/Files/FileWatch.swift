#if canImport(Glibc) || canImport(Musl)
    #if canImport(Glibc)
        internal import Glibc
    #else
        internal import Musl
    #endif

    extension RealFileSystem {
        package func watch(_ path: String) -> (any LogWatch)? { FileWatch(path) }
    }

    /// Wakes by inotify: when the writer has put another durable end into the side file, and when files come, go or are renamed beside it.
    final class FileWatch: LogWatch {
        private let descriptor: Int32
        private let directory: String
        private let sideFile: String

        init?(_ path: String) {
            descriptor = inotify_init1(O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            directory = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
            sideFile = SideFile.path(of: path)
        }

        deinit { close(descriptor) }

        func arm() {
            // Adding what is there changes nothing; a side file made anew is another file. The folder tells of that one's coming.
            _ = inotify_add_watch(descriptor, directory, UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE))
            _ = inotify_add_watch(descriptor, sideFile, UInt32(IN_MODIFY))
        }

        func wait(seconds: Double) {
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&request, 1, Int32(min(max(seconds, 0), 1e5) * 1000)) > 0 else { return }
            // What happened is of no interest; the one who waits looks for itself.
            withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
                while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
            }
        }
    }
#endif
