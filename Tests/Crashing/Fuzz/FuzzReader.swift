internal import GrabenLog

/// Reads everything of a store whose catalog may be anything.
enum FuzzReader {
    /// So many objects and commits of each kind are looked at: a few changed bytes can claim millions.
    private static let limit = 300

    static func read(_ log: Log) {
        let snapshot = log.newest
        for commit in log.commits().prefix(limit) where commit.byteCount == 0 { break }
        _ = try? log.summary()
        if let history = try? log.history(since: log.oldestHistory) {
            for transaction in history.prefix(limit) {
                _ = try? transaction.contents()
                _ = try? transaction.catalog()
            }
        }
        let entities = snapshot.catalog.entities.map(\.code).prefix(16)
        for entity in entities { read(entity, snapshot) }
        for link in snapshot.catalog.links.prefix(8) {
            for entity in entities {
                for row in 0..<12 as Range<Row> {
                    _ = snapshot.members(of: ObjectKey(entity, row), through: link)
                    _ = snapshot.ownerCount(of: ObjectKey(entity, row), through: link)
                }
            }
        }
        for key in snapshot.catalog.references.prefix(8) {
            for row in 0..<20 as Range<Row> { _ = try? snapshot.sources(of: row, through: key) }
        }
        for declaration in snapshot.catalog.indexes.prefix(8) {
            _ = try? snapshot.rows(KeyRange(prefix: "J"), in: declaration, limit: limit)
            _ = try? snapshot.rows(KeyRange(from: nil, to: nil), in: declaration, limit: limit)
        }
        _ = try? CrashModel.isReadable(snapshot)
    }

    private static func read(_ entity: EntityCode, _ snapshot: LogSnapshot) {
        var count = 0
        snapshot.forEachLiveRow(entity) { row in
            if let record = try? snapshot.record(entity, row) {
                for field in record.layout.fields.indices { _ = try? record.value(at: field) }
                _ = record.changedFields
            }
            _ = snapshot.slot(entity, row)
            count += 1
            return count < limit
        }
        guard let layout = snapshot.catalog.newestLayout(of: entity), layout.chunkByteCount > 0 else { return }
        for index in 0..<min(snapshot.chunkCount(entity), 8) {
            guard let chunk = try? snapshot.chunk(entity, index) else { continue }
            // The last byte of what is promised to be there.
            _ = chunk.load(fromByteOffset: layout.chunkByteCount - 1, as: UInt8.self)
        }
    }

    /// A commit of what the store has layouts for.
    static func commit(_ snapshot: LogSnapshot, _ builder: inout CommitBuilder) {
        for layout in snapshot.catalog.layouts.prefix(8) {
            let row = min(snapshot.highestRow(layout.entity).map { $0 < .max - 1 ? $0 + 1 : $0 } ?? 0, .max - 2)
            builder.appendRecord(layout: layout, row: row, isInsert: true) { field in
                layout.fields[field].isOptional ? .null : layout.fields[field].kind == .string ? .string("x") : .int(1)
            }
        }
    }
}

extension CrashModel {
    /// Reads a snapshot of our own schema, as far as it has it and is no larger than we made it.
    static func isReadable(_ snapshot: LogSnapshot) throws(LogError) -> Bool {
        guard snapshot.highestRow(CrashSchema.joint) ?? 0 < 100, snapshot.highestRow(CrashSchema.line) ?? 0 < 100,
            snapshot.catalog.newestLayout(of: CrashSchema.joint) == CrashSchema.jointLayout, snapshot.catalog.links == [CrashSchema.members]
        else { return false }
        return CrashModel().difference(from: snapshot) == nil
    }
}
