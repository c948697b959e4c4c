import FoundationEssentials
import GrabenLog
import GrabenModel

extension StoreChecker {
    /// Finds objects that share what their entity says is unique. One without a value for any part of a key has none.
    func checkKeys(_ report: inout StoreReport) {
        for entity in store.modelEntities {
            for key in entity.uniqueKeys where key.declaringEntity == entity.index { check(key, of: entity, &report) }
        }
    }

    private func check(_ key: Entity.UniqueKey, of entity: Entity, _ report: inout StoreReport) {
        var seen: [[UInt8]: ObjectID] = [:]
        let names = key.properties.map { entity.properties[$0].name }.joined(separator: ", ")
        for number in entity.concreteDescendants {
            guard let stored = store.stored(entity: number) else { continue }
            snapshot.forEachLiveRow(stored.code) { row in
                // What cannot be read has been told of.
                guard let value = try? self.key(key.properties, of: stored, row), let id = store.id(stored.code, row) else { return true }
                if let other = seen[value] {
                    report.add(finding(.unique, "has the same \(names) as \(name(other))", stored, row, names))
                } else {
                    seen[value] = id
                }
                return true
            }
        }
    }

    /// The bytes of a key, of which no part is packed: a model that says so is refused. nil where a part has no value.
    func key(_ properties: [Int], of entity: StoredEntity, _ row: Row) throws(LogError) -> [UInt8]? {
        guard let record = try snapshot.record(entity.code, row) else { return nil }
        var key: [UInt8] = []
        for number in properties {
            let property = entity.info.properties[number]
            let value = try entity.value(property, of: record)
            if value.isNull { return nil }
            let bytes = Self.bytes(of: value)
            key += Array("\(bytes.count):".utf8) + bytes
        }
        return key
    }

    /// Bytes that differ where values do.
    private static func bytes(of value: Value) -> [UInt8] {
        switch value {
        case .data(let data), .json(let data): Array(data)
        case .string(let text), .uri(let text): Array(text.utf8)
        case .date(let date): Array("\(date.timeIntervalSinceReferenceDate)".utf8)
        default: Array("\(value)".utf8)
        }
    }
}
