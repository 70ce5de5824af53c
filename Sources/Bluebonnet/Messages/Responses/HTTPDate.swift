import FoundationEssentials

/// A moment as HTTP writes it, to the second (RFC 9110 §5.6.7).
struct HTTPDate: Comparable {
    let secondsSince1970: Int

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Parses one of the three formats that a recipient must accept:
    /// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and
    /// `Sun Nov  6 08:49:37 1994`. The name of the day is not checked.
    ///
    /// - Parameters:
    ///   - text: The value of a field.
    ///   - now: The present, for years of two digits: one that would be more than 50 years in the
    ///     future is in the past. Default: the clock.
    init?(_ text: String, now: Date = Date()) {
        let fields = text.split { " ,-:".contains($0) }
        guard fields.count == 7 || fields.count == 8 && fields[7] == "GMT" else { return nil }
        // asctime has the month first and the year last.
        let isASCTime = fields.count == 7
        let (day, month, year) = isASCTime ? (fields[2], fields[1], fields[6]) : (fields[1], fields[2], fields[3])
        let time = isASCTime ? fields[3..<6] : fields[4..<7]
        guard let month = Self.months.firstIndex(of: String(month)), let day = Self.number(day, 1...31),
            let year = Self.year(year, now), let hour = Self.number(time[time.startIndex], 0...23),
            let minute = Self.number(time[time.startIndex + 1], 0...59),
            // A leap second is 60.
            let second = Self.number(time[time.startIndex + 2], 0...60)
        else { return nil }
        let days = Self.daysSince1970(year, month + 1, day)
        secondsSince1970 = ((days * 24 + hour) * 60 + minute) * 60 + second
    }

    static func < (left: HTTPDate, right: HTTPDate) -> Bool { left.secondsSince1970 < right.secondsSince1970 }

    private static func number(_ text: Substring, _ range: ClosedRange<Int>) -> Int? {
        guard text.utf8.allSatisfy(ASCII.isDigit), let number = Int(text), range.contains(number) else { return nil }
        return number
    }

    private static func year(_ text: Substring, _ now: Date) -> Int? {
        guard let year = number(text, 0...9999) else { return nil }
        guard text.utf8.count == 2 else { return text.utf8.count == 4 ? year : nil }
        // A year of the Gregorian calendar has 365.2425 days on average.
        let present = 1970 + Int(now.timeIntervalSince1970 / (365.2425 * 86_400))
        let sameCentury = present / 100 * 100 + year
        return sameCentury > present + 50 ? sameCentury - 100 : sameCentury
    }

    /// The days from 1970-01-01 to a date of the Gregorian calendar. A year begins in March here,
    /// so that the leap day is its last.
    static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let monthSinceMarch = (month + 9) % 12
        let dayOfYear = (153 * monthSinceMarch + 2) / 5 + day - 1
        // Years before 0 do not occur: the divisions need not round down.
        let days = year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear
        // From 0000-03-01 to 1970-01-01.
        return days - 719_468
    }
}
