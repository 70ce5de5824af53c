import Testing

@testable import Bluebonnet

/// The dates of cookies (RFC 6265bis §5.1.1).
struct CookieDateTests {
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "06 nov 94 8:49:37", "08:49:37 6 November 1994", "Nov 06 08:49:37 1994 GMT+0200", "6/NOV/1994/08:49:37",
        "Sun; 06-NoV-1994 08:49:37pm", "xyz 06th November 1994 08:49:37", "1994 6 Nov 08:49:37 99",
    ])
    func `a date is found in whatever order and spelling`(_ text: String) {
        #expect(CookieDate.secondsSince1970(text) == 784_111_777)
    }

    @Test(arguments: [
        ("01 Jan 70 00:00:00", 0), ("31 Dec 69 23:59:59", 3_155_759_999), ("01 Jan 00 00:00:00", 946_684_800),
        ("31 Dec 1969 23:59:59", -1), ("01 Jan 1601 00:00:00", -11_644_473_600),
        ("29 Feb 2024 00:00:00", 1_709_164_800),
        ("31 Dec 9999 23:59:59", 253_402_300_799),
    ])
    func `a year of two digits is between 1970 and 2069`(_ text: String, _ seconds: Int) {
        #expect(CookieDate.secondsSince1970(text) == seconds)
    }

    @Test(arguments: [
        "", "Thu", "06 Nov 1994", "Nov 1994 08:49:37", "06 1994 08:49:37", "06 Nov 08:49:37", "32 Nov 1994 08:49:37",
        "00 Nov 1994 08:49:37", "31 Nov 1994 08:49:37", "29 Feb 2023 08:49:37", "29 Feb 1900 08:49:37",
        "06 Nov 1600 08:49:37", "06 Nov 1994 24:00:00", "06 Nov 1994 08:60:00", "06 Nov 1994 08:49:60",
        "06 Nov 1994 08:49", "06 Nov 1994 008:49:37", "06 Nov 19945 08:49:37", "6 N 1994 08:49:37",
        "99999999999999999999 Nov 1994 08:49:37", "06 Nov 1994 08:4x:37",
    ])
    func `a text without one of the parts, or of a day that does not exist, is not a date`(_ text: String) {
        #expect(CookieDate.secondsSince1970(text) == nil)
    }
}
