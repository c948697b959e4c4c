/// Folds strings for comparisons with `[c]` and `[d]` (D6), the same in every locale.
///
/// `c` is full case folding: what the standard library's lowercase mapping lacks of it comes from a table. `d` decomposes and drops
/// non-spacing marks. Either way the result is composed again, so that two normal forms of a text fold alike.
///
/// The standard library normalises inside its own `==`, but offers the forms only under an underscore that a new toolchain may take away;
/// hence the table, checked in the tests against that `==`.
package enum TextFolding {
    package static func fold(_ text: String, _ options: PredicateStringOptions) -> String {
        let folding = options.folding
        if folding.isEmpty { return text }
        if let ascii = foldASCII(text, folding) { return ascii }
        var scalars: [Unicode.Scalar] = []
        scalars.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars { decompose(scalar, into: &scalars) }
        order(&scalars)
        if folding.contains(.caseInsensitive) {
            // After decomposing: the iota below of "ᾳ" is a mark that folds to a letter, wherever it stood among the marks.
            let unfolded = scalars
            scalars.removeAll(keepingCapacity: true)
            for scalar in unfolded {
                for folded in foldCase(scalar) { decompose(folded, into: &scalars) }
            }
            order(&scalars)
        }
        if folding.contains(.diacriticInsensitive) {
            scalars.removeAll { $0.properties.generalCategory == .nonspacingMark }
        }
        compose(&scalars)
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    /// The folding of a text in ASCII, or nil.
    private static func foldASCII(_ text: String, _ folding: PredicateStringOptions) -> String? {
        var isASCII = true
        var hasUpper = false
        for byte in text.utf8 {
            if byte >= 0x80 {
                isASCII = false
                break
            }
            if byte >= 0x41, byte <= 0x5A { hasUpper = true }
        }
        guard isASCII else { return nil }
        return hasUpper && folding.contains(.caseInsensitive) ? asciiLowercased(text) : text
    }

    // MARK: Case

    private static func foldCase(_ scalar: Unicode.Scalar) -> String.UnicodeScalarView {
        let table = UnicodeTables.foldings
        if let row = find(scalar.value, in: table, width: 4) {
            var view = String.UnicodeScalarView()
            for place in 1...3 {
                if table[row + place] != 0, let part = Unicode.Scalar(table[row + place]) { view.append(part) }
            }
            return view
        }
        return scalar.properties.lowercaseMapping.unicodeScalars
    }

    // MARK: Normal forms

    // Hangul syllables are composed by rule (Unicode Standard, section 3.12).
    private static let syllables: UInt32 = 0xAC00, leads: UInt32 = 0x1100, vowels: UInt32 = 0x1161, trails: UInt32 = 0x11A7
    private static let vowelCount: UInt32 = 21, trailCount: UInt32 = 28, syllableCount: UInt32 = 11_172, leadCount: UInt32 = 19

    static func decompose(_ scalar: Unicode.Scalar, into scalars: inout [Unicode.Scalar]) {
        let code = scalar.value
        // Nothing before À decomposes.
        if code < 0xC0 { return scalars.append(scalar) }
        if code >= syllables, code < syllables + syllableCount {
            let place = code - syllables
            let parts = [leads + place / (vowelCount * trailCount), vowels + place / trailCount % vowelCount, trails + place % trailCount]
            for part in parts where part != trails {
                if let scalar = Unicode.Scalar(part) { scalars.append(scalar) }
            }
            return
        }
        let table = UnicodeTables.decompositions
        guard let row = find(code, in: table, width: 3), let first = Unicode.Scalar(table[row + 1] & 0x7FFF_FFFF) else {
            return scalars.append(scalar)
        }
        decompose(first, into: &scalars)
        if table[row + 2] != 0, let second = Unicode.Scalar(table[row + 2]) { decompose(second, into: &scalars) }
    }

    /// Puts runs of combining marks into canonical order.
    static func order(_ scalars: inout [Unicode.Scalar]) {
        var place = 0
        while place < scalars.count {
            guard combiningClass(scalars[place]) != 0 else {
                place += 1
                continue
            }
            var end = place + 1
            while end < scalars.count, combiningClass(scalars[end]) != 0 { end += 1 }
            if end - place > 1 {
                let run = scalars[place..<end].enumerated().map { (combiningClass($0.element), $0.offset, $0.element) }
                scalars.replaceSubrange(place..<end, with: run.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2))
            }
            place = end
        }
    }

    /// Composes scalars in canonical order.
    static func compose(_ scalars: inout [Unicode.Scalar]) {
        var result: [Unicode.Scalar] = []
        result.reserveCapacity(scalars.count)
        var starter: Int?
        // The class of the mark before, where it was kept: another of that class or above is blocked from the starter.
        var kept: UInt8 = 0
        for scalar in scalars {
            let mark = combiningClass(scalar)
            if let starter, kept < mark || (kept == 0 && starter == result.count - 1), let composed = pair(result[starter], scalar) {
                result[starter] = composed
                continue
            }
            if mark == 0 {
                starter = result.count
                kept = 0
            } else {
                kept = mark
            }
            result.append(scalar)
        }
        scalars = result
    }

    private static func pair(_ a: Unicode.Scalar, _ b: Unicode.Scalar) -> Unicode.Scalar? {
        let x = a.value
        let y = b.value
        if x >= leads, x < leads + leadCount, y >= vowels, y < vowels + vowelCount {
            return Unicode.Scalar(syllables + ((x - leads) * vowelCount + (y - vowels)) * trailCount)
        }
        if x >= syllables, x < syllables + syllableCount, (x - syllables) % trailCount == 0, y > trails, y < trails + trailCount {
            return Unicode.Scalar(x + y - trails)
        }
        return compositions[UInt64(x) << 32 | UInt64(y)]
    }

    private static let compositions: [UInt64: Unicode.Scalar] = {
        var pairs: [UInt64: Unicode.Scalar] = [:]
        let table = UnicodeTables.decompositions
        for row in stride(from: 0, to: table.count, by: 3) where table[row + 1] & 0x8000_0000 == 0 {
            pairs[UInt64(table[row + 1]) << 32 | UInt64(table[row + 2])] = Unicode.Scalar(table[row])
        }
        return pairs
    }()

    private static func combiningClass(_ scalar: Unicode.Scalar) -> UInt8 {
        scalar.value < 0x300 ? 0 : scalar.properties.canonicalCombiningClass.rawValue
    }

    private static func find(_ code: UInt32, in table: [UInt32], width: Int) -> Int? {
        var low = 0
        var high = table.count / width
        while low < high {
            let middle = (low + high) / 2
            let found = table[middle * width]
            if found == code { return middle * width }
            if found < code { low = middle + 1 } else { high = middle }
        }
        return nil
    }
}
