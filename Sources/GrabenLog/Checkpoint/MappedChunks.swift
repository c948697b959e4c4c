internal import Synchronization

/// The chunks of one entity as an index file lists them; each becomes a handle when it is first asked for.
///
///     entry:  place u64 (0: none; bit 0 clear: an offset of the log, set: of the index file) | layout u32 | slots in use u32
///
/// Unchecked because of the pointer to its words, which are atomic; a handle is made under `making`, put there once and never taken out.
final class MappedChunks: @unchecked Sendable {
    private let file: IndexFile
    private let table: IndexRoot.Table
    private let entity: EntityCode
    private let checkpoint: Checkpoint
    /// Retained handles, 0 where there is none yet.
    private let handles: UnsafeMutablePointer<Atomic<UInt>>
    private let making = Mutex(())

    init(file: IndexFile, entity: IndexRoot.Entity, checkpoint: Checkpoint) {
        self.file = file
        table = entity.chunks
        self.entity = entity.code
        self.checkpoint = checkpoint
        handles = zeroedWords(table.count)
    }

    deinit {
        for index in 0..<table.count {
            if let handle = UnsafeRawPointer(bitPattern: handles[index].load(ordering: .acquiring)) {
                Unmanaged<ChunkHandle>.fromOpaque(handle).release()
            }
        }
        freeWords(handles)
    }

    /// A chunk, its bytes checked; nil where there is none. Throws when neither the index nor the log has it whole.
    func chunk(_ index: Int) throws(LogError) -> ChunkHandle? {
        guard index >= 0, index < table.count else { return nil }
        if let known = known(index) { return known }
        guard let fresh = try make(index) else { return nil }
        return making.withLock { _ in
            // Everyone must get the same handle, for it keeps what was made of the chunk for later layouts.
            if let known = known(index) { return known }
            handles[index].store(UInt(bitPattern: Unmanaged.passRetained(fresh).toOpaque()), ordering: .releasing)
            return fresh
        }
    }

    private func known(_ index: Int) -> ChunkHandle? {
        UnsafeRawPointer(bitPattern: handles[index].load(ordering: .acquiring)).map {
            Unmanaged<ChunkHandle>.fromOpaque($0).takeUnretainedValue()
        }
    }

    var count: Int { table.count }

    /// What the index says of a chunk.
    enum Entry {
        case none
        case inLog(UInt64, RecordLayout, usedSlots: Int)
        case inIndex(UnsafeRawPointer, RecordLayout, usedSlots: Int)
        case bad
    }

    func entry(_ index: Int) -> Entry {
        guard index >= 0, index < table.count else { return .none }
        guard let entry = file.bytes(table.offset + index * 16, 16) else { return .bad }
        let place = UInt64(littleEndian: entry.loadUnaligned(as: UInt64.self))
        let number = UInt32(littleEndian: entry.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        let used = Int(UInt32(littleEndian: entry.loadUnaligned(fromByteOffset: 12, as: UInt32.self)))
        if place == 0 { return .none }
        guard let layout = checkpoint.table[number], layout.entity == entity, layout.chunkByteCount > 0, used <= slotsPerChunk,
            (place & ~1) % 64 == 0, place < 1 << 56
        else {
            file.distrust()
            return .bad
        }
        if place & 1 == 0 { return .inLog(place, layout, usedSlots: used) }
        guard let bytes = file.bytes(Int(place & ~1), layout.chunkByteCount) else { return .bad }
        return .inIndex(bytes, layout, usedSlots: used)
    }

    private func make(_ index: Int) throws(LogError) -> ChunkHandle? {
        switch entry(index) {
        case .none: return nil
        case .inLog(let place, let layout, let used):
            if let bytes = try checkpoint.log.bytes(place, layout.chunkByteCount) {
                return ChunkHandle(mapped: bytes, at: place, layout: layout, usedSlots: used)
            }
            file.distrust()
            return try fromLog(index)
        case .inIndex(let bytes, let layout, let used): return ChunkHandle(mapped: bytes, at: 0, layout: layout, usedSlots: used)
        case .bad: return try fromLog(index)
        }
    }

    private func fromLog(_ index: Int) throws(LogError) -> ChunkHandle? {
        let chunk = try checkpoint.rebuilt(entity)?.chunk(index)
        if let failure = checkpoint.failure { throw failure }
        return chunk
    }
}
