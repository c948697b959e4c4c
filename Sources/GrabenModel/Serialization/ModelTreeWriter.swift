/// Collects the keys of an object of a model's tree, leaving out what says no more than its absence does.
struct ModelTreeWriter {
    private var fields: [String: ModelTree] = [:]

    var tree: ModelTree { .map(fields) }

    mutating func put(_ key: String, _ value: ModelTree?) { fields[key] = value }
    mutating func put(_ key: String, _ value: String?) { fields[key] = value.map { .string($0) } }
    mutating func put(_ key: String, _ value: Int?) { fields[key] = value.map { .int(Int64($0)) } }
    mutating func put(_ key: String, _ value: Bool, unless usual: Bool) { fields[key] = value == usual ? nil : .bool(value) }
    mutating func put(_ key: String, _ values: [ModelTree]) { fields[key] = values.isEmpty ? nil : .array(values) }
    mutating func put(_ key: String, _ values: [String]) { put(key, values.map { .string($0) }) }
    mutating func put(userInfo: [String: String]) {
        fields["userInfo"] = userInfo.isEmpty ? nil : .map(userInfo.mapValues { .string($0) })
    }
}
