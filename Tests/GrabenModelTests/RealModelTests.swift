import FoundationEssentials
import GrabenLog
import GrabenModel
import Testing

/// A folder of model files from real projects, which have licences of their own and are not part of the package: beside its root, or
/// where the environment says.
let realModels: [String] = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let folder = ProcessInfo.processInfo.environment["GRABEN_MODELS"] ?? root.appending(path: "../shared/models").standardized.path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".xml") }.sorted().map { "\(folder)/\($0)" }
}()

@Suite(.enabled(if: !realModels.isEmpty, "there is no folder of real models")) struct RealModelTests {
    @Test("every real model file is read without a warning and can be used", arguments: realModels)
    func usable(path: String) throws {
        let imported = try ImportedModel(contentsOf: path)
        #expect(imported.warnings.map(\.description) == [])
        let resolved = try imported.model.resolved()
        #expect(resolved.warnings.map(\.description) == [])
        #expect(try ManagedObjectModel.load(json: imported.model.jsonData()) == imported.model)
    }

    @Test("every real model file that is written again reads back the same", arguments: realModels)
    func writtenAgain(path: String) throws {
        let model = try ImportedModel(contentsOf: path).model
        let again = try ImportedModel(xml: model.xcodeContents(), name: "again", file: "again")
        #expect(again.model == model && again.warnings == [])
    }

    @Test("the texts beside the dates of a real file, where they are dates, mean the same moments as the numbers")
    func dates() throws {
        guard let path = realModels.first(where: { $0.hasSuffix("momdec-everything.xml") }) else { return }
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        let numbers = try Regex("(min|max|default)DateTimeInterval=\"[0-9]+\"")
        #expect(text.ranges(of: numbers).count == 3)
        func dates(_ text: String) throws -> AttributeDescription? {
            let model = try ImportedModel(xml: text.utf8, name: "dates", file: path).model
            return model.entities.flatMap(\.attributes).first { $0.name == "dateAttribute" }
        }
        #expect(try dates(text.replacing(numbers, with: "")) == dates(text))
        #expect(try dates(text)?.defaultValue == .date(Date(timeIntervalSinceReferenceDate: 388_411_200)))
    }
}
