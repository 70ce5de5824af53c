import Bluebonnet
import Foundation
import LocalServer
import Synchronization
import Testing

extension SessionManager {
    /// A WebSocket to a server, which waits long for the end of the close handshake: a test that
    /// expects the code of the server must have it on a machine that is busy, too.
    func webSocket(
        to server: WebSocketServer,
        protocols: [String] = [],
        _ change: (inout WebSocketOptions) -> Void = { _ in }
    ) throws -> WebSocketTask {
        guard let url = URL(string: server.url) else { throw Unmet(description: "\(server.url) is a URL") }
        var options = WebSocketOptions()
        options.closeTimeout = .seconds(60)
        change(&options)
        return webSocket(url, protocols: protocols, options: options)
    }
}

/// Runs the body with a WebSocket to a server with a script.
func withWebSocket(
    to script: @escaping WebSocketServer.Script,
    _ configuration: SessionConfiguration = SessionConfiguration(),
    options: @Sendable (inout WebSocketOptions) -> Void = { _ in },
    _ body: @Sendable (WebSocketTask) async throws -> Void
) async throws {
    try await WebSocketServer.run(script) { server in
        try await withSession(configuration) { session in
            try await body(try session.webSocket(to: server, options))
        }
    }
}

extension WebSocketTask {
    /// Expects that the next message is this one; nil for the end.
    func expect(
        _ expected: WebSocketMessage?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let message = try await receive()
        #expect(message == expected, sourceLocation: sourceLocation)
    }

    /// All messages up to the end.
    func all() async throws -> [WebSocketMessage] {
        var messages: [WebSocketMessage] = []
        for try await message in self { messages.append(message) }
        return messages
    }
}

/// What a server or a closure has seen.
final class Notes<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    func note(_ value: Value) {
        values.withLock { $0.append(value) }
    }

    var all: [Value] { values.withLock { $0 } }
}
