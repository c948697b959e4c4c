internal import Synchronization

extension SimulatedDisk {
    /// What happens at a power loss to what had not been synced.
    package enum Loss: Sendable, CaseIterable {
        case dropped
        case kept
        /// Each write by itself is there or not.
        case subset
        /// Each sector of each write is there or not, in whatever order they went out.
        case sectors
        /// The writes went out in order, and the last one that did only in part.
        case torn
    }

    /// The disk after a power loss that came after the first `count` events.
    package func crashImage(after count: Int, _ loss: Loss, using generator: inout some RandomNumberGenerator) throws(LogError)
        -> MemoryFileSystem
    {
        let events = Array(state.withLock { $0.events }.prefix(count))
        var synced: [Int: Int] = [:]
        var lost: [Int: Set<Int>] = [:]
        var directorySynced = -1
        var written: [Int: [Int]] = [:]
        for (index, event) in events.enumerated() {
            switch event {
            case .write(let file, _, _), .truncate(let file, _): written[file, default: []].append(index)
            case .sync(let file): synced[file] = index
            case .failedSync(let file):
                let floor = synced[file] ?? -1
                lost[file, default: []].formUnion((written[file] ?? []).filter { $0 > floor })
            case .syncDirectory: directorySynced = index
            case .create, .rename, .remove: break
            }
        }
        var names: [String: Int] = [:]
        var contents: [Int: [UInt8]] = [:]
        // Where the torn mode stops, among the events that are not durable.
        let unsynced = events.indices.filter { index in
            switch events[index] {
            case .write(let file, _, _), .truncate(let file, _): index > synced[file] ?? -1 || lost[file]?.contains(index) == true
            default: false
            }
        }
        let tearAt = unsynced.randomElement(using: &generator) ?? .max

        for (index, event) in events.enumerated() {
            switch event {
            case .create(let path, let file):
                if index < directorySynced || survives(loss, index, tearAt, &generator) { names[path] = file }
                contents[file] = []
            case .rename(let path, let newPath):
                if index < directorySynced || survives(loss, index, tearAt, &generator), let file = names.removeValue(forKey: path) {
                    names[newPath] = file
                }
            case .remove(let path): if index < directorySynced || survives(loss, index, tearAt, &generator) { names[path] = nil }
            case .write(let file, let offset, let bytes):
                let isDurable = index <= synced[file] ?? -1 && lost[file]?.contains(index) != true
                Self.apply(bytes, Int(offset), isDurable ? .kept : loss, index, tearAt, &contents[file, default: []], &generator)
            case .truncate(let file, let size):
                let isDurable = index <= synced[file] ?? -1 && lost[file]?.contains(index) != true
                guard isDurable || survives(loss, index, tearAt, &generator) else { continue }
                let length = contents[file, default: []].count
                if Int(size) < length {
                    contents[file]?.removeLast(length - Int(size))
                } else {
                    contents[file]?.append(contentsOf: [UInt8](repeating: 0, count: Int(size) - length))
                }
            case .sync, .failedSync, .syncDirectory: break
            }
        }
        let image = MemoryFileSystem(reservation: 1 << 30)
        for (path, file) in names { try image.setContents(path, contents[file] ?? []) }
        return image
    }

    private func survives(_ loss: Loss, _ index: Int, _ tearAt: Int, _ generator: inout some RandomNumberGenerator) -> Bool {
        switch loss {
        case .dropped: false
        case .kept: true
        case .subset, .sectors: Bool.random(using: &generator)
        case .torn: index < tearAt
        }
    }

    private static func apply(
        _ bytes: [UInt8], _ offset: Int, _ loss: Loss, _ index: Int, _ tearAt: Int, _ contents: inout [UInt8],
        _ generator: inout some RandomNumberGenerator
    ) {
        func put(_ range: Range<Int>) {
            guard !range.isEmpty else { return }
            let end = offset + range.upperBound
            if contents.count < end { contents.append(contentsOf: [UInt8](repeating: 0, count: end - contents.count)) }
            contents.replaceSubrange(offset + range.lowerBound..<end, with: bytes[range])
        }
        switch loss {
        case .dropped: return
        case .kept: put(0..<bytes.count)
        case .subset: if Bool.random(using: &generator) { put(0..<bytes.count) }
        case .torn:
            if index < tearAt {
                put(0..<bytes.count)
            } else if index == tearAt {
                put(0..<Int.random(in: 0...bytes.count, using: &generator))
            }
        case .sectors:
            // Whole sectors of the file, so the first and the last may be partial ones of this write.
            var start = 0
            while start < bytes.count {
                let end = min(bytes.count, start + 512 - (offset + start) % 512)
                if Bool.random(using: &generator) { put(start..<end) }
                start = end
            }
            // The length is metadata and may have gone out without the data.
            if Bool.random(using: &generator), contents.count < offset + bytes.count {
                contents.append(contentsOf: [UInt8](repeating: 0, count: offset + bytes.count - contents.count))
            }
        }
    }
}
