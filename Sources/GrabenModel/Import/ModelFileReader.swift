/// Makes a model of the tree of a `contents` file.
///
/// What can be understood is read, what cannot be is gathered in the log, and everything else is kept as foreign content; no name is looked
/// up, because `ManagedObjectModel.problems()` does that for models of every origin.
struct ModelFileReader {
    let log: ImportLog

    /// The model, as far as it can be read; nil where the file holds something else.
    func model(_ root: XMLNode) -> ManagedObjectModel? {
        let element = XcodeElement(root, title: "the model", log: log)
        guard root.name == "model" else {
            log.refuse("the file holds \"\(root.name)\" where a data model begins with \"model\"", root.line, nil)
            return nil
        }
        var model = ManagedObjectModel(
            entities: element.children("entity").compactMap(entity), composites: composites(in: element),
            fetchRequestTemplates: element.children("fetchRequest").compactMap(template),
            configurations: element.children("configuration").compactMap(configuration),
            versionIdentifier: element.word("userDefinedModelVersionIdentifier"), userInfo: userInfo(of: element))
        if let type = root["type"], !type.hasSuffix("DataModel") {
            element.keep("type", "its type is \"\(type)\", which is no data model's; it is read as one")
        }
        // The places of the boxes in a drawing mean nothing here, and new files have none.
        let layout = element.kept("elements")
        model.foreign = element.foreign()
        // Files from before Swift do not say what the writer would otherwise take for granted.
        if root["sourceLanguage"] == nil { model.foreign.attributes["sourceLanguage"] = "Objective-C" }
        model.foreign.elements += layout
        return model
    }

    private func composites(in element: XcodeElement) -> [CompositeDescription] {
        let usual = element.children("composite")
        // Seen in a file of another tool only.
        let others = element.children("compositeAttribute")
        for other in others { log.warn("a compositeAttribute beside the entities is read as a composite", other.line, element.title) }
        return (usual + others).sorted { $0.line < $1.line }.compactMap(composite)
    }

    private func composite(_ node: XMLNode) -> CompositeDescription? {
        let title = "composite \"\(node["name"] ?? "")\""
        let element = XcodeElement(node, title: title, log: log)
        guard let name = element.required("name") else { return nil }
        var composite = CompositeDescription(name, attributes(in: element, of: title).map(\.description))
        composite.foreign = element.foreign()
        return composite
    }

    private func configuration(_ node: XMLNode) -> ConfigurationDescription? {
        let element = XcodeElement(node, title: "configuration \"\(node["name"] ?? "")\"", log: log)
        guard let name = element.required("name") else { return nil }
        var configuration = ConfigurationDescription(name, entities: element.parts("memberEntity").compactMap { $0.required("name") })
        configuration.foreign = element.foreign()
        return configuration
    }

    /// The entries of userInfo; of two with one key the last one counts.
    func userInfo(of element: XcodeElement) -> [String: String] {
        var result: [String: String] = [:]
        for part in element.parts("userInfo") {
            for entry in part.parts("entry", sortedBy: "key", title: "an entry of userInfo of \(element.title)") {
                // An empty key is a key.
                guard let key = entry.text("key") else {
                    entry.refuse("the attribute key is missing")
                    continue
                }
                if result.updateValue(entry.text("value") ?? "", forKey: key) != nil {
                    entry.warn("the key \"\(key)\" occurs twice; the last one counts")
                }
            }
        }
        return result
    }
}
