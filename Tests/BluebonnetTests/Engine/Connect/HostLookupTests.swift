import NIOCore
import NIOPosix
import Testing

@testable import Bluebonnet

/// The addresses of a host one after the other, for a proxy that takes addresses only.
@Suite(.timeLimit(.minutes(1)))
struct HostLookupTests {
    /// Those that are given where each of them fails.
    private static func addresses(
        of host: String,
        _ change: @escaping @Sendable (inout SessionConfiguration) -> Void = { _ in }
    ) async -> Result<[String], NetworkingError> {
        let hosts = [
            "many.test": ["192.0.2.1", "192.0.2.2", "2001:db8::1"], "empty.test": [],
            "full.test": (1...200).map { "192.0.2.\($0)" },
        ]
        let loop = NIOSingletons.posixEventLoopGroup.next()
        return await withCheckedContinuation { continuation in
            loop.execute {
                let dialer = Dialer(
                    SessionConfiguration {
                        $0.nameResolver = StubResolver(hosts)
                        change(&$0)
                    }
                )
                let origin = Origin(isSecure: false, endpoint: .host(host, port: 80))
                collect([], of: HostLookup(of: host, port: 80, dialer, on: loop)) { result in
                    continuation.resume(returning: result.mapError { .dialing(origin, $0) })
                }
            }
        }
    }

    private static func collect(
        _ found: [String],
        of lookup: HostLookup,
        completion: @escaping (Result<[String], Dial.Failure>) -> Void
    ) {
        lookup.next { result in
            switch result {
            case .success(let address) where lookup.mayContinue:
                collect(found + [address.description], of: lookup, completion: completion)
            case .success(let address):
                lookup.cancel()
                completion(.success(found + [address.description]))
            case .failure(let failure): completion(found.isEmpty ? .failure(failure) : .success(found))
            }
        }
    }

    @Test func `the families take turns`() async throws {
        let addresses = try await Self.addresses(of: "many.test").get()
        #expect(addresses == ["2001:db8::1", "192.0.2.1", "192.0.2.2"])
    }

    @Test func `a family that is not to be used has no addresses`() async throws {
        let addresses = try await Self.addresses(of: "many.test") { $0.addressFamilies = [.ipv4] }.get()
        #expect(addresses == ["192.0.2.1", "192.0.2.2"])
    }

    @Test func `an override is used in place of a lookup`() async throws {
        let address = try #require(IPAddress("192.0.2.9"))
        let addresses = try await Self.addresses(of: "many.test") {
            $0.addressOverrides.set([address], for: "many.test", port: 80)
        }.get()
        #expect(addresses == ["192.0.2.9"])
    }

    @Test(arguments: ["missing.test", "empty.test"])
    func `a name without an address is a failure`(host: String) async throws {
        guard case .failure(let error) = await Self.addresses(of: host) else {
            Issue.record("it has addresses")
            return
        }
        #expect(error.code == .dnsLookupFailed)
        #expect((error.underlying is StubResolver.NotFound) == (host == "missing.test"))
    }

    @Test func `an override of a family that is not to be used is a failure`() async throws {
        let address = try #require(IPAddress("2001:db8::9"))
        let result = await Self.addresses(of: "many.test") {
            $0.addressFamilies = [.ipv4]
            $0.addressOverrides.set([address], for: "many.test", port: 80)
        }
        guard case .failure(let error) = result else {
            Issue.record("it has addresses")
            return
        }
        #expect(error.code == .connectFailed)
    }

    @Test func `of many addresses the first eight are given`() async throws {
        let addresses = try await Self.addresses(of: "full.test").get()
        #expect(addresses == (1...8).map { "192.0.2.\($0)" })
    }

    @Test func `a family whose lookup does not end does not hold the other one back`() async throws {
        let loop = NIOSingletons.posixEventLoopGroup.next()
        let address = await withCheckedContinuation { continuation in
            loop.execute {
                let dialer = Dialer(SessionConfiguration { $0.nameResolver = HalfSilentResolver(["192.0.2.1"]) })
                let lookup = HostLookup(of: "half.test", port: 80, dialer, on: loop)
                lookup.next { result in
                    #expect(lookup.mayContinue && lookup.awaitedFamilies == [.ipv6])
                    lookup.cancel()
                    continuation.resume(returning: try? result.get())
                }
            }
        }
        #expect(address?.description == "192.0.2.1")
    }
}
