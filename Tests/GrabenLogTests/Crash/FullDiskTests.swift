import Foundation
import GrabenFixtures
import StoreCrashing
import Testing

@testable import GrabenLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A small file system of its own, where this process may mount one.
private final class SmallFileSystem {
    enum Kind: CaseIterable { case tmpfs, ext4 }
    let folder: TemporaryFolder
    let path: String

    /// nil where mounting is not permitted, or the tools for it are missing.
    init?(_ kind: Kind) throws {
        folder = try TemporaryFolder()
        path = folder.path("mounted")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        switch kind {
        case .tmpfs: guard Self.run("mount", "-t", "tmpfs", "-o", "size=3m", "graben-test", path) else { return nil }
        case .ext4:
            let image = folder.path("image")
            guard FileManager.default.createFile(atPath: image, contents: nil), truncate(image, 8 << 20) == 0,
                Self.run("mkfs.ext4", "-q", image), Self.run("mount", "-o", "loop", image, path)
            else { return nil }
        }
    }

    deinit { _ = Self.run("umount", path) }

    private static func run(_ words: String...) -> Bool {
        #if os(Linux)
            for folder in ["/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/"] where access(folder + words[0], X_OK) == 0 {
                let process = Process()
                process.executableURL = URL(fileURLWithPath: folder + words[0])
                process.arguments = Array(words.dropFirst())
                process.standardOutput = FileHandle.nullDevice
                process.standardError = FileHandle.nullDevice
                guard (try? process.run()) != nil else { return false }
                process.waitUntilExit()
                return process.terminationStatus == 0
            }
        #endif
        return false
    }
}

@Suite struct FullDiskTests {
    /// Commits until there is no room, three times, and goes on when there is.
    private func fill(_ path: String, _ system: any LogFileSystem, makeRoom: () throws -> Void) throws {
        var options = LogOptions(preallocation: 1 << 16)
        options.checkpointByteCount = 64 << 10
        options.checkpointDelay = 0
        let log = try Log.open(path: path, in: system, options: options)
        var random = SplitMix64(seed: 8)
        var model = CrashModel()
        var refused = 0
        func commit() throws {
            let base = model
            model = try log.commit { (_, builder: inout CommitBuilder) in
                var next = base
                next.change(&builder, &random, CrashModel.Habits())
                // Nothing that can be compressed.
                next.addNote(&builder, &random, byteCount: 30_000)
                return next
            }.0
        }
        while refused < 3 {
            do { try commit() } catch {
                guard case CommitError<Never>.log(.system(_, _, ENOSPC)) = error else { throw error }
                refused += 1
            }
            #expect(model.difference(from: log.newest) == nil)
            try #require(log.newest.commitNumber < 1_000)
        }
        let before = log.newest.commitNumber
        // Neither has room; both leave the store as it is.
        #expect(throws: LogError.self) { try log.compact() }
        #expect(throws: LogError.self) { try log.backup(to: path + "-copy", in: system) }
        #expect(!system.exists(path + "-copy") && !system.exists(path + "-compact"))
        let reader = try Log.open(path: path, in: system, options: LogOptions(readOnly: true))
        #expect(model.difference(from: reader.newest) == nil)
        try makeRoom()
        for _ in 0..<5 { try commit() }
        #expect(log.newest.commitNumber == before + 5)
        try log.close()
        let again = try Log.open(path: path, in: system, options: options)
        #expect(model.difference(from: again.newest) == nil)
        #expect(try again.check() == [])
    }

    @Test("on a full disk commits are refused, earlier ones stay, and the store works on when there is room")
    func simulated() throws {
        let disk = SimulatedDisk(reservation: 1 << 26)
        disk.setCapacity(700_000)
        try fill("a", disk) { disk.setCapacity(5_000_000) }
    }

    @Test("the same on file systems that are truly full", arguments: [true, false])
    func real(isTmpfs: Bool) throws {
        guard let mounted = try SmallFileSystem(isTmpfs ? .tmpfs : .ext4) else {
            print("skipped: no small \(isTmpfs ? "tmpfs" : "ext4") can be mounted here")
            return
        }
        let filler = mounted.path + "/filler"
        try Data(repeating: 1, count: 1 << 20).write(to: URL(fileURLWithPath: filler))
        try fill(mounted.path + "/a.graben", RealFileSystem()) { try FileManager.default.removeItem(atPath: filler) }
    }
}
