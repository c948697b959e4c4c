internal import GrabenLog
internal import GrabenPredicate

/// Reads an object of a model's tree key by key, and knows where in the tree it stands, for the messages.
struct ModelTreeReader {
    /// Where the object stands, such as `entities[1] "Line"`; empty for the model itself.
    private(set) var place: String
    private let fields: [String: CBOR]

    init(_ tree: CBOR, at place: String) throws(ModelError) {
        guard case .map(let pairs) = tree else {
            throw .malformed(place: place, reason: "expected an object, found \(tree.kindName)")
        }
        var fields: [String: CBOR] = [:]
        for (key, value) in pairs where fields.updateValue(value, forKey: key) != nil {
            throw .malformed(place: place, reason: "the key \"\(key)\" occurs twice")
        }
        self.place = place
        self.fields = fields
        if let name = fields["name"], case .string(let name) = name, !place.isEmpty { self.place += " \"\(name)\"" }
    }

    /// Refuses every key but these.
    func allow(_ keys: Set<String>) throws(ModelError) {
        guard let unknown = fields.keys.filter({ !keys.contains($0) }).min() else { return }
        let nearest = nearestName(to: unknown, in: keys.sorted()).map { "; did you mean \"\($0)\"?" } ?? ""
        throw .malformed(place: place, reason: "unknown key \"\(unknown)\"\(nearest)")
    }

    func place(of key: String) -> String { place.isEmpty ? key : "\(place) / \(key)" }

    func tree(_ key: String) -> CBOR? { fields[key] }

    func string(_ key: String) throws(ModelError) -> String? {
        guard let tree = fields[key] else { return nil }
        guard case .string(let value) = tree else { throw unexpected(tree, key, "text") }
        return value
    }

    func requiredString(_ key: String) throws(ModelError) -> String {
        guard let value = try string(key) else { throw .malformed(place: place, reason: "the key \"\(key)\" is missing") }
        return value
    }

    func bool(_ key: String, default value: Bool) throws(ModelError) -> Bool {
        guard let tree = fields[key] else { return value }
        guard case .bool(let value) = tree else { throw unexpected(tree, key, "true or false") }
        return value
    }

    func bool(_ key: String) throws(ModelError) -> Bool? { fields[key] == nil ? nil : try bool(key, default: false) }

    func int(_ key: String) throws(ModelError) -> Int? {
        guard let tree = fields[key] else { return nil }
        guard case .int(let number) = tree, let value = Int(exactly: number) else { throw unexpected(tree, key, "an integer") }
        return value
    }

    /// A word of a closed list, spelled as its raw value.
    func word<Word: RawRepresentable & CaseIterable>(_ key: String, _: Word.Type) throws(ModelError) -> Word?
    where Word.RawValue == String {
        guard let text = try string(key) else { return nil }
        guard let word = Word(rawValue: text) else {
            let known = Word.allCases.map(\.rawValue)
            let nearest = nearestName(to: text, in: known).map { "; did you mean \"\($0)\"?" } ?? ""
            throw .malformed(
                place: place(of: key), reason: "\"\(text)\" is none of \(known.joined(separator: ", "))\(nearest)")
        }
        return word
    }

    /// The elements of a list and where each stands; none when the key is absent.
    func list(_ key: String) throws(ModelError) -> [(tree: CBOR, place: String)] {
        guard let tree = fields[key] else { return [] }
        guard case .array(let elements) = tree else { throw unexpected(tree, key, "a list") }
        return elements.enumerated().map { ($1, "\(place(of: key))[\($0)]") }
    }

    func strings(_ key: String) throws(ModelError) -> [String] {
        try list(key).map { (element) throws(ModelError) in
            guard case .string(let value) = element.tree else {
                throw .malformed(place: element.place, reason: "expected text, found \(element.tree.kindName)")
            }
            return value
        }
    }

    func userInfo() throws(ModelError) -> [String: String] { try texts("userInfo") }

    /// An object of texts; empty when the key is absent.
    func texts(_ key: String) throws(ModelError) -> [String: String] {
        guard let tree = fields[key] else { return [:] }
        guard case .map(let entries) = tree else { throw unexpected(tree, key, "an object") }
        var result: [String: String] = [:]
        for (name, entry) in entries {
            guard case .string(let value) = entry else {
                throw .malformed(place: "\(place(of: key)) / \(name)", reason: "expected text, found \(entry.kindName)")
            }
            result[name] = value
        }
        return result
    }

    private func unexpected(_ tree: CBOR, _ key: String, _ expected: String) -> ModelError {
        .malformed(place: place(of: key), reason: "expected \(expected), found \(tree.kindName)")
    }
}

extension CBOR {
    /// What kind of thing it is, for messages about a thing of another kind.
    var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .int, .double: "a number"
        case .string: "text"
        case .bytes: "bytes"
        case .array: "a list"
        case .map: "an object"
        }
    }
}
