import Foundation
import GrabenFixtures
import Testing

@testable import GrabenLog

@Suite struct AutomaticCompactionTests {
    /// Returns once no compaction is running or being considered.
    private func waitUntilIdle(_ log: Log) {
        log.checkpointing.lock.withLock {
            while log.checkpointing.isCheckingCompaction || log.checkpointing.isCompacting { log.checkpointing.lock.wait() }
        }
    }

    @Test(
        "a file that compacts itself stays below twice what lives and the stated slack",
        arguments: TestShare.of(["rename", "replace", "move", "delete", "link", "grow"], brief: 2))
    func bound(workload: String) throws {
        var generator = SplitMix64(seed: 17)
        let system = MemoryFileSystem(reservation: 1 << 28)
        var options = LogOptions(compactsAutomatically: true)
        options.compactionByteCount = 1 << 16
        options.writesIndex = false
        let log = try Log.open(path: "a", in: system, options: options)
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            for row in 0..<2000 as Range<Row> { builder.insertJoint(row, "J\(row)", (Double(row), 1, 2)) }
        }
        var next: Row = 2000
        var live = (0..<2000 as Range<Row>).map { $0 }
        var isLinked = Set<Row>()
        for step in 0..<(workload == "link" ? 360 : 120) {
            waitUntilIdle(log)
            let lengthBefore = log.newest.endOffset
            try log.change { builder in
                for _ in 0..<100 {
                    let place = generator.pick(live.count)
                    let row = live[place]
                    switch workload {
                    case "rename": builder.rename(row, "step \(step) of \(row)")
                    case "move": builder.move(row, (Double(step), 3, 4))
                    case "replace":
                        builder.appendTombstone(layout: Drawing.jointLayout, row: row)
                        builder.insertJoint(next, "N\(next)")
                        live[place] = next
                        next += 1
                    case "delete":
                        guard live.count > 50 else { continue }
                        builder.appendTombstone(layout: Drawing.jointLayout, row: row)
                        live.swapAt(place, live.count - 1)
                        live.removeLast()
                    case "link":
                        let isThere = isLinked.contains(row)
                        builder.appendLink(
                            Drawing.members, owner: (Drawing.group, 1), member: (Drawing.joint, row), order: 3, removed: isThere)
                        if isThere { isLinked.remove(row) } else { isLinked.insert(row) }
                    default:
                        builder.insertJoint(next, "N\(next)")
                        live.append(next)
                        next += 1
                    }
                }
            }
            let committed = log.newest.endOffset - min(log.newest.endOffset, lengthBefore)
            waitUntilIdle(log)
            // What lives is what a compaction leaves.
            guard step % 10 == 9 else { continue }
            let copy = MemoryFileSystem(reservation: 1 << 28)
            try log.backup(to: "b", in: copy)
            let other = try Log.open(path: "b", in: copy)
            let least = try #require(try other.compact()).byteCountAfter
            #expect(
                log.newest.endOffset <= 2 * least + UInt64(options.compactionByteCount * 9 / 8) + committed, "\(workload), step \(step)")
        }
        #expect(log.newest.liveCount(Drawing.joint) == live.count)
        #expect(workload == "grow" ? log.epoch == 1 : log.epoch > 1, "\(workload): \(log.newest.endOffset) bytes in epoch \(log.epoch)")
        try log.close()
        #expect(try Log.open(path: "a", in: system).newest.liveCount(Drawing.joint) == live.count)
    }

    // An automatic compaction that failed was nobody's error: a store grew for weeks, and nothing said why.
    @Test("an automatic compaction that fails is told until one succeeds, and loses nothing")
    func failure() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.graben")
        var options = LogOptions(durability: .deferred, compactsAutomatically: true)
        options.compactionByteCount = 1 << 14
        options.writesIndex = false
        let log = try Log.open(path: path, in: RealFileSystem(), options: options)
        // Where the new file would be stands a folder.
        try FileManager.default.createDirectory(atPath: path + "-compact", withIntermediateDirectories: false)
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            for row in 0..<20 as Range<Row> { builder.insertJoint(row, "J\(row)") }
        }
        func write(until isDone: () throws -> Bool) throws {
            for step in 0..<4000 where try !isDone() {
                try log.change { builder in for row in 0..<20 as Range<Row> { builder.rename(row, "step \(step) of \(row)") } }
                waitUntilIdle(log)
            }
            #expect(try isDone())
        }
        try write { try log.summary().compactionFailure != nil }
        #expect(log.epoch == 1)
        try FileManager.default.removeItem(atPath: path + "-compact")
        try write { log.epoch > 1 }
        #expect(try log.summary().compactionFailure == nil)
        #expect(log.newest.liveCount(Drawing.joint) == 20)
        try log.close()
    }
}
