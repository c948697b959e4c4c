/// How much room what lives of an entity takes.
package struct EntitySize: Sendable, Equatable {
    /// Bytes of the newest records, as they are before any compression of blocks.
    package var records: UInt64 = 0
    /// Bytes of the columns of the rows that live.
    package var columns: UInt64 = 0

    package init() {}
}

extension LogSnapshot {
    /// How much room what lives of an entity takes. O(objects).
    package func size(of entity: EntityCode) throws(LogError) -> EntitySize {
        var size = EntitySize()
        guard let state = state(entity) else { return size }
        var block: RecordBlock?
        defer { withExtendedLifetime(block) {} }
        try state.records.forEach { (_, word) throws(LogError) -> Bool in
            let length = try head(UInt64(word), in: &block).reader.end
            size.records += UInt64(length + ByteBuffer.varintSize(UInt64(length)))
            return true
        }
        if let layout = table.newest(entity) {
            size.columns = UInt64(layout.chunkByteCount) * UInt64(state.liveCount) / UInt64(slotsPerChunk)
        }
        return size
    }
}

extension Log {
    /// About how many bytes a file would have that holds what lives and nothing else. O(objects).
    package func liveByteCount() throws(LogError) -> UInt64 { try newest.liveByteCount() }
}
