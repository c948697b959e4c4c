import FoundationEssentials
import GrabenLog

extension PredicateBinder {
    mutating func call(
        _ function: PredicateFunction, _ arguments: [ValueExpression], _ site: EvaluationSite
    ) throws(ObjectPredicateError) -> BoundValue {
        if function == .now { return BoundValue(constant: .date(now.timeIntervalSinceReferenceDate)) }
        if function == .random {
            return BoundValue(type: .scalar(.number)) { _ throws(ObjectPredicateError) in .int(Int64.random(in: 0...Int64(Int32.max))) }
        }
        guard let first = arguments.first else { throw site.error("\(function.rawValue) needs an argument") }
        let value = try compile(first)
        if let operation = function.arithmetic {
            guard arguments.count == 2 else { throw site.error("\(function.rawValue) needs two arguments") }
            return try binary(operation, value, try compile(arguments[1]), site)
        }
        switch function {
        case .count, .sum, .min, .max, .average, .median, .mode, .stddev: return try aggregate(function, value, site)
        case .noindex:
            let evaluate = value.evaluate
            // Neither an attribute nor a constant any more, so that no plan is made of it.
            return BoundValue(type: value.type, evaluate: evaluate)
        case .randomn:
            let evaluate = value.evaluate
            return BoundValue(type: .scalar(.number)) { frame throws(ObjectPredicateError) in
                let limit = try evaluate(&frame)
                do throws(OperandProblem) { return try Operand.function(.randomn, limit) } catch { throw site.error(error) }
            }
        default:
            let isText = function == .uppercase || function == .lowercase
            return try apply(value, type: .scalar(isText ? .string : .number), site: site) { operand throws(OperandProblem) in
                try Operand.function(function, operand)
            }
        }
    }

    private func binary(
        _ operation: ArithmeticOperator, _ left: BoundValue, _ right: BoundValue, _ site: EvaluationSite
    ) throws(ObjectPredicateError) -> BoundValue {
        let x = left.evaluate
        let y = right.evaluate
        let bound = BoundValue(type: .scalar(nil)) { frame throws(ObjectPredicateError) in
            let a = try x(&frame)
            let b = try y(&frame)
            do throws(OperandProblem) { return try Operand.arithmetic(operation, a, b) } catch { throw site.error(error) }
        }
        return try folded(bound, constant: left.constant != nil && right.constant != nil)
    }

    private func aggregate(_ function: PredicateFunction, _ value: BoundValue, _ site: EvaluationSite) throws(ObjectPredicateError)
        -> BoundValue
    {
        switch value.type {
        case .scalar(let family?): throw site.error("\(function.rawValue) takes a collection, not \(family.kindName)")
        case .object: throw site.error("\(function.rawValue) takes a collection, not an object")
        default: break
        }
        let type: StaticType
        switch function {
        case .min, .max: type = value.type.member
        case .mode: type = .collection(value.type.member, isOrdered: true, .computed)
        default: type = .scalar(.number)
        }
        return try apply(value, type: type, site: site) { operand throws(OperandProblem) in
            try Operand.aggregate(function, try operand.members(of: function.rawValue))
        }
    }

    mutating func custom(_ name: String, _ arguments: [ValueExpression], _ site: EvaluationSite) throws(ObjectPredicateError) -> BoundValue
    {
        guard let body = PredicateFunctions.body(named: name) else { throw site.error("no function \"\(name)\" is registered") }
        var values: [BoundValue] = []
        for argument in arguments { values.append(try compile(argument)) }
        let parts = values
        let bound = BoundValue(type: .unknown) { frame throws(ObjectPredicateError) in
            var literals: [PredicateLiteral] = []
            for part in parts {
                let operand = try part.evaluate(&frame)
                guard let literal = operand.literal else {
                    throw site.error("\(operand.kindName) without an id cannot be handed to a function")
                }
                literals.append(literal)
            }
            do {
                return try body(literals).map { Operand($0) } ?? .null
            } catch {
                throw site.error("the function \"\(name)\" failed: \(error)")
            }
        }
        return try folded(bound, constant: values.allSatisfy { $0.constant != nil })
    }

    mutating func cast(
        _ operand: ValueExpression, _ type: ValueExpression, _ site: EvaluationSite
    ) throws(ObjectPredicateError) -> BoundValue {
        let value = try compile(operand)
        let name = try compile(type)
        if let constant = name.constant {
            let kind: CastType
            do throws(OperandProblem) { kind = try CastType(named: constant) } catch { throw site.error(error) }
            return try apply(value, type: .scalar(kind.family), site: site) { operand throws(OperandProblem) in try kind.cast(operand) }
        }
        let x = value.evaluate
        let y = name.evaluate
        return BoundValue(type: .unknown) { frame throws(ObjectPredicateError) in
            let operand = try x(&frame)
            let type = try y(&frame)
            do throws(OperandProblem) { return try CastType(named: type).cast(operand) } catch { throw site.error(error) }
        }
    }
}

extension Operand {
    /// The members of a collection; nil has none (section 2), a scalar is an error (D12).
    func members(of user: String) throws(OperandProblem) -> [Operand] {
        switch self {
        case .null: return []
        case .collection(let collection): return collection.elements
        default: throw OperandProblem("\(user) takes a collection, not \(kindName)")
        }
    }
}

extension CastType {
    init(named name: Operand) throws(OperandProblem) {
        guard case .string(let text) = name, let kind = CastType(rawValue: text) else {
            var what = name.kindName
            if case .string(let text) = name { what = "\"\(text)\"" }
            throw OperandProblem("CAST knows the types NSDate, NSNumber and NSString, not \(what)")
        }
        self = kind
    }

    var family: PredicateFamily? {
        switch self {
        case .date: .date
        case .number, .decimal: .number
        case .string, .uri: .string
        case .uuid: .uuid
        case .data, .json: .data
        case .object: nil
        }
    }

    func cast(_ operand: Operand) throws(OperandProblem) -> Operand {
        if operand.isNull { return .null }
        if self == .string, let text = text(operand) { return .string(text) }
        guard let value = operand.value, let result = constant(value) else {
            throw OperandProblem("\(operand.kindName) cannot be made \(rawValue)")
        }
        return Operand(result)
    }

    private func text(_ operand: Operand) -> String? {
        switch operand {
        case .string(let x): return x
        case .bool(let x): return x ? "1" : "0"
        case .int(let x): return String(x)
        case .double(let x):
            // As numbers print elsewhere in the language's home: 4.0 is "4".
            return x == x.rounded() && x.magnitude < 1e15 ? String(Int64(x)) : String(describing: x)
        case .decimal(let x): return x.description
        case .uuid(let x): return x.uuidString
        default: return nil
        }
    }
}
