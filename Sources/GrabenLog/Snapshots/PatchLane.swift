/// The values of one lane, by row, where a patch or a chunk has them.
struct PatchLane {
    let name: String
    let width: LaneWidth
    let values: UnsafeRawPointer
    let validity: UnsafeRawPointer?

    @inline(__always)
    func isValid(_ index: Int) -> Bool {
        validity.map { $0.load(fromByteOffset: index >> 3, as: UInt8.self) >> UInt8(index & 7) & 1 != 0 } ?? true
    }

    @inline(__always)
    func bits(_ index: Int, as target: LaneWidth) -> UInt64 {
        switch (width, target) {
        case (.double, .double): return values.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
        case (.float, .float): return UInt64(values.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
        case (.double, .float):
            return UInt64(Float(Double(bitPattern: values.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))).bitPattern)
        case (.float, .double):
            return Double(Float(bitPattern: values.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))).bitPattern
        }
    }
}
