extension String {
    /// How many columns of a terminal the text takes, as far as that can be known: East Asian wide characters and emoji take two.
    package var displayWidth: Int {
        if utf8.count == unicodeScalars.count { return utf8.count }
        return reduce(0) { $0 + $1.displayWidth }
    }

    /// The text, or as much of it as fits before an ellipsis.
    package func cut(to width: Int) -> String {
        guard displayWidth > width else { return self }
        var text = ""
        var used = 1
        for character in self {
            used += character.displayWidth
            if used > width { break }
            text.append(character)
        }
        return text + "…"
    }
}

extension Character {
    fileprivate var displayWidth: Int {
        guard let scalar = unicodeScalars.first else { return 0 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return scalar.properties.generalCategory == .nonspacingMark ? 0 : 1
        }
    }
}
