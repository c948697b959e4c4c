internal import CGraben

/// A log taken apart into frames, to be changed and put together again with checksums that fit.
struct FuzzLog {
    struct Frame {
        /// As it stands in the file; length, offset and checksum are made anew.
        var header: [UInt8]
        var payload: [UInt8]
    }

    var page: [UInt8]
    var frames: [Frame] = []

    init(page: [UInt8], frames: [Frame]) { (self.page, self.frames) = (page, frames) }

    init(_ bytes: [UInt8]) {
        page = Array(bytes.prefix(4_096))
        var offset = 4_096
        while offset + 64 <= bytes.count, bytes.u32(offset) == 0x4D52_4647 {
            let length = Int(bytes.u32(offset + 24))
            guard offset + 64 + length <= bytes.count else { break }
            frames.append(Frame(header: Array(bytes[offset..<offset + 64]), payload: Array(bytes[offset + 64..<offset + 64 + length])))
            offset += Self.length(length)
        }
    }

    private static func blocks(_ payload: Int) -> Int { (payload + 16_383) / 16_384 }
    private static func length(_ payload: Int) -> Int { 64 + (payload + 7) / 8 * 8 + (blocks(payload) * 4 + 7) / 8 * 8 }

    /// The file. Headers say what they said, but for what follows from the frame's place and payload; every checksum is right.
    func assembled() -> [UInt8] {
        var bytes = page
        bytes.put(Self.checksum(bytes[..<4_092]), at: 4_092)
        for frame in frames {
            let start = bytes.count
            var header = frame.header
            header.put(UInt64(start), at: 16)
            header.put(UInt32(frame.payload.count), at: 24)
            var table: [UInt8] = []
            for block in 0..<Self.blocks(frame.payload.count) {
                let end = min(frame.payload.count, (block + 1) * 16_384)
                table += [0, 0, 0, 0]
                table.put(Self.checksum(frame.payload[(block * 16_384)..<end]), at: table.count - 4)
            }
            header.put(Self.checksum((header[..<60] + table)[...]), at: 60)
            bytes += header + frame.payload
            bytes += [UInt8](repeating: 0, count: (8 - frame.payload.count % 8) % 8)
            bytes += table
            bytes += [UInt8](repeating: 0, count: start + Self.length(frame.payload.count) - bytes.count)
        }
        return bytes
    }

    static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.withUnsafeBytes { graben_crc32c(0, $0.baseAddress, $0.count) }
    }

    /// Changes something as the script says.
    mutating func change(_ script: inout FuzzScript) {
        guard !frames.isEmpty else { return }
        let number = script.below(frames.count)
        let size = frames[number].payload.count
        switch script.byte() % 14 {
        case 0, 1: if size > 0 { frames[number].payload[script.below(size)] = script.byte() }
        case 2: frames[number].payload.put(UInt32(truncatingIfNeeded: script.number()), at: script.below(size))
        case 3: frames[number].payload.put(script.number(), at: script.below(size))
        case 4, 5:
            let place = script.below(size + 1)
            let end = min(size, place + Int(script.byte() % 16))
            frames[number].payload.replaceSubrange(place..<end, with: script.piece())
        case 6:
            // A part of another frame, or of this one again.
            let other = frames[script.below(frames.count)].payload
            let start = script.below(other.count + 1)
            let end = min(other.count, start + script.below(4_096))
            let place = script.below(size + 1)
            if size < 1 << 18 { frames[number].payload.insert(contentsOf: other[start..<end], at: place) }
        case 7: frames[number].payload.removeLast(script.below(size + 1))
        case 8: if frames.count < 64 { frames.insert(frames[script.below(frames.count)], at: number) }
        case 9: frames.remove(at: number)
        case 10: frames.swapAt(number, script.below(frames.count))
        case 11:
            // Kind, flags, metadata's place, commit, part, durable end.
            let (place, width) = [(4, 1), (5, 1), (28, 4), (32, 8), (40, 4), (48, 8)][script.below(6)]
            let value = script.number()
            switch width {
            case 1: frames[number].header.put(UInt8(truncatingIfNeeded: value), at: place)
            case 4: frames[number].header.put(UInt32(truncatingIfNeeded: value), at: place)
            default: frames[number].header.put(value, at: place)
            }
        case 12: page.put(script.number(), at: [8, 12, 32, 48, 56][script.below(5)])
        default:
            // The length of a section, which the first five bytes of a payload are of the first one.
            frames[number].payload.put(UInt32(truncatingIfNeeded: script.number()), at: 1)
        }
    }
}
