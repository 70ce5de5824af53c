import LocalServer
import NIOCore
import Testing

@testable import Bluebonnet

/// The cipher suite in the first message of a TLS server.
@Suite struct ServerHelloTests {
    /// A record with the message, which may have a session ID.
    private static func record(suite: UInt16, sessionID: Int = 32, length: Int? = nil) -> [UInt8] {
        let message: [UInt8] =
            [2, 0, 0, UInt8(2 + 32 + 1 + sessionID + 3), 3, 3]
            + Array(repeating: 0xAB, count: 32)
            + [UInt8(sessionID)] + Array(repeating: 0xCD, count: sessionID)
            + [UInt8(suite >> 8), UInt8(suite & 0xFF), 0]
        return [22, 3, 3, 0, UInt8(length ?? message.count)] + message
    }

    @Test(arguments: [0, 1, 32], [1, 7, 1000])
    func `the suite is read, however the bytes arrive`(_ sessionID: Int, _ piece: Int) {
        var rest = Self.record(suite: 0xC02F, sessionID: sessionID)[...]
        var hello = ServerHello()
        while !rest.isEmpty {
            hello.read(ByteBuffer(bytes: rest.prefix(piece)))
            rest = rest.dropFirst(piece)
        }
        #expect(hello.isEnd)
        #expect(hello.cipherSuite == .rsaAES128GCM)
    }

    @Test func `what has no suite ends the reading`() {
        let alert: [UInt8] = [21, 3, 3, 0, 2, 2, 40]
        var otherMessage = Self.record(suite: 0xC02F)
        otherMessage[5] = 11
        var longSessionID = Self.record(suite: 0xC02F)
        longSessionID[43] = 33
        for bytes in [
            alert, Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), otherMessage, longSessionID,
            Self.record(suite: 0xC02F, length: 40),
        ] {
            var hello = ServerHello()
            hello.read(ByteBuffer(bytes: bytes))
            #expect(hello.isEnd)
            #expect(hello.cipherSuite == nil)
        }
    }

    @Test func `only the beginning is read, in any bytes`() {
        var random = SeededGenerator(seed: 7)
        for _ in FuzzRounds(2000) {
            var bytes = Self.record(suite: 0x1302, sessionID: Int.random(in: 0...32, using: &random))
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            bytes += Array(repeating: 0, count: 400)
            var hello = ServerHello()
            hello.read(ByteBuffer(bytes: bytes))
            #expect(hello.isEnd)
        }
    }

    @Test func `suites have the names of the registry`() {
        #expect("\(TLSCipherSuite.ecdsaAES256GCM)" == "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384")
        #expect("\(TLSCipherSuite(rawValue: 0x1301))" == "TLS_AES_128_GCM_SHA256")
        #expect("\(TLSCipherSuite(rawValue: 0x00FF))" == "0x00FF")
    }

    @Test(arguments: [TLSCipherSuite.ecdsaAES256GCM, .ecdsaChaCha20Poly1305])
    func `the metrics of a request have the cipher suite of TLS 1.2 that was agreed upon`(
        suite: TLSCipherSuite
    ) async throws {
        let certificates = try TestCertificates.shared()
        let options = FaultServer.Options(tls: ServerTLS(certificates.localhost))
        try await FaultServer.run([.readRequest, .respond(body: "ok")], options: options) { server in
            let configuration = SessionConfiguration(trusting: certificates.authority) {
                $0.maximumVersion = .tls1_2
                $0.cipherSuites = [suite]
            }
            try await withSession(configuration) { session in
                let response = try await session.data(for: Request(to: "https://localhost:\(server.port)/"))
                let transaction = response.metrics.transactions[0]
                #expect(transaction.tlsVersion == .tls1_2)
                #expect(transaction.tlsCipherSuite == suite)
            }
        }
    }
}
