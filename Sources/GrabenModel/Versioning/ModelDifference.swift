package import GrabenLog

/// One thing in which two models differ.
package struct ModelDifference: Sendable, Equatable {
    package enum Kind: String, Sendable {
        case added, removed, changed
        /// Added under a name that says what it was called before.
        case renamed
    }

    package let kind: Kind
    /// What it is: `entity`, `attribute`, `relationship`, `fetched property` and so on, or `model`.
    package let part: String
    /// Its name, of a property with its entity's before it.
    package let name: String
    /// What of it changed.
    package var key: String?
    package var old: CBOR?
    package var new: CBOR?
}

extension ModelDifference {
    /// Every difference of two models, in the order of the first one; what only the second has comes last in its list.
    ///
    /// The models' data forms are compared, so that whatever a model can say is told when it changes. Throws where a default is no value of
    /// its type.
    package static func differences(from old: ManagedObjectModel, to new: ManagedObjectModel) throws(ModelError) -> [ModelDifference] {
        var comparison = Comparison()
        comparison.compare(
            Fields(try old.tree()), Fields(try new.tree()), part: "model", name: "",
            lists: [
                "entities": "entity", "composites": "composite", "fetchRequests": "fetch request", "configurations": "configuration",
            ])
        return comparison.differences
    }
}

extension ModelDifference {
    /// A value of a model's data form on one line; what is not said has the usual value.
    package static func text(of value: CBOR?) -> String {
        guard let value else { return "(usual)" }
        let text = JSONText.text(of: value).split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }.joined(separator: " ")
        return text.count > 200 ? text.prefix(200) + "…" : text
    }
}

/// The fields of an object of a model's data form.
private struct Fields {
    let values: [String: CBOR]

    init(_ tree: CBOR) {
        guard case .map(let fields) = tree else {
            values = [:]
            return
        }
        values = Dictionary(fields.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    func text(_ key: String) -> String? {
        if case .string(let text)? = values[key] { text } else { nil }
    }

    /// The objects of a list with their names; nil where it is no list of named objects.
    func named(_ key: String) -> [(name: String, fields: Fields)]? {
        guard let value = values[key] else { return [] }
        guard case .array(let elements) = value else { return nil }
        var result: [(String, Fields)] = []
        for element in elements {
            let fields = Fields(element)
            guard let name = fields.text("name") else { return nil }
            result.append((name, fields))
        }
        return result
    }
}

private struct Comparison {
    var differences: [ModelDifference] = []

    /// The lists of named things inside a thing, and what one in it is called.
    private static let parts: [String: [String: String]] = [
        "entity": [
            "attributes": "attribute", "relationships": "relationship", "fetchedProperties": "fetched property", "indexes": "index",
        ],
        "composite": ["elements": "element"],
    ]

    mutating func compare(_ old: Fields, _ new: Fields, part: String, name: String, lists: [String: String]) {
        for key in Set(old.values.keys).union(new.values.keys).sorted() where key != "name" {
            if let inner = lists[key], let before = old.named(key), let after = new.named(key) {
                compare(before, after, part: inner, owner: name)
            } else if old.values[key] != new.values[key] {
                differences.append(
                    ModelDifference(kind: .changed, part: part, name: name, key: key, old: old.values[key], new: new.values[key]))
            }
        }
    }

    private mutating func compare(
        _ old: [(name: String, fields: Fields)], _ new: [(name: String, fields: Fields)], part: String, owner: String
    ) {
        func full(_ name: String) -> String { owner.isEmpty ? name : "\(owner).\(name)" }
        let before = Dictionary(old, uniquingKeysWith: { first, _ in first })
        let after = Dictionary(new, uniquingKeysWith: { first, _ in first })
        // By the old name, what has a new one and says so.
        var renamed: [String: String] = [:]
        for (name, fields) in new where before[name] == nil {
            if let source = fields.text("renamedFrom"), before[source] != nil, after[source] == nil { renamed[source] = name }
        }
        for (name, fields) in old {
            if let found = after[name] {
                compare(fields, found, part: part, name: full(name), lists: Self.parts[part] ?? [:])
            } else if let newName = renamed[name], let found = after[newName] {
                differences.append(
                    ModelDifference(kind: .renamed, part: part, name: full(newName), key: "name", old: .string(name), new: .string(newName))
                )
                compare(fields, found, part: part, name: full(newName), lists: Self.parts[part] ?? [:])
            } else {
                differences.append(ModelDifference(kind: .removed, part: part, name: full(name)))
            }
        }
        for (name, _) in new where before[name] == nil && !renamed.values.contains(name) {
            differences.append(ModelDifference(kind: .added, part: part, name: full(name)))
        }
        let common = old.map(\.name).filter { after[$0] != nil }
        let order = new.map(\.name).filter { before[$0] != nil }
        if common != order {
            differences.append(
                ModelDifference(
                    kind: .changed, part: owner.isEmpty ? "model" : "entity", name: owner, key: "order of \(part) list",
                    old: .array(common.map { .string($0) }), new: .array(order.map { .string($0) })))
        }
    }
}
