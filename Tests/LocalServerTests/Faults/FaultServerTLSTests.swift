import Foundation
import LocalServer
import NIOCore
import NIOSSL
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FaultServerTLSTests {
    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates.shared()
    }

    @Test func `a fault server records the decrypted request of a TLS connection`() async throws {
        let tls = ServerTLS(certificates.localhost, applicationProtocols: ["h2", "http/1.1"])
        try await FaultServer.run([.readRequest, .respond(body: "ok"), .close], options: .init(tls: tls)) { server in
            #expect(server.baseURL == "https://localhost:\(server.port)")
            var configuration = try TLSClient.trusting(certificates.authority)
            configuration.applicationProtocols = ["http/1.1"]
            let connection = try await RawConnection.connect(port: server.port, tls: configuration)
            try await connection.send("GET /secret HTTP/1.1\r\n\r\n")
            #expect(try await connection.receiveAllText().hasSuffix("ok"))
            #expect(server.requests.map(\.target) == ["/secret"])
            #expect(server.connections[0].applicationProtocol == "http/1.1")
            #expect(server.connections[0].tlsVersion == "TLSv1.3")
            #expect(server.record.serverNames == ["localhost"])
        }
    }

    @Test func `a TLS connection that a fault script cuts is truncated`() async throws {
        try await FaultServer.run([.send("half"), .cut], options: .init(tls: ServerTLS(certificates.localhost))) {
            server in
            let configuration = try TLSClient.trusting(certificates.authority)
            let connection = try await RawConnection.connect(port: server.port, tls: configuration)
            #expect(try await connection.receive() == "half")
            await #expect(throws: NIOSSLError.uncleanShutdown) {
                _ = try await connection.receiveAll()
            }
        }
    }

    @Test func `a TLS client sees a fault script's reset as one of the connection`() async throws {
        let options = FaultServer.Options(tls: ServerTLS(certificates.localhost))
        try await FaultServer.run([.readRequest, .reset], options: options) { server in
            let configuration = try TLSClient.trusting(certificates.authority)
            let connection = try await RawConnection.connect(port: server.port, tls: configuration)
            try await connection.send("GET / HTTP/1.1\r\n\r\n")
            let error = await #expect(throws: IOError.self) {
                _ = try await connection.receiveAll()
            }
            #expect(error?.errnoCode == ECONNRESET)
        }
    }

    @Test func `a fault server records a client that distrusts its certificate as a failure`() async throws {
        try await FaultServer.run([.stall], options: .init(tls: ServerTLS(certificates.untrusted))) { server in
            let configuration = try TLSClient.trusting(certificates.authority)
            let connection = try await RawConnection.connect(port: server.port, tls: configuration)
            await #expect(throws: (any Error).self) {
                _ = try await connection.receiveAll()
            }
            try await server.waitUntilClosed(connection: 0)
            #expect(server.connections[0].failure != nil)
        }
    }

    @Test func `a stalling fault server without TLS never responds to a handshake`() async throws {
        try await FaultServer.run([.stall]) { server in
            let configuration = try TLSClient.trusting(certificates.authority)
            let connection = try await RawConnection.connect(port: server.port, tls: configuration)
            try await server.wait("a client hello") { $0.connections.first?.bytesReceived ?? 0 > 100 }
            await connection.close()
            try await server.waitUntilClosed(connection: 0)
            // The client hello was counted as it came, so there is no TLS that would respond to it
            // without being counted.
            #expect(server.connections[0].bytesSent == 0)
        }
    }

    @Test func `a fault server that requires a client certificate refuses a client without one`() async throws {
        let tls = ServerTLS(certificates.localhost, clientAuthorities: [certificates.authority])
        try await FaultServer.run([.send("welcome"), .close], options: .init(tls: tls)) { server in
            var configuration = try TLSClient.trusting(certificates.authority)
            let unknown = try await RawConnection.connect(port: server.port, tls: configuration)
            await #expect(throws: (any Error).self) {
                _ = try await unknown.receiveAll()
            }
            try TLSClient.add(certificates.client, to: &configuration)
            let known = try await RawConnection.connect(port: server.port, tls: configuration)
            #expect(try await known.receiveAllText() == "welcome")
        }
    }

    @Test func `the TLS versions of a fault server can be limited`() async throws {
        let tls = ServerTLS(certificates.localhost, maximumVersion: .tls12)
        try await FaultServer.run([.send("x"), .close], options: .init(tls: tls)) { server in
            let configuration = try TLSClient.trusting(certificates.authority)
            let connection = try await RawConnection.connect(port: server.port, tls: configuration)
            #expect(try await connection.receiveAllText() == "x")
            #expect(server.connections[0].tlsVersion == "TLSv1.2")
        }
    }
}
