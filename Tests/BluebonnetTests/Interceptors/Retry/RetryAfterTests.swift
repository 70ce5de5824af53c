import HTTPTypes
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct RetryAfterTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT
    private static let now = Date(timeIntervalSince1970: 784_111_777)

    private func time(_ values: String..., date: String? = nil) throws -> Duration? {
        var fields = HTTPFields()
        let name = try #require(HTTPField.Name("Retry-After"))
        for value in values { fields.append(HTTPField(name: name, value: value)) }
        fields[.date] = date
        return RetryAfter.time(in: ResponseHead(status: .serviceUnavailable, headerFields: fields), now: Self.now)
    }

    @Test func `a number is a time in seconds`() throws {
        #expect(try time("0") == .zero)
        #expect(try time("1") == .seconds(1))
        #expect(try time("120") == .seconds(120))
        #expect(try time("0007") == .seconds(7))
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:50:07 GMT", "Sunday, 06-Nov-94 08:50:07 GMT", "Sun Nov  6 08:50:07 1994",
    ])
    func `a date may have any of the three formats`(date: String) throws {
        #expect(try time(date) == .seconds(30))
    }

    @Test func `a date counts from that of the response, whatever our clock says`() throws {
        let early = "Sat, 05 Nov 1994 08:00:00 GMT"
        #expect(try time("Sat, 05 Nov 1994 08:00:20 GMT", date: early) == .seconds(20))
        #expect(try time("Sun, 06 Nov 1994 08:50:07 GMT", date: early) == .seconds(86_400 + 50 * 60 + 7))
        // One that is none does not count.
        #expect(try time("Sun, 06 Nov 1994 08:50:07 GMT", date: "yesterday") == .seconds(30))
    }

    @Test func `a date that is over asks for no time`() throws {
        #expect(try time("Sun, 06 Nov 1994 08:49:30 GMT") == .zero)
        #expect(try time("Thu, 01 Jan 1970 00:00:00 GMT", date: "Fri, 31 Dec 9999 23:59:59 GMT") == .zero)
    }

    @Test(arguments: ["", "-1", "+1", "1.5", "1 second", "soon", "0x10", "1,2", "٣", "Sun, 06 Nov", "99 Nov 1994"])
    func `what is neither is no time`(value: String) throws {
        #expect(try time(value) == nil)
    }

    @Test func `a number that is too large is the longest time`() throws {
        for value in ["4294967296", "4294967297", "9223372036854775807", "9223372036854775808"] {
            #expect(try time(value) == RetryAfter.longest)
        }
        #expect(try time(String(repeating: "9", count: 10_000)) == RetryAfter.longest)
        #expect(try time("Fri, 31 Dec 9999 23:59:59 GMT") == RetryAfter.longest)
    }

    @Test func `of several fields the longest time counts`() throws {
        #expect(try time("3", "120", "7") == .seconds(120))
        #expect(try time("3", "soon") == .seconds(3))
        #expect(try time("3", "Sun, 06 Nov 1994 08:50:07 GMT") == .seconds(30))
    }

    @Test func `a response without the field asks for no time`() throws {
        #expect(try time() == nil)
    }
}
