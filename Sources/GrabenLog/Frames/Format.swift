/// The constants of the file format; FileFormat.md says what each is for.
package enum Format {
    package static let version: UInt32 = 1
    package static let headerByteCount = 4096
    /// The PNG trick: a high bit, the name, both line ends, and the byte that stops a DOS listing.
    package static let fileMagic: [UInt8] = [0x89, 0x47, 0x52, 0x42, 0x0D, 0x0A, 0x1A, 0x0A]
    /// "GFRM", little-endian.
    package static let frameMagic: UInt32 = 0x4D52_4647
    package static let frameHeaderByteCount = 64
    package static let blockByteCount = 16 * 1024
    /// A part closes after the section entry that passes this many bytes.
    package static let partByteCount = 16 << 20
    package static let valueLimit = 1 << 30
    /// A larger payload cannot come from a writer: a part, one value, and the record around it.
    package static let payloadLimit = (1 << 30) + (64 << 20)
    package static let compressionThreshold = 1024
    /// The most bytes of records that one compressed block holds.
    package static let recordBlockLimit = 16 * 1024
    /// The kind and the length of a section.
    package static let sectionHeadByteCount = 5
    package static let fieldLimit = 4096
    package static let laneLimit = 256
    package static let highestRow: Row = .max - 1
    /// The longest list of rows in one patch; a writer starts another patch instead.
    package static let patchRowLimit = 1 << 16
}

/// The kinds of frames.
package enum FrameKind: UInt8, Sendable {
    case commit = 1
    case closeMarker = 2
}

/// The kinds of sections in a commit's payload.
enum SectionKind: UInt8 {
    case metadata = 1
    case catalog, records, patch, chunk, links, followers, recordBlock
}

/// The bits of a record's flag byte.
enum RecordFlags {
    static let insert: UInt8 = 1
    static let hasNulls: UInt8 = 2
    static let tombstone: UInt8 = 4
    static let known: UInt8 = 7
}
