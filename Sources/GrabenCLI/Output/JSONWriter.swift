import GrabenModel

/// Writes JSON as it comes, in bounded memory: integers of 64 bits exact, doubles in their shortest form that reads back.
final class JSONWriter {
    let output: ByteOutput
    /// Whether an element was written, for each container that is open.
    @exclusivity(unchecked)
    private var hasElements: [Bool] = []
    @exclusivity(unchecked)
    private var followsKey = false

    init(_ output: ByteOutput) { self.output = output }

    // MARK: Containers

    func beginObject() throws(CLIError) { try open("{") }
    func endObject() throws(CLIError) { try close("}") }
    func beginArray() throws(CLIError) { try open("[") }
    func endArray() throws(CLIError) { try close("]") }

    private func open(_ mark: Unicode.Scalar) throws(CLIError) {
        try separate()
        hasElements.append(false)
        try output.write(byte: UInt8(ascii: mark))
    }

    private func close(_ mark: Unicode.Scalar) throws(CLIError) {
        _ = hasElements.popLast()
        try output.write(byte: UInt8(ascii: mark))
    }

    /// The comma before every element but the first.
    private func separate() throws(CLIError) {
        if followsKey {
            followsKey = false
            return
        }
        guard let last = hasElements.indices.last else { return }
        if hasElements[last] { try output.write(byte: UInt8(ascii: ",")) }
        hasElements[last] = true
    }

    /// A line break before the next element, so that rows stand one to a line.
    func breakLine() throws(CLIError) {
        guard let last = hasElements.indices.last else { return }
        if hasElements[last] { try output.write(byte: UInt8(ascii: ",")) }
        hasElements[last] = false
        try newline()
    }

    func newline() throws(CLIError) { try output.write(byte: UInt8(ascii: "\n")) }

    func key(_ name: String) throws(CLIError) {
        try separate()
        try quoted(name)
        try output.write(byte: UInt8(ascii: ":"))
        followsKey = true
    }

    // MARK: Values

    func null() throws(CLIError) {
        try separate()
        try output.write("null")
    }

    func bool(_ value: Bool) throws(CLIError) {
        try separate()
        try output.write(value ? "true" : "false")
    }

    func number(_ value: some FixedWidthInteger) throws(CLIError) {
        try separate()
        try output.write(value.description)
    }

    /// A finite number, or `{"$double": "nan"}`, `"inf"` and `"-inf"`.
    func number(_ value: Double) throws(CLIError) { try floating(value.description, value.isFinite) }
    func number(_ value: Float) throws(CLIError) { try floating(value.description, value.isFinite) }

    private func floating(_ text: String, _ isFinite: Bool) throws(CLIError) {
        guard isFinite else { return try tagged("$double", text.contains("nan") ? "nan" : text) }
        try separate()
        try output.write(text)
    }

    func string(_ text: String) throws(CLIError) {
        try separate()
        try quoted(text)
    }

    /// A value that is JSON already, on one line.
    func raw(_ text: String) throws(CLIError) {
        try separate()
        try output.write(text.split(whereSeparator: \.isNewline).map { String($0.drop { $0 == " " }) }.joined(separator: " "))
    }

    /// An object of one key.
    func tagged(_ key: String, _ text: String) throws(CLIError) {
        try beginObject()
        try self.key(key)
        try string(text)
        try endObject()
    }

    private func quoted(_ text: String) throws(CLIError) {
        try output.write(byte: UInt8(ascii: "\""))
        var text = text
        let plain = text.withUTF8 { bytes in
            // E2 begins the two line separators that JavaScript does not take in a string.
            bytes.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C && $0 != 0x7F && $0 != 0xE2 }
        }
        try output.write(plain ? text : JSONText.escaped(text))
        try output.write(byte: UInt8(ascii: "\""))
    }

    // MARK: Fields

    func field(_ name: String, _ value: String?) throws(CLIError) {
        try key(name)
        if let value { try string(value) } else { try null() }
    }

    func field(_ name: String, _ value: Bool) throws(CLIError) {
        try key(name)
        try bool(value)
    }

    func field(_ name: String, _ value: (some FixedWidthInteger)?) throws(CLIError) {
        try key(name)
        if let value { try number(value) } else { try null() }
    }

    func field(_ name: String, _ value: Double) throws(CLIError) {
        try key(name)
        try number(value)
    }
}
