internal import GrabenLog

extension AttributeDescription {
    /// What is wrong in the description taken by itself.
    func problems() -> [ModelProblem.Kind] {
        var problems: [ModelProblem.Kind] = []
        if isPacked, !type.isPackable { problems.append(.packedType(type)) }
        if isPacked, isTransient { problems.append(.packedTransient) }
        if isDerived, isTransient { problems.append(.derivedTransient) }
        problems += problemsOfBounds() + problemsOfLengths() + problemsOfRegularExpression()
        if let defaultValue {
            if let value = type.normalized(defaultValue) {
                problems += self.problems(ofDefault: value)
            } else {
                problems.append(.defaultOfWrongType(defaultValue, type))
            }
        }
        return problems
    }

    private func problemsOfBounds() -> [ModelProblem.Kind] {
        guard minimum != nil || maximum != nil else { return [] }
        guard type.isOrdered else { return [.boundsOnUnorderedType(type)] }
        var problems: [ModelProblem.Kind] = [minimum, maximum].compactMap { bound in
            guard let bound, normalizedBound(bound) == nil else { return nil }
            return .boundOfWrongType(bound, type)
        }
        if let least = minimum.flatMap(normalizedBound), let greatest = maximum.flatMap(normalizedBound), type.isLess(greatest, least) {
            problems.append(.boundsReversed(minimum: least, maximum: greatest))
        }
        return problems
    }

    /// The bound as the type holds it; nil also for null and NaN, below and above which nothing lies.
    private func normalizedBound(_ bound: Value) -> Value? {
        guard let value = type.normalized(bound) else { return nil }
        let isNaN =
            switch value {
            case .double(let number): number.isNaN
            case .float(let number): number.isNaN
            case .decimal(let number): number.isNaN
            case .date(let date): date.timeIntervalSinceReferenceDate.isNaN
            default: value.isNull
            }
        guard !isNaN else { return nil }
        return value
    }

    private func problemsOfLengths() -> [ModelProblem.Kind] {
        guard minimumLength != nil || maximumLength != nil else { return [] }
        guard type.hasLength else { return [.lengthsOnTypeWithout(type)] }
        let negative = [minimumLength, maximumLength].compactMap { $0 }.filter { $0 < 0 }
        if !negative.isEmpty { return negative.map { .negativeLength($0) } }
        if let minimumLength, let maximumLength, minimumLength > maximumLength {
            return [.lengthsReversed(minimum: minimumLength, maximum: maximumLength)]
        }
        return []
    }

    private func problemsOfRegularExpression() -> [ModelProblem.Kind] {
        guard let regularExpression else { return [] }
        guard type == .string || type == .uri else { return [.regularExpressionOnTypeWithout(type)] }
        // The limits are those of MATCHES, which tests values by it: the parser of `Regex` recurses, and a model may come from a stranger.
        guard regularExpression.unicodeScalars.count <= 1_000 else { return [.regularExpression("it is longer than 1000 characters")] }
        guard regularExpression.unicodeScalars.count(where: { $0 == "(" || $0 == "[" }) <= 32 else {
            return [.regularExpression("it has more than 32 opening brackets")]
        }
        do { _ = try Regex(regularExpression) } catch { return [.regularExpression("\(error)")] }
        return []
    }

    private func problems(ofDefault value: Value) -> [ModelProblem.Kind] {
        var problems: [ModelProblem.Kind] = []
        let least = type.isOrdered ? minimum.flatMap(normalizedBound) : nil
        let greatest = type.isOrdered ? maximum.flatMap(normalizedBound) : nil
        if least.map({ type.isLess(value, $0) }) ?? false || greatest.map({ type.isLess($0, value) }) ?? false {
            problems.append(.defaultOutOfRange(value, minimum: least, maximum: greatest))
        }
        if let length = value.modelLength, length < minimumLength ?? 0 || length > max(maximumLength ?? .max, 0) {
            problems.append(.defaultLengthOutOfRange(length, minimum: minimumLength, maximum: maximumLength))
        }
        return problems
    }
}

extension Value {
    /// What the length rules of an attribute count: characters of text, bytes of data; nil for other kinds.
    package var modelLength: Int? {
        switch self {
        case .string(let text), .uri(let text): text.count
        case .data(let data): data.count
        default: nil
        }
    }
}
