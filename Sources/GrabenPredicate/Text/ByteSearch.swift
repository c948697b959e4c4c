/// Finds bytes in bytes, in time linear in both, whatever they are.
enum ByteSearch {
    typealias Bytes = UnsafeBufferPointer<UInt8>

    /// Where the needle first begins at `start` or behind it; nil where it does not. The empty one is everywhere.
    static func find(_ needle: Bytes, in text: Bytes, from start: Int = 0) -> Int? {
        guard let first = needle.first else { return start }
        guard text.count - start >= needle.count else { return nil }
        var place = start
        let last = text.count - needle.count
        // Comparing at each place is fastest on any text but one that nearly matches everywhere; that one is left to the table.
        var patience = 4 * (text.count - start) + 64
        while place <= last {
            if text[place] == first {
                var matched = 1
                while matched < needle.count, text[place + matched] == needle[matched] { matched += 1 }
                if matched == needle.count { return place }
                patience -= matched
                if patience < 0 { return findByTable(needle, in: text, from: place + 1) }
            }
            place += 1
        }
        return nil
    }

    /// Knuth, Morris and Pratt: behind a mismatch the table says how much of the needle still fits, so the text is read once.
    private static func findByTable(_ needle: Bytes, in text: Bytes, from start: Int) -> Int? {
        // For each prefix the length of its longest proper border.
        var borders = [Int](repeating: 0, count: needle.count)
        var length = 0
        for place in 1..<Swift.max(1, needle.count) {
            while length > 0, needle[place] != needle[length] { length = borders[length - 1] }
            if needle[place] == needle[length] { length += 1 }
            borders[place] = length
        }
        length = 0
        for place in start..<Swift.max(start, text.count) {
            while length > 0, text[place] != needle[length] { length = borders[length - 1] }
            if text[place] == needle[length] { length += 1 }
            if length == needle.count { return place - length + 1 }
        }
        return nil
    }
}
