import FoundationEssentials

/// The dates of cookies, which servers write in many ways (RFC 6265bis §5.1.1): the first part of
/// the text that can be a time is the time, and so on for day, month and year. All other parts,
/// such as the name of a day or of a zone, are skipped. Every time counts as universal time.
enum CookieDate {
    private typealias Part = ArraySlice<UInt8>

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        .map { Array($0.utf8) }

    /// The seconds since 1970; nil for a text without one of the four parts, or of a day that does
    /// not exist.
    static func secondsSince1970(_ text: String) -> Int? {
        var time: (hour: Int, minute: Int, second: Int)?
        var (day, month, year): (Int?, Int?, Int?) = (nil, nil, nil)
        for part in Array(text.utf8).split(whereSeparator: isDelimiter) {
            // Each part is the first of these that is not known yet and that it can be.
            if time == nil, let found = Self.time(part) {
                time = found
            } else if day == nil, let found = number(part, 1...2) {
                day = found
            } else if month == nil, let found = Self.month(part) {
                month = found
            } else if year == nil, let found = number(part, 2...4) {
                year = found
            }
        }
        guard let time, let day, let month, var year else { return nil }
        if (70...99).contains(year) { year += 1_900 }
        if (0...69).contains(year) { year += 2_000 }
        guard year >= 1_601, (1...length(of: month, year)).contains(day), time.hour <= 23, time.minute <= 59,
            time.second <= 59
        else { return nil }
        let days = HTTPDate.daysSince1970(year, month, day)
        return ((days * 24 + time.hour) * 60 + time.minute) * 60 + time.second
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// The number at the beginning of a part, with this many digits. Anything but a digit may
    /// follow.
    private static func number(_ part: Part, _ lengths: ClosedRange<Int>) -> Int? {
        let digits = part.prefix(while: ASCII.isDigit)
        return lengths.contains(digits.count) ? digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } : nil
    }

    /// Three numbers of one or two digits with colons between them.
    private static func time(_ part: Part) -> (hour: Int, minute: Int, second: Int)? {
        let fields = part.split(separator: ASCII.colon, maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, let hour = number(fields[0], 1...2), let minute = number(fields[1], 1...2),
            let second = number(fields[2], 1...2), fields[0].count <= 2, fields[1].count <= 2,
            fields[0].allSatisfy(ASCII.isDigit), fields[1].allSatisfy(ASCII.isDigit)
        else { return nil }
        return (hour, minute, second)
    }

    private static func month(_ part: Part) -> Int? {
        let name = part.prefix(3).map(ASCII.lowercased)
        return months.firstIndex(of: name).map { $0 + 1 }
    }

    private static func length(of month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
