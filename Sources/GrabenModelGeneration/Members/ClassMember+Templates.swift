internal import GrabenModel
internal import GrabenPredicate

extension ClassMember {
    /// The function that makes a request of a template, with the template's variables for parameters.
    init(template: FetchRequestTemplate, about entity: Entity, _ model: ResolvedModel, _ plans: [ClassPlan]) {
        let request = template.request
        let result = plans[entity.index].typeName
        // A sound model's predicates can be parsed.
        let predicate = request.predicateFormat.flatMap { try? ObjectPredicate(format: $0) }
        let variables = predicate.map { VariableTypes(of: $0, about: entity, model, plans).found } ?? []
        let parameters = variables.map { "\($0.name.swiftIdentifier): \($0.type ?? "(any PredicateArgument)?")" }
        var lines = ["var request = FetchRequest<\(result)>(entity: \(SwiftText.literal(entity.name)))"]
        if let format = request.predicateFormat {
            let values = variables.map { "\(SwiftText.literal($0.name)): \($0.name.swiftIdentifier)" }.joined(separator: ", ")
            let filled = values.isEmpty ? "" : ".withSubstitutionVariables([\(values)])"
            lines.append("do throws(ObjectPredicateError) {")
            lines.append("    request.predicate = try ObjectPredicate(format: \(SwiftText.literal(format)))\(filled)")
            lines.append("} catch { throw .predicate(error) }")
        }
        if !request.sort.isEmpty {
            let keys = request.sort.map { key in
                key.hasPrefix("-")
                    ? "ObjectSortDescriptor(\(SwiftText.literal(String(key.dropFirst()))), ascending: false)"
                    : "ObjectSortDescriptor(\(SwiftText.literal(key)))"
            }
            lines.append("request.sortDescriptors = [\(keys.joined(separator: ", "))]")
        }
        if let limit = request.limit { lines.append("request.fetchLimit = \(limit)") }
        if request.offset > 0 { lines.append("request.fetchOffset = \(request.offset)") }
        if !request.includesSubentities { lines.append("request.includesSubentities = false") }
        if !request.includesPendingChanges { lines.append("request.includesPendingChanges = false") }
        if !request.returnsObjectsAsFaults { lines.append("request.returnsObjectsAsFaults = false") }
        if !request.includesPropertyValues { lines.append("request.includesPropertyValues = false") }
        if request.batchSize > 0 { lines.append("request.fetchBatchSize = \(request.batchSize)") }
        if request.returnsDistinctResults { lines.append("request.returnsDistinctResults = true") }
        if request.result != .objects { lines.append("request.resultType = .\(request.result.rawValue)") }
        if lines.count == 1 {
            lines = ["FetchRequest(entity: \(SwiftText.literal(entity.name)))"]
        } else {
            lines.append("return request")
        }
        let throwing = request.predicateFormat == nil ? "" : " throws(GrabenError)"
        let name = Self.functionName(ofTemplate: template.name)
        self.init(
            name: "\(name)(\(variables.map { $0.name + ":" }.joined()))", property: nil,
            types: ["FetchRequest", "ObjectPredicate", result] + variables.compactMap(\.type),
            document: "The model's fetch request \(template.name): \(entity.name)"
                + (request.predicateFormat.map { " where `\($0.oneLine)`" } ?? "") + ".",
            head: "static func \(name)(\(parameters.joined(separator: ", ")))\(throwing) -> FetchRequest<\(result)>", body: .function(lines)
        )
    }

    /// `byParent` gives `fetchByParent`; a name that says that it fetches is taken as it is.
    static func functionName(ofTemplate name: String) -> String {
        let words = name.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map { String($0).capitalizedFirst }.joined()
        return words.hasPrefix("Fetch") && words != "Fetch" ? "f" + words.dropFirst() : "fetch" + words
    }
}
