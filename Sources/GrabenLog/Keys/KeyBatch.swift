/// Keys that are looked up together, one behind the other, each with the place where its answer goes.
struct KeyBatch {
    /// So many that the memory of each is there when its turn comes, and so few that none is driven out again.
    static let capacity = 32

    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    private(set) var places: [Int] = []

    var count: Int { ends.count }
    var isFull: Bool { count >= Self.capacity }

    /// Adds the key of a value, but not where that says too little of it; answers whether it did.
    mutating func append(_ value: StoredValue, place: Int) -> Bool {
        let start = bytes.count
        if KeyCoding.append(value, to: &bytes) {
            bytes.removeSubrange(start...)
            return false
        }
        ends.append(bytes.count)
        places.append(place)
        return true
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    /// Calls `body` with the keys.
    func forEach<E: Error>(_ body: (_ index: Int, UnsafeRawBufferPointer) throws(E) -> Void) throws(E) {
        let result: Result<Void, E> = bytes.withUnsafeBytes { raw in
            Result { () throws(E) in
                var start = 0
                for index in ends.indices {
                    try body(index, UnsafeRawBufferPointer(rebasing: raw[start..<ends[index]]))
                    start = ends[index]
                }
            }
        }
        try result.get()
    }
}
