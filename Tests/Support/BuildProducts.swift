package import FoundationEssentials

/// What the build has put beside the tests that run.
package enum BuildProducts {
    /// The folder of the test bundle that has something of this name, or one above it where the bundle has folders of its own.
    package static func folder(with name: String) -> URL? {
        #if os(Linux)
            let me = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        #else
            let me = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        #endif
        var folder = URL(fileURLWithPath: me).deletingLastPathComponent()
        for _ in 0..<5 {
            if FileManager.default.fileExists(atPath: folder.appending(path: name).path) { return folder }
            folder.deleteLastPathComponent()
        }
        return nil
    }

    /// Where a program of the package is; just its name where it is not to be found.
    package static func program(_ name: String) -> String { folder(with: name)?.appending(path: name).path ?? name }
}
