import Foundation
import HTTPTypes
import LocalServer
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import Bluebonnet

/// The end of connection attempts that no request needs any more, or whose event loop was shut
/// down.
@Suite(.timeLimit(.minutes(5)))
struct ConnectorTests {
    /// A server to which connecting never ends.
    private static let blackHole = FaultServer.Options(acceptsConnections: false)

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `shutting down a session closes its connecting sockets`(host: String) async throws {
        try await FaultServer.run([], options: Self.blackHole) { server in
            try await withSession { session in
                for _ in 0..<3 {
                    let request = try Request(to: "http://\(host):\(server.port)/")
                    Task { _ = try await session.data(for: request) }
                }
                try await until("three are being connected") { server.clientSockets(.connecting) == 3 }
            }
            #expect(server.clientSockets(.connecting) == 0)
        }
    }

    @Test func `an attempt that timed out closes its connecting sockets`() async throws {
        let timeouts = SessionConfiguration { $0.timeouts.connect = .milliseconds(100) }
        try await FaultServer.run([], options: Self.blackHole) { server in
            try await withSession(timeouts) { session in
                let error = try await networkingError {
                    _ = try await session.data(for: Request(to: server.baseURL))
                }
                #expect(error.code == .connectTimeout, "\(error)")
                // The attempt and the pool each have a timer; either one ends the attempt.
                try await until("no socket is being connected") { server.clientSockets(.connecting) == 0 }
            }
        }
    }

    @Test func `shutting down a session in a handshake leaves no connection`() async throws {
        let gate = FaultGate()
        defer { gate.open() }
        try await FaultServer.run([.hold(gate)]) { server in
            try await withSession { session in
                let request = try Request(to: "https://127.0.0.1:\(server.port)/")
                Task { _ = try await session.data(for: request) }
                try await until("the handshake has begun") { server.connections.first?.bytesReceived ?? 0 > 0 }
                #expect(server.clientSockets(.established) == 1)
            }
            #expect(server.clientSockets(.established) == 0)
            try await server.waitUntilClientClosed()
        }
    }

    @Test func `no connection attempt begins once all have been cancelled`() async throws {
        let configuration = SessionConfiguration()
        let proxies = SessionProxies(configuration)
        let dialer = Dialer(configuration)
        let connector = Connector(configuration: configuration, proxies: proxies, dialer: dialer)
        let loop = NIOSingletons.posixEventLoopGroup.next()
        let pool = ConnectionPool(
            configuration: configuration,
            proxies: proxies,
            dialer: dialer,
            group: NIOSingletons.posixEventLoopGroup
        )
        connector.cancelAttempts(with: NetworkingError(.sessionInvalidated, "over"))
        let code = await withCheckedContinuation { continuation in
            let route = Route(directTo: Origin(isSecure: false, endpoint: .host("127.0.0.1", port: 1)))
            connector.connect(
                along: route,
                timeout: .seconds(50),
                on: loop,
                pool: pool,
                handle: AttemptHandle()
            ) { result in
                switch result {
                case .success: continuation.resume(returning: NetworkingError.Code?.none)
                case .failure(let error): continuation.resume(returning: error.code)
                }
            }
        }
        #expect(code == .sessionInvalidated)
    }

    // MARK: Event loops that were shut down

    private struct Probe: LoopWork {
        let ran = Counter()
        let dropped = Counter()

        func run() { ran.increment() }
        func wasDropped() { dropped.increment() }
    }

    @Test func `work for an event loop is run or told that it was dropped`() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let before = Probe()
        before.execute(on: loop)
        try await loop.submit {}.get()
        #expect(before.ran.value == 1)
        try await group.shutdownGracefully()
        let after = Probe()
        after.execute(on: loop)
        #expect(after.ran.value == 0 && after.dropped.value == 1)
        #expect(before.ran.value == 1 && before.dropped.value == 0)
    }

    @Test(
        arguments: ["http://127.0.0.1:1/", "http://localhost:1/", "https://localhost:1/", "http+unix://%2Fnone/"],
        [nil, Duration.seconds(40)]
    )
    func `requests on event loops that were shut down fail at once`(url: String, whole: Duration?) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        try await group.shutdownGracefully()
        let configuration = SessionConfiguration {
            $0.eventLoopGroup = group
            $0.timeouts.request = whole
        }
        try await withEngine(configuration) { session, engine in
            for _ in 0..<3 {
                let error = try await networkingError { _ = try await session.data(for: Request(to: url)) }
                #expect(error.code == .connectFailed, "\(error)")
                #expect(error.underlying as? EventLoopError == .shutdown)
            }
            #expect(engine.waitingExchanges == 0 && session.tasks.isEmpty)
        }
    }

    @Test(arguments: ["lookup", "connecting", "handshake", "response", "idle"])
    func `requests under way end when their event loops are shut down`(phase: String) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let resolver = StubResolver()
        let gate = FaultGate()
        defer { gate.open() }
        let configuration = SessionConfiguration {
            $0.eventLoopGroup = group
            $0.nameResolver = resolver
            $0.timeouts.connect = nil
            $0.maximumConnectionsPerHost = 1
        }
        let script: FaultServer.Script =
            phase == "idle" ? [.readRequest, .respond(body: "ok"), .hold(gate)] : [.hold(gate)]
        let options = phase == "connecting" ? Self.blackHole : FaultServer.Options()
        try await FaultServer.run(script, options: options) { server in
            try await withEngine(configuration) { session, engine in
                let url =
                    switch phase {
                    case "lookup": "http://dead.test/"
                    case "handshake": "https://127.0.0.1:\(server.port)/"
                    default: server.baseURL
                    }
                let request = try Request(to: url)
                if phase == "idle" { _ = try await session.data(for: request) }
                // The first is under way, and the others wait for its connection.
                let tasks = (0..<(phase == "idle" ? 0 : 3)).map { _ in Task { _ = try await session.data(for: request) }
                }
                try await until("it is under way") {
                    resolver.deadLookups + server.clientSockets(.connecting) + server.connections.count == 1
                }
                try await group.shutdownGracefully()
                resolver.endDeadLookups()
                for task in tasks {
                    let error = try await networkingError { try await task.value }
                    let codes: [NetworkingError.Code] = [.connectFailed, .connectionLost, .tlsFailed]
                    #expect(codes.contains(error.code), "\(error)")
                }
                let error = try await networkingError { _ = try await session.data(for: request) }
                #expect(error.code == .connectFailed, "\(error)")
                #expect(engine.openConnections == 0)
            }
        }
    }
}
