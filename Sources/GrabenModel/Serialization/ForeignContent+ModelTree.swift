internal import GrabenLog

extension ModelTreeWriter {
    mutating func put(foreign: ForeignContent) {
        guard !foreign.isEmpty else { return }
        var writer = ModelTreeWriter()
        writer.put("attributes", texts: foreign.attributes)
        writer.put("elements", foreign.elements.map { $0.element.tree(path: $0.path) })
        put("foreign", writer.tree)
    }
}

extension ModelTreeReader {
    func foreign() throws(ModelError) -> ForeignContent {
        guard let tree = tree("foreign") else { return ForeignContent() }
        let reader = try ModelTreeReader(tree, at: place(of: "foreign"))
        try reader.allow(["attributes", "elements"])
        return ForeignContent(
            attributes: try reader.texts("attributes"),
            elements: try reader.list("elements").map { (element) throws(ModelError) in
                let child = try ModelTreeReader(element.tree, at: element.place)
                try child.allow(["in", "name", "attributes", "children", "text"])
                return ForeignContent.Child(path: try child.string("in") ?? "", try ForeignElement(child))
            })
    }
}

extension ForeignElement {
    fileprivate func tree(path: String) -> CBOR {
        var writer = ModelTreeWriter()
        writer.put("in", path.isEmpty ? nil : path)
        writer.put("name", name)
        writer.put("attributes", texts: attributes)
        writer.put("children", children.map { $0.tree(path: "") })
        writer.put("text", text.isEmpty ? nil : text)
        return writer.tree
    }

    /// Its elements are as deep as the tree it is read from, which is bounded.
    fileprivate init(_ reader: ModelTreeReader) throws(ModelError) {
        self.init(
            try reader.requiredString("name"), attributes: try reader.texts("attributes"),
            children: try reader.list("children").map { (element) throws(ModelError) in
                let child = try ModelTreeReader(element.tree, at: element.place)
                try child.allow(["name", "attributes", "children", "text"])
                return try ForeignElement(child)
            },
            text: try reader.string("text") ?? "")
    }
}
