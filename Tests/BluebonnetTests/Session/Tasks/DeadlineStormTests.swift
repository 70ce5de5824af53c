import LocalServer
import Testing

@testable import Bluebonnet

/// The time of the whole request may be over at any moment: before a connection, while it is made,
/// before or inside the response.
@Suite(.timeLimit(.minutes(5)))
struct DeadlineStormTests {
    @Test func `a request whose timeout fires at any moment ends, and so does its session`() async throws {
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\n\r\n"), .drip("aaaa", every: .milliseconds(1)), .stall,
        ]
        try await FaultServer.run(script) { server in
            let url = server.baseURL
            for round in 0..<300 {
                try await withSession { session in
                    var request = try Request(to: url)
                    request.timeouts = Timeouts(request: .microseconds(round * 10))
                    let error = try await networkingError {
                        try await session.open(request).body.collect()
                    }
                    #expect(error.code == .requestTimeout)
                }
            }
        }
    }
}
