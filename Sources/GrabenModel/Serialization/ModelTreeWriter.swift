internal import GrabenLog

/// Collects the keys of an object of a model's tree, leaving out what says no more than its absence does.
struct ModelTreeWriter {
    private var fields: [String: CBOR] = [:]

    /// The object, its keys sorted, so that equal models give equal bytes.
    var tree: CBOR { .map(fields.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) }) }

    mutating func put(_ key: String, _ value: CBOR) { fields[key] = value }
    mutating func put(_ key: String, _ value: String?) {
        if let value { fields[key] = .string(value) }
    }
    mutating func put(_ key: String, _ value: Int?) {
        if let value { fields[key] = .int(Int64(value)) }
    }
    mutating func put(_ key: String, _ value: Bool, unless usual: Bool) {
        if value != usual { fields[key] = .bool(value) }
    }
    mutating func put(_ key: String, _ values: [CBOR]) {
        if !values.isEmpty { fields[key] = .array(values) }
    }
    mutating func put(_ key: String, _ values: [String]) { put(key, values.map { CBOR.string($0) }) }
    mutating func put(_ key: String, _ value: Bool?) {
        if let value { fields[key] = .bool(value) }
    }
    mutating func put(_ key: String, texts: [String: String]) {
        guard !texts.isEmpty else { return }
        var writer = ModelTreeWriter()
        for (name, value) in texts { writer.put(name, value) }
        fields[key] = writer.tree
    }
    mutating func put(userInfo: [String: String]) { put("userInfo", texts: userInfo) }
}
