import GrabenLog

/// An aggregate over rows, one member after the other. Members that are nil do not count, nor for `count`: as in SQL, and unlike an aggregate
/// over one object's members, which are what they are (Decisions.md).
struct RowTotal {
    private let function: PredicateFunction
    /// The values seen, where each counts once.
    private var seen: Set<OperandKey>?
    private var count = 0
    private var total = Operand.int(0)
    private var sum = 0.0
    private var extreme = Operand.null
    /// What median, mode and deviation need all of.
    private var members: [Operand] = []

    init(_ function: PredicateFunction, isDistinct: Bool) {
        self.function = function
        if isDistinct { seen = [] }
    }

    mutating func add(_ operand: Operand) throws(OperandProblem) {
        if operand.isNull { return }
        if seen != nil, let key = OperandKey(operand), seen?.insert(key).inserted == false { return }
        count += 1
        switch function {
        case .count: break
        case .sum:
            guard operand.number != nil else { throw OperandProblem("sum takes numbers, not \(operand.kindName)") }
            total = try Operand.arithmetic(.add, total, operand)
        case .average:
            guard let number = operand.number else { throw OperandProblem("average takes numbers, not \(operand.kindName)") }
            sum += number.double
        case .min, .max:
            // A lone member has to be of an ordered family too.
            let order = try operand.sortOrder(extreme.isNull ? operand : extreme)
            if extreme.isNull || order == (function == .min ? -1 : 1) { extreme = operand }
        default: members.append(operand)
        }
    }

    func result() throws(OperandProblem) -> Operand {
        switch function {
        case .count: .int(Int64(count))
        case .sum: total
        case .average: count == 0 ? .null : .double(sum / Double(count))
        case .min, .max: extreme
        default: try Operand.aggregate(function, members)
        }
    }
}
