internal import FoundationEssentials
internal import GrabenLog
internal import GrabenPredicate

extension ModelFileReader {
    /// The attributes of an entity or composite, and which of them an old file wants indexed.
    func attributes(in element: XcodeElement, of owner: String) -> [(description: AttributeDescription, isIndexed: Bool)] {
        let usual = element.children("attribute")
        let others = element.children("compositeAttribute")
        return (usual + others).sorted { $0.line < $1.line }.compactMap { attribute($0, of: owner) }
    }

    private func attribute(_ node: XMLNode, of owner: String) -> (description: AttributeDescription, isIndexed: Bool)? {
        let element = XcodeElement(node, title: "attribute \"\(node["name"] ?? "")\" of \(owner)", log: log)
        guard let name = element.required("name"), let type = type(of: element) else { return nil }
        var attribute = AttributeDescription(
            name, type, isOptional: element.flag("optional"), isTransient: element.flag("transient"),
            regularExpression: element.word("regularExpressionString"),
            allowsExternalStorage: element.flag("allowsExternalBinaryDataStorage"),
            isPreservedAfterDeletion: element.flag("preserveAfterDeletion"), valueTransformerName: element.text("valueTransformerName"),
            valueClassName: element.word("customClassName"), usesScalarType: element.optionalFlag("usesScalarValueType"),
            versionHashModifier: element.word("versionHashModifier"), renamingIdentifier: element.word("elementID"),
            userInfo: userInfo(of: element))
        if node["attributeType"] == "Composite" || node.name == "compositeAttribute" { attribute.composite = element.required("composite") }
        attribute.derivationExpression = derivation(of: element)
        readValues(of: &attribute, element)
        takeEntries(of: &attribute, element)
        var isIndexed = element.flag("indexed")
        if isIndexed, attribute.isTransient {
            element.keep("indexed", "a transient attribute is in no index")
            isIndexed = false
        }
        attribute.foreign = element.foreign()
        return (attribute, isIndexed)
    }

    private func type(of element: XcodeElement) -> AttributeType? {
        if element.node.name == "compositeAttribute" {
            element.warn("a compositeAttribute is read as an attribute of type Composite")
            if element.node["attributeType"] == nil { return .transformable }
        }
        guard let name = element.required("attributeType") else { return nil }
        if name == "Composite" { return .transformable }
        if let type = XcodeVocabulary.type(named: name) { return type }
        if let standIn = XcodeVocabulary.standIns[name] {
            element.keep("attributeType", standIn.warning)
            return standIn.type
        }
        let nearest = nearestName(to: name, in: XcodeVocabulary.types.map(\.name) + ["Composite"]).map { "; did you mean \"\($0)\"?" } ?? ""
        element.refuse("attributeType is \"\(name)\", which is no type of attributes\(nearest)")
        return nil
    }

    private func derivation(of element: XcodeElement) -> String? {
        let isDerived = element.flag("derived")
        guard let expression = element.word("derivationExpression") else {
            if isDerived { element.refuse("it is derived, and the attribute derivationExpression is missing") }
            return nil
        }
        if isDerived { return expression }
        element.keep("derived")
        element.keep(
            "derivationExpression", "derivationExpression stands without derived=\"YES\"; it is kept and the attribute is not derived")
        return nil
    }

    /// Default and bounds. Of strings the bounds are lengths; of dates the number counts, and the text beside it is for people.
    private func readValues(of attribute: inout AttributeDescription, _ element: XcodeElement) {
        let type = attribute.type
        if type == .date {
            attribute.defaultValue = date("defaultDateTimeInterval", "defaultValueString", element)
            attribute.minimum = date("minDateTimeInterval", "minValueString", element)
            attribute.maximum = date("maxDateTimeInterval", "maxValueString", element)
            return
        }
        if type.hasLength {
            attribute.minimumLength = element.integer("minValueString")
            attribute.maximumLength = element.integer("maxValueString")
        } else if type.isOrdered {
            attribute.minimum = value("minValueString", type, element)
            attribute.maximum = value("maxValueString", type, element)
        } else {
            for name in ["minValueString", "maxValueString"] where element.word(name) != nil {
                element.keep(name, "\(name) means nothing for this type; it is kept")
            }
        }
        var name = "defaultValueString"
        if element.node[name] == nil, element.node["defaultValue"] != nil {
            name = "defaultValue"
            element.warn("defaultValue is read as defaultValueString")
        }
        attribute.defaultValue = value(name, type, element)
    }

    private func value(_ name: String, _ type: AttributeType, _ element: XcodeElement) -> Value? {
        guard let text = type == .string ? element.text(name) : element.word(name) else { return nil }
        if type == .data || type == .transformable {
            element.keep(name, "\(name) means nothing for this type; it is kept")
            return nil
        }
        if let value = XcodeValueText.value(of: text, as: type) { return value }
        element.refuse("\(name) is \"\(text)\", which is no value of type \(XcodeVocabulary.name(of: type))")
        return nil
    }

    private func date(_ number: String, _ note: String, _ element: XcodeElement) -> Value? {
        let text = element.word(note)
        if element.word(number) != nil { return value(number, .date, element) }
        guard let text else { return nil }
        if let seconds = XcodeDateText.seconds(of: text) { return .date(Date(timeIntervalSinceReferenceDate: seconds)) }
        element.keep(note, "\(note) is \"\(text)\", which is no date, and \(number) is missing; it is kept and means nothing here")
        return nil
    }

    /// Takes out of userInfo what says more than the format has words for.
    private func takeEntries(of attribute: inout AttributeDescription, _ element: XcodeElement) {
        typealias Entry = XcodeVocabulary.Entry
        if let text = attribute.userInfo[Entry.packed], let flag = XcodeValueText.boolean(text) {
            attribute.userInfo[Entry.packed] = nil
            attribute.isPacked = flag
        }
        if let text = attribute.userInfo[Entry.defaultValue], let data = Data(base64Encoded: text), attribute.defaultValue == nil {
            switch attribute.type {
            case .data: attribute.defaultValue = .data(data)
            case .transformable: attribute.defaultValue = .json(data)
            default: return
            }
            attribute.userInfo[Entry.defaultValue] = nil
        }
    }
}
