import Foundation
import LocalServer
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FaultEndpointsTests {
    /// Sends a request and receives what comes until the connection ends. A reset is an error.
    private func receive(_ target: String, from server: LocalServer) async throws -> (text: String, isReset: Bool) {
        let connection = try await RawConnection.connect(port: server.port)
        try await connection.send("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
        var text = ""
        do {
            while let piece = try await connection.receive() { text += piece }
        } catch {
            return (text, true)
        }
        await connection.close()
        return (text, false)
    }

    @Test func `the faults of connections end it without a response`() async throws {
        try await LocalServer.run { server in
            let reset = try await receive("/fault/reset", from: server)
            #expect(reset.text == "" && reset.isReset)
            let closed = try await receive("/fault/close", from: server)
            #expect(closed.text == "" && !closed.isReset)
        }
    }

    @Test(arguments: ["/fault/reset", "/fault/reset/5"])
    func `a reset over TLS is one of the connection, without an end of TLS`(target: String) async throws {
        let certificates = try TestCertificates.shared()
        try await LocalServer.run(LocalServer.Options(tls: ServerTLS(certificates.localhost))) { server in
            let configuration = try TLSClient.trusting(certificates.authority)
            let connection = try await RawConnection.connect(port: server.port, tls: configuration)
            try await connection.send("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
            let error = await #expect(throws: IOError.self) { _ = try await connection.receiveAll() }
            #expect(error?.errnoCode == ECONNRESET)
        }
    }

    @Test func `a truncated body has so many bytes, of which more are announced`() async throws {
        try await LocalServer.run { server in
            let (text, isReset) = try await receive("/fault/truncate/5", from: server)
            #expect(text.contains("Content-Length: 11\r\n") && text.hasSuffix("\r\n\r\n*****") && !isReset, "\(text)")
            let chunked = try await receive("/fault/truncate/5?chunked", from: server).text
            #expect(chunked.contains("chunked\r\n") && chunked.hasSuffix("\r\n\r\n5\r\n*****\r\n"), "\(chunked)")
            let reset = try await receive("/fault/reset/5", from: server)
            #expect(reset.isReset)
        }
    }

    @Test func `a stalled body comes in two halves, and is whole`() async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/fault/stall/0.01", from: server)
            #expect(response.text == "**********")
            for pause in ["-1", "x", "3601", "nan"] {
                let refused = try await RawResponse.fetch("/fault/stall/\(pause)", from: server)
                #expect(refused.status == 400)
            }
        }
    }

    @Test(arguments: [
        ("/fault/garbage", "This is not HTTP.\r\n\r\n"), ("/fault/chunk", "\r\nno size\r\n"),
        ("/fault/lengths", "\r\n\r\nabcd"),
    ])
    func `the faults of HTTP send their bytes and close`(target: String, end: String) async throws {
        try await LocalServer.run { server in
            let (text, isReset) = try await receive(target, from: server)
            #expect(text.hasSuffix(end) && !isReset, "\(text)")
        }
    }

    @Test func `a request that hangs does not keep the server from stopping`() async throws {
        try await LocalServer.run { server in
            let connection = try await RawConnection.connect(port: server.port)
            try await connection.send("GET /fault/hang HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await RawResponse.fetch("/uuid", from: server).status == 200)
        }
    }
}
