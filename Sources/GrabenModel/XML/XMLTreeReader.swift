internal import CExpat

/// Reads XML text into a tree with expat, within limits.
///
/// The one place that touches expat. Its callbacks get this object back through a raw pointer, which is valid because `read` keeps the object
/// alive until the parser is freed; nothing expat lends is used after a callback returns. No text runs it into memory or stack: the
/// text's length, the depth and the number of elements are bounded, entities cannot be declared and nothing outside the text is read.
final class XMLTreeReader {
    /// Where the text stops being usable, and why.
    struct Mistake: Error, Equatable {
        /// The line, counted from 1.
        let line: Int
        /// The innermost element that was open.
        let element: String?
        let reason: String
    }

    /// How deep elements may be nested. What is foreign goes into the JSON form, in which an element takes two of its 64 levels.
    static let depthLimit = 24
    static let elementLimit = 1_000_000
    /// In bytes.
    static let lengthLimit = ModelFile.lengthLimit

    private var open: [XMLNode] = []
    private var root: XMLNode?
    private var count = 0
    private var mistake: Mistake?
    private let parser: XML_Parser

    private init?() {
        guard let parser = XML_ParserCreate(nil) else { return nil }
        self.parser = parser
    }

    deinit { XML_ParserFree(parser) }

    /// The root of a whole text, in UTF-8, UTF-16, ISO 8859-1 or ASCII, as its declaration says.
    ///
    /// Complexity: linear in the length of the text.
    static func tree(of bytes: [UInt8]) throws(Mistake) -> XMLNode {
        guard bytes.count <= lengthLimit else {
            throw Mistake(line: 1, element: nil, reason: "the text is longer than \(lengthLimit >> 20) MB")
        }
        guard let reader = XMLTreeReader() else {
            throw Mistake(line: 1, element: nil, reason: "there is no memory for an XML parser")
        }
        return try reader.read(bytes)
    }

    private func read(_ bytes: [UInt8]) throws(Mistake) -> XMLNode {
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser, { me, name, attributes in XMLTreeReader.of(me)?.begin(name, attributes) }, { me, _ in XMLTreeReader.of(me)?.end() })
        XML_SetCharacterDataHandler(parser) { me, text, length in XMLTreeReader.of(me)?.add(text, Int(length)) }
        XML_SetEntityDeclHandler(parser) { me, name, _, _, _, _, _, _, _ in
            XMLTreeReader.of(me)?.stop("the entity \"\(XMLTreeReader.string(name))\" is declared, and entities are not read")
        }
        // A default for an attribute would stand in every element of that name: a short text, a huge tree.
        XML_SetAttlistDeclHandler(parser) { me, _, _, _, _, _ in XMLTreeReader.of(me)?.stop("attributes are declared, and that is not read")
        }
        XML_SetSkippedEntityHandler(parser) { me, name, _ in
            XMLTreeReader.of(me)?.stop("the entity \"\(XMLTreeReader.string(name))\" is not one of XML's own")
        }
        let status = bytes.withUnsafeBytes { buffer in
            // The length fits: it is bounded by `lengthLimit`.
            XML_Parse(parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(buffer.count), 1)
        }
        if let mistake { throw mistake }
        guard status == XML_STATUS_OK, let root else {
            let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { Self.string($0) } ?? "it cannot be read"
            throw here("this is not XML: \(reason)")
        }
        return root
    }

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> XMLTreeReader? {
        pointer.map { Unmanaged<XMLTreeReader>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func string(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "" }

    private var line: Int { Int(clamping: XML_GetCurrentLineNumber(parser)) }

    private func here(_ reason: String) -> Mistake {
        Mistake(line: line, element: open.last?.name, reason: reason)
    }

    private func stop(_ reason: String) {
        guard mistake == nil else { return }
        mistake = here(reason)
        XML_StopParser(parser, 0)
    }

    private func begin(_ name: UnsafePointer<CChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
        // Expat may finish the call it is in after it was stopped.
        guard mistake == nil else { return }
        count += 1
        guard count <= Self.elementLimit else { return stop("there are more than \(Self.elementLimit) elements") }
        guard open.count < Self.depthLimit else { return stop("elements are nested deeper than \(Self.depthLimit) levels") }
        var node = XMLNode(Self.string(name))
        node.line = line
        var next = attributes
        while let pair = next, let key = pair.pointee {
            node.attributes.append((Self.string(key), Self.string(pair.advanced(by: 1).pointee)))
            next = pair.advanced(by: 2)
        }
        open.append(node)
    }

    private func end() {
        guard mistake == nil, let node = open.popLast() else { return }
        if open.isEmpty { root = node } else { open[open.count - 1].children.append(node) }
    }

    private func add(_ text: UnsafePointer<CChar>?, _ length: Int) {
        guard mistake == nil, let text, !open.isEmpty else { return }
        let bytes = UnsafeRawBufferPointer(start: text, count: length)
        open[open.count - 1].text += String(decoding: bytes, as: UTF8.self)
    }
}
