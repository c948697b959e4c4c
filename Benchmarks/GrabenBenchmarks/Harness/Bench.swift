import CPeers
import GrabenFixtures

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the workloads share: the network, the rows they ask for, what must come out, and the peers' stores, each made when first needed.
final class Bench {
    let options: Options
    let directory: String
    let network: RandomNetwork
    /// As many random rows as there are joints, with repetition: what look-ups ask for.
    private(set) lazy var lookupRows = network.randomRows(network.count)
    /// A tenth of the joints in random order: what updates move.
    private(set) lazy var movedRows = network.distinctRows(network.count / 10)
    private(set) lazy var sqlite = Engine(.sqlite, peer_sqlite(), bench: self)
    private(set) lazy var lmdb = Engine(.lmdb, peer_lmdb(), bench: self)
    private(set) lazy var bare = BareMachine(self)
    /// What only Graben's contenders need, kept between workloads: opened stores and the like, under names of their own.
    var kept: [String: Any] = [:]

    static let lowX = RandomNetwork.extent / 4
    static let highX = RandomNetwork.extent / 2
    /// So far goes a range of a hundredth of the rows from `lowX`.
    static let narrowX = lowX + RandomNetwork.extent / 100
    /// How many fetches by a key a round has, and how many objects the first of an order are.
    static let fetchCount = 10_000
    static let fetchLimit = 100
    static let letter = UInt8(ascii: "a")

    init(options: Options) throws {
        self.options = options
        network = RandomNetwork(count: options.count)
        let name = "graben-benchmarks-\(ProcessInfo.processInfo.processIdentifier)"
        let manager = FileManager.default
        // Below the build directory rather than in a temporary one: the latter is often kept in memory, where a sync costs nothing.
        let parent =
            options.directory
            ?? (manager.fileExists(atPath: ".build") ? manager.currentDirectoryPath + "/.build" : manager.currentDirectoryPath)
        directory = parent + "/" + name
        do {
            try manager.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            throw BenchmarkError("Cannot create \(directory) for the stores: \(error)")
        }
    }

    /// Removes all stores.
    func removeStores() {
        kept.removeAll()
        for engine in engines { engine.close() }
        try? FileManager.default.removeItem(atPath: directory)
    }

    var engines: [Engine] { [sqlite, lmdb].compactMap { $0 } }

    /// An empty directory of that name; what was in it is removed.
    func freshDirectory(_ name: String) throws -> String {
        let path = directory + "/" + name
        do {
            if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw BenchmarkError("Cannot create the empty directory \(path): \(error)")
        }
        return path
    }

    // MARK: What must come out

    private func sum(_ row: UInt32) -> Double { network.x[Int(row)] + network.y[Int(row)] + network.z[Int(row)] }

    private(set) lazy var lookupSum = lookupRows.reduce(0) { $0 + sum($1) }
    private(set) lazy var scanSum = (0..<UInt32(network.count)).reduce(0) { $0 + sum($1) }
    private(set) lazy var traverseSum = (0..<network.count).reduce(0) { $0 + sum(network.starts[$1]) + sum(network.ends[$1]) }
    private(set) lazy var filterCount = Double(
        (0..<network.count).count { row in
            (Self.lowX...Self.highX).contains(network.x[row]) && network.names[row * RandomNetwork.nameByteCount] == Self.letter
        })
    private(set) lazy var narrowCount = Double((0..<network.count).count { (Self.lowX...Self.narrowX).contains(network.x[$0]) })
    private(set) lazy var greatestSum = (0..<network.count).map { network.x[$0] }.sorted(by: >).prefix(Self.fetchLimit).reduce(0, +)
    private(set) lazy var fetchedRows = Array(lookupRows.prefix(Self.fetchCount))
    private(set) lazy var fetchedSum = fetchedRows.reduce(0) { $0 + sum($1) }
    /// The names of `fetchedRows`, one after the other.
    private(set) lazy var fetchedNames = Array(lookupNames.prefix(fetchedRows.count * RandomNetwork.nameByteCount))
    /// How many joints have y above 5 and a name that begins with "ab".
    private(set) lazy var rowCount = Double(
        (0..<network.count).count { row in
            let name = network.names + row * RandomNetwork.nameByteCount
            return network.y[row] > 5 && name[0] == UInt8(ascii: "a") && name[1] == UInt8(ascii: "b")
        })
    /// The row read first by the opening workloads: in the middle, so that no store has it at an end.
    var firstRead: UInt32 { UInt32(network.count / 2) }
    var firstReadSum: Double { sum(firstRead) }
    /// The names of `lookupRows` one after the other.
    private(set) lazy var lookupNames: [UInt8] = {
        let length = RandomNetwork.nameByteCount
        var bytes: [UInt8] = []
        bytes.reserveCapacity(lookupRows.count * length)
        for row in lookupRows { bytes.append(contentsOf: UnsafeBufferPointer(start: network.names + Int(row) * length, count: length)) }
        return bytes
    }()
}
