internal import CGraben

/// What the records of neighbouring rows refer to, read before it is asked for: for who walks an entity's objects in the order of their rows.
///
/// Used by one thread, and for one snapshot.
package final class ReferenceAhead {
    /// How many fields are read at most.
    package static let fieldLimit = 4

    /// A target, `entity << 32 | row`, the entity by the number that the caller has for it; or one of these two.
    package typealias Target = UInt64
    /// There is no target: the greatest number but one.
    private static var none: Target { .max - 1 }
    /// The record has to be asked for: there is none, or it is of an older layout, or in a compressed block, or cannot be read. The greatest number.
    private static var unknown: Target { .max }

    /// The targets of a window's rows, field by field.
    package let targets: UnsafeMutablePointer<Target>
    private let rowsPerWindow: Int
    private let snapshot: LogSnapshot
    private let state: EntityState
    private let fields: [graben_field]
    /// The upper half of each field's targets; nil where it is in the records.
    private let entities: [Target?]
    private let number: (EntityCode) -> Int?
    private let words: UnsafeMutablePointer<UInt64>
    private var leaf = -1
    private var window = graben_window()

    /// Nil where there is nothing that could be read so.
    ///
    /// - Parameters:
    ///   - rowsPerWindow: how many rows are read at a time: a power of two, at most the rows of a leaf of the row index.
    ///   - number: which number an entity has; nil where its objects are not to be followed.
    package init?(
        _ snapshot: LogSnapshot, _ entity: EntityCode, _ layout: RecordLayout, fields numbers: [Int], rowsPerWindow: Int,
        number: @escaping (EntityCode) -> Int?
    ) {
        let fields = numbers.compactMap { graben_field(layout, $0) }
        let infos = numbers.map { layout.infos[$0] }
        guard let state = snapshot.state(entity), !fields.isEmpty, fields.count == numbers.count, fields.count <= Self.fieldLimit,
            infos.allSatisfy({ $0.kind == .reference && $0.hasDestination || $0.kind == .polymorphicReference })
        else { return nil }
        self.snapshot = snapshot
        self.rowsPerWindow = rowsPerWindow
        self.state = state
        self.fields = fields
        self.number = number
        entities = infos.map { $0.kind == .reference ? Self.upperHalf(number($0.destination)) : nil }
        targets = .allocate(capacity: fields.count * rowsPerWindow)
        words = .allocate(capacity: PagedArray.fanOut)
    }

    deinit {
        targets.deallocate()
        words.deallocate()
    }

    /// Reads the window that a row is in. Complexity: O(rows of a window).
    package func move(to row: Row) {
        let first = Int(row) / rowsPerWindow * rowsPerWindow
        if leaf != first / PagedArray.fanOut {
            leaf = first / PagedArray.fanOut
            words.withMemoryRebound(to: UInt.self, capacity: PagedArray.fanOut) { state.records.copyLeaf(leaf, into: $0) }
        }
        let here = words + first % PagedArray.fanOut
        let word = here[Int(row) - first]
        if word < window.start || word >= window.end { window = snapshot.window(around: word, in: nil) }
        let unchecked = read(here, Row(truncatingIfNeeded: first))
        if unchecked.first <= unchecked.last {
            snapshot.verify(unchecked)
            _ = read(here, Row(truncatingIfNeeded: first))
        }
        for (field, entity) in entities.enumerated() {
            let values = targets + field * rowsPerWindow
            for index in 0..<rowsPerWindow where values[index] < Self.none { values[index] = target(values[index], entity) }
        }
    }

    @inline(__always)
    private func target(_ bits: UInt64, _ entity: Target?) -> Target {
        let row = entity == nil ? bits >> 16 : bits
        let entity = entity ?? Self.upperHalf(number(EntityCode(truncatingIfNeeded: bits)))
        return row <= UInt64(Row.max) && entity != Self.unknown ? entity | row : Self.unknown
    }

    private static func upperHalf(_ number: Int?) -> Target { number.map { Target($0) << 32 } ?? unknown }

    private func read(_ words: UnsafePointer<UInt64>, _ first: Row) -> graben_unchecked {
        var unchecked = graben_unchecked(first: .max, last: 0)
        var batch = graben_batch(words: words, rows: nil, first_row: first)
        fields.withUnsafeBufferPointer { fields in
            graben_read_integers(&window, &batch, rowsPerWindow, fields.baseAddress, fields.count, targets, &unchecked)
        }
        return unchecked
    }
}
