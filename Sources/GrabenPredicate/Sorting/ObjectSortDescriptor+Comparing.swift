import FoundationEssentials
import GrabenLog

extension ObjectSortDescriptor {
    /// Negative where `a` comes first, positive where `b` does, 0 where this criterion does not tell (S96).
    ///
    /// Total, whatever the values: nil first, then NaN, numbers, strings, dates, data, UUIDs, objects; descending is the exact reverse.
    package func compare(_ a: Value, _ b: Value) -> Int {
        let order = order(a, b)
        return ascending ? order : -order
    }

    private func order(_ a: Value, _ b: Value) -> Int {
        switch (a, b) {
        case (.int(let x), .int(let y)): return x == y ? 0 : (x < y ? -1 : 1)
        case (.string(let x), .string(let y)): return text(x, y)
        default: break
        }
        let (x, y) = (Operand(a), Operand(b))
        let (left, right) = (rank(x), rank(y))
        if left != right { return left < right ? -1 : 1 }
        switch (x, y) {
        case (.string(let x), .string(let y)): return text(x, y)
        case (.data(let x), .data(let y)): return bytes(x, y)
        case (.uuid(let x), .uuid(let y)):
            return bytes(withUnsafeBytes(of: x.uuid) { Array($0) }, withUnsafeBytes(of: y.uuid) { Array($0) })
        case (.reference(let x), .reference(let y)): return x == y ? 0 : (x < y ? -1 : 1)
        default: return (try? x.sortOrder(y)) ?? 0
        }
    }

    private func rank(_ operand: Operand) -> Int {
        switch operand {
        case .null: 0
        case .bool, .int, .double, .decimal: 1
        case .string: 2
        case .date: 3
        case .data: 4
        case .uuid: 5
        case .reference, .object: 6
        case .collection, .dictionary: 7
        }
    }

    /// What family a value is of in the highest bits, and how far it comes in that.
    fileprivate func leading(_ value: Value) -> UInt64 {
        let operand = Operand(value)
        return UInt64(rank(operand)) << 61 | place(operand) >> 3
    }

    private func place(_ operand: Operand) -> UInt64 {
        switch operand {
        case .string(let text):
            guard comparison == .scalar else { return 0 }
            return TextSearch.bytes(text) { bytes in
                var leading: UInt64 = 0
                for place in 0..<min(8, bytes.count) { leading |= UInt64(bytes[place]) << UInt64(56 - place * 8) }
                return leading
            }
        case .date(let seconds): return place(seconds)
        default: return operand.number.map { place($0.double) } ?? 0
        }
    }

    /// Doubles as whole numbers of the same order, NaN first; a negative one's bits descend.
    private func place(_ number: Double) -> UInt64 {
        if number.isNaN { return 0 }
        let bits = number == 0 ? 0 : number.bitPattern
        return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }

    private func bytes<Bytes: Sequence<UInt8>>(_ a: Bytes, _ b: Bytes) -> Int {
        a.lexicographicallyPrecedes(b) ? -1 : (b.lexicographicallyPrecedes(a) ? 1 : 0)
    }

    private func text(_ a: String, _ b: String) -> Int {
        switch comparison {
        case .scalar: return TextSearch.order(a, b)
        case .caseInsensitive:
            let folded = TextSearch.order(TextFolding.fold(a, .caseInsensitive), TextFolding.fold(b, .caseInsensitive))
            return folded != 0 ? folded : TextSearch.order(a, b)
        case .natural:
            for options in [[.caseInsensitive, .diacriticInsensitive], PredicateStringOptions.caseInsensitive] {
                let order = natural(TextFolding.fold(a, options), TextFolding.fold(b, options))
                if order != 0 { return order }
            }
            return TextSearch.order(a, b)
        }
    }

    /// Runs of ASCII digits compare by value: without leading zeros the longer is the larger.
    private func natural(_ a: String, _ b: String) -> Int {
        let x = Array(a.utf8)
        let y = Array(b.utf8)
        var (i, j) = (0, 0)
        func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
        func run(_ bytes: [UInt8], _ place: inout Int) -> ArraySlice<UInt8> {
            while place < bytes.count, bytes[place] == 0x30 { place += 1 }
            let start = place
            while place < bytes.count, isDigit(bytes[place]) { place += 1 }
            return bytes[start..<place]
        }
        while i < x.count, j < y.count {
            if isDigit(x[i]), isDigit(y[j]) {
                let (left, right) = (run(x, &i), run(y, &j))
                if left.count != right.count { return left.count < right.count ? -1 : 1 }
                let order = bytes(left, right)
                if order != 0 { return order }
            } else {
                if x[i] != y[j] { return x[i] < y[j] ? -1 : 1 }
                i += 1
                j += 1
            }
        }
        let (left, right) = (x.count - i, y.count - j)
        return left == right ? 0 : (left < right ? -1 : 1)
    }
}

/// An order bound to an entity: where its keys are found.
package struct BoundSortOrder {
    private struct Key {
        let descriptor: ObjectSortDescriptor
        /// To-one relationships on the way.
        let hops: [PropertyReader]
        let last: PropertyReader
        let isReference: Bool
    }
    private let keys: [Key]

    /// Resolves the keys; throws where one is unknown or leads to no single value.
    package init(_ descriptors: [ObjectSortDescriptor], schema: any PredicateSchema) throws(ObjectPredicateError) {
        var keys: [Key] = []
        for descriptor in descriptors {
            var hops: [PropertyReader] = []
            var at: any PredicateSchema = schema
            var end: (reader: PropertyReader, isReference: Bool)?
            for name in descriptor.keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init) {
                func refuse(_ reason: String) -> ObjectPredicateError {
                    .evaluation(
                        PredicateEvaluationProblem(reason: reason, expression: descriptor.keyPath, entity: schema.name, object: nil))
                }
                if let before = end {
                    guard before.isReference else { throw refuse("\"\(before.reader.key)\" has no properties to sort by") }
                    hops.append(before.reader)
                }
                guard let property = at.property(named: name) else {
                    throw .unknownKey(
                        key: name, keyPath: descriptor.keyPath, entity: at.name, nearest: nearestName(to: name, in: at.propertyNames))
                }
                let reader = PropertyReader(index: property.index, key: name, entity: at.name)
                switch property.kind {
                case .attribute, .dynamic: end = (reader, false)
                case .toOne(let target):
                    end = (reader, true)
                    at = target
                case .toMany: throw refuse("\"\(name)\" has many values, which have no order among objects")
                case .fetched: throw refuse("\"\(name)\" is a fetched property and cannot be sorted by")
                }
            }
            if let end { keys.append(Key(descriptor: descriptor, hops: hops, last: end.reader, isReference: end.isReference)) }
        }
        self.keys = keys
    }

    /// The values an object is sorted by; nil where a relationship on the way is.
    package func values(of object: any PredicateObject) throws(ObjectPredicateError) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(keys.count)
        for key in keys {
            var at: (any PredicateObject)? = object
            for hop in key.hops {
                guard let here = at else { break }
                at = try hop.target(here)
            }
            guard let here = at else {
                values.append(.null)
                continue
            }
            if key.isReference {
                values.append(try key.last.target(here)?.predicateIdentity.map { .reference($0) } ?? .null)
            } else {
                values.append(try key.last.value(here))
            }
        }
        return values
    }

    /// The attribute of the object itself that it is ordered by first, and whether ascending; nil where the first key is another, or compares texts
    /// otherwise than by their bytes.
    package var leadingAttribute: (property: Int, ascending: Bool)? {
        guard let first = keys.first, first.hops.isEmpty, !first.isReference, first.descriptor.comparison == .scalar else { return nil }
        return (first.last.index, first.descriptor.ascending)
    }

    /// A number that stands for the beginning of an object's first key: of two objects the one with the smaller number comes first; where the numbers
    /// are equal the keys decide.
    package func leading(of object: any PredicateObject) throws(ObjectPredicateError) -> UInt64 {
        guard let first = keys.first, first.hops.isEmpty, !first.isReference else { return 0 }
        let leading = first.descriptor.leading(try first.last.value(object))
        return first.descriptor.ascending ? leading : ~leading
    }

    /// Compares two objects by their values; 0 leaves the order of ids to the caller (S96).
    package func compare(_ a: [Value], _ b: [Value]) -> Int {
        for (place, key) in keys.enumerated() where place < a.count && place < b.count {
            let order = key.descriptor.compare(a[place], b[place])
            if order != 0 { return order }
        }
        return 0
    }
}

extension PropertyReader {
    fileprivate func target(_ object: any PredicateObject) throws(ObjectPredicateError) -> (any PredicateObject)? {
        guard case .object(let target) = try read(object, .toOne(object.predicateSchema)) else { return nil }
        return target
    }
}
