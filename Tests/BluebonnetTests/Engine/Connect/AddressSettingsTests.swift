import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// The settings of a session for the two ends of its connections.
@Suite(.timeLimit(.minutes(5)))
struct AddressSettingsTests {
    private static let ok = FaultServer.Script.requests { _ in [.respond(body: "ok")] }

    // MARK: Addresses in place of a lookup

    @Test func `the addresses of an override are used in place of a lookup, and the name stays`() async throws {
        let resolver = StubResolver()
        try await FaultServer.run(Self.ok) { server in
            let configuration = try SessionConfiguration {
                $0.nameResolver = resolver
                $0.addressOverrides = try AddressOverrides(["name.test:\(server.port):127.0.0.1"])
            }
            try await withSession(configuration) { session in
                let response = try await session.data(for: Request(to: "http://NAME.test:\(server.port)/"))
                #expect(response.value == Data("ok".utf8))
                #expect(response.timings.dns == nil)
                #expect(server.requests.first?.values(of: "host") == ["NAME.test:\(server.port)"])
                #expect(resolver.lookups(of: "name.test") == 0)
                // Another port has no override.
                let error = try await networkingError {
                    _ = try await session.data(for: Request(to: "http://name.test:1/"))
                }
                #expect(error.code == .dnsLookupFailed)
            }
        }
    }

    @Test func `an override of all hosts is also one for addresses`() async throws {
        try await FaultServer.run(Self.ok) { server in
            let configuration = try SessionConfiguration {
                $0.addressOverrides = try AddressOverrides(["*:\(server.port):127.0.0.1"])
            }
            try await withSession(configuration) { session in
                let response = try await session.data(for: Request(to: "http://192.0.2.1:\(server.port)/"))
                #expect(response.metrics.transactions[0].remoteEndpoint?.address == "127.0.0.1")
            }
        }
    }

    // MARK: Other endpoints than those of the URL

    @Test func `another host and port are connected to, and the name stays`() async throws {
        let certificates = try TestCertificates.shared()
        try await FaultServer.run(Self.ok, options: .init(tls: ServerTLS(certificates.localhost))) { server in
            let resolver = StubResolver(["other.test": ["127.0.0.1"]])
            var configuration = SessionConfiguration(trusting: certificates.authority)
            configuration.nameResolver = resolver
            configuration.endpointOverrides = try EndpointOverrides(["localhost:443:other.test:\(server.port)"])
            try await withSession(configuration) { session in
                // The certificate is for localhost alone.
                let response = try await session.data(for: Request(to: "https://localhost/"))
                #expect(response.value == Data("ok".utf8))
                #expect(server.requests.first?.values(of: "host") == ["localhost"])
                #expect(resolver.lookups(of: "localhost") == 0 && resolver.lookups(of: "other.test") == 1)
                #expect(response.metrics.transactions[0].remoteEndpoint?.port == server.port)
            }
            // The addresses of an override are for the new host.
            configuration.addressOverrides = try AddressOverrides(["other.test:\(server.port):127.0.0.1"])
            configuration.nameResolver = StubResolver()
            try await withSession(configuration) { session in
                _ = try await session.data(for: Request(to: "https://localhost/"))
            }
        }
    }

    @Test func `an error names the host that could not be connected to`() async throws {
        let configuration = try SessionConfiguration {
            $0.nameResolver = StubResolver()
            $0.endpointOverrides = try EndpointOverrides(["::other.test:", "::other.test:2"])
        }
        try await withSession(configuration) { session in
            let error = try await networkingError { try await session.data(for: Request(to: "http://localhost/")) }
            #expect(error.code == .dnsLookupFailed && error.message.contains("“other.test”"), "\(error)")
        }
    }

    // MARK: Families

    @Test(arguments: [IPAddress.Family.ipv4, .ipv6])
    func `only addresses of the allowed family are connected to`(family: IPAddress.Family) async throws {
        let address = family == .ipv4 ? "127.0.0.1" : "::1"
        let resolver = StubResolver(["both.test": ["127.0.0.1", "::1"]])
        try await FaultServer.run(Self.ok, options: .init(host: address)) { server in
            let configuration = SessionConfiguration {
                $0.nameResolver = resolver
                $0.addressFamilies = [family]
            }
            try await withSession(configuration) { session in
                let response = try await session.data(for: Request(to: "http://both.test:\(server.port)/"))
                let attempts = response.metrics.transactions[0].addressAttempts
                #expect(attempts.map(\.endpoint) == [NetworkEndpoint(address: address, port: server.port)])
                #expect(attempts.map(\.outcome) == [.connected])
                let other = family == .ipv4 ? "[::1]" : "127.0.0.1"
                let error = try await networkingError {
                    _ = try await session.data(for: Request(to: "http://\(other):\(server.port)/"))
                }
                #expect(error.code == .connectFailed && error.message.contains(family.description), "\(error)")
            }
        }
    }

    @Test func `without a family nothing is connected to`() async throws {
        try await withSession(SessionConfiguration { $0.addressFamilies = [] }) { session in
            let error = try await networkingError {
                _ = try await session.data(for: Request(to: "http://localhost/"))
            }
            #expect(error.code == .connectFailed, "\(error)")
        }
    }

    // MARK: The local end

    @Test func `connections come from the address that was set`() async throws {
        let address = try #require(IPAddress("127.0.0.9"))
        let resolver = StubResolver(["both.test": ["::1", "127.0.0.1"]])
        try await FaultServer.run(Self.ok) { server in
            let configuration = SessionConfiguration {
                $0.nameResolver = resolver
                $0.localBinding = .address(address)
            }
            try await withSession(configuration) { session in
                let response = try await session.data(for: Request(to: "http://both.test:\(server.port)/"))
                let transaction = response.metrics.transactions[0]
                #expect(transaction.localEndpoint?.address == "127.0.0.9")
                // An address of IPv6 cannot be reached from one of IPv4.
                #expect(transaction.addressAttempts.map(\.endpoint.address) == ["127.0.0.1"])
            }
        }
    }

    @Test func `an address that the machine does not have is a failure to connect`() async throws {
        let address = try #require(IPAddress("192.0.2.1"))
        try await withSession(SessionConfiguration { $0.localBinding = .address(address) }) { session in
            let error = try await networkingError {
                _ = try await session.data(for: Request(to: "http://127.0.0.1:1/"))
            }
            #expect(error.code == .connectFailed && error.message.contains("assign"), "\(error)")
        }
    }

    #if os(Linux)
        @Test func `connections go over the interface that was set`() async throws {
            try await FaultServer.run(Self.ok) { server in
                try await withSession(SessionConfiguration { $0.localBinding = .interface("lo") }) { session in
                    let response = try await session.data(for: Request(to: server.baseURL))
                    #expect(response.value == Data("ok".utf8))
                }
            }
        }
    #endif

    @Test(arguments: ["none0", "", "an-interface-with-a-long-name"])
    func `an interface that the machine does not have is a failure to connect`(name: String) async throws {
        try await withSession(SessionConfiguration { $0.localBinding = .interface(name) }) { session in
            let error = try await networkingError {
                _ = try await session.data(for: Request(to: "http://127.0.0.1:1/"))
            }
            #expect(error.code == .connectFailed && error.message.contains("“\(name)”"), "\(error)")
        }
    }

    @Test func `an address whose zone is no interface is not looked up as a name`() async throws {
        let resolver = StubResolver()
        try await withSession(SessionConfiguration { $0.nameResolver = resolver }) { session in
            let error = try await networkingError {
                _ = try await session.data(for: Request(to: "http://[fe80::1%25none0]:1/"))
            }
            #expect(error.code == .connectFailed && error.message.contains("“none0”"), "\(error)")
        }
    }

    // MARK: What was tried

    @Test func `a refused address is in the metrics of the transaction with its reason`() async throws {
        let resolver = StubResolver(["two.test": ["127.0.0.2", "127.0.0.1"]])
        try await FaultServer.run(Self.ok) { server in
            try await withSession(SessionConfiguration { $0.nameResolver = resolver }) { session in
                let request = try Request(to: "http://two.test:\(server.port)/")
                let attempts = try await session.data(for: request).metrics.transactions[0].addressAttempts
                #expect(attempts.map(\.outcome) == [.failed("Connection refused"), .connected])
                #expect(attempts[0].description.hasPrefix("127.0.0.2:\(server.port) failed: Connection refused, "))
                #expect(attempts.allSatisfy { $0.phase.duration != nil })
                let again = try await session.data(for: request).metrics.transactions[0]
                #expect(again.isConnectionReused && again.addressAttempts.isEmpty)
            }
        }
    }

    @Test func `the error of a request has the addresses that were tried`() async throws {
        let port = try await FaultServer.run(Self.ok) { server in server.port }
        let resolver = StubResolver(["two.test": ["::1", "127.0.0.1"]])
        try await withSession(SessionConfiguration { $0.nameResolver = resolver }) { session in
            let error = try await networkingError {
                _ = try await session.data(for: Request(to: "http://two.test:\(port)/"))
            }
            let attempts = error.metrics?.transactions.first?.addressAttempts ?? []
            #expect(attempts.map(\.endpoint.address) == ["::1", "127.0.0.1"])
            #expect(attempts.allSatisfy { $0.outcome.reason != nil })
        }
    }

    #if os(Linux)
        @Test func `of thousands of addresses that fail at once only some are tried`() async throws {
            // The kernel refuses TCP to multicast addresses at once.
            let many = try (0..<4000).map { try #require(IPAddress("224.1.\($0 / 250).\($0 % 250)")) }
            try await withSession(
                SessionConfiguration { $0.addressOverrides.set(many, for: "many.test", port: 80) }
            ) { session in
                let error = try await networkingError {
                    _ = try await session.data(for: Request(to: "http://many.test/"))
                }
                #expect(error.code == .connectFailed && error.message.contains("more"), "\(error)")
                let attempts = error.metrics?.transactions.first?.addressAttempts ?? []
                #expect(attempts.count == Dial.StateMachine.mostAddresses)
            }
        }
    #endif
}
