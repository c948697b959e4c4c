/// Looks at many objects without counting a reference for each, which costs more than the look. The array holds them meanwhile.
extension Array where Element == ManagedObject {
    @inline(__always)
    func forEachBorrowed(_ body: (ManagedObject) -> Void) {
        withUnsafeBytes { bytes in
            for place in 0..<count {
                bytes.load(fromByteOffset: place * MemoryLayout<Unmanaged<ManagedObject>>.stride, as: Unmanaged<ManagedObject>.self)
                    ._withUnsafeGuaranteedRef(body)
            }
        }
    }

    /// Whether something holds of all of them.
    @inline(__always)
    func allBorrowed(_ holds: (ManagedObject) -> Bool) -> Bool {
        withUnsafeBytes { bytes in
            for place in 0..<count {
                let object = bytes.load(
                    fromByteOffset: place * MemoryLayout<Unmanaged<ManagedObject>>.stride, as: Unmanaged<ManagedObject>.self)
                guard object._withUnsafeGuaranteedRef(holds) else { return false }
            }
            return true
        }
    }

    /// Those of which something does not hold.
    @inline(__always)
    func unlessAll(_ holds: (ManagedObject) -> Bool) -> [ManagedObject] {
        allBorrowed(holds) ? [] : filter { !holds($0) }
    }
}
