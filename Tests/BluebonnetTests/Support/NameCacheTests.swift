import NIOCore
import Testing

@testable import Bluebonnet

/// The results of name lookups are used for as long as they hold, and not longer.
@Suite struct NameCacheTests {
    private struct NotFound: Error {}

    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
    private let four = NameCache.Key(host: "a", family: .ipv4)
    private let six = NameCache.Key(host: "a", family: .ipv6)

    private func found(_ text: String, for time: Duration? = nil) throws -> Result<FoundAddresses, any Error> {
        .success(FoundAddresses([try #require(IPAddress(text))], timeToLive: time))
    }

    @Test(
        arguments: [
            (nil, 10), (.seconds(1), 1), (.seconds(300), 300), (.seconds(3_000_000), 86_400),
        ] as [(Duration?, Int64)]
    )
    func `addresses are used for their time, for ten seconds where it is not known, for a day at most`(
        time: Duration?,
        seconds: Int64
    ) throws {
        var cache = NameCache()
        cache.store(try found("192.0.2.1", for: time), for: four, at: start)
        let end = start + .seconds(seconds)
        #expect(try cache.result(for: four, at: end - .nanoseconds(1))?.get().map(\.description) == ["192.0.2.1"])
        #expect(cache.result(for: four, at: end) == nil)
        #expect(cache.result(for: six, at: start) == nil)
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `addresses without a time are not kept`(time: Duration) throws {
        var cache = NameCache()
        cache.store(try found("192.0.2.1"), for: four, at: start)
        cache.store(try found("192.0.2.2", for: time), for: four, at: start)
        #expect(cache.result(for: four, at: start) == nil && cache.count == 0)
    }

    @Test(arguments: [false, true])
    func `that a family has no addresses is known only beside those of the other one`(isFailure: Bool) throws {
        var cache = NameCache()
        cache.store(isFailure ? .failure(NotFound()) : .success(FoundAddresses([])), for: six, at: start)
        #expect(cache.result(for: six, at: start) == nil)
        cache.store(try found("192.0.2.1", for: .seconds(5)), for: four, at: start)
        #expect(cache.result(for: six, at: start + .seconds(4)) != nil)
        #expect(cache.result(for: six, at: start + .seconds(5)) == nil)
    }

    @Test func `a host that is forgotten has no addresses in either family`() throws {
        var cache = NameCache()
        cache.store(try found("192.0.2.1"), for: four, at: start)
        cache.store(try found("2001:db8::1"), for: six, at: start)
        cache.remove("a")
        #expect(cache.result(for: four, at: start) == nil && cache.result(for: six, at: start) == nil)
    }

    @Test func `a full cache gives up what is over, or else what will be first`() throws {
        var cache = NameCache()
        for number in 0..<NameCache.capacity {
            let key = NameCache.Key(host: "\(number)", family: .ipv4)
            cache.store(try found("192.0.2.1", for: .seconds(number == 7 ? 50 : 100)), for: key, at: start)
        }
        cache.store(try found("192.0.2.1"), for: four, at: start)
        #expect(cache.count == NameCache.capacity)
        #expect(cache.result(for: .init(host: "7", family: .ipv4), at: start) == nil)
        #expect(cache.result(for: .init(host: "8", family: .ipv4), at: start) != nil)
        cache.store(try found("192.0.2.1"), for: .init(host: "b", family: .ipv4), at: start + .seconds(100))
        #expect(cache.count == 1)
    }
}

/// The address that a host was reached over is tried first for a while.
@Suite struct AddressHistoryTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    @Test func `an address is preferred for ten minutes, however often it is used`() throws {
        let address = try #require(IPAddress("192.0.2.1"))
        let next = try #require(IPAddress("192.0.2.2"))
        var history = AddressHistory()
        #expect(history.preferred(for: "a", at: start) == nil)
        history.note(address, of: "a", at: start)
        history.note(next, of: "a", at: start + .minutes(9))
        #expect(history.preferred(for: "a", at: start + .minutes(9)) == next)
        #expect(history.preferred(for: "b", at: start) == nil)
        #expect(history.preferred(for: "a", at: start + .minutes(10)) == nil)
        history.note(address, of: "a", at: start + .minutes(11))
        #expect(history.preferred(for: "a", at: start + .minutes(20)) == address)
    }

    @Test func `another family begins a new time`() throws {
        var history = AddressHistory()
        history.note(try #require(IPAddress("192.0.2.1")), of: "a", at: start)
        let six = try #require(IPAddress("2001:db8::1"))
        history.note(six, of: "a", at: start + .minutes(9))
        #expect(history.preferred(for: "a", at: start + .minutes(18)) == six)
    }

    @Test func `a full history gives up what is oldest`() throws {
        let address = try #require(IPAddress("192.0.2.1"))
        var history = AddressHistory()
        for number in 0..<AddressHistory.capacity {
            history.note(address, of: "\(number)", at: start + .milliseconds(Int64(number)))
        }
        history.note(address, of: "a", at: start + .minutes(1))
        #expect(history.count == AddressHistory.capacity)
        #expect(history.preferred(for: "0", at: start) == nil)
        #expect(history.preferred(for: "1", at: start) == address)
    }
}
