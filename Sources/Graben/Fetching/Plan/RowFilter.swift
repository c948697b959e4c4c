import GrabenLog
import GrabenPredicate

/// A predicate as one store answers it: comparisons of lanes and of fields of records, and for the rest the interpreter.
///
/// Belongs to one scan, for what reads fields remembers the layout it met last.
indirect enum RowFilter {
    case constant(Bool)
    case all([RowFilter])
    case any([RowFilter])
    case not(RowFilter)
    /// A packed attribute lies in one of the ranges; NaN and nil in none.
    case lane(Int, [ClosedRange<Double>])
    /// A packed attribute has no value.
    case laneIsNull(Int)
    /// A field of the record, and the same by the interpreter for records that the scan does not know how to read.
    case field(FieldScan, PredicateConjunct)
    case evaluated(PredicateConjunct)
}

extension RowFilter {
    init(_ test: CompiledTest, _ stored: StoredEntity) {
        switch test {
        case .constant(let answer): self = .constant(answer)
        case .all(let members): self = .all(members.map { RowFilter($0, stored) })
        case .any(let members): self = .any(members.map { RowFilter($0, stored) })
        case .not(let inner): self = .not(RowFilter(inner, stored))
        case .evaluated(let conjunct): self = .evaluated(conjunct)
        case .attribute(let attribute): self = Self.comparison(attribute, stored) ?? .evaluated(attribute.conjunct)
        }
    }

    private static func comparison(_ attribute: AttributeTest, _ stored: StoredEntity) -> RowFilter? {
        guard let form = attribute.form else { return nil }
        let property = stored.info.properties[attribute.property]
        switch (property.kind, form) {
        case (.packed, .isNull): return .laneIsNull(property.lane)
        case (.packed, .numbers(let numbers)): return .lane(property.lane, numbers.doubles)
        case (.attribute, _) where property.field >= 0:
            let test: FieldTest
            switch form {
            case .isNull: test = .isNull
            case .numbers(let numbers): test = .numbers(numbers)
            case .text(let text): test = .text(text)
            }
            let kind = stored.layout.fields[property.field].kind
            if case .isNull = test {} else if !kind.canBeTested { return nil }
            return .field(FieldScan(test, kind: kind) { stored.field(property, in: $0) }, attribute.conjunct)
        default: return nil
        }
    }

    /// Whether records have to be read, by the scan or the interpreter.
    var readsRecords: Bool {
        switch self {
        case .constant, .lane, .laneIsNull: false
        case .field, .evaluated: true
        case .not(let inner): inner.readsRecords
        case .all(let members), .any(let members): members.contains(where: \.readsRecords)
        }
    }

    /// Whether the interpreter has a part in it.
    var isInterpreted: Bool {
        switch self {
        case .constant, .lane, .laneIsNull, .field: false
        case .evaluated: true
        case .not(let inner): inner.isInterpreted
        case .all(let members), .any(let members): members.contains(where: \.isInterpreted)
        }
    }
}
