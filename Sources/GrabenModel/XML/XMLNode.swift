/// An element of an XML text, with everything in it.
struct XMLNode {
    let name: String
    /// In the order of the text; expat refuses two of one name.
    var attributes: [(name: String, value: String)] = []
    var children: [XMLNode] = []
    /// The text directly in the element, its pieces put together.
    var text = ""
    /// The line the element begins in, counted from 1.
    var line = 0

    init(_ name: String) { self.name = name }

    subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }

    /// The text without space at both ends, which is all that indentation is.
    var trimmedText: String {
        guard let first = text.unicodeScalars.firstIndex(where: { !Self.isSpace($0) }),
            let last = text.unicodeScalars.lastIndex(where: { !Self.isSpace($0) })
        else { return "" }
        return String(text.unicodeScalars[first...last])
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\n" || scalar == "\t" || scalar == "\r" }
}
