/// What there is to say about a model file, gathered while it is read, so that everything wrong in it is said at once.
final class ImportLog {
    let file: String
    private(set) var warnings: [ModelImportWarning] = []
    private(set) var problems: [ModelImportProblem] = []

    init(file: String) { self.file = file }

    func warn(_ reason: String, _ line: Int?, _ element: String?) {
        warnings.append(ModelImportWarning(place: ModelFilePlace(file, line: line, element: element), reason: reason))
    }

    func refuse(_ reason: String, _ line: Int?, _ element: String?) {
        problems.append(ModelImportProblem(place: ModelFilePlace(file, line: line, element: element), reason: reason))
    }

    /// The warnings in the order of the file.
    var sortedWarnings: [ModelImportWarning] {
        // The sort is stable, so that what is said of one element stays together.
        warnings.sorted { ($0.place.line ?? 0) < ($1.place.line ?? 0) }
    }

    var sortedProblems: [ModelImportProblem] { problems.sorted { ($0.place.line ?? 0) < ($1.place.line ?? 0) } }
}
