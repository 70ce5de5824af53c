import HTTPTypes
import Testing

@testable import Bluebonnet

/// Ages and lifetimes as values (RFC 9111 §4.2).
struct StoredFactsTests {
    private static let now = CacheBench.start

    private func facts(
        _ fields: HTTPFields,
        status: HTTPResponse.Status = .ok,
        requestedAt: Int = now,
        receivedAt: Int = now
    ) -> StoredFacts {
        StoredFacts(
            ResponseHead(status: status, headerFields: fields),
            requestedAt: requestedAt,
            receivedAt: receivedAt
        )
    }

    @Test func `the lifetime is that of max-age before that of Expires`() {
        let fields: HTTPFields = [.cacheControl: "max-age=10", .expires: httpDate(Self.now + 60)]
        #expect(facts(fields).lifetime(isShared: false) == 10)
        #expect(facts([.expires: httpDate(Self.now + 60)]).lifetime(isShared: false) == 60)
    }

    @Test func `s-maxage is for shared caches alone`() {
        let facts = facts([.cacheControl: "max-age=10, s-maxage=20"])
        #expect(facts.lifetime(isShared: false) == 10 && facts.lifetime(isShared: true) == 20)
    }

    @Test func `Expires counts from Date, and from the receipt without one`() {
        let fields: HTTPFields = [.date: httpDate(Self.now - 100), .expires: httpDate(Self.now + 60)]
        #expect(facts(fields).lifetime(isShared: false) == 160)
    }

    @Test(arguments: ["0", "-1", "now", "", "Thu, 99 Jan 2050 00:00:00 GMT"])
    func `an Expires that is no date is in the past`(_ text: String) {
        #expect(facts([.expires: text, .lastModified: httpDate(0)]).lifetime(isShared: false) == 0)
    }

    @Test func `of several Expires the earliest counts`() {
        var fields: HTTPFields = [.expires: httpDate(Self.now + 60)]
        fields.append(HTTPField(name: .expires, value: httpDate(Self.now + 30)))
        #expect(facts(fields).lifetime(isShared: false) == 30)
    }

    @Test func `without any of them a tenth of the time since the last change is the lifetime`() {
        let fields: HTTPFields = [.date: httpDate(Self.now), .lastModified: httpDate(Self.now - 1000)]
        #expect(facts(fields).lifetime(isShared: false) == 100)
        #expect(facts(fields, status: .notFound).lifetime(isShared: false) == 100)
        #expect(facts(fields, status: .internalServerError).lifetime(isShared: false) == 0)
        #expect(facts([:]).lifetime(isShared: false) == 0)
    }

    @Test func `a status that is not cacheable by default has such a lifetime only where it is public`() {
        let fields: HTTPFields = [.lastModified: httpDate(Self.now - 1000), .cacheControl: "public"]
        #expect(facts(fields, status: .init(code: 418)).lifetime(isShared: false) == 100)
    }

    @Test func `such a lifetime has a limit, and is never below zero`() {
        #expect(facts([.lastModified: httpDate(0)]).lifetime(isShared: false) == StoredFacts.longestHeuristic)
        #expect(facts([.lastModified: httpDate(Self.now + 1000)]).lifetime(isShared: false) == 0)
    }

    @Test func `the age is the larger of what Date and Age say, and grows with the clock`() {
        #expect(facts([:]).age(at: Self.now + 5) == 5)
        #expect(facts([.date: httpDate(Self.now - 30)]).age(at: Self.now + 5) == 35)
        #expect(facts([.date: httpDate(Self.now - 30), .age: "100"]).age(at: Self.now) == 100)
        // The time under way counts as age, because the server may have sent it at the beginning.
        #expect(facts([.age: "100"], requestedAt: Self.now - 7).age(at: Self.now) == 107)
    }

    @Test func `a Date in the future is no age below zero`() {
        #expect(facts([.date: httpDate(Self.now + 500)]).age(at: Self.now) == 0)
    }

    @Test func `a clock that is set back does not make a response younger than it was`() {
        #expect(facts([.age: "5"]).age(at: Self.now - 1_000) == 5)
    }

    @Test(arguments: [("10, 20", 10), ("x", 0), ("-5", 0), ("99999999999999999999", 1 << 31), ("", 0)])
    func `an Age that is a list, or no number, is understood`(_ text: String, _ age: Int) {
        #expect(facts([.age: text]).age(at: Self.now) == age)
    }

    @Test func `dates at the ends of time do not overflow`() {
        let fields: HTTPFields = [
            .date: "Fri, 31 Dec 9999 23:59:59 GMT", .expires: "Sat, 01 Jan 0000 00:00:00 GMT",
            .lastModified: "Sat, 01 Jan 0000 00:00:00 GMT", .age: "99999999999999999999",
        ]
        #expect(facts(fields).lifetime(isShared: false) == 0)
        #expect(facts(fields).age(at: Int(1e11)) > 0)
    }

    @Test func `the age is written in place of that of the server`() {
        let head = ResponseHead(status: .ok, headerFields: [.age: "3", .eTag: "\"a\""])
        #expect(head.withAge(70).values(for: .age) == ["70"])
        #expect(head.withAge(70)[.eTag] == "\"a\"")
    }
}
