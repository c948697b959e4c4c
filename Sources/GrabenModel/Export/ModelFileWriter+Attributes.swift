internal import FoundationEssentials
internal import GrabenLog

extension ModelFileWriter {
    static func add(_ attribute: AttributeDescription, to draft: XcodeDraft, of owner: String) throws(ModelError) {
        typealias Entry = XcodeVocabulary.Entry
        let place = "attribute \"\(attribute.name)\" of \(owner)"
        let element = draft.add("attribute", place: place)
        var info = attribute.userInfo
        element.put("name", attribute.name)
        element.put("optional", attribute.isOptional)
        element.put("transient", attribute.isTransient)
        try putType(of: attribute, to: element)
        element.put("valueTransformerName", attribute.valueTransformerName)
        element.put(word: "customClassName", attribute.valueClassName)
        element.put("allowsExternalBinaryDataStorage", attribute.allowsExternalStorage)
        try putBounds(of: attribute, to: element)
        try putDefault(of: attribute, to: element, &info)
        element.put(word: "regularExpressionString", attribute.regularExpression)
        if let expression = attribute.derivationExpression, !expression.isEmpty {
            element.put("derived", "YES")
            element.put("derivationExpression", expression)
        }
        element.put("usesScalarValueType", attribute.usesScalarType.map { $0 ? "YES" : "NO" })
        element.put("preserveAfterDeletion", attribute.isPreservedAfterDeletion)
        element.put(word: "elementID", attribute.renamingIdentifier)
        element.put(word: "versionHashModifier", attribute.versionHashModifier)
        if attribute.isPacked { try add(Entry.packed, "YES", to: &info, at: place) }
        element.add(userInfo: info)
        element.add(foreign: attribute.foreign)
    }

    private static func putType(of attribute: AttributeDescription, to element: XcodeDraft) throws(ModelError) {
        if let composite = attribute.composite, !composite.isEmpty {
            guard attribute.type == .transformable else {
                throw .notExportable(place: element.place, reason: "it holds a composite and is of type \(attribute.type.rawValue)")
            }
            element.put("attributeType", "Composite")
            element.put("composite", composite)
            return
        }
        // Only a word that this type stands in for may take its place.
        let foreign = attribute.foreign.attributes["attributeType"].flatMap { XcodeVocabulary.standIns[$0] }
        element.put("attributeType", XcodeVocabulary.name(of: attribute.type), isWeak: foreign?.type == attribute.type)
    }

    private static func putBounds(of attribute: AttributeDescription, to element: XcodeDraft) throws(ModelError) {
        let type = attribute.type
        if attribute.minimum != nil || attribute.maximum != nil, !type.isOrdered {
            throw .notExportable(place: element.place, reason: "it has bounds, which \(type.rawValue) values do not have")
        }
        if attribute.minimumLength != nil || attribute.maximumLength != nil, !type.hasLength {
            throw .notExportable(place: element.place, reason: "it has lengths, which \(type.rawValue) values do not have")
        }
        for (name, bound, length) in [
            ("min", attribute.minimum, attribute.minimumLength), ("max", attribute.maximum, attribute.maximumLength),
        ] {
            if let length { element.put("\(name)ValueString", "\(length)") }
            if let bound { try put(bound, name, type, to: element) }
        }
    }

    private static func putDefault(
        of attribute: AttributeDescription, to element: XcodeDraft, _ info: inout [String: String]
    ) throws(ModelError) {
        guard let value = attribute.defaultValue else { return }
        switch attribute.type.normalized(value) {
        case .data(let data)?, .json(let data)?:
            try add(XcodeVocabulary.Entry.defaultValue, data.base64EncodedString(), to: &info, at: element.place)
        default: try put(value, "default", attribute.type, to: element)
        }
    }

    /// A value as `nameValueString`, or of a date as `nameDateTimeInterval` with the text for people beside it. Null is what absence means.
    private static func put(_ value: Value, _ name: String, _ type: AttributeType, to element: XcodeDraft) throws(ModelError) {
        let value = type.normalized(value)
        if value?.isNull == true { return }
        guard let value, let text = XcodeValueText.text(of: value) else {
            throw .notExportable(place: element.place, reason: "one of its values is none of type \(type.rawValue)")
        }
        guard case .date(let date) = value else { return element.put("\(name)ValueString", text) }
        element.put("\(name)DateTimeInterval", text)
        element.put("\(name)ValueString", XcodeDateText.text(of: date.timeIntervalSinceReferenceDate))
    }
}
