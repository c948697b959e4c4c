/// An index file that is changed and whose checksums are made anew.
struct FuzzIndex {
    var header: [UInt8]
    var payload: [UInt8]

    init(_ bytes: [UInt8]) {
        header = Array(bytes.prefix(4_096))
        let length = Int(clamping: bytes.u64(88))
        payload = Array(bytes.dropFirst(4_096).prefix(length))
    }

    /// The offset of the root in the payload.
    private var root: Int { Int(clamping: header.u64(96)) - 4_096 }

    func assembled() -> [UInt8] {
        func table(_ bytes: [UInt8]) -> [UInt8] {
            var table: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: 16_384) {
                table += [0, 0, 0, 0]
                table.put(FuzzLog.checksum(bytes[start..<min(bytes.count, start + 16_384)]), at: table.count - 4)
            }
            return table
        }
        let first = table(payload)
        let second = table(first)
        let padding = [UInt8](repeating: 0, count: (8 - payload.count % 8) % 8)
        var header = header
        header.put(UInt64(4_096 + payload.count + padding.count + first.count + second.count), at: 80)
        header.put(UInt64(payload.count), at: 88)
        header.put(FuzzLog.checksum((header[..<4_092] + second)[...]), at: 4_092)
        return header + payload + padding + first + second
    }

    mutating func change(_ script: inout FuzzScript) {
        let size = payload.count
        let inRoot = max(0, min(root, size)) + script.below(max(1, min(size, size - root)))
        switch script.byte() % 10 {
        case 0: if size > 0 { payload[script.below(size)] = script.byte() }
        case 1: payload.put(script.number(), at: script.below(size) / 8 * 8)
        case 2: payload.put(UInt32(truncatingIfNeeded: script.number()), at: script.below(size) / 4 * 4)
        case 3, 4: if inRoot < size { payload[inRoot] = script.byte() }
        case 5, 6:
            let place = min(inRoot, size)
            let end = min(size, place + Int(script.byte() % 8))
            payload.replaceSubrange(place..<end, with: script.piece())
        case 7: payload.removeLast(script.below(size + 1))
        case 8: header.put(script.number(), at: [32, 48, 56, 64, 96, 104][script.below(6)])
        default: header.put(UInt64(4_096 + script.below(size)), at: 96)
        }
    }
}
