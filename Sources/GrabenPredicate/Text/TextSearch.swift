/// Comparisons of strings by their bytes in UTF-8, whose order is that of the Unicode scalars (D5).
///
/// Swift's own `==` and `hasPrefix` take canonically equivalent strings for equal and must not be used here.
enum TextSearch {
    /// The bytes of a string; contiguous in every native string, copied otherwise.
    @inline(__always)
    static func bytes<Result>(_ text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = text.utf8.withContiguousStorageIfAvailable(body) { return result }
        return Array(text.utf8).withUnsafeBufferPointer(body)
    }

    static func equal(_ a: String, _ b: String) -> Bool {
        bytes(a) { x in bytes(b) { y in x.count == y.count && x.elementsEqual(y) } }
    }

    static func order(_ a: String, _ b: String) -> Int {
        bytes(a) { x in
            bytes(b) { y in
                let shared = min(x.count, y.count)
                var place = 0
                while place < shared, x[place] == y[place] { place += 1 }
                if place < shared { return x[place] < y[place] ? -1 : 1 }
                return x.count == y.count ? 0 : x.count < y.count ? -1 : 1
            }
        }
    }

    static func begins(_ text: String, with prefix: String) -> Bool {
        bytes(text) { x in bytes(prefix) { y in x.count >= y.count && x.prefix(y.count).elementsEqual(y) } }
    }

    static func ends(_ text: String, with suffix: String) -> Bool {
        bytes(text) { x in bytes(suffix) { y in x.count >= y.count && x.suffix(y.count).elementsEqual(y) } }
    }

    /// Whether the needle is a part of the text; the empty one always is (D7).
    static func contains(_ text: String, _ needle: String) -> Bool {
        bytes(text) { x in bytes(needle) { y in ByteSearch.find(y, in: x) != nil } }
    }
}

/// A string that hashes and compares by its bytes.
struct ByteString: Hashable {
    let text: String
    static func == (a: ByteString, b: ByteString) -> Bool { TextSearch.equal(a.text, b.text) }
    func hash(into hasher: inout Hasher) {
        TextSearch.bytes(text) { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
