import BluebonnetTesting
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// Retries that a network ends the wait for.
@Suite(.timeLimit(.minutes(3)))
struct OfflineRetrierTests {
    private func configuration(
        _ network: StubNetwork,
        _ retrier: OfflineRetrier? = OfflineRetrier(longestWait: .seconds(3600))
    ) -> SessionConfiguration {
        SessionConfiguration {
            $0.networkMonitor = network.monitor
            $0.retriers = retrier.map { [$0] } ?? []
        }
    }

    /// A transport that fails while the network is away, and opens the gate then.
    private func transport(_ network: StubNetwork, _ gate: Gate, _ code: NetworkingError.Code = .connectFailed)
        -> StubTransport
    {
        StubTransport { _ in
            if network.monitor.current?.path(to: nil).isReachable == true { return .text("ok") }
            gate.open()
            return .error(code)
        }
    }

    @Test func `a request that failed without a network is sent again when there is one`() async throws {
        let (network, gate) = (StubNetwork(.offline), Gate())
        let transport = transport(network, gate)
        try await withSession(configuration(network), transport: transport) { session in
            async let data = session.data(for: Request(to: "http://x/a")).value
            await gate.wait()
            // A network that is back before the retrier looks is none that it waits for.
            try await until("the retrier waits") { network.monitor.isWatched }
            network.tell(.online())
            let received = try await data
            #expect(received.elementsEqual("ok".utf8))
        }
        #expect(transport.requests.count == 2)
    }

    @Test func `with a network it decides nothing`() async throws {
        let network = StubNetwork(.online())
        let transport = StubTransport(.error(.connectFailed))
        try await withSession(configuration(network), transport: transport) { session in
            let error = try await networkingError { try await session.data(for: Request(to: "http://x/a")) }
            #expect(error.code == .connectFailed)
        }
        #expect(transport.requests.count == 1)
    }

    @Test func `for a named host with a route it decides nothing, though there is no default route`() async throws {
        let (network, names) = (StubNetwork(.near), StubNames())
        names.set("192.0.2.9")
        var configuration = configuration(network)
        configuration.nameResolver = names
        try await withSession(configuration, transport: StubTransport(.error(.connectFailed))) { session in
            let error = try await networkingError { try await session.data(for: Request(to: "http://x/a")) }
            #expect(error.code == .connectFailed)
        }
        #expect(names.lookups == 1)
    }

    @Test func `the longest wait ends it with the error`() async throws {
        let (network, gate) = (StubNetwork(.offline), Gate())
        let transport = transport(network, gate)
        let retrier = OfflineRetrier(longestWait: .milliseconds(20))
        try await withSession(configuration(network, retrier), transport: transport) { session in
            let error = try await networkingError { try await session.data(for: Request(to: "http://x/a")) }
            #expect(error.code == .connectFailed)
        }
        #expect(transport.requests.count == 1)
    }

    @Test func `when the longest wait is over, a policy has the request sent again all the same`() async throws {
        let network = StubNetwork(.offline)
        let transport = StubTransport(.error(.connectFailed), .text("ok"))
        var configuration = configuration(network, OfflineRetrier(longestWait: .milliseconds(20)))
        configuration.retryPolicy = RetryPolicy { $0.backoff = RetryBackoff(first: .zero) }
        try await withSession(configuration, transport: transport) { session in
            let received = try await session.data(for: Request(to: "http://x/a")).value
            #expect(received.elementsEqual("ok".utf8))
        }
        #expect(transport.requests.count == 2)
    }

    @Test func `a response and other errors are none of its concern`() async throws {
        let network = StubNetwork(.offline)
        for response in [StubResponse.status(503), .error(.certificateExpired)] {
            let transport = StubTransport(response)
            try await withSession(configuration(network), transport: transport) { session in
                _ = try? await session.data(for: Request(to: "http://x/a"))
            }
            #expect(transport.requests.count == 1)
        }
    }

    @Test func `a POST that the server may have processed is not sent again`() async throws {
        let network = StubNetwork(.offline)
        let transport = StubTransport(.error(.connectionLost))
        try await withSession(configuration(network), transport: transport) { session in
            let error = try await networkingError {
                try await session.data(for: Request(.post, to: "http://x/a"))
            }
            #expect(error.code == .connectionLost)
        }
        #expect(transport.requests.count == 1)
    }

    // MARK: Proxies

    @Test(arguments: [Proxy.Kind.http, .socks5h], ["127.0.0.1", "proxy.test"])
    func `with a path to the proxy it decides nothing, and does not look up the server`(
        kind: Proxy.Kind,
        host: String
    ) async throws {
        // Without a default route.
        let (network, names) = (StubNetwork(.near), StubNames())
        names.set("127.0.0.1")
        var configuration = configuration(network)
        configuration.nameResolver = names
        configuration.proxies = .proxy(try Proxy(kind, host: host, port: FaultServer.unusedPort))
        try await withSession(configuration) { session in
            let error = try await networkingError { try await session.data(for: Request(to: "http://x.test/a")) }
            #expect(error.code == .proxyConnectFailed)
        }
        #expect(Set(names.hosts) == (host == "proxy.test" ? ["proxy.test"] : []))
    }

    @Test(arguments: [true, false])
    func `the wait of a retrier or a policy ends when there is a path to the proxy`(isRetrier: Bool) async throws {
        let (network, attempts) = (StubNetwork(.offline), Counter())
        let script = FaultServer.Script.requests { _ in
            attempts.increment() == 1 ? [.close] : [.respond(body: "ok")]
        }
        try await FaultServer.run(script) { server in
            var configuration = isRetrier ? configuration(network) : configuration(network, nil)
            if !isRetrier { configuration.retryPolicy = Self.patient }
            configuration.proxies = .proxy(try Proxy(.http, host: "127.0.0.1", port: server.port))
            try await withSession(configuration) { session in
                async let data = session.data(for: Request(to: "http://x.test/a")).value
                try await until("the wait has begun") { attempts.value == 1 && network.monitor.isWatched }
                // There is still no default route.
                network.settle()
                network.tell(.near)
                let received = try await data
                #expect(received.elementsEqual("ok".utf8))
            }
            #expect(attempts.value == 2)
        }
    }

    /// Opens a gate, and leaves the decision to the next one.
    private struct Opening: Retrier {
        let gate: Gate

        func decision(after attempt: RetryAttempt, context: ExchangeContext) async -> RetryDecision {
            gate.open()
            return .byPolicy
        }
    }

    @Test(arguments: [Stop.cancel, .cancelledCaller, .endOfSession])
    func `the wait for a network ends at once when the task is stopped`(stop: Stop) async throws {
        let (network, gate) = (StubNetwork(.offline), Gate())
        var configuration = configuration(network)
        configuration.retriers.insert(Opening(gate: gate), at: 0)
        try await withSession(configuration, transport: transport(network, Gate())) { session in
            let error = try await stop.error(of: Request(to: "http://x/a"), in: session) { _ in await gate.wait() }
            #expect(error.code == stop.code)
        }
    }

    // MARK: The waits of a policy

    /// A policy that waits an hour.
    private static let patient = RetryPolicy {
        $0.backoff = RetryBackoff(first: .seconds(3600), longest: nil, isRandom: false)
    }

    /// The path may be back before anybody watches the network.
    @Test(arguments: 0..<50)
    func `the wait of a policy ends when the path comes back`(number: Int) async throws {
        let network = StubNetwork(.offline)
        let transport = transport(network, Gate())
        var configuration = configuration(network, nil)
        configuration.retryPolicy = Self.patient
        configuration.retryTiming.sleep = { context, time in
            network.tell(.offline)
            network.tell(.online())
            try await context.sleep(for: time)
        }
        try await withSession(configuration, transport: transport) { session in
            let received = try await session.data(for: Request(to: "http://x/a")).value
            #expect(received.elementsEqual("ok".utf8))
        }
        #expect(transport.requests.count == 2)
    }

    @Test func `a wait after a response, or with a network, is as long as it is`() async throws {
        for (state, response) in [
            (NetworkState.offline, StubResponse.status(503)), (.online(), .error(.connectFailed)),
        ] {
            let network = StubNetwork(state)
            let transport = StubTransport(response, .text("ok"))
            let waits = EventLog<Duration>()
            var configuration = configuration(network, nil)
            configuration.retryPolicy = Self.patient
            configuration.retryTiming.sleep = { context, time in
                // Neither ends it.
                network.tell(.offline)
                network.tell(.online())
                waits.append(time)
            }
            try await withSession(configuration, transport: transport) { session in
                let received = try await session.data(for: Request(to: "http://x/a")).value
                #expect(received.elementsEqual("ok".utf8))
            }
            #expect(waits.events == [.seconds(3600)])
        }
    }
}
