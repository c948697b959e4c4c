extension SimulatedDisk {
    /// Walks through what a disk recorded and knows at every event what is durable and what a power loss may take.
    ///
    /// A file is its durable bytes and, in order, the changes since the last of them: a sync makes the file's changes durable, all but those
    /// that an earlier failed sync gave up. Names are the same with the sync of the directory.
    package struct Replay: Sendable {
        struct Change: Sendable {
            enum Kind: Sendable {
                case write(offset: Int, bytes: [UInt8])
                case truncate(size: Int)
            }
            /// The number of the event.
            let index: Int
            let kind: Kind
            var isDurable = false
            /// A sync failed with it: no later one brings it back, though it may have reached the disk.
            var isGivenUp = false
        }

        struct File: Sendable {
            var bytes: [UInt8] = []
            var changes: [Change] = []
        }

        private enum NameChange: Sendable {
            case create(path: String, file: Int)
            case rename(path: String, newPath: String, file: Int)
            case remove(path: String)
        }

        private let events: [Event]
        private var files: [Int: File] = [:]
        /// What the directory durably says.
        private var names: [String: Int]
        private var nameChanges: [(index: Int, change: NameChange)] = []
        /// How many events have happened.
        package private(set) var position = 0

        init(events: [Event], contents: [Int: [UInt8]], names: [String: Int]) {
            self.events = events
            self.names = names
            files = contents.mapValues { File(bytes: $0) }
        }

        /// Lets events happen until `count` of them have.
        package mutating func advance(to count: Int) {
            while position < min(count, events.count) {
                apply(events[position], position)
                position += 1
            }
        }

        private mutating func apply(_ event: Event, _ index: Int) {
            switch event {
            case .create(let path, let file):
                files[file] = File()
                nameChanges.append((index, .create(path: path, file: file)))
            case .write(let file, let offset, let bytes):
                files[file, default: File()].changes.append(Change(index: index, kind: .write(offset: Int(offset), bytes: bytes)))
            case .truncate(let file, let size):
                files[file, default: File()].changes.append(Change(index: index, kind: .truncate(size: Int(size))))
            case .sync(let file): files[file]?.sync()
            case .failedSync(let file): files[file]?.giveUp()
            case .rename(let path, let newPath, let file):
                nameChanges.append((index, .rename(path: path, newPath: newPath, file: file)))
            case .remove(let path): nameChanges.append((index, .remove(path: path)))
            case .syncDirectory:
                for (_, change) in nameChanges { Self.apply(change, &names) }
                nameChanges.removeAll(keepingCapacity: true)
            }
        }

        private static func apply(_ change: NameChange, _ names: inout [String: Int]) {
            switch change {
            case .create(let path, let file): names[path] = file
            case .rename(let path, let newPath, let file):
                names[newPath] = file
                // The entry may be another file's by now, if changes before this one were lost.
                if names[path] == file { names[path] = nil }
            case .remove(let path): names[path] = nil
            }
        }

        /// What a power loss now might leave: the contents of the files that have names.
        package func image(_ loss: Loss, using generator: inout some RandomNumberGenerator) -> [String: [UInt8]] {
            var names = names
            let nameLoss = loss == .mixed ? [Loss.dropped, .kept, .subset].randomElement(using: &generator) ?? .kept : loss
            // One place for all files: what went out in order went out in order over all of them.
            var tear = Int.max
            if loss == .torn {
                var open = nameChanges.map(\.index)
                for number in files.keys.sorted() { open += files[number]?.openIndices ?? [] }
                tear = open.sorted().randomElement(using: &generator) ?? .max
            }
            for (index, change) in nameChanges where nameLoss.spares(index, tear, &generator) { Self.apply(change, &names) }
            var image: [String: [UInt8]] = [:]
            for (path, number) in names.sorted(by: { $0.key < $1.key }) {
                guard let file = files[number] else { continue }
                guard loss == .mixed else {
                    image[path] = file.contents(loss, tear, &generator)
                    continue
                }
                let own = [Loss.dropped, .kept, .subset, .sectors, .torn].randomElement(using: &generator) ?? .kept
                let place = own == .torn ? file.openIndices.randomElement(using: &generator) ?? .max : .max
                image[path] = file.contents(own, place, &generator)
            }
            return image
        }
    }
}

extension SimulatedDisk.Loss {
    /// Whether a change that is not durable is there as a whole.
    fileprivate func spares(_ index: Int, _ tear: Int, _ generator: inout some RandomNumberGenerator) -> Bool {
        switch self {
        case .dropped: false
        case .kept: true
        case .subset, .sectors, .mixed: Bool.random(using: &generator)
        case .torn: index < tear
        }
    }
}

extension SimulatedDisk.Replay.File {
    var openIndices: [Int] { changes.filter { !$0.isDurable }.map(\.index) }

    mutating func sync() {
        for place in changes.indices where !changes[place].isGivenUp { changes[place].isDurable = true }
        // Only from the front: what is durable lies over what was before it.
        let count = changes.prefix { $0.isDurable }.count
        for change in changes.prefix(count) { Self.apply(change.kind, &bytes) }
        changes.removeFirst(count)
    }

    mutating func giveUp() {
        for place in changes.indices where !changes[place].isDurable { changes[place].isGivenUp = true }
    }

    func contents(_ loss: SimulatedDisk.Loss, _ tear: Int, _ generator: inout some RandomNumberGenerator) -> [UInt8] {
        var result = bytes
        for change in changes {
            guard !change.isDurable, case .write(let offset, let bytes) = change.kind else {
                if change.isDurable || loss.spares(change.index, tear, &generator) { Self.apply(change.kind, &result) }
                continue
            }
            switch loss {
            case .torn where change.index == tear:
                Self.put(bytes, 0..<Int.random(in: 0...bytes.count, using: &generator), offset, &result)
            case .sectors: Self.putSectors(bytes, offset, &result, &generator)
            default: if loss.spares(change.index, tear, &generator) { Self.put(bytes, 0..<bytes.count, offset, &result) }
            }
        }
        return result
    }

    private static func apply(_ kind: SimulatedDisk.Replay.Change.Kind, _ contents: inout [UInt8]) {
        switch kind {
        case .write(let offset, let bytes): put(bytes, 0..<bytes.count, offset, &contents)
        case .truncate(let size):
            if size < contents.count { contents.removeLast(contents.count - size) } else { grow(&contents, to: size) }
        }
    }

    /// Copied from, because a debug build appends repeated elements one by one, and a campaign makes images by the thousand.
    private static let zeros = [UInt8](repeating: 0, count: 1 << 16)

    private static func grow(_ contents: inout [UInt8], to size: Int) {
        while contents.count < size { contents.append(contentsOf: zeros.prefix(size - contents.count)) }
    }

    private static func put(_ bytes: [UInt8], _ range: Range<Int>, _ offset: Int, _ contents: inout [UInt8]) {
        guard !range.isEmpty else { return }
        grow(&contents, to: offset + range.upperBound)
        contents.withUnsafeMutableBytes { target in
            bytes.withUnsafeBytes { source in
                UnsafeMutableRawBufferPointer(rebasing: target[(offset + range.lowerBound)...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[range]))
            }
        }
    }

    private static func putSectors(
        _ bytes: [UInt8], _ offset: Int, _ contents: inout [UInt8], _ generator: inout some RandomNumberGenerator
    ) {
        // Whole sectors of the file, so the first and the last may be partial ones of this write.
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + 512 - (offset + start) % 512)
            switch Int.random(in: 0..<16, using: &generator) {
            case 0..<7: put(bytes, start..<end, offset, &contents)
            case 7: put(bytes, start..<Int.random(in: start...end, using: &generator), offset, &contents)
            default: break
            }
            start = end
        }
        // The length is metadata and may have gone out without the data.
        if Bool.random(using: &generator) { grow(&contents, to: offset + bytes.count) }
    }
}
