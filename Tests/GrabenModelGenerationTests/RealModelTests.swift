import Foundation
import GrabenModel
import GrabenModelGeneration
import Testing

/// Model files of real programs, where there are any beside the package: they are not ours to keep in it.
private let realModels: [String] = {
    let folder =
        ProcessInfo.processInfo.environment["GRABEN_MODELS"] ?? Compiler.root.appendingPathComponent("../shared/models").standardized.path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".xml") }.sorted().map { "\(folder)/\($0)" }
}()

@Suite("Real models", .enabled(if: !realModels.isEmpty && Compiler.isAvailable))
struct RealModelTests {
    /// What the program that a model comes from has besides: types of transformable values, and classes written by hand.
    private func byHand(_ model: ManagedObjectModel, classes: Bool) throws -> String {
        var text = "import Graben\n"
        let types =
            model.entities.flatMap(\.attributes).compactMap(\.valueClassName)
            + model.composites.flatMap(\.elements).compactMap(\.valueClassName)
        for type in Set(types).sorted() where type.allSatisfy({ $0.isLetter }) && !["UI", "NS"].contains(type.prefix(2)) {
            text += "struct \(type): Codable {}\n"
        }
        guard classes else { return text }
        let byName = Dictionary(model.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for entity in model.entities where entity.codeGeneration == .manual {
            guard let name = entity.managedObjectClass?.name else { continue }
            var parent = entity.superentity.flatMap { byName[$0] }
            while let current = parent, current.managedObjectClass == nil { parent = current.superentity.flatMap { byName[$0] } }
            text += "class \(name): \(parent?.managedObjectClass?.name ?? "ManagedObject") {}\n"
        }
        return text
    }

    @Test("compile with a class for every entity, and with those that they ask for", arguments: realModels, [true, false])
    func compile(_ path: String, everyClass: Bool) throws {
        let model = try ModelSource(path: path).model
        var options = SwiftOptions(modelTypeName: "TestModel")
        options.generatesEveryClass = everyClass
        let text = try SwiftGenerator(model, options).file(header: "A test's.").text
        let hasManualClasses = !everyClass && model.entities.contains { $0.managedObjectClassName != nil || $0.codeGeneration != .manual }
        try Compiler.expectNoComplaint(["TestModel.swift": text, "ByHand.swift": try byHand(model, classes: hasManualClasses)])
    }
}
