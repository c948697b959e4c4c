/// Goes through the sections of a frame's payload: kind u8, length u32, contents.
struct SectionCursor {
    private var reader: ByteReader

    init(_ payload: UnsafeRawPointer, from position: Int = 0, to end: Int) { reader = ByteReader(payload, from: position, to: end) }

    /// Where in the payload the next section begins, or what stopped the cursor stands.
    var position: Int { reader.position }

    /// The next section, its contents to be read from its reader; nil at the end.
    mutating func next() throws(ByteError) -> (kind: SectionKind, contents: ByteReader)? {
        guard !reader.isAtEnd else { return nil }
        guard let kind = SectionKind(rawValue: try reader.byte()) else { throw .invalid }
        let length = Int(try reader.integer(UInt32.self))
        guard length <= reader.remaining else { throw .truncated }
        let contents = ByteReader(reader.base, from: reader.position, to: reader.position + length)
        try reader.skip(length)
        return (kind, contents)
    }
}
