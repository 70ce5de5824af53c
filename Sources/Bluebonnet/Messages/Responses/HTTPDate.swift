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
    init?(_ text: String, now: @autoclosure () -> Date = Date()) {
        guard let seconds = Fields(text)?.secondsSince1970(now) else { return nil }
        secondsSince1970 = seconds
    }

    /// The words between the separators, as bytes: a response may have several dates.
    private struct Fields {
        private let bytes: [UInt8]
        private var words: [Range<Int>] = []

        init?(_ text: String) {
            bytes = Array(text.utf8)
            words.reserveCapacity(8)
            var start = 0
            for position in 0...bytes.count {
                if position < bytes.count, !Self.isSeparator(bytes[position]) { continue }
                if start < position {
                    guard words.count < 8 else { return nil }
                    words.append(start..<position)
                }
                start = position + 1
            }
            guard words.count == 7 || words.count == 8 && isEqual(words[7], "GMT") else { return nil }
        }

        private static func isSeparator(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: ","), UInt8(ascii: "-"), UInt8(ascii: ":"): true
            default: false
            }
        }

        private func isEqual(_ word: Range<Int>, _ text: String) -> Bool {
            bytes[word].elementsEqual(text.utf8)
        }

        func secondsSince1970(_ now: () -> Date) -> Int? {
            // asctime has the month first and the year last.
            let isASCTime = words.count == 7
            let (day, month, year) =
                isASCTime ? (words[2], words[1], words[6]) : (words[1], words[2], words[3])
            let time = isASCTime ? 3 : 4
            guard let month = HTTPDate.months.firstIndex(where: { isEqual(month, $0) }), let day = number(day, 1...31),
                let year = self.year(year, now), let hour = number(words[time], 0...23),
                let minute = number(words[time + 1], 0...59),
                // A leap second is 60.
                let second = number(words[time + 2], 0...60)
            else { return nil }
            let days = HTTPDate.daysSince1970(year, month + 1, day)
            return ((days * 24 + hour) * 60 + minute) * 60 + second
        }

        private func number(_ word: Range<Int>, _ range: ClosedRange<Int>) -> Int? {
            var number = 0
            for byte in bytes[word] {
                guard ASCII.isDigit(byte), number <= 9999 else { return nil }
                number = number * 10 + Int(byte - UInt8(ascii: "0"))
            }
            return range.contains(number) ? number : nil
        }

        private func year(_ word: Range<Int>, _ now: () -> Date) -> Int? {
            guard let year = number(word, 0...9999) else { return nil }
            guard word.count == 2 else { return word.count == 4 ? year : nil }
            // A year of the Gregorian calendar has 365.2425 days on average.
            let present = 1970 + Int(now().timeIntervalSince1970 / (365.2425 * 86_400))
            let sameCentury = present / 100 * 100 + year
            return sameCentury > present + 50 ? sameCentury - 100 : sameCentury
        }
    }

    static func < (left: HTTPDate, right: HTTPDate) -> Bool { left.secondsSince1970 < right.secondsSince1970 }

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
