import FoundationEssentials
import GrabenLog
import GrabenPredicate

/// What a comparison says of one attribute, as values an ordered index can be asked for.
struct IndexBounds {
    enum Bound {
        case value(StoredValue)
        /// Values from one to another, both included unless open; nil for the least and the greatest. Null is in none.
        case range(StoredValue?, StoredValue?, isLowerOpen: Bool, isUpperOpen: Bool)
        case prefix(String)
    }
    /// Ascending, without overlaps.
    var bounds: [Bound]
    /// Whether all that the index finds passes the comparison.
    var isExact: Bool

    /// The values an attribute has to have for a test to be true; nil where an index of the field cannot say.
    init?(_ test: CompiledTest, _ property: Int, _ kind: FieldKind) {
        switch test {
        case .attribute(let attribute):
            guard attribute.property == property, let bounds = IndexBounds(attribute, kind) else { return nil }
            self = bounds
        case .any(let members):
            var all = IndexBounds(bounds: [], isExact: true)
            for member in members {
                guard let bounds = IndexBounds(member, property, kind) else { return nil }
                all.bounds += bounds.bounds
                all.isExact = all.isExact && bounds.isExact
            }
            self = all
        case .constant, .not, .all, .evaluated: return nil
        }
    }

    private init(bounds: [Bound], isExact: Bool) {
        self.bounds = bounds
        self.isExact = isExact
    }

    /// Texts of so many bytes may be cut in a key: bounds then take in what they would leave out, and comparing follows.
    private static func isCut(_ text: String) -> Bool { text.utf8.count >= KeyCoding.partByteLimit }

    private init?(_ attribute: AttributeTest, _ kind: FieldKind) {
        switch attribute.form {
        case .isNull?: self.init(bounds: [.value(.null)], isExact: true)
        case .numbers(let numbers)?:
            switch kind {
            case .bool, .int16, .int32, .int64: self.init(bounds: numbers.integers.map(Self.integers), isExact: true)
            case .float, .double: self.init(bounds: numbers.doubles.map { Self.doubles($0) { .double($0) } }, isExact: true)
            case .date: self.init(bounds: numbers.doubles.map { Self.doubles($0) { .date($0) } }, isExact: true)
            default: self.init(attribute.condition, kind)
            }
        case .text(.equal(let bytes))?:
            guard kind == .string || kind == .uri else { return nil }
            let text = String(decoding: bytes, as: UTF8.self)
            self.init(bounds: [.value(.string(text))], isExact: !Self.isCut(text))
        case .text(.prefix(let bytes))?:
            guard kind == .string || kind == .uri else { return nil }
            let text = String(decoding: bytes, as: UTF8.self)
            self.init(bounds: [.prefix(text)], isExact: !Self.isCut(text))
        case .text(.bytes)?, nil: self.init(attribute.condition, kind)
        }
    }

    private static func integers(_ range: ClosedRange<Int64>) -> Bound {
        if range.lowerBound == range.upperBound { return .value(.int(range.lowerBound)) }
        return .range(
            range.lowerBound == .min ? nil : .int(range.lowerBound), range.upperBound == .max ? nil : .int(range.upperBound),
            isLowerOpen: false, isUpperOpen: false)
    }

    /// Both ends always, since behind infinity stands NaN; 0 and -0 are two keys and one number.
    private static func doubles(_ range: ClosedRange<Double>, _ value: (Double) -> StoredValue) -> Bound {
        let low = range.lowerBound == 0 ? -0.0 : range.lowerBound
        let high = range.upperBound == 0 ? 0 : range.upperBound
        if low == high, low != 0 { return .value(value(low)) }
        return .range(value(low), value(high), isLowerOpen: false, isUpperOpen: false)
    }

    /// From values, for what has no form of bytes: order among texts, and equality of decimals, UUIDs and data.
    private init?(_ condition: PropertyCondition?, _ kind: FieldKind) {
        switch condition {
        case .compare(_, let operation, let value)?:
            guard let stored = Self.stored(value, kind) else { return nil }
            let isCut: Bool
            switch value {
            case .string(let text), .uri(let text): isCut = Self.isCut(text)
            case .data(let data): isCut = data.count >= KeyCoding.partByteLimit
            default: isCut = false
            }
            let isOpen = !isCut
            switch operation {
            case .equal: self.init(bounds: [.value(stored)], isExact: !isCut)
            case .less: self.init(bounds: [.range(nil, stored, isLowerOpen: false, isUpperOpen: isOpen)], isExact: !isCut)
            case .lessOrEqual: self.init(bounds: [.range(nil, stored, isLowerOpen: false, isUpperOpen: false)], isExact: !isCut)
            case .greater: self.init(bounds: [.range(stored, nil, isLowerOpen: isOpen, isUpperOpen: false)], isExact: !isCut)
            case .greaterOrEqual: self.init(bounds: [.range(stored, nil, isLowerOpen: false, isUpperOpen: false)], isExact: !isCut)
            default: return nil
            }
            if operation != .equal, kind == .uuid || kind == .data || kind == .json { return nil }
        case .between(_, let low, let high)?:
            guard kind == .string || kind == .uri || kind == .decimal, let low = Self.stored(low, kind), let high = Self.stored(high, kind)
            else { return nil }
            self.init(bounds: [.range(low, high, isLowerOpen: false, isUpperOpen: false)], isExact: false)
        case .oneOf(_, let values)?:
            // Numbers of these kinds are equal to constants of other kinds too, which ranges of numbers would have said.
            guard [.string, .uri, .decimal, .uuid, .data].contains(kind) else { return nil }
            var bounds: [Bound] = []
            for value in values {
                if value.isNull {
                    bounds.append(.value(.null))
                    continue
                }
                if let stored = Self.stored(value, kind) {
                    bounds.append(.value(stored))
                } else if kind == .decimal {
                    return nil
                }
                // A value of another family is equal to no value of the field's.
            }
            self.init(bounds: bounds, isExact: false)
        case .prefix(_, let text, _)?:
            guard kind == .string || kind == .uri else { return nil }
            self.init(bounds: [.prefix(text)], isExact: false)
        case nil: return nil
        }
    }

    /// A constant as fields of a kind hold it; nil where a field of the kind cannot hold it.
    private static func stored(_ value: Value, _ kind: FieldKind) -> StoredValue? {
        switch (kind, value) {
        case (.string, .string(let text)), (.uri, .string(let text)), (.string, .uri(let text)), (.uri, .uri(let text)): .string(text)
        case (.decimal, .decimal(let number)): number.isNaN ? nil : .decimal(number)
        case (.decimal, .int(let number)): .decimal(Decimal(number))
        case (.uuid, .uuid(let uuid)): .uuid(uuid)
        case (.data, .data(let data)): .data(data)
        default: nil
        }
    }
}
