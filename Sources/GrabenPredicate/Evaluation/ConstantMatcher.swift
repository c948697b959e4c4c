import GrabenLog

/// An operator with a constant right side, prepared once: folded, compiled or hashed.
struct ConstantMatcher {
    private enum Prepared {
        case general
        case like(LikePattern)
        case regex(MatchPattern)
        /// The members of a long list of IN, those equal to themselves.
        case members(Set<OperandKey>)
    }
    private let comparer: OperandComparer
    private let right: Operand
    private let prepared: Prepared

    /// Throws where no left side could make sense of the constant: a bad pattern (D9), bounds that are not two (D24).
    init(_ operation: PredicateOperator, _ options: PredicateStringOptions, _ constant: Operand) throws(OperandProblem) {
        comparer = OperandComparer(operation, options)
        right = operation == .matches ? constant : constant.folded(options)
        switch (operation, right) {
        case (.like, .string(let text)):
            let pattern = LikePattern(text)
            if let refusal = pattern.refusal { throw OperandProblem(refusal) }
            prepared = .like(pattern)
        case (.matches, .string(let text)):
            do throws(MatchPattern.Refusal) { prepared = .regex(try MatchPattern(text, options)) } catch {
                throw OperandProblem(error.reason)
            }
        case (.between, .collection(let bounds)):
            guard bounds.elements.count == 2 else { throw OperandProblem("BETWEEN takes two bounds, not \(bounds.elements.count)") }
            prepared = .general
        case (.in, .collection(let collection)) where collection.elements.count > 8 && collection.origin != .path:
            prepared = Self.keys(collection.elements).map { .members($0) } ?? .general
        default: prepared = .general
        }
    }

    private static func keys(_ elements: [Operand]) -> Set<OperandKey>? {
        var keys: Set<OperandKey> = []
        for element in elements {
            guard let key = OperandKey(element) else { return nil }
            if key.equalsItself { keys.insert(key) }
        }
        return keys
    }

    func matches(_ operand: Operand) throws(OperandProblem) -> Bool {
        switch prepared {
        case .general:
            return try comparer.compare(comparer.operation == .matches ? operand : operand.folded(comparer.options), right)
        case .like(let pattern):
            guard case .string(let text) = operand else { return try comparer.compare(operand, right) }
            return pattern.matches(comparer.options.isEmpty ? text : TextFolding.fold(text, comparer.options))
        case .regex(let pattern):
            guard case .string(let text) = operand else { return try comparer.compare(operand, right) }
            do throws(MatchPattern.Refusal) { return try pattern.matches(text) } catch { throw OperandProblem(error.reason) }
        case .members(let keys):
            let folded = operand.folded(comparer.options)
            guard let key = OperandKey(folded) else { return try comparer.compare(folded, right) }
            return keys.contains(key)
        }
    }

    /// The test of a left side, straight from the stored value where that is an attribute of the object and the constant a number or string.
    func test(_ left: BoundValue, _ site: EvaluationSite, isSafe: Bool, entity: String) -> BoundTest {
        let evaluate = left.evaluate
        let general: BoundTest.Evaluate = { frame throws(ObjectPredicateError) in
            let operand = try evaluate(&frame)
            do throws(OperandProblem) { return try matches(operand) } catch { throw site.error(error) }
        }
        guard let attribute = left.attribute else { return BoundTest(isSafe: isSafe, evaluate: general) }
        let reader = PropertyReader(index: attribute, key: site.key, entity: entity)
        let slow: (Value) throws(ObjectPredicateError) -> Bool = { value throws(ObjectPredicateError) in
            do throws(OperandProblem) { return try matches(Operand(value)) } catch { throw site.error(error) }
        }
        let test = numberTest(reader, slow) ?? textTest(reader, slow) ?? BoundTest(evaluate: general)
        test.condition = condition(attribute)
        test.isSafe = isSafe
        test.form = form(test, left, attribute, site, entity: entity)
        return test
    }

    private func numberTest(_ reader: PropertyReader, _ slow: @escaping (Value) throws(ObjectPredicateError) -> Bool) -> BoundTest? {
        guard let mask = OrderMask(comparer.operation), let number = right.number else { return nil }
        switch number {
        case .int(let constant):
            let double = Double(constant)
            let isExact = Int64(exactly: double) == constant
            return BoundTest { frame throws(ObjectPredicateError) in
                switch try reader.value(frame.root) {
                case .int(let x): mask.accepts(x, constant)
                case .double(let x): isExact ? mask.accepts(x, double) : mask.accepts(NumberOrder.order(constant, x).map { -$0 })
                case let other: try slow(other)
                }
            }
        case .double(let constant):
            return BoundTest { frame throws(ObjectPredicateError) in
                switch try reader.value(frame.root) {
                case .double(let x): mask.accepts(x, constant)
                case .int(let x): mask.accepts(NumberOrder.order(x, constant))
                case let other: try slow(other)
                }
            }
        case .decimal: return nil
        }
    }

    private func textTest(_ reader: PropertyReader, _ slow: @escaping (Value) throws(ObjectPredicateError) -> Bool) -> BoundTest? {
        guard case .string(let constant) = right, comparer.options.isEmpty else { return nil }
        let matches: (String) -> Bool
        switch comparer.operation {
        case .equal: matches = { TextSearch.equal($0, constant) }
        case .beginsWith: matches = { TextSearch.begins($0, with: constant) }
        case .contains: matches = { TextSearch.contains($0, constant) }
        default: return nil
        }
        return BoundTest { frame throws(ObjectPredicateError) in
            switch try reader.value(frame.root) {
            case .string(let x): matches(x)
            case let other: try slow(other)
            }
        }
    }

    /// What the comparison says of stored bytes.
    private func form(
        _ test: BoundTest, _ left: BoundValue, _ property: Int, _ site: EvaluationSite, entity: String
    ) -> CompiledTest? {
        if comparer.operation == .notEqual {
            // The complement, nil and NaN included; what stands in the tree is the equality and its own interpreter.
            guard let equality = try? ConstantMatcher(.equal, comparer.options, right) else { return nil }
            return .negation(equality.test(left, site.withOperator(.equal), isSafe: test.isSafe, entity: entity).compiled)
        }
        // Of its own, for a test that held itself would never be freed.
        let interpreted = PredicateConjunct(condition: nil, test: BoundTest(isSafe: test.isSafe, evaluate: test.evaluate))
        if case .node(let node) = site.part { interpreted.test.node = node }
        func leaf(_ form: StoredForm?) -> CompiledTest {
            .attribute(AttributeTest(property: property, condition: test.condition, form: form, conjunct: interpreted))
        }
        guard case .scalar(let family?) = left.type else { return leaf(nil) }
        return CompiledTest.comparison(comparer.operation, comparer.options, right, family, leaf: leaf) ?? leaf(nil)
    }

    /// What the comparison says of an attribute, for planners.
    private func condition(_ property: Int) -> PropertyCondition? {
        guard comparer.options.isEmpty else { return nil }
        switch comparer.operation {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
            return right.value.map { .compare(property: property, comparer.operation, $0) }
        case .between:
            guard case .collection(let bounds) = right, let low = bounds.elements.first?.value, let high = bounds.elements.last?.value
            else {
                return nil
            }
            return .between(property: property, low, high)
        case .in:
            guard case .collection(let collection) = right else { return nil }
            let values = collection.elements.compactMap(\.value)
            return values.count == collection.elements.count ? .oneOf(property: property, values) : nil
        case .beginsWith:
            guard case .string(let text) = right else { return nil }
            return .prefix(property: property, text, isExact: true)
        case .like:
            guard case .like(let pattern) = prepared, !pattern.literalPrefix.isEmpty else { return nil }
            return .prefix(property: property, pattern.literalPrefix, isExact: false)
        case .endsWith, .contains, .matches: return nil
        }
    }
}
