import Foundation
import LocalServer
import NIOCore
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LocalServerTests {
    @Test func `the local server responds to an unknown path with 404 and a page`() async throws {
        try await LocalServer.run { server in
            for target in ["/nothing", "/get/more", "/status"] {
                let response = try await RawResponse.fetch(target, from: server)
                #expect(response.status == 404)
                #expect(response.value(of: "content-type") == "text/html; charset=utf-8")
            }
        }
    }

    @Test func `the local server names the allowed methods in a 405`() async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/get", method: "POST", from: server)
            #expect(response.status == 405)
            #expect(response.value(of: "allow") == "GET, HEAD, OPTIONS")
            let options = try await RawResponse.fetch("/post", method: "OPTIONS", from: server)
            #expect(options.status == 200)
            #expect(options.value(of: "allow") == "OPTIONS, POST")
            let any = try await RawResponse.fetch("/anything", method: "OPTIONS", from: server)
            #expect(any.value(of: "allow") == "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, TRACE")
        }
    }

    @Test func `the local server responds to HEAD with the head of the GET`() async throws {
        try await LocalServer.run { server in
            let get = try await RawResponse.fetch("/json", from: server)
            let head = try await RawResponse.fetch("/json", method: "HEAD", from: server)
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

    @Test func `the local server uses TLS when it has a certificate`() async throws {
        let certificates = try TestCertificates.shared()
        try await LocalServer.run(.init(tls: ServerTLS(certificates.localhost))) { server in
            #expect(server.baseURL == "https://localhost:\(server.port)")
            let tls = try TLSClient.trusting(certificates.authority)
            let response = try await RawResponse.fetch("/get", from: server, tls: tls)
            #expect(try response.object()["url"] as? String == "https://localhost:\(server.port)/get")
        }
    }

    @Test func `shutting down the local server does not wait for an idle TLS client`() async throws {
        let certificates = try TestCertificates.shared()
        let server = try await LocalServer.start(.init(tls: ServerTLS(certificates.localhost)))
        let tls = try TLSClient.trusting(certificates.authority)
        let connection = try await RawConnection.connect(port: server.port, tls: tls)
        try await connection.send("GET /ip HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try await connection.receive(atLeast: 100)
        // A connection that is not closed would stay open for a minute or more. The limit is this
        // large because a busy machine takes seconds.
        let time = await ContinuousClock().measure { await server.shutdown() }
        #expect(time < .seconds(20))
    }

    @Test func `shutting down the local server ends responses in progress`() async throws {
        let server = try await LocalServer.start()
        let connection = try await RawConnection.connect(port: server.port)
        try await connection.send("GET /drip?duration=30&numbytes=3 HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try await connection.receive(atLeast: 100)
        // A connection that is not closed would stay open for a minute or more. The limit is this
        // large because a busy machine takes seconds.
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
            let response = try await RawResponse.fetch("/get", from: server)
            #expect(response.status == 200)
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `starting the local server on a port in use is an error`() async throws {
        try await LocalServer.run { server in
            await #expect(throws: (any Error).self) {
                _ = try await LocalServer.start(.init(address: .tcp(host: "127.0.0.1", port: server.port)))
            }
        }
    }

    @Test(arguments: [false, true])
    func `waiting for the local server lasts until it is shut down or the waiting task is cancelled`(
        isCancelled: Bool
    ) async throws {
        let server = try await LocalServer.start()
        let isOver = Atomic(false)
        // It runs at once, up to where it waits.
        let waiting = Task.immediate {
            await server.waitUntilStopped()
            isOver.store(true, ordering: .sequentiallyConsistent)
        }
        let connection = try await RawConnection.connect(port: server.port)
        try await connection.send("GET /ip HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try await connection.receive(atLeast: 100)
        let isOverBefore = isOver.load(ordering: .sequentiallyConsistent)
        #expect(!isOverBefore)
        if isCancelled { waiting.cancel() } else { await server.shutdown() }
        await waiting.value
        // The server has stopped, so it has closed the connection.
        _ = try? await connection.receiveAll()
        await server.shutdown()
    }
}
