internal import Synchronization

/// A chunk as a commit will leave it, which whoever makes the commit has in memory already: a copy of the newest snapshot's chunk with the
/// commit's values in it.
///
/// Unchecked because of the addresses: nobody changes the bytes before the commit has returned, and then only where the commit's snapshot does
/// not have them.
struct ReadyChunk: @unchecked Sendable {
    /// The chunk it was copied from.
    let base: UnsafeRawPointer
    let data: UnsafeMutableRawPointer
    /// Keeps the bytes at `data`; they are given back with its last reference, by whichever thread that is.
    let keeper: AnyObject
}

/// The chunks that a commit has ready. One thread puts them in while another may be applying a part.
final class ReadyChunks: Sendable {
    private let chunks = Mutex<[UInt64: ReadyChunk]>([:])

    private static func key(_ entity: EntityCode, _ index: Int) -> UInt64 { UInt64(entity) << 48 | UInt64(index) }

    func add(_ chunk: ReadyChunk, _ entity: EntityCode, _ index: Int) { chunks.withLock { $0[Self.key(entity, index)] = chunk } }

    func chunk(_ entity: EntityCode, _ index: Int) -> ReadyChunk? { chunks.withLock { $0[Self.key(entity, index)] } }
}
