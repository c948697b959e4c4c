/// Where a record is, in the one word that the row index has for it.
///
///     by itself:   0 | offset of the record in the file, 63 bits
///     in a block:  1 | offset of the block's section, 49 bits | place among the bytes the block holds, 14 bits
///
/// A word that is 0 says that there is no record. Words of the records of one block differ in their low bits only, and those of neighbouring blocks
/// by 16,384 times the distance of the blocks, so 512 rows whose blocks span less than 256 KB of the file still fit a narrow page of the index.
struct RecordAddress: CustomStringConvertible {
    static let placeBits: UInt64 = 14
    private static let blockBit: UInt64 = 1 << 63
    /// Sections of blocks begin before this offset, half a petabyte; a writer leaves records behind it uncompressed.
    static let sectionLimit: UInt64 = 1 << 49

    let word: UInt64

    @inline(__always) init(_ word: UInt64) { self.word = word }

    /// The word of the first byte of a block; adding a place to it gives the word of the record there.
    static func wordOfBlock(at sectionOffset: UInt64) throws(ByteError) -> UInt64 {
        guard sectionOffset < sectionLimit else { throw .outOfRange }
        return blockBit | sectionOffset << placeBits
    }

    @inline(__always) var isInBlock: Bool { word & Self.blockBit != 0 }
    /// The block's section; only for a record in one.
    var sectionOffset: UInt64 { (word & ~Self.blockBit) >> Self.placeBits }
    var place: Int { Int(word & (1 << Self.placeBits - 1)) }
    /// Where in the file the record is, or the section of its block.
    var fileOffset: UInt64 { isInBlock ? sectionOffset : word }
    var description: String { isInBlock ? "place \(place) of the block at byte \(sectionOffset)" : "byte \(word)" }
}
