import CGraben
import GrabenLog
import GrabenPredicate

/// A bit for each of the 1,024 slots of a batch.
typealias BatchBits = SIMD16<UInt64>

extension SIMD16<UInt64> {
    var isNone: Bool { self == SIMD16() }

    var count: Int {
        var total = 0
        for word in 0..<16 { total += self[word].nonzeroBitCount }
        return total
    }

    subscript(slot slot: Int) -> Bool {
        get { self[slot >> 6] >> UInt64(slot & 63) & 1 != 0 }
        set {
            let bit = UInt64(1) << UInt64(slot & 63)
            self[slot >> 6] = newValue ? self[slot >> 6] | bit : self[slot >> 6] & ~bit
        }
    }

    /// Calls `body` with each slot whose bit is set, ascending.
    @inline(__always)
    func forEach<E: Error>(_ body: (Int) throws(E) -> Void) throws(E) {
        for word in 0..<16 {
            var rest = self[word]
            while rest != 0 {
                try body(word << 6 + rest.trailingZeroBitCount)
                rest &= rest &- 1
            }
        }
    }
}

/// Runs a filter over batches of rows: 1,024 slots of a chunk at a time, as a bitmap that gets narrower.
///
/// A row's own values are the snapshot's.
final class BatchFilter {
    let records: RecordScan
    let cursor: RowCursor
    private let snapshot: LogSnapshot
    private let stored: StoredEntity
    private let geometry: ChunkGeometry

    init(_ query: StoreQuery) {
        snapshot = query.snapshot
        stored = query.stored
        geometry = stored.info.geometry
        records = RecordScan(snapshot, stored.code)
        cursor = RowCursor(context: query.context, stored: stored, snapshot: snapshot, includesPending: query.includesPending)
    }

    /// The slots of a batch whose rows exist.
    func live(_ batch: Int) throws(GrabenError) -> BatchBits {
        var (bits, unused) = (BatchBits(), BatchBits())
        do throws(LogError) {
            try Self.lend(&bits, &unused) { (bits, _) throws(LogError) in try records.begin(batch, live: bits) }
        } catch { throw .store(error) }
        return bits
    }

    /// Clears the bits of a batch's slots for which the filter is not true.
    func narrow(_ bits: inout BatchBits, by filter: RowFilter, in batch: Int) throws(GrabenError) {
        if bits.isNone { return }
        records.move(to: batch)
        try apply(filter, &bits, batch)
    }

    private func apply(_ filter: RowFilter, _ bits: inout BatchBits, _ batch: Int) throws(GrabenError) {
        switch filter {
        case .constant(let answer): if !answer { bits = BatchBits() }
        case .all(let members):
            for member in members {
                if bits.isNone { return }
                try apply(member, &bits, batch)
            }
        case .any(let members):
            var rest = bits
            for member in members {
                if rest.isNone { break }
                var passed = rest
                try apply(member, &passed, batch)
                rest &= ~passed
            }
            bits &= ~rest
        case .not(let inner):
            var passed = bits
            try apply(inner, &passed, batch)
            bits &= ~passed
        case .lane(let lane, let ranges): try applyRanges(lane, ranges, &bits, batch)
        case .laneIsNull(let lane): bits &= ~validity(try readChunk(batch), lane)
        case .field(let scan, let conjunct):
            var unsure = BatchBits()
            do throws(LogError) {
                try Self.lend(&bits, &unsure) { (bits, unsure) throws(LogError) in try records.keep(bits, unsure: unsure, where: scan) }
            } catch { throw .store(error) }
            if unsure.isNone { return }
            try evaluate(conjunct, &unsure)
            bits |= unsure
        case .evaluated(let conjunct): try evaluate(conjunct, &bits)
        }
    }

    private func evaluate(_ conjunct: PredicateConjunct, _ bits: inout BatchBits) throws(GrabenError) {
        var passed = bits
        do throws(ObjectPredicateError) {
            try bits.forEach { (slot) throws(ObjectPredicateError) in
                cursor.move(to: records.row(slot))
                if !(try conjunct.evaluate(cursor)) { passed[slot: slot] = false }
            }
        } catch { throw .predicate(error) }
        bits = passed
    }

    /// Whether one row matches, by the interpreter.
    func matches(_ row: Row, _ predicate: BoundPredicate?) throws(GrabenError) -> Bool {
        cursor.move(to: row)
        do throws(ObjectPredicateError) { return try predicate?.evaluate(cursor) ?? true } catch { throw .predicate(error) }
    }

    /// Clears the bits of slots whose attribute has one of these numbers, as far as it can be told without an interpreter.
    func exclude(
        _ numbers: FieldNumbers, of property: PropertyInfo, from bits: inout BatchBits, in batch: Int
    ) throws(GrabenError) {
        if bits.isNone { return }
        var excluded = bits
        switch property.kind {
        case .packed: try narrow(&excluded, by: .lane(property.lane, numbers.doubles), in: batch)
        case .attribute where property.field >= 0 && stored.layout.fields[property.field].kind.isNumber:
            records.move(to: batch)
            let scan = FieldScan(.numbers(numbers), kind: stored.layout.fields[property.field].kind) { [stored] in
                stored.field(property, in: $0)
            }
            var unsure = BatchBits()
            do throws(LogError) {
                try Self.lend(&excluded, &unsure) { (bits, unsure) throws(LogError) in try records.keep(bits, unsure: unsure, where: scan) }
            } catch { throw .store(error) }
        default: return
        }
        bits &= ~excluded
    }

    // MARK: Lanes

    private func readChunk(_ index: Int) throws(GrabenError) -> UnsafeRawPointer {
        do { return try snapshot.chunk(stored.code, index) } catch { throw .store(error) }
    }

    private func applyRanges(
        _ lane: Int, _ ranges: [ClosedRange<Double>], _ bits: inout BatchBits, _ batch: Int
    ) throws(GrabenError) {
        let extent: LaneExtent
        do { extent = try snapshot.extent(stored.code, batch, lane: lane) } catch { throw .store(error) }
        guard ranges.contains(where: { $0.lowerBound <= extent.maximum && $0.upperBound >= extent.minimum }) else {
            bits = BatchBits()
            return
        }
        if extent.isFull, ranges.contains(where: { $0.lowerBound <= extent.minimum && $0.upperBound >= extent.maximum }) { return }
        bits = inRanges(try readChunk(batch), lane, ranges, bits)
    }

    /// Of the slots in `bits`, those whose value lies in one of the ranges.
    private func inRanges(
        _ chunk: UnsafeRawPointer, _ lane: Int, _ ranges: [ClosedRange<Double>], _ bits: BatchBits
    ) -> BatchBits {
        var found = BatchBits()
        var candidates = bits & validity(chunk, lane)
        let place = geometry.lanes[lane]
        let values = chunk + place.offset
        if ranges.count > Self.mostComparedRanges || candidates.count < Self.fewestCompared {
            let numbers = FieldNumbers(integers: [], doubles: ranges)
            candidates.forEach { slot in
                let value =
                    place.isDouble
                    ? values.load(fromByteOffset: slot * 8, as: Double.self) : Double(values.load(fromByteOffset: slot * 4, as: Float.self))
                if numbers.contains(value) { found[slot: slot] = true }
            }
            return found
        }
        for range in ranges {
            var inside = BatchBits()
            Self.lend(&candidates, &inside) { candidates, inside in
                _ =
                    place.isDouble
                    ? graben_range_f64(
                        values.assumingMemoryBound(to: Double.self), candidates, ChunkGeometry.slotsPerChunk, range.lowerBound,
                        range.upperBound, inside)
                    : graben_range_f32(
                        values.assumingMemoryBound(to: Float.self), candidates, ChunkGeometry.slotsPerChunk, range.lowerBound,
                        range.upperBound, inside)
            }
            found |= inside
        }
        return found
    }

    /// More are looked up number by number.
    private static let mostComparedRanges = 8
    /// Fewer candidates than this are looked at one by one.
    private static let fewestCompared = 8

    private func validity(_ chunk: UnsafeRawPointer, _ lane: Int) -> BatchBits {
        guard let offset = geometry.lanes[lane].validityOffset else { return ~BatchBits() }
        return (chunk + offset).loadUnaligned(as: BatchBits.self)
    }

    @inline(__always)
    private static func lend<E: Error>(
        _ a: inout BatchBits, _ b: inout BatchBits, _ body: (RecordScan.Bits, RecordScan.Bits) throws(E) -> Void
    ) throws(E) {
        try withUnsafeMutablePointer(to: &a) { (a) throws(E) in
            try withUnsafeMutablePointer(to: &b) { (b) throws(E) in
                try body(
                    UnsafeMutableRawPointer(a).assumingMemoryBound(to: UInt64.self),
                    UnsafeMutableRawPointer(b).assumingMemoryBound(to: UInt64.self))
            }
        }
    }
}
