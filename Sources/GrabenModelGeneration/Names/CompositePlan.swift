internal import GrabenModel

/// The structure that a composite's values are read into.
struct CompositePlan {
    let name: String
    let access: SwiftAccess
    private let composite: CompositeDescription
    private let elements: [Element]
    /// Whether all its elements can be compared and sent: those of a type of the program's own may not.
    private let isPlain: Bool

    private struct Element {
        let name: String
        let type: String
        let isOptional: Bool
        /// What it has where nothing is said.
        let usual: String
        let document: String
    }

    /// The types that its declarations name.
    var types: [String] { elements.map(\.type) }

    static func plans(
        of model: ManagedObjectModel, access: SwiftAccess, problems: inout [GenerationProblem]
    ) -> [CompositePlan] {
        var plans: [CompositePlan] = []
        for composite in model.composites {
            if !composite.name.isSwiftIdentifier {
                problems.append(GenerationProblem("the composite \(SwiftText.literal(composite.name)) has no name for a type in Swift"))
            }
            for element in composite.elements {
                let message: String
                if !element.name.isSwiftIdentifier {
                    message = "has no name for a property in Swift"
                } else if SwiftType(of: element) == .untyped {
                    message = "is transformable without a type; name one as its class"
                } else if element.valueClassName?.isSwiftTypeName == false {
                    message = "has the class \(SwiftText.literal(element.valueClassName ?? "")), which is no type of Swift"
                } else {
                    continue
                }
                problems.append(GenerationProblem("the element \(element.name) of the composite \(composite.name) \(message)"))
            }
            plans.append(CompositePlan(composite, in: model, access))
        }
        return plans
    }

    private init(_ composite: CompositeDescription, in model: ManagedObjectModel, _ access: SwiftAccess) {
        self.composite = composite
        self.access = access
        name = composite.name
        isPlain = Self.isPlain(composite, in: model)
        elements = composite.elements.map { element in
            let type = SwiftType(of: element)
            var isOptional = element.isOptionalInSwift
            let usual: String
            switch type {
            case .plain:
                usual = element.defaultValue?.swiftExpression ?? (isOptional ? "nil" : element.type.foundationMissing)
            case .coded where element.composite != nil: usual = isOptional ? "nil" : "\(type.name)()"
            case .coded, .raw, .untyped:
                isOptional = true
                usual = "nil"
            }
            return Element(
                name: element.name, type: type.name, isOptional: isOptional, usual: usual, document: Documents.text(for: element))
        }
    }

    /// Looks at each composite once: a few that each hold the next one twice would take for ever otherwise.
    private static func isPlain(_ composite: CompositeDescription, in model: ManagedObjectModel) -> Bool {
        var names: Set<String> = [composite.name]
        var waiting = [composite]
        while let next = waiting.popLast() {
            for element in next.elements {
                if let inner = element.composite {
                    if names.insert(inner).inserted, let found = model.composite(named: inner) { waiting.append(found) }
                } else if case .plain = SwiftType(of: element) {
                    continue
                } else {
                    return false
                }
            }
        }
        return true
    }

    func write(to text: inout SwiftText) {
        let prefix = access.prefix
        text.document("The composite \(name).")
        text.block("nonisolated \(prefix)struct \(name.swiftIdentifier): \(isPlain ? "Codable, Hashable, Sendable" : "Codable")") { text in
            for element in elements {
                text.document(element.document)
                text.line("\(prefix)var \(element.name.swiftIdentifier): \(element.type)\(element.isOptional ? "?" : "")")
            }
            if !elements.isEmpty { text.line() }
            let parameters = elements.map {
                "\($0.name.swiftIdentifier): \($0.type)\($0.isOptional ? "?" : "") = \($0.usual)"
            }
            text.document("A value with these elements; what is left out has the model's default.")
            text.block("\(prefix)init(\(parameters.joined(separator: ", ")))") { text in
                for element in elements { text.line("self.\(element.name.swiftIdentifier) = \(element.name.swiftIdentifier)") }
            }
            guard !elements.isEmpty else { return }
            text.line()
            // An element that the model got later is not in older values.
            text.document("Reads a value; what is missing in it has the model's default.")
            text.block("\(prefix)init(from decoder: any Decoder) throws") { text in
                text.line("let values = try decoder.container(keyedBy: CodingKeys.self)")
                for element in elements {
                    let usual = element.usual == "nil" ? "" : " ?? \(element.usual)"
                    text.line(
                        "self.\(element.name.swiftIdentifier) = try values.decodeIfPresent(\(element.type).self, forKey: "
                            + ".\(element.name.swiftIdentifier))\(usual)")
                }
            }
        }
    }
}
