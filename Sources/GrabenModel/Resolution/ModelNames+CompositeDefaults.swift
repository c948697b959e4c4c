internal import FoundationEssentials
internal import GrabenLog

extension ModelNames {
    /// What a new object holds in an attribute of a composite that has no default of its own: the defaults of its elements, as an object of
    /// JSON in the form a `Codable` type of these elements would give; nil where no element has one.
    ///
    /// For a valid model, whose composites end and are not absurdly deep.
    func defaultValue(ofComposite name: String) -> Value? {
        object(ofComposite: name).map { .json(Data($0.utf8)) }
    }

    private func object(ofComposite name: String) -> String? {
        let elements = (composites[name]?.elements ?? []).sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        let fields = elements.compactMap { element -> String? in
            let value = element.defaultValue.flatMap(Self.json) ?? element.composite.flatMap { object(ofComposite: $0) }
            guard let value, let name = Self.json(text: element.name) else { return nil }
            return "\(name):\(value)"
        }
        return fields.isEmpty ? nil : "{\(fields.joined(separator: ","))}"
    }

    /// The value as JSON has it; nil for what JSON has no word for.
    private static func json(_ value: Value) -> String? {
        switch value {
        case .bool(let flag): return flag ? "true" : "false"
        case .int(let number): return "\(number)"
        case .double(let number): return json(number: number.isFinite, "\(number)")
        case .float(let number): return json(number: number.isFinite, "\(number)")
        case .decimal(let number): return json(number: number.isFinite, number.description)
        case .date(let date):
            let seconds = date.timeIntervalSinceReferenceDate
            return json(number: seconds.isFinite, "\(seconds)")
        case .string(let text), .uri(let text): return json(text: text)
        case .uuid(let uuid): return "\"\(uuid.uuidString)\""
        case .data(let data): return "\"\(data.base64EncodedString())\""
        case .json(let data):
            guard let text = String(validating: data, as: UTF8.self), (try? JSONText.tree(of: data)) != nil else { return nil }
            return text
        case .null, .reference, .references: return nil
        }
    }

    /// As the encoder that writes values writes them, or equal values would differ in their bytes.
    private static func json(text: String) -> String? { (try? JSONEncoder().encode(text)).map { String(decoding: $0, as: UTF8.self) } }

    /// Whole numbers without `.0`, as encoders write them.
    private static func json(number isFinite: Bool, _ text: String) -> String? {
        guard isFinite else { return nil }
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
