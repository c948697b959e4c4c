/// An element of a model file that is being put together.
///
/// A description writes what it says first, then its foreign content goes to the places it came from; so this is a class, found by path.
final class XcodeDraft {
    let name: String
    private(set) var attributes: [(name: String, value: String, isWeak: Bool)] = []
    private(set) var children: [XcodeDraft] = []
    private(set) var text = ""
    /// The description it stands for, for messages.
    let place: String

    init(_ name: String, place: String) {
        self.name = name
        self.place = place
    }

    /// Writes an attribute; a weak one says no more than its absence and gives way to a foreign one of its name.
    func put(_ name: String, _ value: String?, isWeak: Bool = false) {
        if let value { attributes.append((name, value, isWeak)) }
    }

    /// Writes an attribute that says nothing when it is empty.
    func put(word name: String, _ value: String?) { put(name, value.flatMap { $0.isEmpty ? nil : $0 }) }

    /// Writes an attribute unless it says what its absence says.
    func put(_ name: String, _ value: Bool, unless usual: Bool = false) { put(name, value == usual ? nil : value ? "YES" : "NO") }

    func put(_ name: String, _ value: Int, unless usual: Int = 0) { put(name, value == usual ? nil : "\(value)") }

    /// Sets the text of an element without children.
    func write(_ text: String) { self.text = text }

    /// A new element at the end of this one.
    @discardableResult
    func add(_ name: String, place: String? = nil) -> XcodeDraft {
        let child = XcodeDraft(name, place: place ?? self.place)
        children.append(child)
        return child
    }

    /// Entries of userInfo, by key; nothing where there are none.
    func add(userInfo: [String: String]) {
        guard !userInfo.isEmpty else { return }
        let element = add("userInfo")
        for (key, value) in userInfo.sorted(by: { Self.isBefore($0.key, $1.key) }) {
            let entry = element.add("entry")
            entry.put("key", key)
            entry.put("value", value)
        }
    }

    /// By bytes, as the file has them: strings in different normal forms have no order that survives being read again.
    static func isBefore(_ a: String, _ b: String) -> Bool { a.utf8.lexicographicallyPrecedes(b.utf8) }

    /// Puts foreign content where it came from, as far as that is still there, and then what every element of this name says.
    func add(foreign: ForeignContent) {
        for (key, value) in foreign.attributes.sorted(by: { Self.isBefore($0.key, $1.key) }) {
            var path = key.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            guard let name = path.popLast(), let draft = find(path) else { continue }
            draft.putForeign(name, value)
        }
        for child in foreign.elements {
            find(child.path.isEmpty ? [] : child.path.split(separator: "/").map(String.init))?.children.append(
                XcodeDraft(child.element, place))
        }
        for usual in XcodeVocabulary.usual[name] ?? [] where !attributes.contains(where: { $0.name == usual.name }) {
            put(usual.name, usual.value)
        }
        arrange()
    }

    /// Puts the attributes in Xcode's order; those it does not know stay behind, in an order of their own.
    func arrange() {
        let order = XcodeVocabulary.attributeOrder[name] ?? []
        let places = Dictionary(order.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let known = attributes.filter { places[$0.name] != nil }.sorted { places[$0.name] ?? 0 < places[$1.name] ?? 0 }
        attributes = known + attributes.filter { places[$0.name] == nil }
    }

    private func putForeign(_ name: String, _ value: String) {
        guard let index = attributes.firstIndex(where: { $0.name == name }) else { return put(name, value) }
        if attributes[index].isWeak { attributes[index].value = value }
    }

    private func find(_ path: [String]) -> XcodeDraft? {
        var draft = self
        for step in path {
            let parts = step.split(separator: "[")
            guard let name = parts.first else { return nil }
            let number = parts.count > 1 ? Int(parts[1].dropLast()) ?? 0 : 0
            let found = draft.children.filter { $0.name == name }
            guard found.indices.contains(number) else { return nil }
            draft = found[number]
        }
        return draft
    }

    private convenience init(_ element: ForeignElement, _ place: String) {
        self.init(element.name, place: place)
        for (name, value) in element.attributes.sorted(by: { Self.isBefore($0.key, $1.key) }) { put(name, value) }
        arrange()
        children = element.children.map { XcodeDraft($0, place) }
        text = element.text
    }
}
