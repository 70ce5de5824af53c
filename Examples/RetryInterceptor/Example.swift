import Bluebonnet
import FoundationEssentials
import Synchronization

/// Tests the interceptor without a network: `Next` calls a closure, and the pauses are recorded
/// instead of waited for. Then it sends a request through it.
///
/// Needs a server with httpbin's endpoints, for example `bluebonnet serve --port 8080`:
/// `swift run RetryInterceptor [SERVER]`
@main
struct Example {
    static func main() async throws {
        try await expect([(503, "2"), (503, "1"), (200, nil)], status: 200, pauses: [.seconds(2), .seconds(1)])
        try await expect([(503, "1"), (503, "1"), (503, "1")], status: 503, pauses: [.seconds(1), .seconds(1)])
        try await expect([(503, "3600")], status: 503, pauses: [])
        try await expect([(503, nil)], status: 503, pauses: [])
        try await expect([(404, "1")], status: 404, pauses: [])
        print("all as expected")

        let server = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080"
        var configuration = SessionConfiguration()
        configuration.interceptors = [RetryInterceptor()]
        let api = HTTPSessionManager(baseURL: server, configuration: configuration)
        do {
            let response = try await api.response(.get, "robots.txt", as: .string)
            print("sent through a session: \(response.head)")
        } catch {
            print("Failed: \(error.message)")
        }
    }

    /// Runs the interceptor with a list of responses, and compares the final status, the pauses
    /// and the number of requests with what is expected.
    private static func expect(_ responses: [(Int, String?)], status: Int, pauses: [Duration]) async throws {
        let slept = Mutex<[Duration]>([])
        let sent = Mutex(0)
        let interceptor = RetryInterceptor(sleep: { pause, _ in slept.withLock { $0.append(pause) } })
        let next = Next { request in
            let number = sent.withLock { sent in
                defer { sent += 1 }
                return sent
            }
            let (code, retryAfter) = responses[number]
            var head = ResponseHead(status: .init(code: code))
            head.headerFields[.retryAfter] = retryAfter
            return TransportResponse(head: head, request: request)
        }
        guard let url = URL(string: "https://example.com/") else { return }
        let response = try await interceptor.intercept(Request(url: url), context: ExchangeContext(), next: next)
        precondition(response.head.status.code == status, "got \(response.head)")
        precondition(slept.withLock { $0 } == pauses, "waited \(slept.withLock { $0 })")
        precondition(sent.withLock { $0 } == responses.count, "sent \(sent.withLock { $0 }) requests")
    }
}
