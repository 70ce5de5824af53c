import FoundationEssentials

/// The dates of property lists in XML: `2026-11-21T06:10:16Z`, always in that form.
enum PropertyListDate {
    static func parse(_ text: String) -> Date? {
        let bytes = Array(text.utf8)
        var place = 0
        func number(_ count: Int) -> Int? {
            guard place + count <= bytes.count else { return nil }
            let digits = bytes[place..<place + count]
            guard digits.allSatisfy(ASCII.isDigit) else { return nil }
            place += count
            return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        }
        func take(_ byte: Character) -> Bool {
            guard place < bytes.count, bytes[place] == byte.asciiValue else { return false }
            place += 1
            return true
        }
        let isNegative = take("-")
        guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2), take("T"),
            let hour = number(2), take(":"), let minute = number(2), take(":"), let second = number(2), take("Z"),
            place == bytes.count, (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61
        else { return nil }
        let days = daysSince1970(isNegative ? -year : year, month, day)
        return Date(timeIntervalSince1970: Double(days * 86_400 + hour * 3_600 + minute * 60 + second))
    }

    /// The number of days. Years begin in March here, so that the leap day is the last of its year.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
