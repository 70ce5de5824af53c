import FoundationEssentials
import Testing

@testable import Bluebonnet

/// Dates of HTTP.
struct HTTPDateTests {
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func `the three formats of RFC 9110 are one moment`(text: String) {
        #expect(HTTPDate(text)?.secondsSince1970 == 784_111_777)
    }

    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_200),
        ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
        ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648),
    ])
    func `days are counted by the calendar`(text: String, seconds: Int) {
        #expect(HTTPDate(text)?.secondsSince1970 == seconds)
    }

    @Test func `a year of two digits is at most fifty years ahead`() {
        let now = Date(timeIntervalSince1970: 1_767_225_600)  // 2026
        #expect(HTTPDate("Sunday, 06-Nov-76 08:49:37 GMT", now: now) == HTTPDate("Fri, 06 Nov 2076 08:49:37 GMT"))
        #expect(HTTPDate("Sunday, 06-Nov-77 08:49:37 GMT", now: now) == HTTPDate("Sun, 06 Nov 1977 08:49:37 GMT"))
    }

    @Test(arguments: [
        "", "0", "-1", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 32 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 November 1994 08:49:37 GMT",
        "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 199 08:49:37 GMT", "Sun, 06 Nov 19944 08:49:37 GMT",
    ])
    func `anything else is no date`(text: String) {
        #expect(HTTPDate(text) == nil)
    }

    @Test func `a time that is written is read as the same`() {
        #expect(HTTPDate.text(secondsSince1970: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.text(secondsSince1970: 951_782_400) == "Tue, 29 Feb 2000 00:00:00 GMT")
        #expect(HTTPDate.text(secondsSince1970: -1) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate.text(secondsSince1970: .max) == "Fri, 31 Dec 9999 23:59:59 GMT")
        // Each day of eight years, and days of all centuries.
        for day in Array(18_000..<20_922) + Array(stride(from: 0, to: 2_932_896, by: 997)) {
            let seconds = day * 86_400 + day % 86_400
            #expect(HTTPDate(HTTPDate.text(secondsSince1970: seconds))?.secondsSince1970 == seconds)
        }
    }
}
