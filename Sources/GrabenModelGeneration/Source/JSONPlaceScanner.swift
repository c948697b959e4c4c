/// Finds the lines of entities and their parts in JSON text, and passes over everything else.
struct JSONPlaceScanner {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var entities: [ModelPlaces.EntityPart] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// A list or object that is open.
    private struct Level {
        let isList: Bool
        /// The key whose value comes next, in an object.
        var key: String?
    }

    mutating func scan() -> [ModelPlaces.EntityPart] {
        var levels: [Level] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\n"): line += 1
            case UInt8(ascii: "{"):
                begin(levels)
                levels.append(Level(isList: false))
            case UInt8(ascii: "["): levels.append(Level(isList: true))
            case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = levels.popLast()
            case UInt8(ascii: ","): if let last = levels.indices.last { levels[last].key = nil }
            case UInt8(ascii: "\""):
                let text = string()
                guard let last = levels.indices.last, !levels[last].isList else { continue }
                if levels[last].key == nil {
                    levels[last].key = text
                } else if levels[last].key == "name" {
                    name(text, levels)
                }
            default: break
            }
        }
        return entities
    }

    /// The keys of the lists around the object that begins or is open.
    private func path(_ levels: [Level]) -> [String] { levels.filter { !$0.isList }.compactMap(\.key) }

    private mutating func begin(_ levels: [Level]) {
        guard levels.last?.isList == true else { return }
        let path = path(levels)
        guard path.first == "entities" else { return }
        if path.count == 1, levels.count == 2 {
            entities.append(ModelPlaces.EntityPart(line: line))
        } else if path.count == 2, levels.count == 4, let last = entities.indices.last {
            entities[last].parts.append(ModelPlaces.Part(list: path[1], line: line))
        }
    }

    private mutating func name(_ text: String, _ levels: [Level]) {
        guard path(levels).first == "entities", let last = entities.indices.last else { return }
        // The level on top is the object itself, with `name` for its key.
        if levels.count == 3 {
            entities[last].name = text
        } else if levels.count == 5, let part = entities[last].parts.indices.last {
            entities[last].parts[part].name = text
        }
    }

    /// The rest of a text in quotes; escapes stay as they are, for no name has any.
    private mutating func string() -> String {
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            if bytes[position] == UInt8(ascii: "\\") { position += 1 }
            if position < bytes.count, bytes[position] == UInt8(ascii: "\n") { line += 1 }
            position += 1
        }
        let text = String(decoding: bytes[start..<min(position, bytes.count)], as: UTF8.self)
        position = min(position + 1, bytes.count)
        return text
    }
}
