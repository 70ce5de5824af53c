import Foundation
import LocalServer
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LocalServerTests {
    @Test func `an unknown path of the local server is a page that says so`() async throws {
        try await LocalServer.run { server in
            for target in ["/nothing", "/get/more", "/status"] {
                let answer = try await Answer.fetch(target, from: server)
                #expect(answer.status == 404)
                #expect(answer.value(of: "content-type") == "text/html; charset=utf-8")
            }
        }
    }

    @Test func `the local server names the right methods for a wrong one`() async throws {
        try await LocalServer.run { server in
            let answer = try await Answer.fetch("/get", method: "POST", from: server)
            #expect(answer.status == 405)
            #expect(answer.value(of: "allow") == "GET, HEAD, OPTIONS")
            let options = try await Answer.fetch("/post", method: "OPTIONS", from: server)
            #expect(options.status == 200)
            #expect(options.value(of: "allow") == "OPTIONS, POST")
            let any = try await Answer.fetch("/anything", method: "OPTIONS", from: server)
            #expect(any.value(of: "allow") == "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, TRACE")
        }
    }

    @Test func `the local server responds to HEAD with the head of the GET`() async throws {
        try await LocalServer.run { server in
            let get = try await Answer.fetch("/json", from: server)
            let head = try await Answer.fetch("/json", method: "HEAD", from: server)
            #expect(head.status == 200)
            #expect(head.body.isEmpty)
            #expect(head.value(of: "content-length") == "\(get.body.count)")
        }
    }

    @Test func `a connection of the local server serves many requests`() async throws {
        try await LocalServer.run { server in
            let connection = try await RawConnection.connect(port: server.port)
            for _ in 0..<3 {
                try await connection.send("GET /ip HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try await connection.receive(atLeast: 100).contains("127.0.0.1"))
            }
        }
    }

    @Test func `the local server speaks TLS when it has a certificate`() async throws {
        let certificates = try TestCertificates.shared()
        try await LocalServer.run(.init(tls: ServerTLS(certificates.localhost))) { server in
            #expect(server.baseURL == "https://localhost:\(server.port)")
            let tls = try TLSClient.trusting(certificates.authority)
            let answer = try await Answer.fetch("/get", from: server, tls: tls)
            #expect(try answer.object()["url"] as? String == "https://localhost:\(server.port)/get")
        }
    }

    @Test func `shutting down the local server does not wait for an idle TLS client`() async throws {
        let certificates = try TestCertificates.shared()
        let server = try await LocalServer.start(.init(tls: ServerTLS(certificates.localhost)))
        let tls = try TLSClient.trusting(certificates.authority)
        let connection = try await RawConnection.connect(port: server.port, tls: tls)
        try await connection.send("GET /ip HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try await connection.receive(atLeast: 100)
        // Without being ended, it would go on for a minute or for ever; a busy machine takes
        // seconds.
        let time = await ContinuousClock().measure { await server.shutdown() }
        #expect(time < .seconds(20))
    }

    @Test func `shutting down the local server ends responses in progress`() async throws {
        let server = try await LocalServer.start()
        let connection = try await RawConnection.connect(port: server.port)
        try await connection.send("GET /drip?duration=30&numbytes=3 HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try await connection.receive(atLeast: 100)
        // Without being ended, it would go on for a minute or for ever; a busy machine takes
        // seconds.
        let time = await ContinuousClock().measure { await server.shutdown() }
        #expect(time < .seconds(20))
        await #expect(throws: (any Error).self) {
            _ = try await RawConnection.connect(port: server.port)
        }
    }

    @Test func `the local server listens on a Unix-domain socket`() async throws {
        let path = FileManager.default.temporaryDirectory.path + "/bb-\(UUID().uuidString.prefix(8)).sock"
        try await LocalServer.run(.init(address: .unixSocket(path))) { server in
            #expect(server.socketPath == path)
            let answer = try await Answer.fetch("/get", from: server)
            #expect(answer.status == 200)
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a taken port is an error of the local server`() async throws {
        try await LocalServer.run { server in
            await #expect(throws: (any Error).self) {
                _ = try await LocalServer.start(.init(address: .tcp(host: "127.0.0.1", port: server.port)))
            }
        }
    }

    @Test func `waiting for the end of the local server ends with it`() async throws {
        let server = try await LocalServer.start()
        let waiting = Task { await server.waitUntilStopped() }
        await server.shutdown()
        await waiting.value
        let other = try await LocalServer.start()
        let cancelled = Task { await other.waitUntilStopped() }
        cancelled.cancel()
        await cancelled.value
    }
}
