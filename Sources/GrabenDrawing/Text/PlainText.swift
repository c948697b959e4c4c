/// Numbers as people read them.
package enum PlainText {
    /// A count with a comma every three digits.
    package static func grouped(_ number: some BinaryInteger) -> String {
        var text = ""
        let digits = "\(number)"
        for (place, digit) in digits.enumerated() {
            if place > 0, (digits.count - place) % 3 == 0, text != "-" { text += "," }
            text.append(digit)
        }
        return text
    }

    /// A number without the ".0" that says it is a fraction by type.
    package static func number(_ value: Double) -> String {
        let text = value.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// A number with two decimals. Takes any finite number: one of 1e15 and more has no decimals to show.
    package static func hundredths(_ value: Double) -> String {
        guard abs(value) < 1e15 else { return number(value) }
        let hundredths = Int((value * 100).rounded())
        let rest = abs(hundredths) % 100
        return "\(hundredths < 0 ? "-" : "")\(abs(hundredths) / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
