/// The dates that stand beside the numbers in model files, for people: `2013-04-23 12:00:00 +0000`.
///
/// The calendar is the Gregorian one for all years, in UTC where no zone is written, which the pairs in real files agree with.
enum XcodeDateText {
    private static let secondsPerDay = 86_400
    /// Days from 1970 to 2001, the moment dates count from here.
    private static let daysToReference = 11_323

    /// Seconds since 2001 of `yyyy-MM-dd HH:mm`, with `:ss` and `+hhmm` where they are given; nil for anything else.
    static func seconds(of text: String) -> Double? {
        let parts = text.split(separator: " ")
        guard parts.count == 2 || parts.count == 3 else { return nil }
        let day = fields(parts[0], "-")
        let time = fields(parts[1], ":")
        guard day.count == 3, let year = day[0], let month = day[1], let date = day[2], (1...9999).contains(year), (1...12).contains(month),
            (1...31).contains(date), time.count == 2 || time.count == 3, let hour = time[0], let minute = time[1],
            let second = time.count == 3 ? time[2] : 0, (0...24).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        var offset = 0
        if parts.count == 3 {
            let zone = parts[2].utf8
            guard zone.count == 5, let sign = zone.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
                let digits = digits(parts[2].dropFirst())
            else { return nil }
            offset = (digits / 100 * 60 + digits % 100) * (sign == UInt8(ascii: "+") ? 60 : -60)
        }
        let days = days(year, month, date) - daysToReference
        return Double(days * secondsPerDay + hour * 3600 + minute * 60 + second - offset)
    }

    /// The date for people; nil where it has a fraction of a second or is not in the years 1 to 9999, because a note must not lie.
    static func text(of seconds: Double) -> String? {
        guard seconds.magnitude < 1e12, let whole = Int(exactly: seconds) else { return nil }
        var days = whole / secondsPerDay
        var rest = whole % secondsPerDay
        if rest < 0 {
            rest += secondsPerDay
            days -= 1
        }
        let (year, month, day) = date(days + daysToReference)
        guard (1...9999).contains(year) else { return nil }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2)) "
            + "\(padded(rest / 3600, 2)):\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2)) +0000"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func fields(_ text: Substring, _ separator: Character) -> [Int?] {
        text.split(separator: separator, omittingEmptySubsequences: false).map(digits)
    }

    private static func digits(_ text: Substring) -> Int? {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }

    // Years begin in March here, so that the leap day is the last of its year; an era is 400 of them, 146,097 days.

    /// Days since 1970.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
