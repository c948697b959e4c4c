import Foundation
import Graben
import GrabenModel
import Synchronization

/// An engine that keeps a store as a text: one line of JSON for each save, read from the first to the last when it is opened.
///
/// A save is one line, so that it is there whole or not at all: a last line without its end was never finished and is left out. A save of the whole store
/// replaces the file.
final class LineFile: StoreEngine {
    private let path: String
    var name: String { path }

    /// What was read, between `metadata()` and `load(_:)`.
    private let objects = Mutex<[StoreObjectKey: StoreObject]>([:])

    init(path: String) { self.path = path }

    func metadata() throws -> StoreMetadata? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        var metadata: StoreMetadata?
        var found: [StoreObjectKey: StoreObject] = [:]
        let text = try Data(contentsOf: URL(filePath: path))
        for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
            let save = try JSONDecoder().decode(Save.self, from: Data(line))
            metadata = StoreMetadata(uuid: save.uuid, model: save.model, highestNumbers: save.highestNumbers)
            for key in save.deleted { found[key.key] = nil }
            for object in save.objects { found[object.key.key] = try object.object() }
        }
        objects.withLock { $0 = found }
        return metadata
    }

    func load(_ receive: (StoreObject) throws -> Void) throws {
        let found = objects.withLock { objects in
            defer { objects = [:] }
            return objects
        }
        for object in found.values { try receive(object) }
    }

    func save(_ changes: StoreChanges) throws {
        let save = Save(
            uuid: changes.metadata.uuid, model: changes.metadata.model, highestNumbers: changes.metadata.highestNumbers,
            objects: (changes.inserted + changes.updated).map(SavedObject.init), deleted: changes.deleted.map(SavedKey.init))
        let line = try JSONEncoder().encode(save) + Data("\n".utf8)
        if changes.isWhole { return try line.write(to: URL(filePath: path), options: .atomic) }
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        defer { try? file.close() }
        try file.seekToEnd()
        try file.write(contentsOf: line)
        try file.synchronize()
    }
}

// MARK: What stands in a line

private struct Save: Codable {
    var uuid: UUID
    var model: Data
    var highestNumbers: [String: UInt32]
    var objects: [SavedObject]
    var deleted: [SavedKey]
}

private struct SavedKey: Codable, Hashable {
    var entity: String
    var number: UInt32
    init(_ key: StoreObjectKey) { (entity, number) = (key.entity, key.number) }
    var key: StoreObjectKey { StoreObjectKey(entity, number) }
}

private struct SavedObject: Codable {
    var key: SavedKey
    var attributes: [String: [String]]
    var references: [String: SavedKey]
    var members: [String: [SavedKey]]

    init(_ object: StoreObject) {
        key = SavedKey(object.key)
        attributes = object.attributes.mapValues(\.words)
        references = object.references.mapValues(SavedKey.init)
        members = object.members.mapValues { $0.map(SavedKey.init) }
    }

    func object() throws -> StoreObject {
        var values: [String: Value] = [:]
        for (name, words) in attributes {
            guard let value = Value(words: words) else { throw StoreEngineError("cannot be read: \(words)", object: key.key, key: name) }
            values[name] = value
        }
        return StoreObject(
            key.key, attributes: values, references: references.mapValues(\.key), members: members.mapValues { $0.map(\.key) })
    }
}

extension Value {
    /// The value in words: its kind and what it is, floating-point numbers by their bits, so that every one of them comes back.
    fileprivate var words: [String] {
        switch self {
        case .null, .reference, .references: []
        case .bool(let value): ["bool", "\(value)"]
        case .int(let value): ["int", "\(value)"]
        case .float(let value): ["float", "\(value.bitPattern)"]
        case .double(let value): ["double", "\(value.bitPattern)"]
        case .decimal(let value): ["decimal", "\(value)"]
        case .string(let value): ["string", value]
        case .date(let value): ["date", "\(value.timeIntervalSinceReferenceDate.bitPattern)"]
        case .data(let value): ["data", value.base64EncodedString()]
        case .uuid(let value): ["uuid", value.uuidString]
        case .uri(let value): ["uri", value]
        case .json(let value): ["json", value.base64EncodedString()]
        }
    }

    fileprivate init?(words: [String]) {
        guard !words.isEmpty else {
            self = .null
            return
        }
        guard words.count == 2 else { return nil }
        let text = words[1]
        let value: Value? =
            switch words[0] {
            case "bool": Bool(text).map { .bool($0) }
            case "int": Int64(text).map { .int($0) }
            case "float": UInt32(text).map { .float(Float(bitPattern: $0)) }
            case "double": UInt64(text).map { .double(Double(bitPattern: $0)) }
            case "decimal": Decimal(string: text).map { .decimal($0) }
            case "string": .string(text)
            case "date": UInt64(text).map { .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: $0))) }
            case "data": Data(base64Encoded: text).map { .data($0) }
            case "uuid": UUID(uuidString: text).map { .uuid($0) }
            case "uri": .uri(text)
            case "json": Data(base64Encoded: text).map { .json($0) }
            default: nil
            }
        guard let value else { return nil }
        self = value
    }
}
