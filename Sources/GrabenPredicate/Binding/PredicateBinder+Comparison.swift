import GrabenLog

extension PredicateBinder {
    mutating func compile(_ comparison: PredicateComparison, _ site: EvaluationSite) throws(ObjectPredicateError) -> BoundTest {
        let left = try compile(comparison.left)
        let right = try compile(comparison.right)
        let type: StaticType
        if let quantifier = comparison.quantifier {
            switch left.type {
            case .scalar, .object:
                // D10. A nil collection and nothing known of it are both left to the evaluation.
                if case .scalar(nil) = left.type { break }
                throw site.error("\(quantifier.rawValue) takes a collection, not \(left.type.name ?? "one value")")
            default: break
            }
            type = left.type.member
        } else {
            type = left.type
        }
        if let refusal = comparison.comparison.refusal(type, right.type) { throw site.error(refusal) }

        let operation = comparison.comparison
        let options = comparison.options.folding
        let isSafe = left.isSafe && right.isSafe && operation.alwaysAnswers(type, right)
        if let constant = right.constant {
            let matcher: ConstantMatcher
            do throws(OperandProblem) { matcher = try ConstantMatcher(operation, options, constant) } catch { throw site.error(error) }
            if let quantifier = comparison.quantifier {
                return try folded(
                    quantified(quantifier, left, site, isSafe: isSafe) { operand, _ throws(OperandProblem) in
                        try matcher.matches(operand)
                    } right: {
                        _ throws(ObjectPredicateError) in
                        .null
                    }, constant: left.constant != nil)
            }
            return try folded(matcher.test(left, site, isSafe: isSafe, entity: schema.name), constant: left.constant != nil)
        }
        var comparer = OperandComparer(operation, options)
        if let constant = left.constant { comparer.fix(left: constant) }
        let compare = comparer
        if let quantifier = comparison.quantifier {
            return quantified(quantifier, left, site, isSafe: isSafe) { operand, other throws(OperandProblem) in
                try compare.matches(operand, other)
            } right: { [evaluate = right.evaluate] frame throws(ObjectPredicateError) in
                try evaluate(&frame)
            }
        }
        let x = left.evaluate
        let y = right.evaluate
        return BoundTest(isSafe: isSafe) { frame throws(ObjectPredicateError) in
            let a = try x(&frame)
            let b = try y(&frame)
            do throws(OperandProblem) { return try compare.matches(a, b) } catch { throw site.error(error) }
        }
    }

    private func folded(_ test: BoundTest, constant: Bool) throws(ObjectPredicateError) -> BoundTest {
        guard constant else { return test }
        var frame = EvaluationFrame(root: NoObject())
        // An error waits for the evaluation, as with values.
        guard let answer = try? test.evaluate(&frame) else { return test }
        return BoundTest(constant: answer)
    }

    /// ANY, ALL and NONE (D10). The right side is evaluated once.
    private func quantified(
        _ quantifier: PredicateQuantifier, _ left: BoundValue, _ site: EvaluationSite, isSafe: Bool,
        _ matches: @escaping (Operand, Operand) throws(OperandProblem) -> Bool, right: @escaping BoundValue.Evaluate
    ) -> BoundTest {
        let members = left.evaluate
        let wanted = quantifier != .all
        return BoundTest(isSafe: isSafe) { frame throws(ObjectPredicateError) in
            let operand = try members(&frame)
            let other = try right(&frame)
            if case .collection(let collection) = operand { try frame.visit(collection.elements.count, site) }
            do throws(OperandProblem) {
                for member in try operand.members(of: quantifier.rawValue) where try matches(member, other) == wanted {
                    // ANY found one that does, ALL one that does not, NONE one that does.
                    return quantifier == .any
                }
                return quantifier != .any
            } catch { throw site.error(error) }
        }
    }
}
