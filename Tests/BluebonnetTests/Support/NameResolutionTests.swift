import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// The lookups of host names for requests, with resolvers that fail, hang and count.
@Suite(.timeLimit(.minutes(5)))
struct NameResolutionTests {
    private static let ok = FaultServer.Script.requests { _ in [.respond(body: "ok")] }

    private func configuration(
        _ resolver: StubResolver,
        _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) -> SessionConfiguration {
        SessionConfiguration {
            $0.nameResolver = resolver
            change(&$0)
        }
    }

    @Test func `a host name is resolved to its address, and the lookup is timed`() async throws {
        let resolver = StubResolver(["good.test": ["127.0.0.1"]])
        try await FaultServer.run(Self.ok) { server in
            try await withSession(configuration(resolver)) { session in
                let first = try await session.data(for: Request(to: "http://good.test:\(server.port)/"))
                #expect(first.value == Data("ok".utf8))
                #expect(first.timings.dns != nil && first.timings.connect != nil)
                let second = try await session.data(for: Request(to: "http://good.test:\(server.port)/"))
                #expect(second.timings.isConnectionReused)
                #expect(resolver.lookups(of: "good.test") == 1)
                #expect(server.requests.first?.values(of: "host") == ["good.test:\(server.port)"])
            }
        }
    }

    @Test func `the next address of a host is tried when the first refuses`() async throws {
        let resolver = StubResolver(["good.test": ["::1", "127.0.0.2", "127.0.0.1"]])
        try await FaultServer.run(Self.ok) { server in
            try await withSession(configuration(resolver)) { session in
                let response = try await session.data(for: Request(to: "http://good.test:\(server.port)/"))
                #expect(response.value == Data("ok".utf8))
            }
        }
    }

    @Test(arguments: ["missing.test", "empty.test"])
    func `a request to a host name without an address fails with dnsLookupFailed`(host: String) async throws {
        let resolver = StubResolver(["empty.test": []])
        try await withEngine(configuration(resolver)) { session, engine in
            let error = try await networkingError {
                _ = try await session.data(for: Request(to: "http://\(host)/"))
            }
            #expect(error.code == .dnsLookupFailed, "\(error)")
            #expect(error.message.contains(host))
            #expect((error.underlying is StubResolver.NotFound) == (host == "missing.test"))
            try await until("no attempt is left") { engine.waitingExchanges == 0 }
        }
    }

    @Test func `the requests for one host share one name lookup`() async throws {
        let resolver = StubResolver()
        let configuration = configuration(resolver) { $0.timeouts.connect = .seconds(50) }
        try await withSession(configuration) { session in
            try await withThrowingTaskGroup(of: NetworkingError.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        try await networkingError {
                            _ = try await session.data(for: Request(to: "http://dead.test/"))
                        }
                    }
                }
                try await until("the lookup hangs") { resolver.deadLookups == 1 }
                // Six connections are allowed, so each of the six requests has its own attempt.
                let lookups = try await settled { resolver.lookups(of: "dead.test") }
                #expect(lookups == 1)
                resolver.endDeadLookups()
                for try await error in group { #expect(error.code == .dnsLookupFailed, "\(error)") }
            }
        }
    }

    /// Each dead lookup blocks a thread, as those of the system do, while all other work continues:
    /// other names, files, and the first use of the session's TLS.
    @Test func `dead name servers do not delay other requests`() async throws {
        let resolver = StubResolver(["good.test": ["127.0.0.1"], "localhost": ["127.0.0.1"]])
        let certificates = try TestCertificates.shared()
        let configuration = configuration(resolver) {
            $0.tls.trustRoots = .pem(certificates.authority.certificatePEM)
            $0.timeouts.connect = .seconds(50)
        }
        let secure = FaultServer.Options(tls: ServerTLS(certificates.localhost))
        try await FaultServer.run(Self.ok) { server in
            try await FaultServer.run([.readRequest, .respond(body: "ok")], options: secure) { secure in
                try await withSession(configuration) { session in
                    let dead = try (0..<40).map { number in
                        let request = try Request(to: "http://dead\(number).test/")
                        return Task { _ = try await session.data(for: request) }
                    }
                    try await until("forty lookups hang") { resolver.deadLookups == 40 }
                    try await withDirectory { directory in
                        for number in 0..<10 {
                            let request = try Request(to: "http://good.test:\(server.port)/\(number)")
                            let file = directory.appending(path: "\(number)")
                            let written = try await session.open(request).body.write(to: file)
                            #expect(written == 2)
                        }
                    }
                    let response = try await session.data(for: Request(to: secure.baseURL))
                    #expect(response.value == Data("ok".utf8))
                    #expect(resolver.deadLookups == 40)
                    for task in dead { task.cancel() }
                    for task in dead {
                        let error = try await networkingError { try await task.value }
                        #expect(error.code == .cancelled, "\(error)")
                    }
                }
            }
        }
    }

    @Test func `an attempt that times out leaves its name lookup to the next`() async throws {
        // A lookup is joined for five seconds; a busy machine may need longer for the requests.
        for _ in 0..<10 {
            let resolver = StubResolver()
            let timeouts = configuration(resolver) { $0.timeouts.connect = .milliseconds(400) }
            let startedAt = ContinuousClock.now
            try await withSession(timeouts) { session in
                for _ in 0..<3 {
                    let error = try await networkingError {
                        _ = try await session.data(for: Request(to: "http://dead.test/"))
                    }
                    #expect(error.code == .dnsLookupTimeout && error.message.contains("dead.test"), "\(error)")
                }
            }
            guard ContinuousClock.now - startedAt < .seconds(5) else { continue }
            #expect(resolver.lookups(of: "dead.test") == 1)
            return
        }
        Issue.record("three requests took more than five seconds ten times")
    }

    @Test func `a session can be shut down while a name lookup hangs`() async throws {
        let resolver = StubResolver()
        let task = try await withSession(configuration(resolver)) { session in
            let request = try Request(to: "http://dead.test/")
            let task = Task { _ = try await session.data(for: request) }
            try await until("the lookup hangs") { resolver.deadLookups == 1 }
            return task
        }
        let error = try await networkingError { try await task.value }
        #expect(error.code == .sessionInvalidated, "\(error)")
        #expect(resolver.deadLookups == 1)
    }

    // MARK: The cache

    @Test func `a name is not looked up again for another connection`() async throws {
        let resolver = StubResolver(["good.test": ["127.0.0.1"]])
        try await FaultServer.run(Self.ok) { server in
            try await FaultServer.run(Self.ok) { other in
                try await withSession(configuration(resolver)) { session in
                    for port in [server.port, other.port] {
                        let response = try await session.data(for: Request(to: "http://good.test:\(port)/"))
                        #expect(!response.timings.isConnectionReused)
                        // A lookup that did not take place has no time.
                        #expect((response.timings.dns == nil) == (port == other.port))
                    }
                    #expect(resolver.lookups(of: "good.test") == 1)
                }
            }
        }
    }

    @Test func `a name is looked up again when none of its addresses could be reached`() async throws {
        let resolver = StubResolver(["good.test": ["127.0.0.1", "127.0.0.2"]])
        // The port of a server that is gone.
        let port = try await FaultServer.run(Self.ok) { server in server.port }
        try await withSession(configuration(resolver)) { session in
            for number in 1...2 {
                let error = try await networkingError {
                    _ = try await session.data(for: Request(to: "http://good.test:\(port)/"))
                }
                #expect(error.code == .connectFailed, "\(error)")
                #expect(error.message.contains("127.0.0.1") && error.message.contains("127.0.0.2"), "\(error)")
                #expect(resolver.lookups(of: "good.test") == number)
            }
        }
    }

    // MARK: Resolvers of the user's

    /// Finds addresses of IPv4, and never ends a lookup of IPv6 before its task is cancelled.
    private struct HalfDeadResolver: NameResolver {
        func addresses(of host: String, in family: IPAddress.Family) async throws -> FoundAddresses {
            if family == .ipv6 { try await Task.sleep(for: .seconds(3600)) }
            return FoundAddresses([.loopback], timeToLive: .zero)
        }
    }

    @Test func `a name server that sends nothing for IPv6 delays a request by 50 ms`() async throws {
        try await FaultServer.run(Self.ok) { server in
            let configuration = SessionConfiguration { $0.nameResolver = HalfDeadResolver() }
            try await withSession(configuration) { session in
                let response = try await session.data(for: Request(to: "http://half.test:\(server.port)/"))
                #expect(response.value == Data("ok".utf8))
                // RFC 8305 §3.
                #expect(try #require(response.timings.dns) >= .milliseconds(50))
            }
        }
    }
}
