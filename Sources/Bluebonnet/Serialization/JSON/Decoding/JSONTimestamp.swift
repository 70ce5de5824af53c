import FoundationEssentials

/// Reads the form of timestamps that nearly all services write, `2026-01-31T12:34:56Z`.
enum JSONTimestamp {
    /// The date, or nil when the text has another form or a field out of its range.
    static func date(_ text: String) -> Date? {
        let bytes = Array(text.utf8)
        guard bytes.count == 20, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            bytes[19] == UInt8(ascii: "Z"),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
            year >= 1600, (1...12).contains(month), day >= 1, day <= days(in: month, of: year),
            hour < 24, minute < 60, second < 60
        else { return nil }
        let seconds = ((daysSince1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + second
        return Date(timeIntervalSince1970: Double(seconds))
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var result = 0
        for digit in digits {
            guard JSONTapeParser.isDigit(digit) else { return nil }
            result = result * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return result
    }

    private static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        // The years of this computation start in March, so that the leap day is the last one.
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }
}
