package import GrabenModel

/// On which lines of a model's file its entities and properties stand, so that a build's messages lead there.
///
/// Works on text that is known to be a model, in its JSON form or the XML of a model editor. What it cannot find has the nearest line
/// around it; it never fails.
package struct ModelPlaces: Sendable {
    struct Part: Sendable {
        /// The list it stands in: `attributes`, or the XML element's name.
        var list: String
        var name: String?
        var line: Int
    }

    struct EntityPart: Sendable {
        var name: String?
        var line: Int
        var parts: [Part] = []
    }

    let entities: [EntityPart]
    /// The first entity of each name.
    private let byName: [String: Int]

    /// Looks through the text of a model. Complexity: linear in its length.
    package init(text: some Collection<UInt8>) {
        let bytes = Array(text)
        if Self.isXML(bytes) {
            var scanner = XMLPlaceScanner(bytes)
            entities = scanner.scan()
        } else {
            var scanner = JSONPlaceScanner(bytes)
            entities = scanner.scan()
        }
        byName = Dictionary(
            entities.enumerated().compactMap { index, entity in entity.name.map { ($0, index) } }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether a text begins like XML, behind a byte order mark if there is one.
    static func isXML(_ bytes: some Collection<UInt8>) -> Bool {
        let first = bytes.first { $0 > 0x20 && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF }
        // UTF-16 has a mark of its own before everything.
        return first == UInt8(ascii: "<") || bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
    }

    /// The line of an entity or of its property; 1 where there is neither.
    package func line(entity: String?, property: String?) -> Int {
        guard let found = entity.flatMap({ byName[$0] }).map({ entities[$0] }) else { return 1 }
        guard let property else { return found.line }
        return found.parts.first { $0.name == property }?.line ?? found.line
    }

    /// The line of a problem.
    package func line(of problem: ModelProblem) -> Int { line(entity: problem.entity, property: problem.property) }
    /// The line of a problem.
    package func line(of problem: GenerationProblem) -> Int { line(entity: problem.entity, property: problem.property) }

    /// The line of a mistake in the form of a JSON model: where its reason says one, else that of the place it names, such as
    /// `entities[1] "Line" / attributes[0] "kind" / type`.
    package func line(ofPlace place: String, reason: String) -> Int {
        if reason.hasPrefix("line "), let line = Int(reason.dropFirst(5).prefix { $0.isNumber }) { return line }
        let steps = place.split(separator: "/").map { step in step.drop { $0 == " " } }
        guard let first = steps.first, let index = ModelPlaces.index(of: "entities", in: first), entities.indices.contains(index) else {
            return 1
        }
        let entity = entities[index]
        guard steps.count > 1, let open = steps[1].firstIndex(of: "["), let number = ModelPlaces.index(of: steps[1][..<open], in: steps[1])
        else { return entity.line }
        let parts = entity.parts.filter { $0.list == steps[1][..<open] }
        return parts.indices.contains(number) ? parts[number].line : entity.line
    }

    /// The number in `list[number]`.
    private static func index(of list: some StringProtocol, in step: Substring) -> Int? {
        guard step.hasPrefix(list), step.dropFirst(list.count).first == "[" else { return nil }
        return Int(step.dropFirst(list.count + 1).prefix { $0.isNumber })
    }
}
