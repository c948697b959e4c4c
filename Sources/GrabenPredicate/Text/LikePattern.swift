/// A pattern of LIKE (D8): `*` any run, `?` one scalar, a backslash before either takes its meaning away.
///
/// Between two runs stands a segment, which is looked for from where the one before it ended: the first place is the right one, so nothing
/// is ever tried again. Without `?` inside, a segment is found in linear time; those with one have a limit.
struct LikePattern {
    private enum Piece {
        case bytes([UInt8])
        case scalars(Int)
    }
    /// What stands between the runs; at least one, and one more than there are runs.
    private var segments: [[Piece]] = [[]]

    /// A segment with `?` between its letters is compared at every place of the text, so its length counts.
    static let longestSegment = 1_000

    init(_ pattern: String) {
        var literal: [UInt8] = []
        var escaped = false
        var isBehindRun = false
        func end(_ segments: inout [[Piece]], _ literal: inout [UInt8]) {
            if !literal.isEmpty { segments[segments.count - 1].append(.bytes(literal)) }
            literal = []
        }
        for scalar in pattern.unicodeScalars {
            if escaped {
                literal.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
                escaped = false
            } else if scalar == "\\" {
                escaped = true
            } else if scalar == "*" {
                if !isBehindRun {
                    end(&segments, &literal)
                    segments.append([])
                }
                isBehindRun = true
                continue
            } else if scalar == "?" {
                end(&segments, &literal)
                if case .scalars(let count) = segments[segments.count - 1].last {
                    segments[segments.count - 1][segments[segments.count - 1].count - 1] = .scalars(count + 1)
                } else {
                    segments[segments.count - 1].append(.scalars(1))
                }
            } else {
                literal.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
            isBehindRun = false
        }
        // A backslash at the end has nothing to make literal but itself.
        if escaped { literal.append(UInt8(ascii: "\\")) }
        end(&segments, &literal)
    }

    /// Why matching could take long; nil where it cannot.
    var refusal: String? {
        for segment in segments.dropFirst().dropLast() {
            var pieces = 0
            var length = 0
            for case .bytes(let bytes) in segment {
                pieces += 1
                length += bytes.count
            }
            if pieces > 1, length > Self.longestSegment {
                return "a part of the pattern between two * that has ? inside is longer than \(Self.longestSegment) bytes"
            }
        }
        return nil
    }

    /// The text every match begins with.
    var literalPrefix: String {
        guard case .bytes(let bytes) = segments[0].first else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether the whole text fits.
    func matches(_ text: String) -> Bool { TextSearch.bytes(text) { matches($0) } }

    func matches(_ text: ByteSearch.Bytes) -> Bool {
        guard var place = end(of: segments[0][...], in: text, from: 0) else { return false }
        guard segments.count > 1 else { return place == text.count }
        for segment in segments.dropFirst().dropLast() {
            guard let next = find(segment[...], in: text, from: place) else { return false }
            place = next
        }
        guard let start = start(of: segments[segments.count - 1], before: text.count, in: text) else { return false }
        return start >= place
    }

    /// Where a segment that begins at a place ends; nil where it does not fit there.
    private func end(of segment: ArraySlice<Piece>, in text: ByteSearch.Bytes, from start: Int) -> Int? {
        var place = start
        for piece in segment {
            switch piece {
            case .bytes(let bytes):
                guard text.count - place >= bytes.count else { return nil }
                for byte in bytes {
                    if text[place] != byte { return nil }
                    place += 1
                }
            case .scalars(let count):
                for _ in 0..<count {
                    guard place < text.count else { return nil }
                    place += Self.width(text[place])
                }
            }
        }
        return place
    }

    /// Where a segment that ends at a place begins.
    private func start(of segment: [Piece], before end: Int, in text: ByteSearch.Bytes) -> Int? {
        var place = end
        for piece in segment.reversed() {
            switch piece {
            case .bytes(let bytes):
                guard place >= bytes.count else { return nil }
                place -= bytes.count
                for (offset, byte) in bytes.enumerated() where text[place + offset] != byte { return nil }
            case .scalars(let count):
                for _ in 0..<count {
                    guard place > 0 else { return nil }
                    place -= 1
                    while place > 0, text[place] & 0xC0 == 0x80 { place -= 1 }
                }
            }
        }
        return place
    }

    /// Where the first match of a segment at a place or behind it ends.
    private func find(_ segment: ArraySlice<Piece>, in text: ByteSearch.Bytes, from start: Int) -> Int? {
        var rest = segment
        var place = start
        // Any scalars at the beginning only move the place on.
        if case .scalars = rest.first {
            guard let behind = end(of: rest.prefix(1), in: text, from: place) else { return nil }
            place = behind
            rest = rest.dropFirst()
        }
        guard case .bytes(let first) = rest.first else { return place }
        rest = rest.dropFirst()
        return first.withUnsafeBufferPointer { first in
            while let found = ByteSearch.find(first, in: text, from: place) {
                if let end = end(of: rest, in: text, from: found + first.count) { return end }
                // Where only scalars are missing, further on there are fewer still.
                if rest.count == 1 { return nil }
                place = found + 1
            }
            return nil
        }
    }

    private static func width(_ lead: UInt8) -> Int { lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4 }
}
