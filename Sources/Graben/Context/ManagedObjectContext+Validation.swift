import GrabenLog
import GrabenModel

extension ManagedObjectContext {
    /// Checks every object to be saved and throws all failures at once.
    func validate(_ objects: [ManagedObject]) throws(GrabenError) {
        var failures: [ValidationFailure] = []
        for object in objects.unlessAll({ $0.withTable { $0.info.isAlwaysValid } && !$0.has(ObjectFlag.deleted) }) {
            if object.has(ObjectFlag.cell), object.has(CellFlag.missing) { continue }
            do {
                if object.has(ObjectFlag.deleted) {
                    try object.validateForDelete()
                } else if object.isInserted {
                    try object.validateForInsert()
                } else {
                    try object.validateForUpdate()
                }
            } catch GrabenError.validation(let found) {
                failures += found
            } catch {
                failures.append(
                    ValidationFailure(entity: object.info.name, objectID: object.objectID, key: nil, value: .null, rule: "\(error)"))
            }
        }
        if !failures.isEmpty { throw .validation(failures) }
    }
}

extension ManagedObject {
    /// Checks all properties by the model's rules and the class's `validateValue`.
    final func validateProperties() throws(GrabenError) {
        var failures: [ValidationFailure] = []
        let info = info
        for property in info.validated {
            if property.kind == .toMany {
                checkCount(property, &failures)
                continue
            }
            let value = primitive(property, info)
            if value.isNull ? property.isRequired : property.hasRules {
                for rule in broken(property, value) { failures.append(failure(property, value, rule)) }
            }
            do { try validateValue(value, forKey: property.name) } catch GrabenError.validation(let found) {
                failures += found
            } catch {
                failures.append(failure(property, value, "\(error)"))
            }
        }
        if !failures.isEmpty { throw .validation(failures) }
    }

    private final func broken(_ property: PropertyInfo, _ value: Value) -> [String] {
        if let attribute = property.attribute {
            if value.isNull { return attribute.isOptional ? [] : ["a value is required"] }
            var rules = attribute.brokenRules(by: value)
            if let pattern = attribute.regularExpression, !matches(value, pattern) { rules.append("must match \(pattern)") }
            return rules
        }
        if property.kind == .toOne, value.isNull, property.relationship?.isOptional == false {
            return ["a \(destinationName(property)) is required"]
        }
        return []
    }

    /// Whether a text matches a pattern as a whole, by Unicode scalars. The model was checked, so the pattern is one.
    private final func matches(_ value: Value, _ pattern: String) -> Bool {
        let text: String
        switch value {
        case .string(let string), .uri(let string): text = string
        default: return true
        }
        let context = _table.context
        guard let regex = context?.patterns[pattern] ?? (try? Regex(pattern).matchingSemantics(.unicodeScalar)) else { return true }
        context?.patterns[pattern] = regex
        return (try? regex.wholeMatch(in: text)) ?? nil != nil
    }

    /// What a relationship leads to, for messages.
    final func destinationName(_ property: PropertyInfo) -> String {
        _table.context?.coordinator.infos[property.destination].name ?? "target"
    }

    /// Counts are not applied to an empty optional relationship.
    private final func checkCount(_ property: PropertyInfo, _ failures: inout [ValidationFailure]) {
        guard let relationship = property.relationship, property.hasLimits else { return }
        let count = memberCount(property.number)
        if count == 0, relationship.isOptional { return }
        let least = Swift.max(relationship.minCount, relationship.isOptional ? 0 : 1)
        if count < least {
            failures.append(failure(property, .null, "has \(count) members, at least \(least) are required"))
        } else if relationship.maxCount > 0, count > relationship.maxCount {
            failures.append(failure(property, .null, "has \(count) members, at most \(relationship.maxCount) are allowed"))
        }
    }

    /// A deletion is refused while a relationship with the rule "deny" has members that are not deleted too.
    final func validateDenyRules() throws(GrabenError) {
        guard let context else { return }
        var failures: [ValidationFailure] = []
        for number in info.relationships {
            let property = info.properties[number]
            guard property.relationship?.deleteRule == .deny else { continue }
            let standing = relatedIDs(number).filter { !(context.registeredObject(for: $0)?.has(ObjectFlag.deleted) ?? false) }
            if let first = standing.first {
                let rule = "cannot be deleted while it has \(standing.count == 1 ? "a member" : "\(standing.count) members")"
                failures.append(failure(property, .reference(first), rule))
            }
        }
        if !failures.isEmpty { throw .validation(failures) }
    }

    private final func failure(_ property: PropertyInfo, _ value: Value, _ rule: String) -> ValidationFailure {
        ValidationFailure(entity: info.name, objectID: objectID, key: property.name, value: value, rule: rule)
    }
}

extension AttributeDescription {
    /// The rules a value other than nil breaks, in words.
    func brokenRules(by value: Value) -> [String] {
        var rules: [String] = []
        if let minimum, type.isLess(value, minimum) { rules.append("must be at least \(minimum.summary)") }
        if let maximum, type.isLess(maximum, value) { rules.append("must be at most \(maximum.summary)") }
        if minimumLength != nil || maximumLength != nil {
            let length: Int
            let unit: String
            switch value {
            case .string(let text), .uri(let text): (length, unit) = (text.count, "characters")
            case .data(let bytes): (length, unit) = (bytes.count, "bytes")
            default: return rules
            }
            if let minimumLength, length < minimumLength { rules.append("has \(length) \(unit), at least \(minimumLength) are required") }
            if let maximumLength, length > maximumLength { rules.append("has \(length) \(unit), at most \(maximumLength) are allowed") }
        }
        return rules
    }
}
