import FoundationEssentials
import GrabenLog
import GrabenModel
import Synchronization

/// Finds out which property a key path reads by reading it on an object of no entity.
///
/// Every access of such an object fails, and where it fails it is noted here; so the ways that objects are usually read stay as they are. The
/// answer to an access is a value made up for the purpose, and the key path has to yield that very value, for two values of each type: a
/// computed property that makes something else of what it reads is none of the model's.
final class KeyPathProbe: Sendable {
    private struct Read {
        let depth: Int
        let key: String
        /// What the access was answered with.
        var value: Value
    }

    /// A probe as the objects on the way see it, which are numbered from the root.
    struct Level: Sendable {
        let probe: KeyPathProbe
        let depth: Int
    }

    /// What accessors get that do not say which type they want.
    private let value: Value
    private let samples: [Value]
    private let reads = Mutex<[Read]>([])

    private init(_ value: Value, _ samples: [Value]) {
        self.value = value
        self.samples = samples
    }

    // MARK: Naming

    /// The names of the properties a key path reads one after the other, from a class on; nil where that cannot be said.
    static func names(of path: AnyKeyPath, from root: ManagedObject.Type) -> [String]? {
        if let known = cache.withLock({ $0[CachedPath(path: path)] }) { return known }
        var names: [String]?
        for samples in Self.samples {
            let found = Self.names(of: path, from: root, samples)
            if let names, names != found { return remember(path, nil) }
            guard let found else { return remember(path, nil) }
            names = found
        }
        return remember(path, names)
    }

    private static func names(of path: AnyKeyPath, from root: ManagedObject.Type, _ samples: [Value]) -> [String]? {
        for value in samples {
            let probe = KeyPathProbe(value, samples)
            guard let object = probe.object(root, depth: 0), let result = (object as Any)[keyPath: path] else { return nil }
            let reads = probe.reads.withLock { $0 }
            // One property of each object along the way.
            guard !reads.isEmpty, reads.map(\.depth) == Array(reads.indices) else { return nil }
            if probe.isWhatWasRead(result, reads[reads.count - 1]) { return reads.map(\.key) }
        }
        return nil
    }

    private func isWhatWasRead(_ result: Any, _ read: Read) -> Bool {
        switch result {
        case let object as ManagedObject: return object.info.probe?.probe === self && object.info.probe?.depth == read.depth + 1
        case is any RelationshipMembers: return true
        case let objects as [ManagedObject]: return objects.isEmpty
        case let value as any PrimitiveConvertible:
            if case (.float(let x), .double(let y)) = (value.primitiveValue, read.value) { return Double(x) == y }
            return value.primitiveValue == read.value
        default: return false
        }
    }

    /// Whether a key path reads the identity of an object and nothing else.
    static func readsObjectID(_ path: AnyKeyPath, from root: ManagedObject.Type) -> Bool {
        let probe = KeyPathProbe(.null, [])
        guard let object = probe.object(root, depth: 0), let id = (object as Any)[keyPath: path] as? ObjectID else { return false }
        return id == object.objectID && probe.reads.withLock { $0.isEmpty }
    }

    /// An object of a class that is bound to an entity without properties.
    private func object<T: ManagedObject>(_ objectClass: T.Type, depth: Int) -> T? {
        guard let entity = Self.entity else { return nil }
        let info = EntityInfo(entity: entity, objectClass: objectClass, probe: Level(probe: self, depth: depth))
        return objectClass.init(ObjectSeed(detached: info, row: 0))
    }

    private static let entity = try? ManagedObjectModel(entities: [EntityDescription("Unknown")]).resolved().entities[0]

    // MARK: Samples

    /// Two values of each type, so that none that is made of another is taken for it.
    private static let samples: [[Value]] = [
        [
            .string("probe"), .int(61), .bool(true), .double(61.25), .float(61.25), .decimal(61),
            .date(Date(timeIntervalSinceReferenceDate: 61)),
            .data(Data([61])), .uuid(UUID(uuid: (6, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))), .uri("probe:first"),
        ],
        [
            .string(""), .int(0), .bool(false), .double(-0.5), .float(-0.5), .decimal(-3), .date(Date(timeIntervalSinceReferenceDate: -5)),
            .data(Data()), .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))), .uri("probe:second"),
        ],
    ]

    // MARK: Cache

    /// Key paths never change and are compared by what they read, so they can be shared.
    private struct CachedPath: Hashable, @unchecked Sendable {
        let path: AnyKeyPath
    }
    private static let cache = Mutex<[CachedPath: [String]?]>([:])

    private static func remember(_ path: AnyKeyPath, _ names: [String]?) -> [String]? {
        cache.withLock { $0[CachedPath(path: path)] = .some(names) }
        return names
    }
}

extension KeyPathProbe.Level {
    /// Notes an access, and answers it for an accessor that takes any value.
    @discardableResult
    func note(_ key: String) -> Value { probe.note(key, depth) }

    /// What an accessor of a type gets whose access was noted just now.
    func value<V: PrimitiveConvertible>(as type: V.Type) -> V? { probe.value(as: type) }

    /// A lane's value.
    func lane(_ key: String) -> Value { probe.lane(key, depth) }

    /// The object at the other end of a to-one whose access was noted just now.
    func child<T: ManagedObject>(_ type: T.Type) -> T? { probe.child(type, depth + 1) }
}

extension KeyPathProbe {
    fileprivate func note(_ key: String, _ depth: Int) -> Value {
        reads.withLock { $0.append(Read(depth: depth, key: key, value: value)) }
        return value
    }

    fileprivate func value<V: PrimitiveConvertible>(as type: V.Type) -> V? {
        for sample in samples {
            guard let value = V(primitiveValue: sample), value.primitiveValue == sample else { continue }
            reads.withLock { if !$0.isEmpty { $0[$0.count - 1].value = sample } }
            return value
        }
        return nil
    }

    fileprivate func lane(_ key: String, _ depth: Int) -> Value {
        let number = samples.first { if case .double = $0 { true } else { false } } ?? .null
        reads.withLock { $0.append(Read(depth: depth, key: key, value: number)) }
        return number
    }

    fileprivate func child<T: ManagedObject>(_ type: T.Type, _ depth: Int) -> T? { object(type, depth: depth) }
}

/// What a to-many accessor answers.
private protocol RelationshipMembers {}
extension ToMany: RelationshipMembers {}
extension OrderedToMany: RelationshipMembers {}
