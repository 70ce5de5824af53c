import Foundation
import LocalServer
import Testing

/// The WebSocket of the embedded server, by clients that nobody here wrote.
@Suite(.enabled(if: InteropServer.python.isExpected, "the interop servers are not running"), .timeLimit(.minutes(5)))
struct WebSocketClientTests {
    @Test(arguments: [(false, false), (true, false), (true, true)])
    func `websockets of Python speaks to the embedded server`(secure: Bool, http2: Bool) async throws {
        let certificates = try TestCertificates.shared()
        let tls = secure ? ServerTLS(certificates.localhost) : nil
        try await LocalServer.run(LocalServer.Options(tls: tls, http2: http2)) { server in
            try await certificates.withFiles { files in
                let url = server.baseURL.replacing("http", with: "ws", maxReplacements: 1) + "/websocket"
                let (output, status) = try await Self.run([url] + (secure ? [files.authority] : []))
                #expect(status == 0)
                #expect(output == "none\ndefault\nno context\nsmall window\nwrong frame\n")
            }
        }
    }

    /// Runs the clients to their end, and returns what they print, and their exit status. The tasks
    /// of the server go on meanwhile: the wait is on a thread of its own.
    private static func run(_ arguments: [String]) async throws -> (output: String, status: Int32) {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Servers")
        let script = folder.appending(path: "websocket_clients.py")
        let python = try InteropServer.python.address
        return try await withCheckedThrowingContinuation { continuation in
            Thread {
                continuation.resume(
                    with: Result {
                        let process = Process()
                        process.executableURL = URL(filePath: python)
                        process.arguments = [script.path(percentEncoded: false)] + arguments
                        let output = Pipe()
                        process.standardOutput = output
                        try process.run()
                        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
                        process.waitUntilExit()
                        return (String(decoding: bytes, as: UTF8.self), process.terminationStatus)
                    }
                )
            }.start()
        }
    }
}
