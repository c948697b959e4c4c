/// A part of the log all of whose blocks have been compared with their checksums, where records can be read without asking again.
struct CheckedWindow {
    var base: UnsafeRawPointer?
    var start: UInt64 = 0
    var end: UInt64 = 0
}

extension LogSnapshot {
    /// As `head(_:in:)`, for a scan that reads many records of one part of the file.
    @inline(__always)
    func head(_ word: UInt64, in block: inout RecordBlock?, _ window: inout CheckedWindow) throws(LogError) -> RecordHead {
        if let base = window.base, word >= window.start, word < window.end {
            var reader = ByteReader(base + Int(word - window.start), to: Int(window.end - word))
            // A record that ends behind the window is read the long way.
            if let head = try? RecordHead(&reader) { return head }
        }
        return try headOutside(word, in: &block, &window)
    }

    @inline(never)
    private func headOutside(_ word: UInt64, in block: inout RecordBlock?, _ window: inout CheckedWindow) throws(LogError) -> RecordHead {
        let head = try self.head(word, in: &block)
        if !RecordAddress(word).isInBlock { window = checkedWindow(around: word) }
        return head
    }

    /// The unit of a record that has been read, or all that needs no check where that is where it lies.
    private func checkedWindow(around offset: UInt64) -> CheckedWindow {
        var range = checkpoint.map { max($0.durableEnd, 0) }.map { $0..<endOffset } ?? 0..<endOffset
        if offset < range.lowerBound {
            let unit = LogBlocks.unit(of: offset)
            range = unit.lowerBound..<min(unit.upperBound, range.lowerBound)
        }
        guard let region = region(offset, 1) else { return CheckedWindow() }
        let start = max(range.lowerBound, region.fileOffset)
        let end = min(range.upperBound, region.fileOffset + UInt64(region.length))
        guard start <= offset, offset < end else { return CheckedWindow() }
        return CheckedWindow(base: region.base + Int(start - region.fileOffset), start: start, end: end)
    }
}
