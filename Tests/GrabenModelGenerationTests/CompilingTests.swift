import Foundation
import GrabenModel
import GrabenModelGeneration
import Testing

@Suite("Generated Swift compiles", .enabled(if: Compiler.isAvailable))
struct CompilingTests {
    /// Generates a model in one file and asks the compiler.
    private func compile(_ model: ManagedObjectModel, _ access: SwiftAccess? = nil, byHand: String = "", flags: [String] = []) throws {
        var options = SwiftOptions(modelTypeName: "TestModel")
        options.access = access
        let file = try SwiftGenerator(model, options).file(header: "A test's.")
        try Compiler.expectNoComplaint([file.name: file.text, "ByHand.swift": byHand], flags: flags)
    }

    @Test("for the models kept with the package", arguments: ["ky10", "airports"])
    func fixtures(_ name: String) throws {
        let model = try ManagedObjectModel.load(path: Compiler.root.appendingPathComponent("Fixtures/\(name).model.json").path)
        try compile(model)
    }

    @Test(
        "for every access level, alone and under the settings that a module may have",
        arguments: SwiftAccess.allCases,
        [
            [], ["-default-isolation", "MainActor"],
            [
                "-enable-upcoming-feature", "InternalImportsByDefault", "-enable-upcoming-feature", "MemberImportVisibility",
                "-enable-upcoming-feature", "ExistentialAny",
            ],
        ])
    func settings(_ access: SwiftAccess, _ flags: [String]) throws {
        let flags = access == .package ? flags + ["-package-name", "client"] : flags
        try compile(Samples.everything, access, byHand: Samples.byHand(access == .internal ? "" : access.rawValue), flags: flags)
    }

    @Test("a file for each class compiles like one file for all")
    func files() throws {
        let options = SwiftOptions(access: .public, modelTypeName: "TestModel")
        let files = try SwiftGenerator(Samples.everything, options).files(header: "A test's.")
        #expect(
            files.map(\.name).sorted() == [
                "Below.swift", "Byhand+Properties.swift", "Item.swift", "Joint.swift", "Node.swift", "Nothing.swift", "Own.swift",
                "Place.swift", "ShapeObject.swift", "TestModel.swift",
            ])
        var texts = Dictionary(files.map { ($0.name, $0.text) }, uniquingKeysWith: { first, _ in first })
        texts["ByHand.swift"] = Samples.byHand("public")
        try Compiler.expectNoComplaint(texts, flags: ["-enable-upcoming-feature", "InternalImportsByDefault"])
    }

    /// Words of the language, of the library and of the generated code itself, as names of properties: each was found to break a text
    /// that named parameters or library functions without care.
    @Test("for properties called like words of Swift, parameters of accessors and functions of the library")
    func names() throws {
        let words = [
            "class", "default", "in", "init", "protocol", "func", "object", "objects", "place", "attribute", "packed", "toOne", "toMany",
            "fetched", "value", "context", "data", "newValue", "get", "set", "some", "any", "async", "await", "each", "repeat", "weak",
        ]
        let item = EntityDescription(
            "Item", attributes: words.map { AttributeDescription($0, .string) },
            relationships: [
                RelationshipDescription("import", to: "Other", isToMany: true), RelationshipDescription("switch", to: "Other"),
                RelationshipDescription("case", to: "Other", isToMany: true, isOrdered: true),
            ], fetchedProperties: [FetchedPropertyDescription("where", of: "Item")])
        let other = EntityDescription(
            "Other", attributes: [AttributeDescription("packed3", .double, isOptional: false, isPacked: true)],
            relationships: [
                RelationshipDescription("object", to: "Item", isToMany: true),
                RelationshipDescription("place", to: "Item", isToMany: true, isOrdered: true),
            ])
        try compile(ManagedObjectModel(entities: [item, other]), .public)
    }
}
