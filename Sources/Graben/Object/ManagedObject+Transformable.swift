import GrabenLog

extension ManagedObject {
    /// What a subclass's getter of a transformable attribute returns; nil where there is none. JSON that the type cannot be read from is
    /// reported to the context.
    public final func transformable<V: Codable>(_ key: String, as type: V.Type = V.self) -> V? {
        guard let number = numberOrReport(key) else { return nil }
        willAccessValue(forKey: key)
        defer { didAccessValue(forKey: key) }
        guard case .json(let data) = primitive(number) else { return nil }
        do { return try AttributeCoding.decoded(data) } catch {
            _table.context?.report(
                .wrongType(entity: info.name, key: key, expected: "a \(V.self)", found: "JSON of something else (\(error))"))
            return nil
        }
    }

    /// What a subclass's setter of a transformable attribute does: the value set as JSON, with the change announced and recorded.
    ///
    /// A value that cannot be encoded is reported to the context, left out, and thrown by the next save.
    public final func setTransformable<V: Codable>(_ key: String, _ value: V?) {
        do throws(GrabenError) {
            guard let value else { return try setValue(.null, forKey: key) }
            let json: Value
            do { json = .json(try AttributeCoding.json(value)) } catch {
                throw .wrongType(
                    entity: info.name, key: key, expected: "a value that JSON can hold", found: "one that cannot be encoded (\(error))")
            }
            try setValue(json, forKey: key)
        } catch { refuse(error) }
    }
}
