/// Walks over the CBOR of a catalog without making a tree of it: each value is read or gone over where it stands.
///
/// What `CBOR.decode` refuses it refuses too, with the same bound on nesting, for going over a value looks at every head in it.
struct CatalogReader {
    private var reader: ByteReader
    private let depth: Int

    init(_ bytes: UnsafeRawBufferPointer) throws(CatalogError) {
        guard let base = bytes.baseAddress else { throw Self.truncated }
        self.init(ByteReader(base, to: bytes.count), depth: 0)
    }

    private init(_ reader: ByteReader, depth: Int) {
        self.reader = reader
        self.depth = depth
    }

    private static let truncated = CatalogError("its bytes end too early")
    private static let unsupported = CatalogError("it holds a value of a kind that no catalog has")
    private static let tooDeep = CatalogError("it is nested too deep")

    /// Throws where anything follows.
    func end() throws(CatalogError) {
        if !reader.isAtEnd { throw CatalogError("something follows it") }
    }

    private mutating func take<R>(_ body: (inout ByteReader) throws(ByteError) -> R) throws(CatalogError) -> R {
        do { return try body(&reader) } catch { throw Self.truncated }
    }

    /// The major type of the next value, which stays where it is; nil at the end.
    private var major: UInt8? { reader.isAtEnd ? nil : reader.pointer.load(as: UInt8.self) >> 5 }

    /// The first byte of a value and the number in its head; of a value of major type 7 the byte alone.
    private mutating func head() throws(CatalogError) -> (initial: UInt8, argument: UInt64) {
        let initial = try take { reader throws(ByteError) in try reader.byte() }
        if initial >> 5 == 7 { return (initial, 0) }
        switch initial & 0x1F {
        case let small where small < 24: return (initial, UInt64(small))
        case 24: return (initial, UInt64(try take { reader throws(ByteError) in try reader.byte() }))
        case 25: return (initial, UInt64(try take { reader throws(ByteError) in try reader.integer(UInt16.self) }.byteSwapped))
        case 26: return (initial, UInt64(try take { reader throws(ByteError) in try reader.integer(UInt32.self) }.byteSwapped))
        case 27: return (initial, try take { reader throws(ByteError) in try reader.integer(UInt64.self) }.byteSwapped)
        default: throw Self.unsupported
        }
    }

    /// A length that cannot exceed the bytes left, each element taking at least `minimum` of them.
    private func length(_ argument: UInt64, minimum: Int) throws(CatalogError) -> Int {
        guard let count = Int(exactly: argument), count <= reader.remaining / minimum else { throw Self.truncated }
        return count
    }

    private mutating func contents(_ argument: UInt64) throws(CatalogError) -> UnsafeRawBufferPointer {
        let count = try length(argument, minimum: 1)
        return try take { reader throws(ByteError) in try reader.bytes(count) }
    }

    // MARK: Values

    /// Goes over the next value.
    mutating func skip() throws(CatalogError) { try skip(depth: depth) }

    private mutating func skip(depth: Int) throws(CatalogError) {
        guard depth < CBOR.depthLimit else { throw Self.tooDeep }
        let (initial, argument) = try head()
        switch initial >> 5 {
        case 0, 1:
            if Int64(exactly: argument) == nil { throw Self.unsupported }
        case 2, 3: _ = try contents(argument)
        case 4: for _ in 0..<(try length(argument, minimum: 1)) { try skip(depth: depth + 1) }
        case 5:
            for _ in 0..<(try length(argument, minimum: 2)) {
                guard major == 3 else { throw Self.unsupported }
                try skip(depth: depth + 1)
                try skip(depth: depth + 1)
            }
        default:
            switch initial {
            case 0xF4...0xF6: break
            case 0xFB: try take { reader throws(ByteError) in try reader.skip(8) }
            default: throw Self.unsupported
            }
        }
    }

    /// The bytes of the next value, encoded as they stand.
    mutating func encodedValue() throws(CatalogError) -> [UInt8] {
        let start = reader.pointer
        let place = reader.position
        try skip()
        return Array(UnsafeRawBufferPointer(start: start, count: reader.position - place))
    }

    /// The next value where it is an integer; goes over any other and answers nil.
    mutating func int() throws(CatalogError) -> Int64? {
        guard let major, major < 2 else {
            try skip()
            return nil
        }
        guard let value = Int64(exactly: try head().argument) else { throw Self.unsupported }
        return major == 0 ? value : ~value
    }

    /// The next value where it is true or false; goes over any other and answers nil.
    mutating func bool() throws(CatalogError) -> Bool? {
        let first = reader.isAtEnd ? 0 : reader.pointer.load(as: UInt8.self)
        try skip()
        return first == 0xF5 ? true : first == 0xF4 ? false : nil
    }

    /// The next value where it is a string of bytes; goes over any other and answers nil.
    mutating func bytes() throws(CatalogError) -> [UInt8]? {
        guard major == 2 else {
            try skip()
            return nil
        }
        return Array(try contents(try head().argument))
    }

    /// The next value where it is a text; goes over any other and answers nil.
    mutating func string() throws(CatalogError) -> String? {
        guard major == 3 else {
            try skip()
            return nil
        }
        let bytes = try contents(try head().argument)
        // Most are short, and made in place.
        return String(unsafeUninitializedCapacity: bytes.count) { $0.initialize(fromContentsOf: bytes) }
    }

    /// A number that must be there, and fit.
    mutating func number<T: FixedWidthInteger>(_ key: String) throws(CatalogError) -> T {
        guard let value = try int(), let number = T(exactly: value) else {
            throw CatalogError("'\(key)' is no number of \(T.bitWidth) bits")
        }
        return number
    }

    /// A text that must be there.
    mutating func text(_ key: String) throws(CatalogError) -> String {
        guard let value = try string() else { throw CatalogError("'\(key)' is no text") }
        return value
    }

    /// What each element of a list, which must be there, is made into.
    mutating func list<T>(_ key: String, _ body: (inout CatalogReader) throws(CatalogError) -> T) throws(CatalogError) -> [T] {
        guard major == 4, depth < CBOR.depthLimit else { throw CatalogError("'\(key)' is no list") }
        let count = try length(try head().argument, minimum: 1)
        var inner = CatalogReader(reader, depth: depth + 1)
        var result: [T] = []
        result.reserveCapacity(min(count, 1024))
        for _ in 0..<count { result.append(try body(&inner)) }
        reader = inner.reader
        return result
    }

    /// Hands over each key of a map, which must be there, and the reader before the value that follows it: `body` reads that or goes over it.
    mutating func map(_ what: String, _ body: (String, inout CatalogReader) throws(CatalogError) -> Void) throws(CatalogError) {
        guard major == 5, depth < CBOR.depthLimit else { throw CatalogError("\(what) is no map") }
        let count = try length(try head().argument, minimum: 2)
        var inner = CatalogReader(reader, depth: depth + 1)
        for _ in 0..<count {
            guard let key = try inner.string() else { throw Self.unsupported }
            try body(key, &inner)
        }
        reader = inner.reader
    }
}
