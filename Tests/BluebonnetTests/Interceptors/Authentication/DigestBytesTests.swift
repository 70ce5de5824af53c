import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// Digest with names and realms that are not UTF-8, over sockets.
@Suite(.timeLimit(.minutes(5)))
struct DigestBytesTests {
    /// “Jäs” and “Geschützt” in ISO-8859-1.
    private static let user: [UInt8] = [0x4A, 0xE4, 0x73]
    private static let realm = Array("Gesch".utf8) + [0xFC] + Array("tzt".utf8)

    private static let script = FaultServer.Script.requests { request in
        guard request.value(of: "Authorization") == nil else { return [.respond(body: "ok")] }
        let start = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nWWW-Authenticate: Digest realm=\""
        let end = "\", nonce=\"n\", qop=\"auth\"\r\n\r\n"
        return [.send(Array(start.utf8) + realm + Array(end.utf8))]
    }

    @Test func `their bytes are sent as they are, and hashed as they are`() async throws {
        try await FaultServer.run(Self.script) { server in
            try await withSession { session in
                var request = try Request(to: server.baseURL + "/x")
                request.credential = Credential(user: Self.user, password: [0xFF])
                #expect(try await session.data(for: request).status.code == 200)
            }
            let sent = try #require(server.requests.last)
            for (name, bytes) in [("username", Self.user), ("realm", Self.realm)] {
                let parameter = Array("\(name)=\"".utf8) + bytes + Array("\"".utf8)
                #expect(sent.head.firstRange(of: parameter) != nil, "\(name)")
            }
            let field = try #require(HTTPChallenge.challenges(in: [sent.value(of: "Authorization") ?? ""]).first)
            let algorithm = try #require(DigestAlgorithm(nil))
            func hash(_ parts: String?...) -> String { algorithm.digest(parts.map { Array(($0 ?? "").utf8) }) }
            let key = algorithm.digest([Self.user, Self.realm, [0xFF]])
            #expect(
                field["response"] == hash(key, "n", field["nc"], field["cnonce"], "auth", hash("GET", "/x"))
            )
        }
    }
}
