extension HTTPDate {
    /// The last second of the year 9999: the form has four digits for the year.
    private static let latest = 253_402_300_799

    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// A time as servers write it (IMF-fixdate, RFC 9110 §5.6.7); one outside of 1970 to 9999 as
    /// the nearest of these.
    static func text(secondsSince1970 seconds: Int) -> String {
        let seconds = min(max(0, seconds), latest)
        let (day, time) = seconds.quotientAndRemainder(dividingBy: 86_400)
        // Years begin in March, as in daysSince1970, and 400 of them have 146,097 days.
        let shifted = day + 719_468
        let (era, dayOfEra) = shifted.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthSinceMarch = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * monthSinceMarch + 2) / 5 + 1
        let month = monthSinceMarch < 10 ? monthSinceMarch + 3 : monthSinceMarch - 9
        let year = era * 400 + yearOfEra + (month > 2 ? 0 : 1)
        let clock = "\(two(time / 3_600)):\(two(time / 60 % 60)):\(two(time % 60))"
        return "\(days[day % 7]), \(two(dayOfMonth)) \(months[month - 1]) \(year) \(clock) GMT"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
