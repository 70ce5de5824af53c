import Bluebonnet
import Foundation
import Testing

/// All cases of the Autobahn test suite for clients, of which `scripts/autobahn` starts the server.
@Suite(
    .enabled(if: InteropServer.autobahn.isAvailable, "scripts/autobahn has not started the Autobahn test suite"),
    .timeLimit(.minutes(60))
)
struct AutobahnSuiteTests {
    private static let agent = "agent=bluebonnet"

    /// A WebSocket to a path of the server of the suite. The largest messages have 16 MiB.
    private func socket(_ session: SessionManager, _ path: String) throws -> WebSocketTask {
        let url = try #require(URL(string: InteropServer.autobahn.address + path))
        var options = WebSocketOptions()
        options.maximumFrameSize = 32 << 20
        options.maximumMessageSize = 32 << 20
        return session.webSocket(url, options: options)
    }

    private func text(_ session: SessionManager, _ path: String) async throws -> String {
        let message = try await socket(session, path).receive()
        guard case .text(let text) = message else { return "" }
        return text
    }

    @Test func `no case fails`() async throws {
        try await withSession(SessionConfiguration()) { session in
            let count = try #require(Int(try await text(session, "/getCaseCount")))
            for number in 1...count {
                let echo = try socket(session, "/runCase?case=\(number)&\(Self.agent)")
                // Most cases end with an error: the suite judges by the Close frame that it gets.
                while let message = try? await echo.receive() { try? await echo.send(message) }
                let name = try await text(session, "/getCaseInfo?case=\(number)")
                let status = try await text(session, "/getCaseStatus?case=\(number)&\(Self.agent)")
                #expect(["OK", "NON-STRICT", "INFORMATIONAL"].contains { status.contains("\"\($0)\"") }, "\(name)")
            }
            // The reports are written before the server closes.
            #expect(try await socket(session, "/updateReports?\(Self.agent)").receive() == nil)
        }
    }
}
