import FoundationEssentials
import GrabenLog
import GrabenPredicate

/// The first rows of an order among those that are offered: all of them sorted, or the least of a bounded number in a heap.
///
/// Most comparisons are of one number that stands for the beginning of the first key; whole keys are read and compared only where those are equal.
struct RowOrder {
    private struct Entry {
        let leading: UInt64
        let row: Row
        /// Where its keys stand.
        let place: Int32
    }

    private let order: BoundSortOrder
    private let limit: Int
    /// While a heap, the greatest entry is first.
    private var entries: [Entry] = []
    private var keys: [[Value]] = []

    init(_ order: BoundSortOrder, limit: Int) {
        self.order = order
        self.limit = limit
    }

    /// Whether there are as many rows as are wanted; they are a heap then.
    var isFull: Bool { entries.count == limit }

    /// The numbers that a first key can have only behind all rows that are wanted; nil where there are none yet, or which is not known.
    func numbersBehind() -> FieldNumbers? {
        guard isFull, let ascending = order.leadingAttribute?.ascending, let worst = keys[Int(entries[0].place)].first else { return nil }
        switch worst {
        case .double(let number): return Self.numbers(behind: number, ascending)
        case .float(let number): return Self.numbers(behind: Double(number), ascending)
        case .date(let date): return Self.numbers(behind: date.timeIntervalSinceReferenceDate, ascending)
        case .int(let number):
            if ascending { return number == .max ? nil : FieldNumbers(integers: [number + 1 ... .max], doubles: []) }
            return number == .min ? nil : FieldNumbers(integers: [.min...number - 1], doubles: [])
        case .null: return ascending ? FieldNumbers(integers: [.min ... .max], doubles: [-Double.infinity...Double.infinity]) : nil
        default: return nil
        }
    }

    /// nil and NaN, which come before all numbers, are none of these.
    private static func numbers(behind number: Double, _ ascending: Bool) -> FieldNumbers? {
        if number.isNaN { return ascending ? FieldNumbers(integers: [], doubles: [-Double.infinity...Double.infinity]) : nil }
        if ascending { return number == .infinity ? nil : FieldNumbers(integers: [], doubles: [number.nextUp...Double.infinity]) }
        return number == -.infinity ? nil : FieldNumbers(integers: [], doubles: [-Double.infinity...number.nextDown])
    }

    /// Takes the row a cursor is on where it is among the first so far.
    mutating func offer(_ cursor: RowCursor) throws(ObjectPredicateError) {
        let leading = try order.leading(of: cursor)
        // What is equal in its beginning has to be looked at whole.
        if isFull, leading > entries[0].leading { return }
        let values = try order.values(of: cursor)
        if isFull {
            let worst = entries[0]
            guard precedes(leading, values, cursor.row, worst) else { return }
            keys[Int(worst.place)] = values
            entries[0] = Entry(leading: leading, row: cursor.row, place: worst.place)
            siftDown(0)
            return
        }
        entries.append(Entry(leading: leading, row: cursor.row, place: Int32(truncatingIfNeeded: keys.count)))
        keys.append(values)
        if isFull { for place in stride(from: entries.count / 2 - 1, through: 0, by: -1) { siftDown(place) } }
    }

    private func precedes(_ leading: UInt64, _ values: [Value], _ row: Row, _ other: Entry) -> Bool {
        if leading != other.leading { return leading < other.leading }
        let comparison = order.compare(values, keys[Int(other.place)])
        return comparison == 0 ? row < other.row : comparison < 0
    }

    private func precedes(_ a: Entry, _ b: Entry) -> Bool { precedes(a.leading, keys[Int(a.place)], a.row, b) }

    private mutating func siftDown(_ start: Int) {
        var place = start
        while true {
            var child = 2 * place + 1
            guard child < entries.count else { return }
            if child + 1 < entries.count, precedes(entries[child], entries[child + 1]) { child += 1 }
            guard precedes(entries[place], entries[child]) else { return }
            entries.swapAt(place, child)
            place = child
        }
    }

    /// The rows in order, with their keys where those are wanted.
    consuming func result(withKeys: Bool) -> StoreRows {
        let sorted = entries.sorted { precedes($0, $1) }
        return StoreRows(rows: sorted.map(\.row), keys: withKeys ? sorted.map { keys[Int($0.place)] } : [])
    }
}
