import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// Ten thousand requests to a server that breaks off at random, some of them cancelled, leave
/// nothing behind.
@Suite(.timeLimit(.minutes(5)))
struct StormTests {
    private static let count = 10_000
    private static let atOnce = 64

    /// The behaviour of the server for the n-th request, the same in every run.
    private struct Plan {
        var generator: SeededGenerator

        init(_ number: Int) {
            generator = SeededGenerator(seed: UInt64(number))
        }

        /// The steps of the server.
        mutating func steps() -> [FaultStep] {
            let body = String(repeating: "x", count: Int.random(in: 0...2000, using: &generator))
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<3: return [.reset]
            case 3..<6: return [.close]
            case 6..<9: return [.send("HTTP/1.1 200 OK\r\nContent-Length: 3000\r\n\r\n" + body), .close]
            case 9..<11: return [.send("HTTP/1.1 200 OK\r\nContent-Length: 3000\r\n\r\n" + body), .reset]
            case 11..<12: return [.send("HTTP/1.1 200 OK\r\nContent-Length: 3000\r\n\r\n" + body), .stall]
            case 12..<13: return [.stall]
            case 13..<15: return [.send("nonsense")]
            case 15..<20: return [.respond(headers: [("Connection", "close")], body: body), .close]
            default: return [.respond(body: body)]
            }
        }
    }

    /// The end of a request.
    private enum Outcome { case responded, failed, cancelled }

    private static let script = FaultServer.Script.requests { request in
        var plan = Plan(Int(request.target.dropFirst()) ?? 0)
        return plan.steps()
    }

    @Test func `ten thousand requests leave no connection or task behind`() async throws {
        try await FaultServer.run(Self.script) { server in
            let configuration = SessionConfiguration { configuration in
                configuration.maximumConnectionsPerHost = 32
                configuration.timeouts = Timeouts(firstByte: .milliseconds(200), betweenBytes: .milliseconds(200))
            }
            let engine = Engine(configuration: configuration)
            let session = SessionManager(configuration: configuration, transport: engine)
            let next = Counter()
            var outcomes: [Outcome: Int] = [:]
            await withTaskGroup(of: [Outcome].self) { group in
                for _ in 0..<Self.atOnce {
                    group.addTask {
                        var outcomes: [Outcome] = []
                        while case let number = next.increment(), number <= Self.count {
                            outcomes.append(await outcome(of: number, at: server.baseURL, in: session))
                        }
                        return outcomes
                    }
                }
                for await some in group {
                    for outcome in some { outcomes[outcome, default: 0] += 1 }
                }
            }
            #expect(outcomes.values.reduce(0, +) == Self.count)
            #expect(outcomes[.responded, default: 0] > Self.count / 4, "\(outcomes)")
            #expect(outcomes[.failed, default: 0] > 0 && outcomes[.cancelled, default: 0] > 0, "\(outcomes)")
            try await until("no task is left") { session.tasks.isEmpty }
            try await until("nothing waits") { engine.waitingExchanges == 0 }
            await session.shutdown()
            #expect(engine.openConnections == 0 && engine.waitingExchanges == 0)
            try await server.wait("every connection closed") { $0.connections.allSatisfy(\.isClosed) }
        }
    }

    /// Sends one request in one of several ways, some of which cancel or drop it.
    private func outcome(of number: Int, at url: String, in session: SessionManager) async -> Outcome {
        var generator = SeededGenerator(seed: ~UInt64(number))
        let patience = Int.random(in: 0..<20, using: &generator)
        do {
            let request = try Request(to: "\(url)/\(number)")
            switch Int.random(in: 0..<20, using: &generator) {
            case 0:
                let task = session.dataTask(for: request)
                task.resume()
                for _ in 0..<patience { await Task.yield() }
                task.cancel()
                _ = try await task.value
            case 1:
                let task = Task { try await session.data(for: request) }
                for _ in 0..<patience { await Task.yield() }
                task.cancel()
                _ = try await task.value
            case 2:
                // Dropped after the head.
                _ = try await session.open(request).head
            case 3:
                let task = Task { try await session.open(request).body.collect() }
                for _ in 0..<patience { await Task.yield() }
                task.cancel()
                _ = try await task.value
            case 4..<8:
                _ = try await session.open(request).body.collect()
            default:
                _ = try await session.data(for: request)
            }
            return .responded
        } catch {
            return (error as? NetworkingError)?.isCancelled == true ? .cancelled : .failed
        }
    }
}
