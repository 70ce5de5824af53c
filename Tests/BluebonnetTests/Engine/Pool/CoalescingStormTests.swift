import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// Thousands of requests to the hosts of one server, some of them cancelled, leave nothing behind.
@Suite(.timeLimit(.minutes(5)))
struct CoalescingStormTests: CoalescingTesting {
    private static let count = 5000
    private static let hosts = 20
    private static let atOnce = 64

    let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates.shared()
    }

    /// The steps of the server for a request, the same in every run.
    private static let script = HTTP2FaultServer.Script.requests { request in
        var generator = SeededGenerator(seed: UInt64(request.path.dropFirst()) ?? 0)
        return switch Int.random(in: 0..<1000, using: &generator) {
        case 0..<30: [.resetStream(.refusedStream)]
        case 30..<40: [.goAway()]
        case 40..<45: [.cut]
        case 45..<50: [.respond(421)]
        case 50..<60: [.stall]
        default: [.respond(body: request.path)]
        }
    }

    @Test func `five thousand requests to twenty hosts of one address leave no place taken`() async throws {
        let shared = try certificates.issue(for: [.dns("*.shared.test")])
        var options = HTTP2FaultServer.Options(tls: ServerTLS(shared, applicationProtocols: ["h2", "http/1.1"]))
        options.settings = [.maxConcurrentStreams: 16]
        try await HTTP2FaultServer.run(Self.script, options: options) { server in
            var configuration = try configuration(server)
            configuration.timeouts.firstByte = .seconds(5)
            // A connection with a place that is never given back would not become idle.
            configuration.idleConnectionTimeout = .milliseconds(500)
            try await withEngine(configuration) { session, engine in
                let next = Counter()
                let (responded, wrong) = (Counter(), Counter())
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<Self.atOnce {
                        group.addTask {
                            while case let number = next.increment(), number <= Self.count {
                                guard let text = await send(number, to: server, in: session) else { continue }
                                responded.increment()
                                if text != "/\(number)", text != "HTTP/1.1", !text.isEmpty { wrong.increment() }
                            }
                        }
                    }
                }
                #expect(responded.value > Self.count / 2 && wrong.value == 0)
                try await until("no task is left") { session.tasks.isEmpty }
                try await until("nothing waits") { engine.waitingExchanges == 0 }
                try await until("nothing is being connected") { engine.attempts == 0 }
                try await until("every connection became idle") { engine.openConnections == 0 }
            }
            try await server.wait("every connection closed") { $0.connections.allSatisfy(\.isClosed) }
        }
    }

    /// Sends one request, which is cancelled at some moment or not. Returns the body of its
    /// response.
    private func send(_ number: Int, to server: HTTP2FaultServer, in session: SessionManager) async -> String? {
        var generator = SeededGenerator(seed: ~UInt64(number))
        let host = Int.random(in: 0..<Self.hosts, using: &generator)
        let patience = Int.random(in: 0..<30, using: &generator)
        let isCancelled = Int.random(in: 0..<5, using: &generator) == 0
        do {
            let request = try Request(to: url("h\(host).shared.test", server, "\(number)"))
            let task = Task { try await session.data(for: request) }
            if isCancelled {
                for _ in 0..<patience { await Task.yield() }
                task.cancel()
            }
            return try await String(decoding: task.value.value, as: UTF8.self)
        } catch {
            return nil
        }
    }
}
