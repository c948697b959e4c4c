/// Growing memory into which frames are encoded. One owner, one thread at a time.
///
/// Manual memory because a frame is written by one pass of small stores, and an array's uniqueness and bounds checks on each of them
/// would cost more than the stores. Exclusivity is unchecked for the same reason; no two accesses to one buffer ever overlap, because it never
/// calls out.
package final class ByteBuffer {
    @exclusivity(unchecked) package private(set) var base: UnsafeMutableRawPointer
    @exclusivity(unchecked) package private(set) var count = 0
    @exclusivity(unchecked) private var capacity: Int

    package init(capacity: Int = 4096) {
        self.capacity = max(capacity, 64)
        base = .allocate(byteCount: self.capacity, alignment: 64)
    }

    deinit { base.deallocate() }

    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// Forgets the contents; keeps the memory unless it grew past `keep` bytes.
    package func reset(keeping keep: Int = 32 << 20) {
        count = 0
        if capacity > keep {
            base.deallocate()
            capacity = 4096
            base = .allocate(byteCount: capacity, alignment: 64)
        }
    }

    /// Gives each the other's contents and memory.
    func exchange(with other: ByteBuffer) {
        swap(&base, &other.base)
        swap(&count, &other.count)
        swap(&capacity, &other.capacity)
    }

    @inline(__always)
    package func reserve(_ extra: Int) {
        if capacity - count < extra { grow(extra) }
    }

    /// What a part of a long commit takes, with the entry that passes its limit. Of memory that is asked for and not yet written to there is only
    /// the address.
    private static let longByteCount = Format.partByteCount + Format.partByteCount / 8

    /// Grows to twice the size; what is past a megabyte goes on to the size of a part at once, for on the way there it would be copied four times,
    /// each time into memory that the system has to clear first.
    @inline(never)
    private func grow(_ extra: Int) {
        let doubled = capacity > 1 << 19 && capacity < Self.longByteCount ? Self.longByteCount : capacity * 2
        let larger = max(doubled, count + extra)
        let fresh = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 64)
        Platform.preferLargePages(fresh, larger)
        fresh.copyMemory(from: base, byteCount: count)
        base.deallocate()
        base = fresh
        capacity = larger
    }

    /// Counts what has been stored up to there, within what was reserved.
    @inline(__always)
    func advance(to count: Int) { self.count = count }

    @inline(__always)
    package func append(_ byte: UInt8) {
        reserve(1)
        base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    @inline(__always)
    package func appendVarint(_ value: UInt64) {
        reserve(10)
        var rest = value
        while rest >= 0x80 {
            base.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: count, as: UInt8.self)
            count += 1
            rest >>= 7
        }
        base.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: count, as: UInt8.self)
        count += 1
    }

    @inline(__always)
    package func append<T: FixedWidthInteger & BitwiseCopyable>(_ value: T) {
        let size = MemoryLayout<T>.size
        reserve(size)
        base.storeBytes(of: value.littleEndian, toByteOffset: count, as: T.self)
        count += size
    }

    /// The lowest `size` bytes of `value`, lowest first.
    @inline(__always)
    package func append(_ value: UInt64, size: Int) {
        reserve(8)
        base.storeBytes(of: value.littleEndian, toByteOffset: count, as: UInt64.self)
        count += size
    }

    package func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, bytes.count > 0 else { return }
        reserve(bytes.count)
        (base + count).copyMemory(from: start, byteCount: bytes.count)
        count += bytes.count
    }

    package func append(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            appendVarint(UInt64(utf8.count))
            append(UnsafeRawBufferPointer(utf8))
        }
    }

    @inline(__always)
    package func appendZeros(_ number: Int) {
        guard number > 8 else {
            reserve(8)
            base.storeBytes(of: 0, toByteOffset: count, as: UInt64.self)
            count += max(number, 0)
            return
        }
        appendManyZeros(number)
    }

    @inline(never)
    private func appendManyZeros(_ number: Int) {
        reserve(number)
        (base + count).initializeMemory(as: UInt8.self, repeating: 0, count: number)
        count += number
    }

    /// Opens a gap of `size` bytes at `offset`, moving what follows.
    package func insertGap(at offset: Int, size: Int) {
        reserve(size)
        (base + offset + size).copyMemory(from: base + offset, byteCount: count - offset)
        count += size
    }

    /// Forgets the first bytes, moving the others to the front.
    func removeFirst(_ number: Int) {
        base.copyMemory(from: base + number, byteCount: count - number)
        count -= number
    }

    package func truncate(to length: Int) { count = min(count, length) }

    package func set<T: FixedWidthInteger & BitwiseCopyable>(_ value: T, at offset: Int) {
        base.storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
    }

    package static func varintSize(_ value: UInt64) -> Int { max(1, (70 - value.leadingZeroBitCount) / 7) }
}
