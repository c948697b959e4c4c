/// An element of a model file that is being read: it knows what of it was used, so that the rest can be kept.
///
/// A description is read from one element and often from some within it (`fetchRequest`, `userInfo/entry`): its parts. What is left over in
/// all of them becomes the description's foreign content.
final class XcodeElement {
    let node: XMLNode
    /// What it is, for people: `attribute "x" of entity "Joint"`.
    let title: String
    let log: ImportLog
    /// Where it stands in the description's element; empty for that itself.
    private let path: String
    private var parts: [XcodeElement] = []
    private var used: Set<String> = []
    private var usedChildren: Set<Int> = []
    /// Attributes left over that something was said about already.
    private var warnedOf: Set<String> = []

    private init(_ node: XMLNode, title: String, log: ImportLog, path: String) {
        self.node = node
        self.title = title
        self.log = log
        self.path = path
    }

    /// An element that a description is read from.
    convenience init(_ node: XMLNode, title: String, log: ImportLog) {
        self.init(node, title: title, log: log, path: "")
    }

    func warn(_ reason: String) { log.warn(reason, node.line, title) }
    func refuse(_ reason: String) { log.refuse(reason, node.line, title) }

    /// The elements of a name within this one, each the beginning of a description of its own.
    func children(_ name: String) -> [XMLNode] { indexes(of: name).map { node.children[$0] } }

    /// The elements of a name within this one that belong to the same description; `sortedBy` puts them in the order of that attribute.
    func parts(_ name: String, sortedBy key: String? = nil, title: String? = nil) -> [XcodeElement] {
        var nodes = children(name)
        if let key { nodes.sort { XcodeDraft.isBefore($0[key] ?? "", $1[key] ?? "") } }
        return nodes.enumerated().map { place, node in part(node, as: name, place, title: title) }
    }

    /// An element from elsewhere that becomes part number `place` of a name in this description.
    func part(_ node: XMLNode, as name: String, _ place: Int, title: String? = nil) -> XcodeElement {
        let here = place == 0 ? name : "\(name)[\(place)]"
        let part = XcodeElement(
            node, title: title ?? "\(node.name) of \(self.title)", log: log, path: path.isEmpty ? here : "\(path)/\(here)")
        parts.append(part)
        return part
    }

    private func indexes(of name: String) -> [Int] {
        let found = node.children.indices.filter { node.children[$0].name == name }
        usedChildren.formUnion(found)
        return found
    }
}

extension XcodeElement {
    /// The value of an attribute as it is written.
    func text(_ name: String) -> String? {
        used.insert(name)
        return node[name]
    }

    /// The value of an attribute that says nothing when it is empty.
    func word(_ name: String) -> String? { text(name).flatMap { $0.isEmpty ? nil : $0 } }

    /// Leaves an attribute to the foreign content after all.
    func keep(_ name: String) { used.remove(name) }

    /// Leaves an attribute to the foreign content and says why.
    func keep(_ name: String, _ reason: String) {
        used.remove(name)
        warnedOf.insert(name)
        warn(reason)
    }

    /// The value of an attribute without which the element means nothing.
    func required(_ name: String) -> String? {
        if let text = word(name) { return text }
        refuse("the attribute \(name) is missing")
        return nil
    }

    /// Whether an attribute says YES.
    func flag(_ name: String, default usual: Bool = false) -> Bool { optionalFlag(name) ?? usual }

    func optionalFlag(_ name: String) -> Bool? {
        guard let text = word(name) else { return nil }
        if let value = XcodeValueText.boolean(text) { return value }
        refuse("\(name) is \"\(text)\" instead of YES or NO")
        return nil
    }

    func integer(_ name: String) -> Int? {
        guard let text = word(name) else { return nil }
        if let value = Int(text) { return value }
        refuse("\(name) is \"\(text)\" instead of a whole number")
        return nil
    }

    /// What a word stands for; another word is kept and warned about, and means nothing.
    func choice<Meaning>(_ name: String, _ known: [(name: String, meaning: Meaning)]) -> Meaning? {
        guard let text = word(name) else { return nil }
        if let found = known.first(where: { $0.name == text }) { return found.meaning }
        keep(
            name,
            "\(name) is \"\(text)\", which is none of \(known.map(\.name).joined(separator: ", ")); it is kept and means nothing here")
        return nil
    }
}

extension XcodeElement {
    /// What is left over in this element and its parts. Everything that nobody is known to write is warned about.
    ///
    /// To be called once, when the description is read.
    func foreign() -> ForeignContent {
        var content = ForeignContent()
        addForeign(to: &content)
        return content
    }

    private func addForeign(to content: inout ForeignContent) {
        let known = XcodeVocabulary.kept[node.name] ?? []
        let usual = XcodeVocabulary.usual[node.name] ?? []
        for (name, value) in node.attributes where !used.contains(name) {
            if XcodeVocabulary.silent[name] == value || usual.contains(where: { $0.name == name && $0.value == value }) { continue }
            content.attributes[path.isEmpty ? name : "\(path)/\(name)"] = value
            if !known.contains(name), !warnedOf.contains(name) {
                warn("the attribute \(name) is unknown; it is kept and means nothing here")
            }
        }
        for index in node.children.indices where !usedChildren.contains(index) {
            let child = node.children[index]
            content.elements.append(.init(path: path, ForeignElement(child)))
            log.warn("the element \(child.name) is unknown here; it is kept and means nothing", child.line, title)
        }
        if !node.trimmedText.isEmpty { warn("it has text, which is left out") }
        for part in parts { part.addForeign(to: &content) }
    }

    /// Keeps the elements of a name without a word.
    func kept(_ name: String) -> [ForeignContent.Child] { children(name).map { .init(path: path, ForeignElement($0)) } }
}

extension ForeignElement {
    /// As deep as the node, which is bounded where it was read.
    init(_ node: XMLNode) {
        self.init(
            node.name, attributes: Dictionary(node.attributes.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }),
            children: node.children.map(ForeignElement.init), text: node.trimmedText)
    }
}
