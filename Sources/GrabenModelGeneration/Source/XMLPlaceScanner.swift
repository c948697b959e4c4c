/// Finds the lines of entities and their parts in the XML of a model, and passes over everything else.
struct XMLPlaceScanner {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func scan() -> [ModelPlaces.EntityPart] {
        var entities: [ModelPlaces.EntityPart] = []
        var depth = 0
        while advance(behind: "<") {
            if skip("!--") {
                _ = advance(behind: "-->")
            } else if skip("?") || skip("!") {
                _ = advance(behind: ">")
            } else if skip("/") {
                depth -= 1
                _ = advance(behind: ">")
            } else {
                let start = line
                let tag = tag()
                if depth == 1, tag.element == "entity" {
                    entities.append(ModelPlaces.EntityPart(name: tag.name, line: start))
                } else if depth == 2, let last = entities.indices.last {
                    entities[last].parts.append(ModelPlaces.Part(list: tag.element, name: tag.name, line: start))
                }
                if !tag.isClosed { depth += 1 }
            }
        }
        return entities
    }

    private mutating func step() {
        if bytes[position] == UInt8(ascii: "\n") { line += 1 }
        position += 1
    }

    private mutating func skip(_ text: StaticString) -> Bool {
        guard bytes[position...].starts(with: "\(text)".utf8) else { return false }
        position += text.utf8CodeUnitCount
        return true
    }

    /// Moves behind the next occurrence; to the end, with false, where there is none.
    private mutating func advance(behind text: StaticString) -> Bool {
        while position < bytes.count {
            if skip(text) { return true }
            step()
        }
        return false
    }

    /// The element whose tag begins here, up to the tag's end; its attribute `name`.
    private mutating func tag() -> (element: String, name: String?, isClosed: Bool) {
        let element = word()
        var name: String?
        var isClosed = false
        while position < bytes.count, bytes[position] != UInt8(ascii: ">") {
            if bytes[position] == UInt8(ascii: "/") { isClosed = true }
            let key = word()
            guard !key.isEmpty else {
                step()
                continue
            }
            while position < bytes.count, ![UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: ">")].contains(bytes[position]) { step() }
            guard position < bytes.count, bytes[position] != UInt8(ascii: ">") else { continue }
            let quote = bytes[position]
            step()
            let start = position
            while position < bytes.count, bytes[position] != quote { step() }
            if key == "name" { name = String(decoding: bytes[start..<position], as: UTF8.self) }
            if position < bytes.count { step() }
            isClosed = false
        }
        if position < bytes.count { step() }
        return (element, name, isClosed)
    }

    private mutating func word() -> String {
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            let isName =
                byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
                || byte == UInt8(ascii: ":")
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            guard isName else { break }
            position += 1
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }
}
