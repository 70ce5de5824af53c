import ArgumentParser
import Bluebonnet
import Testing

@testable import BluebonnetCommand

struct RetryOptionsTests {
    private func configuration(_ arguments: String...) throws -> SessionConfiguration {
        var configuration = SessionConfiguration()
        try RetryOptions.parse(arguments).apply(to: &configuration)
        return configuration
    }

    @Test func `without options, nothing is sent again and nothing waits`() throws {
        let configuration = try configuration()
        #expect(configuration.retryPolicy == nil)
        #expect(configuration.rateLimits == nil)
        #expect(try self.configuration("--retry", "0").retryPolicy == nil)
    }

    @Test func `a number of retries is the standard policy with that number`() throws {
        let configuration = try configuration("--retry", "5")
        var policy = RetryPolicy.standard
        policy.maximumRetries = 5
        #expect(configuration.retryPolicy == policy)
        #expect(configuration.retryBudget == nil)
    }

    @Test func `the wait for a network is asked for`() throws {
        #expect(try !configuration().waitsForConnectivity)
        #expect(try configuration("--wait-for-network").waitsForConnectivity)
    }

    @Test func `a rate is for a second, a minute or an hour`() throws {
        #expect(RequestRate(argument: "10")?.limit == RateLimit(10, per: .seconds(1)))
        #expect(RequestRate(argument: "10/s")?.limit == RateLimit(10, per: .seconds(1)))
        #expect(RequestRate(argument: "100/m")?.limit == RateLimit(100, per: .seconds(60)))
        #expect(RequestRate(argument: "5000/h")?.limit == RateLimit(5000, per: .seconds(3600)))
        #expect(try configuration("--rate", "7/m").rateLimits?.session == RateLimit(7, per: .seconds(60)))
    }

    @Test(arguments: [
        "", "/", "/s", "0/s", "-1/s", "+1/s", "1.5/s", "1/d", "1/s/s", "1/", "٣/s", "99999999999999999999",
    ])
    func `what is no rate is refused`(text: String) {
        #expect(RequestRate(argument: text) == nil)
    }
}
