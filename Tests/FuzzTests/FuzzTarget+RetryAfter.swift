import Foundation

@testable import Bluebonnet

/// Times after which a server wants another request.
extension FuzzTarget {
    /// A time is one that a simple reading finds too, and never below zero or too long.
    static func retryAfter(_ input: [UInt8]) throws(Violation) -> String {
        let text = String(decoding: input, as: UTF8.self)
        let now = Date(timeIntervalSince1970: 900_000_000)
        let time = RetryAfter.time(text, sentAt: nil, now: now)
        if let time, time < .zero || time > RetryAfter.longest {
            throw Violation(description: "“\(text)” is \(time)")
        }
        guard let simple = simpleReading(text, now: now) else { return "\(time == nil)" }
        guard let time, time == simple else {
            throw Violation(description: "“\(text)” is \(simple), and was read as \(String(describing: time))")
        }
        return "simple \(bucket(Int(time.components.seconds)))"
    }

    /// A number of digits, or a date as servers have to write it (RFC 9110 §5.6.7), by Foundation's
    /// calendar; nil for all else, of which it says nothing.
    private static func simpleReading(_ text: String, now: Date) -> Duration? {
        let longest = 4_294_967_296.0
        if !text.isEmpty, text.unicodeScalars.allSatisfy({ ("0"..."9").contains($0) }) {
            let number = text.unicodeScalars.reduce(0.0) { Swift.min($0 * 10 + Double($1.value - 48), longest) }
            return .seconds(Int64(number))
        }
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let pattern = /[A-Z][a-z]{2}, ([0-9]{2}) ([A-Z][a-z]{2}) ([0-9]{4}) ([0-9]{2}):([0-9]{2}):([0-9]{2}) GMT/
        guard let match = text.wholeMatch(of: pattern), let month = months.firstIndex(of: String(match.2)),
            let day = Int(match.1), let year = Int(match.3), let hour = Int(match.4), let minute = Int(match.5),
            let second = Int(match.6), (1...28).contains(day), (1600...9999).contains(year), hour < 24, minute < 60,
            second < 60
        else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = DateComponents(
            year: year,
            month: month + 1,
            day: day,
            hour: hour,
            minute: minute,
            second: second
        )
        guard let date = calendar.date(from: parts) else { return nil }
        let seconds = Swift.min(Swift.max(date.timeIntervalSince(now).rounded(), 0), longest)
        return .seconds(Int64(seconds))
    }
}
