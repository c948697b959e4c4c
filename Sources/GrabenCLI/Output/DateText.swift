/// Dates as ISO 8601 text in UTC, and back: seconds since the first instant of 2001, without a bit lost.
enum DateText {
    /// The text of a date; nil where no text of at most nine decimals leads back to the very same number.
    static func text(_ seconds: Double) -> String? {
        // The years 1 to 9999, between which a year has four digits.
        guard seconds >= -63_113_904_000, seconds < 252_423_993_600 else { return nil }
        let whole = seconds.rounded(.down)
        let base = calendar(Int(whole))
        if whole == seconds, seconds != 0 || seconds.sign == .plus { return base + "Z" }
        let fraction = seconds - whole
        for digits in 1...9 {
            let scale = powersOfTen[digits]
            let part = (fraction * scale).rounded()
            guard part < scale else { continue }
            let number = String(Int(part))
            let decimals = String(repeating: "0", count: digits - number.count) + number
            let text = "\(base).\(decimals)Z"
            if let back = self.seconds(text), back.bitPattern == seconds.bitPattern { return text }
        }
        return nil
    }

    /// The date to the second, for people.
    static func shortText(_ seconds: Double) -> String { text(seconds.rounded(.down)) ?? "\(seconds)" }

    private static let powersOfTen: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]
    /// Days from the first of March of year 0 to the first of January of 2001.
    private static let epochDay = 730_791

    /// The proleptic Gregorian calendar, years beginning in March so that the leap day is the last one.
    private static func calendar(_ seconds: Int) -> String {
        let day = Int((Double(seconds) / 86_400).rounded(.down))
        let rest = seconds - day * 86_400
        let days = day + epochDay
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * shifted + 2) / 5 + 1
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let yearText = String(repeating: "0", count: max(0, 4 - "\(year)".count)) + "\(year)"
        return "\(yearText)-\(two(month))-\(two(dayOfMonth))T\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60))"
    }

    /// The seconds that `2001-02-03`, `2001-02-03T04:05`, `…:06`, `…:06.789` with `Z` or an offset stand for; nil for any other text.
    static func seconds(_ text: String) -> Double? {
        var reader = Reader(bytes: Array(text.utf8))
        guard let year = reader.digits(4), reader.skip("-"), let month = reader.digits(2), reader.skip("-"), let day = reader.digits(2),
            year >= 1, (1...12).contains(month), day >= 1, day <= length(month, year)
        else { return nil }
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - epochDay
        var seconds = Double(days * 86_400)
        if reader.isAtEnd { return seconds }
        guard reader.skip("T") || reader.skip(" "), let hour = reader.digits(2), reader.skip(":"), let minute = reader.digits(2),
            hour < 24, minute < 60
        else { return nil }
        seconds += Double(hour * 3600 + minute * 60)
        var fraction = 0.0
        if reader.skip(":") {
            guard let second = reader.digits(2), second < 60 else { return nil }
            seconds += Double(second)
            if reader.skip(".") {
                guard let part = reader.fraction() else { return nil }
                fraction = part
            }
        }
        if reader.skip("Z") { return reader.isAtEnd ? seconds + fraction : nil }
        let sign: Double = reader.skip("+") ? -1 : reader.skip("-") ? 1 : 0
        guard sign != 0, let hours = reader.digits(2), hours < 24 else { return nil }
        _ = reader.skip(":")
        let minutes = reader.isAtEnd ? 0 : reader.digits(2) ?? 60
        guard minutes < 60, reader.isAtEnd else { return nil }
        return seconds + sign * Double(hours * 3600 + minutes * 60) + fraction
    }

    private static func length(_ month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private struct Reader {
        let bytes: [UInt8]
        var place = 0

        var isAtEnd: Bool { place == bytes.count }

        mutating func skip(_ mark: Unicode.Scalar) -> Bool {
            guard place < bytes.count, bytes[place] == UInt8(ascii: mark) else { return false }
            place += 1
            return true
        }

        mutating func digits(_ count: Int) -> Int? {
            guard bytes.count - place >= count else { return nil }
            var number = 0
            for byte in bytes[place..<place + count] {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                number = number * 10 + Int(byte - UInt8(ascii: "0"))
            }
            place += count
            return number
        }

        mutating func fraction() -> Double? {
            let digits = bytes[place...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard !digits.isEmpty, digits.count <= 30 else { return nil }
            place += digits.count
            return Double("0." + String(decoding: digits, as: UTF8.self))
        }
    }
}
