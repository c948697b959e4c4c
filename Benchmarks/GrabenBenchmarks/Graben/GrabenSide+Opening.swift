import CPeers
import Graben
import GrabenFixtures
import GrabenLog

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Opening a store that was closed, or that was not.
extension GrabenSide {
    static var opening: [String: Maker] {
        [
            "open.clean": openClean, "open.clean.container": openContainer, "open.crash": openCrash, "memory.open": memoryOpen,
        ]
    }

    /// The storage layer alone: a writer's opening, to the coordinates and the name of one joint.
    private static func openClean(_ bench: Bench) throws -> () throws -> Outcome {
        let path = try bench.freshDirectory("graben-clean") + "/network.graben"
        try StorageNetwork(network: bench.network).load(path).close()
        return {
            var opened: Log?
            let outcome = try Workloads.timed {
                let log = try Log.open(path: path, in: RealFileSystem())
                opened = log
                return try StorageNetwork.read(bench.firstRead, log.newest)
            }
            try opened?.close()
            return outcome
        }
    }

    /// A drawing, made by a process of its own and closed.
    private static func closedDrawing(_ bench: Bench) throws -> String {
        if let path = bench.kept["closed drawing"] as? String { return path }
        let path = try bench.freshDirectory("graben-closed") + "/network.graben"
        try Drawing.loadElsewhere(bench, at: path)
        bench.kept["closed drawing"] = path
        return path
    }

    private static func openContainer(_ bench: Bench) throws -> () throws -> Outcome {
        let path = try closedDrawing(bench)
        return {
            var opened: PersistentContainer?
            let outcome = try Workloads.timed {
                let container = try Drawing.open(path)
                opened = container
                let context = container.newContext()
                guard let store = container.coordinator.stores.first, let entity = container.model.entity(named: "Joint") else {
                    return nil
                }
                let id = ObjectID(store: store.number, entity: UInt32(entity.index), row: bench.firstRead)
                guard let joint = try context.existingObject(with: id) as? Joint else { return nil }
                return joint.x + joint.y + joint.z
            }
            try opened?.close()
            return outcome
        }
    }

    /// Peak memory of the static command line that shows one joint with its lines.
    private static func memoryOpen(_ bench: Bench) throws -> () throws -> Outcome {
        guard let tool = Probe.commandLine else {
            throw BenchmarkError("memory.open: \(Probe.staticDirectory)/graben is missing; `make bench` builds it.")
        }
        let path = try closedDrawing(bench)
        return { Outcome(try Probe.bytes(["run", tool, "get", path, "Joint", "\(bench.firstRead)"])) }
    }

    /// A million joints in one commit, their file copied while it is open, as a killed process leaves it; the time is that of opening the copy.
    private static func openCrash(_ bench: Bench) throws -> () throws -> Outcome {
        let directory = try bench.freshDirectory("graben-crash")
        let log = try StorageNetwork(network: bench.network).load(directory + "/network.graben", withLines: false)
        let copy = directory + "/copy.graben"
        return {
            // The index as well, which closing the copy of the round before has written.
            for path in [copy, copy + "-index"] { try? FileManager.default.removeItem(atPath: path) }
            try FileManager.default.copyItem(atPath: log.path, toPath: copy)
            // What a commit acknowledged is on the disk; a copy is not before it is synced.
            try RealFileSystem().open(copy, .readWrite).sync()
            var opened: Log?
            let outcome = try Workloads.timed {
                let log = try Log.open(path: copy, in: RealFileSystem())
                opened = log
                return nil
            }
            guard let opened, opened.newest.liveCount(StorageNetwork.joint) == bench.network.count else {
                throw BenchmarkError("open.crash: the copy does not hold all joints.")
            }
            try opened.close()
            return outcome
        }
    }
}
