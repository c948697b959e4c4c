import FoundationEssentials
import GrabenLog

extension Operand {
    /// The outcome of comparing two operands that are not nil.
    enum Order {
        case ascending, same, descending
        /// One is NaN: not equal and in no order.
        case unordered
        /// Of different families, or of one that has no order.
        case incomparable

        init(_ sign: Int?) {
            guard let sign else {
                self = .unordered
                return
            }
            self = sign == 0 ? .same : (sign < 0 ? .ascending : .descending)
        }
    }

    /// A number as one of three kinds; Booleans are 1 and 0.
    enum Number {
        case int(Int64)
        case double(Double)
        case decimal(Decimal)

        func order(_ other: Number) -> Int? {
            switch (self, other) {
            case (.int(let x), .int(let y)): x == y ? 0 : (x < y ? -1 : 1)
            case (.double(let x), .double(let y)): NumberOrder.order(x, y)
            case (.decimal(let x), .decimal(let y)): NumberOrder.order(x, y)
            case (.int(let x), .double(let y)): NumberOrder.order(x, y)
            case (.double(let x), .int(let y)): NumberOrder.order(y, x).map { -$0 }
            case (.int(let x), .decimal(let y)): NumberOrder.order(Decimal(x), y)
            case (.decimal(let x), .int(let y)): NumberOrder.order(x, Decimal(y))
            case (.decimal(let x), .double(let y)): NumberOrder.order(x, y)
            case (.double(let x), .decimal(let y)): NumberOrder.order(y, x).map { -$0 }
            }
        }

        var double: Double {
            switch self {
            case .int(let x): Double(x)
            case .double(let x): x
            case .decimal(let x): NumberOrder.double(x)
            }
        }
    }

    var number: Number? {
        switch self {
        case .bool(let x): .int(x ? 1 : 0)
        case .int(let x): .int(x)
        case .double(let x): .double(x)
        case .decimal(let x): .decimal(x)
        default: nil
        }
    }

    /// The order of two operands of one ordered family: numbers, strings, dates (D2, D5).
    func order(_ other: Operand) -> Order {
        switch (self, other) {
        case (.int(let x), .int(let y)): return x == y ? .same : (x < y ? .ascending : .descending)
        case (.double(let x), .double(let y)): return Order(NumberOrder.order(x, y))
        case (.string(let x), .string(let y)): return Order(TextSearch.order(x, y))
        case (.date(let x), .date(let y)): return Order(NumberOrder.order(x, y))
        default:
            guard let x = number, let y = other.number else { return .incomparable }
            return Order(x.order(y))
        }
    }

    /// Equality (D1, D2): of different families, false; of collections, member by member in order.
    func equals(_ other: Operand) -> Bool {
        switch (self, other) {
        case (.null, .null): return true
        case (.null, _), (_, .null): return false
        case (.string(let x), .string(let y)): return TextSearch.equal(x, y)
        case (.data(let x), .data(let y)): return x == y
        case (.uuid(let x), .uuid(let y)): return x == y
        case (.reference(let x), .reference(let y)): return x == y
        case (.object(let x), .reference(let y)), (.reference(let y), .object(let x)): return x.predicateIdentity == y
        case (.object(let x), .object(let y)): return x.isSameObject(as: y)
        case (.collection(let x), .collection(let y)):
            guard x.elements.count == y.elements.count else { return false }
            for place in x.elements.indices where !x.elements[place].equals(y.elements[place]) { return false }
            return true
        default:
            if case .same = order(other) { return true }
            return false
        }
    }

    /// The operand with strings folded, those in collections too (D22).
    func folded(_ options: PredicateStringOptions) -> Operand {
        if options.folding.isEmpty { return self }
        switch self {
        case .string(let text): return .string(TextFolding.fold(text, options))
        case .collection(var collection):
            collection.elements = collection.elements.map { $0.folded(options) }
            return .collection(collection)
        default: return self
        }
    }

    /// The order sorting uses, total within a family: NaN before the numbers, -0 equal to 0 (D1).
    func sortOrder(_ other: Operand) throws(OperandProblem) -> Int {
        switch order(other) {
        case .ascending: return -1
        case .same: return 0
        case .descending: return 1
        case .unordered:
            let left = number.map { $0.double.isNaN } ?? false
            let right = other.number.map { $0.double.isNaN } ?? false
            return left == right ? 0 : (left ? -1 : 1)
        case .incomparable: throw OperandProblem("\(kindName) and \(other.kindName) have no order between them")
        }
    }
}
