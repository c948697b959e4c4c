import FoundationEssentials
import GrabenLog

extension Operand {
    /// Sum, mean, extremes and the rest over members (D12). Nil members are passed over, but by count and the unions.
    static func aggregate(_ function: PredicateFunction, _ members: [Operand]) throws(OperandProblem) -> Operand {
        switch function {
        case .count: return .int(Int64(members.count))
        case .sum: return try sum(members)
        case .average:
            let numbers = try doubles(members, "average")
            return numbers.isEmpty ? .null : .double(numbers.reduce(0, +) / Double(numbers.count))
        case .min: return try extreme(members, sign: -1)
        case .max: return try extreme(members, sign: 1)
        case .median: return try median(members)
        case .mode: return mode(members)
        case .stddev:
            let numbers = try doubles(members, "stddev")
            if numbers.isEmpty { return .null }
            let mean = numbers.reduce(0, +) / Double(numbers.count)
            return .double((numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(numbers.count)).squareRoot())
        default: throw OperandProblem("\(function.rawValue) takes no collection")
        }
    }

    private static func sum(_ members: [Operand]) throws(OperandProblem) -> Operand {
        var total = Operand.int(0)
        for member in members where !member.isNull {
            guard member.number != nil else { throw OperandProblem("sum takes numbers, not \(member.kindName)") }
            total = try arithmetic(.add, total, member)
        }
        return total
    }

    private static func doubles(_ members: [Operand], _ name: String) throws(OperandProblem) -> [Double] {
        var numbers: [Double] = []
        for member in members where !member.isNull {
            guard let number = member.number else { throw OperandProblem("\(name) takes numbers, not \(member.kindName)") }
            numbers.append(number.double)
        }
        return numbers
    }

    private static func extreme(_ members: [Operand], sign: Int) throws(OperandProblem) -> Operand {
        var best: Operand?
        for member in members where !member.isNull {
            guard let found = best else {
                // A lone member has to be of an ordered family too.
                _ = try member.sortOrder(member)
                best = member
                continue
            }
            if try member.sortOrder(found) == sign { best = member }
        }
        return best ?? .null
    }

    private static func median(_ members: [Operand]) throws(OperandProblem) -> Operand {
        _ = try doubles(members, "median")
        let kept = members.filter { !$0.isNull }
        if kept.isEmpty { return .null }
        // Numbers always have a sort order, so nothing is lost in treating a failure as equal.
        let sorted = kept.sorted { a, b in ((try? a.sortOrder(b)) ?? 0) < 0 }
        let middle = sorted.count / 2
        if sorted.count % 2 == 1 { return sorted[middle] }
        guard let low = sorted[middle - 1].number, let high = sorted[middle].number else { return .null }
        return .double(low.double / 2 + high.double / 2)
    }

    /// Every value that occurs most often, in the order of first occurrence.
    private static func mode(_ members: [Operand]) -> Operand {
        let (values, counts) = tally(members.filter { !$0.isNull })
        let most = counts.max() ?? 0
        return .list(zip(values, counts).filter { $0.1 == most }.map(\.0))
    }

    /// The members without repetitions, in the order of first occurrence.
    static func distinct(_ members: [Operand]) -> [Operand] { tally(members).values }

    private static func tally(_ members: [Operand]) -> (values: [Operand], counts: [Int]) {
        var values: [Operand] = []
        var counts: [Int] = []
        var places: [OperandKey: Int] = [:]
        for member in members {
            let key = OperandKey(member)
            if let key, let place = places[key] {
                counts[place] += 1
            } else if key == nil, let place = values.firstIndex(where: { $0.equals(member) }) {
                counts[place] += 1
            } else {
                if let key { places[key] = values.count }
                values.append(member)
                counts.append(1)
            }
        }
        return (values, counts)
    }
}

/// A hashable form of an operand, such that equal operands have equal keys (all NaNs count as one: D1 on grouping).
///
/// Objects without an id have none, and are compared one by one.
indirect enum OperandKey: Hashable {
    case null
    case int(Int64)
    case double(UInt64)
    case decimal(Decimal)
    case string(ByteString)
    case date(UInt64)
    case data(Data)
    case uuid(UUID)
    case reference(ObjectID)
    case collection([OperandKey])

    init?(_ operand: Operand) {
        switch operand {
        case .null: self = .null
        case .bool(let x): self = .int(x ? 1 : 0)
        case .int(let x): self = .int(x)
        case .double(let x): self = Self.key(x)
        case .decimal(let x):
            // A number has one key whatever it is stored as.
            let near = NumberOrder.double(x)
            if x.isNaN || NumberOrder.order(x, near) == 0 {
                self = Self.key(near)
            } else if x.exponent >= 0, let integer = Int64(x.description) {
                self = .int(integer)
            } else {
                self = .decimal(x)
            }
        case .string(let x): self = .string(ByteString(text: x))
        case .date(let x): self = .date(x.isNaN ? Double.nan.bitPattern : x == 0 ? 0 : x.bitPattern)
        case .uuid(let x): self = .uuid(x)
        case .data(let x): self = .data(x)
        case .reference(let x): self = .reference(x)
        case .object(let object):
            guard let id = object.predicateIdentity else { return nil }
            self = .reference(id)
        case .collection(let collection):
            var keys: [OperandKey] = []
            keys.reserveCapacity(collection.elements.count)
            for element in collection.elements {
                guard let key = OperandKey(element) else { return nil }
                keys.append(key)
            }
            self = .collection(keys)
        case .dictionary: return nil
        }
    }

    private static func key(_ x: Double) -> OperandKey {
        // Doubles that are integers meet those; the upper bound is the first double too large.
        if x >= -0x1p63, x < 0x1p63, x == x.rounded(.towardZero) { return .int(Int64(x)) }
        return .double(x.isNaN ? Double.nan.bitPattern : x.bitPattern)
    }

    /// NaN equals nothing, so a set of keys that answers "equal" must not hold it.
    var equalsItself: Bool {
        switch self {
        case .double(let bits): !Double(bitPattern: bits).isNaN
        case .date(let bits): !Double(bitPattern: bits).isNaN
        case .collection(let keys): keys.allSatisfy(\.equalsItself)
        default: true
        }
    }
}
