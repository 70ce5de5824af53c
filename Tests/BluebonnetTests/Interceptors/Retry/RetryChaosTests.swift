import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

@testable import Bluebonnet

/// Many requests to a server that fails, stalls and says 429 at random: none is lost, none is
/// doubled whose method is not idempotent, and the load stays under the budget.
///
/// Each run has another seed, which it prints; `BLUEBONNET_SEED` repeats one. `BLUEBONNET_CHAOS` is
/// the number of requests, which `scripts/retry-chaos` sets.
@Suite(.timeLimit(.minutes(10)))
struct RetryChaosTests {
    private enum Kind: String, CaseIterable {
        case get = "GET"
        case put = "PUT"
        case post = "POST"
        /// A POST with an idempotency key.
        case keyed = "POST+"
    }

    /// What the server knows of a request: it counts them, whatever the client has heard.
    private struct Known {
        var arrivals = 0
        var successes = 0
        var keys: Set<String> = []
    }

    private final class Server: Sendable {
        private let seed: UInt64
        /// Whether a connection may have several requests.
        private let isKeptAlive: Bool
        private let known = Mutex<[String: Known]>([:])
        private let connections = Mutex<Set<Int>>([])
        /// The requests on used connections that were broken off: the engine sends them again by
        /// itself, once, where their method is idempotent.
        let stale = Counter()

        init(seed: UInt64, isKeptAlive: Bool) {
            self.seed = seed
            self.isKeptAlive = isKeptAlive
        }

        var requests: [String: Known] { known.withLock { $0 } }

        func steps(_ request: FaultServer.Request) -> [FaultStep] {
            let isUsed = !connections.withLock { $0.insert(request.connection).inserted }
            let (steps, isBroken) = answer(request)
            if isUsed, isBroken { stale.increment() }
            return isKeptAlive ? steps : steps + [.close]
        }

        /// The steps, and whether there is no response.
        private func answer(_ request: FaultServer.Request) -> ([FaultStep], isBroken: Bool) {
            let id = request.value(of: "X-Number") ?? ""
            let arrival = known.withLock { known in
                known[id, default: Known()].arrivals += 1
                known[id]?.keys.formUnion(request.values(of: "Idempotency-Key"))
                return known[id]?.arrivals ?? 0
            }
            let fields = isKeptAlive ? [] : [(name: "Connection", value: "close")]
            // The same for each run with the seed, in whatever order the requests come.
            var generator = SeededGenerator(seed: seed &+ (UInt64(id) ?? 0) &* 1_000 &+ UInt64(arrival))
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<60:
                known.withLock { $0[id]?.successes += 1 }
                return ([.respond(200, headers: fields, body: id)], false)
            case 60..<68: return ([.respond(503, headers: fields + [("Retry-After", "0")], body: "busy")], false)
            case 68..<76: return ([.respond(429, headers: fields + [("Retry-After", "1")], body: "slower")], false)
            case 76..<82: return ([.respond(500, headers: fields)], false)
            case 82..<89: return ([.close], true)
            case 89..<95: return ([.reset], true)
            case 95..<97: return ([.send("HTTP/1.1 503 Busy\r\nContent-Length: 100\r\n\r\nhalf"), .close], false)
            case 97..<98: return ([.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"), .close], false)
            default: return ([.stall], false)
            }
        }
    }

    /// What came of a request.
    private enum Outcome {
        case response(Int, body: String, retries: Int)
        case failure(NetworkingError)
    }

    private static let budget = RetryBudget(ratio: 0.3, minimumPerSecond: 5, window: .seconds(2))

    private var configuration: SessionConfiguration {
        SessionConfiguration { configuration in
            configuration.retryPolicy = RetryPolicy {
                $0.maximumRetries = 4
                $0.backoff = RetryBackoff(first: .milliseconds(1), longest: .milliseconds(4))
                $0.usesIdempotencyKeys = true
            }
            configuration.retryBudget = Self.budget
            // Nobody waits a second for a server that says so.
            configuration.retryTiming.sleep = { context, time in
                try await context.sleep(for: min(time, .milliseconds(4)))
            }
            configuration.timeouts.firstByte = .milliseconds(300)
            configuration.maximumConnectionsPerHost = 32
        }
    }

    private func outcome(_ number: Int, _ kind: Kind, _ port: Int, _ session: SessionManager) async throws -> Outcome {
        let method: HTTPRequest.Method =
            switch kind {
            case .get: .get
            case .put: .put
            case .post, .keyed: .post
            }
        var request = try Request(method, to: "http://127.0.0.1:\(port)/")
        if kind != .get { request.body = .string("\(number)") }
        request.headerFields[try #require(HTTPField.Name("X-Number"))] = "\(number)"
        // Without a key, although the policy of the session has one.
        if kind == .post { request.retryPolicy = RetryPolicy { $0.maximumRetries = 4 } }
        do throws(NetworkingError) {
            let response = try await session.data(for: request)
            let body = String(decoding: response.body, as: UTF8.self)
            return .response(response.head.status.code, body: body, retries: response.retries)
        } catch {
            return .failure(error)
        }
    }

    @Test(arguments: [true, false])
    func `no request is lost, none is doubled, and the load stays under the budget`(isKeptAlive: Bool) async throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["BLUEBONNET_CHAOS"].flatMap { Int($0) } ?? 300
        let seed = environment["BLUEBONNET_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0..<1_000_000)
        print("retry chaos, \(count) requests: BLUEBONNET_SEED=\(seed)")
        let server = Server(seed: seed, isKeptAlive: isKeptAlive)
        let startedAt = ContinuousClock.now
        let outcomes = try await FaultServer.run(.requests { server.steps($0) }) { fault in
            try await withSession(configuration) { session in
                try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
                    var outcomes: [Int: Outcome] = [:]
                    var next = 0
                    func add() {
                        guard next < count else { return }
                        let number = next
                        next += 1
                        group.addTask {
                            (number, try await outcome(number, Kind.allCases[number % 4], fault.port, session))
                        }
                    }
                    for _ in 0..<32 { add() }
                    while let (number, outcome) = try await group.next() {
                        #expect(outcomes.updateValue(outcome, forKey: number) == nil)
                        add()
                    }
                    return outcomes
                }
            }
        }
        let time = startedAt.duration(to: .now)
        let requests = server.requests
        #expect(outcomes.count == count)
        for (number, outcome) in outcomes {
            let (kind, known) = (Kind.allCases[number % 4], requests["\(number)"] ?? Known())
            let about: Comment = "\(kind.rawValue) \(number): \(outcome), \(known), BLUEBONNET_SEED=\(seed)"
            // With the engine's own, each attempt may be two.
            #expect(known.arrivals <= (kind == .post ? 1 : isKeptAlive ? 10 : 5), about)
            #expect(known.keys.count == (kind == .keyed && known.arrivals > 0 ? 1 : 0), about)
            switch outcome {
            case .response(200, let body, let retries):
                #expect(body == "\(number)" && known.successes > 0, about)
                // Those that lost a stale connection did not arrive.
                #expect(retries >= known.arrivals - 1, about)
            case .response(let status, _, _): #expect([429, 500, 503].contains(status), about)
            case .failure(let error):
                #expect([.connectionLost, .firstByteTimeout, .truncatedResponse].contains(error.code), about)
            }
        }
        let arrivals = requests.values.reduce(0) { $0 + $1.arrivals }
        let retries = Double(arrivals - count)
        let seconds = time / .seconds(1) + Self.budget.window / .seconds(1)
        let byEngine = Double(server.stale.value)
        #expect(isKeptAlive || byEngine == 0)
        #expect(retries - byEngine <= Self.budget.ratio * Double(count) + Self.budget.minimumPerSecond * seconds)
        // The retries were of use.
        let repaired = requests.values.count { $0.arrivals > 1 && $0.successes > 0 }
        #expect(repaired > count / 10)
    }
}
