public import GrabenModel
public import GrabenPredicate

extension FetchRequest {
    /// A request of a model's template, with constants in the place of its variables.
    ///
    /// - Throws: `GrabenError.predicate` where predicate or order cannot be read or a variable has no value; `.invalidRequest` where the
    ///   template has no variable of one of the names.
    public init(_ template: FetchRequestTemplate, variables: [String: (any PredicateArgument)?] = [:]) throws(GrabenError) {
        let description = template.request
        entityName = description.entity
        do throws(ObjectPredicateError) {
            let parameters = try FetchParameters(description)
            sortDescriptors = parameters.sort
            predicate = parameters.predicate
        } catch { throw .predicate(error) }
        let names = predicate?.variableNames ?? []
        if let unknown = variables.keys.sorted().first(where: { !names.contains($0) }) {
            let nearest = nearestName(to: unknown, in: names.sorted()).map { "; did you mean $\($0)?" } ?? ""
            throw .invalidRequest(reason: "the fetch request template \(template.name) has no variable $\(unknown)\(nearest)")
        }
        predicate = predicate?.withSubstitutionVariables(variables)
        if let missing = predicate?.variableNames.sorted().first {
            throw .predicate(.unboundVariable(name: missing, known: variables.keys.sorted()))
        }
        fetchLimit = description.limit ?? 0
        fetchOffset = description.offset
        fetchBatchSize = description.batchSize
        includesPendingChanges = description.includesPendingChanges
        includesSubentities = description.includesSubentities
        includesPropertyValues = description.includesPropertyValues
        returnsObjectsAsFaults = description.returnsObjectsAsFaults
        returnsDistinctResults = description.returnsDistinctResults
        resultType = description.result
    }
}

extension ManagedObjectContext {
    /// A request of the model's template of a name, with constants in the place of its variables.
    ///
    ///     let request = try context.fetchRequest(template: "above", variables: ["height": 700], as: Joint.self)
    ///
    /// - Throws: `GrabenError.invalidRequest` where the model has no such template or the template no such variable; `.predicate` where a
    ///   variable has no value.
    public func fetchRequest<T: ManagedObject>(
        template name: String, variables: [String: (any PredicateArgument)?] = [:], as type: T.Type = ManagedObject.self
    ) throws(GrabenError) -> FetchRequest<T> {
        let model = coordinator.model.description
        guard let template = model.fetchRequestTemplate(named: name) else {
            let nearest = nearestName(to: name, in: model.fetchRequestTemplates.map(\.name)).map { "; did you mean \"\($0)\"?" } ?? ""
            throw .invalidRequest(reason: "the model has no fetch request template \"\(name)\"\(nearest)")
        }
        return try FetchRequest(template, variables: variables)
    }
}
