public import FoundationEssentials

/// A place in the history of a store, or of all stores of a container: what came after it can be asked for at any time.
///
///     let token = container.historyToken
///     // ... perhaps in another process, next week
///     for transaction in try container.history(since: token) { print(transaction.author ?? "?", try transaction.changes().count) }
///
/// It names stores by their identity and commits by number and time, so it may be kept in a file, and holds across relaunches, copies and
/// compactions. Where a compaction has removed what came after it, asking for that is an error and not a shorter answer.
public struct HistoryToken: Sendable, Hashable {
    /// The last commit that is past, in one store.
    struct Position: Sendable, Hashable, Codable {
        var commit: UInt64
        /// Seconds since the first instant of 2001; tells the commit from another of the same number in a copy that went its own way.
        var time: Double
    }

    var positions: [UUID: Position]

    init(_ positions: [UUID: Position]) { self.positions = positions }

    /// The number of the last commit that is past in a store; nil where the token says nothing of that store.
    public func commit(in store: UUID) -> UInt64? { positions[store]?.commit }
}

extension HistoryToken: Codable {
    private enum CodingKeys: String, CodingKey { case stores }

    /// Writes the token: for each store the number and the time of a commit.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let stores = Dictionary(positions.map { ($0.key.uuidString.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
        try container.encode(stores, forKey: .stores)
    }

    /// Reads a token that was kept.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        positions = [:]
        for (text, position) in try container.decode([String: Position].self, forKey: .stores) {
            guard let store = UUID(uuidString: text) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .stores, in: container, debugDescription: "a token names a store by '\(text)'")
            }
            positions[store] = position
        }
    }
}
