/// The records of a compressed section, decompressed: all of them, or those up to some place. Immutable, and alive as long as anyone holds it.
///
///     section:  kind u8 | length u32 | varint byte count of the records | LZ4 block
///
/// Unchecked because of the pointer to its bytes, which are its own and never change after `init`.
final class RecordBlock: @unchecked Sendable {
    /// Where the section begins in the file: its kind byte.
    let sectionOffset: UInt64
    let base: UnsafeRawPointer
    /// How many bytes are here; of a part, the last record may be cut.
    let count: Int
    let isWhole: Bool

    /// Decompresses what stands behind a section's kind and length, or only its first bytes, which takes as much less time. A claim of more than
    /// a block may hold, or than LZ4 could make of the bytes, is refused before anything is allocated.
    init(_ contents: ByteReader, sectionOffset: UInt64, upTo limit: Int = .max) throws(ByteError) {
        var reader = contents
        let claim = try reader.count(atMost: Format.recordBlockLimit)
        let packed = try reader.bytes(reader.remaining)
        guard claim > 0, claim <= packed.count * 255 else { throw .outOfRange }
        let count = min(claim, limit)
        isWhole = count == claim
        let memory = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
        do throws(ByteError) {
            try Compression.decompress(packed, into: memory, count: count, isPart: !isWhole)
        } catch {
            memory.deallocate()
            throw error
        }
        self.sectionOffset = sectionOffset
        self.count = count
        base = UnsafeRawPointer(memory)
    }

    deinit { base.deallocate() }

    var reader: ByteReader { ByteReader(base, to: count) }
}
