import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

@testable import Bluebonnet

/// Digest over the bodies of requests (RFC 7616 §3.4.3), over sockets.
@Suite(.timeLimit(.minutes(3)))
struct DigestBodyTests {
    private static let options = [RequestOption.credential(Credential(user: "ada", password: "secret"))]

    private static func challenge(_ algorithm: String, nonce: String) -> FaultStep {
        let field = #"Digest realm="r", nonce="\#(nonce)", qop="auth-int", algorithm=\#(algorithm)"#
        return .respond(401, headers: [("WWW-Authenticate", field)])
    }

    /// Wants Digest with `auth-int`, except for `/open`.
    private static let script = FaultServer.Script.requests { request in
        let isOpen = request.target == "/open" || isRight(request)
        return [isOpen ? .respond(body: request.bodyText) : challenge("SHA-256", nonce: "n")]
    }

    /// Whether a request has the digest of itself and its body, by the algorithm that it names.
    private static func isRight(_ request: FaultServer.Request) -> Bool {
        guard let field = request.value(of: "Authorization"),
            let digest = HTTPChallenge.challenges(in: [field]).first,
            let algorithm = DigestAlgorithm(digest["algorithm"])
        else { return false }
        func hash(_ parts: String?...) -> String { algorithm.digest(parts.map { Array(($0 ?? "").utf8) }) }
        let (key, message) = (hash("ada", "r", "secret"), hash(request.method, request.target, hash(request.bodyText)))
        let right = hash(key, digest["nonce"], digest["nc"], digest["cnonce"], "auth-int", message)
        return digest["qop"] == "auth-int" && digest["response"] == right
    }

    @Test func `a body that can be read once is not used up by a hash`() async throws {
        try await FaultServer.run(Self.script) { server in
            try await withAPI(at: server.baseURL) { api in
                try await api.get("private", options: Self.options)
                func body() -> RequestContent { .stream(Pieces(["one ", "two"])) }
                let text: String = try await api.post("open", body: body(), options: Self.options, as: .string)
                #expect(text == "one two")
                // As without the knowledge: nobody can answer the challenge for such a body.
                let error = try await networkingError {
                    try await api.post("private", body: body(), options: Self.options, as: .string)
                }
                #expect(error.code == .unacceptableStatusCode && error.response?.status.code == 401)
            }
            #expect(server.requests.map(\.method) == ["GET", "GET", "POST", "POST"])
            #expect(server.requests.map { $0.value(of: "Authorization") != nil } == [false, true, false, false])
            #expect(server.requests.map(\.bodyText) == ["", "", "one two", "one two"])
        }
    }

    /// A body that is made anew for each sending.
    private static func body(_ make: @escaping @Sendable () async throws -> String?) -> RequestBody {
        .stream {
            let isOver = Mutex(false)
            return AsyncThrowingStream(unfolding: {
                let wasOver = isOver.withLock { isOver in
                    defer { isOver = true }
                    return isOver
                }
                return wasOver ? nil : try await make().map { Array($0.utf8) }
            })
        }
    }

    /// Runs the work in a session that knows that the server wants `auth-int`.
    private func withKnownSpace(
        _ script: FaultServer.Script = Self.script,
        _ work: (FaultServer, SessionManager, Request) async throws -> Void
    ) async throws {
        try await FaultServer.run(script) { server in
            try await withSession { session in
                var request = try Request(to: server.baseURL + "/private")
                request.credential = Credential(user: "ada", password: "secret")
                #expect(try await session.data(for: request).status.code == 200)
                request.method = .post
                try await work(server, session, request)
            }
        }
    }

    @Test func `the timeout of a request ends the hash of its body`() async throws {
        try await withKnownSpace { server, session, request in
            var request = request
            request.timeouts = Timeouts(request: .milliseconds(300))
            request.body = Self.body {
                try await Task.sleep(for: .seconds(3600))
                return nil
            }
            let error = try await networkingError { try await session.data(for: request) }
            #expect(error.code == .requestTimeout)
            #expect(server.requests.count == 2)
        }
    }

    @Test func `a task that is cancelled ends the hash of its body`() async throws {
        try await withKnownSpace { server, session, request in
            let hasBegun = Counter()
            var request = request
            request.body = Self.body {
                hasBegun.increment()
                try await Task.sleep(for: .seconds(3600))
                return nil
            }
            let task = session.dataTask(for: request)
            task.resume()
            try await until("the hash has begun") { hasBegun.value == 1 }
            task.cancel()
            let error = try await networkingError { try await task.value }
            #expect(error.code == .cancelled)
            #expect(server.requests.count == 2)
        }
    }

    @Test func `the error of a source that is hashed is that of a body`() async throws {
        try await withKnownSpace { server, session, request in
            var request = request
            request.body = .stream { Pieces(["one"], error: Pieces.Broken()) }
            let error = try await networkingError { try await session.data(for: request) }
            #expect(error.code == .requestBodyFailed && error.underlying is Pieces.Broken)
            #expect(error.request?.method == .post)
            request.body = .stream(length: 2) { Pieces(["one"]) }
            let mismatch = try await networkingError { try await session.data(for: request) }
            #expect(mismatch.code == .requestBodyLengthMismatch)
            #expect(server.requests.count == 2)
        }
    }

    @Test func `a challenge that another request gets meanwhile is the one that the body is hashed for`() async throws {
        // From the second GET on, the server wants another algorithm.
        let isNew = Mutex(false)
        let script = FaultServer.Script.requests { request in
            let algorithm = isNew.withLock { isNew in
                if request.target == "/change" { isNew = true }
                return isNew ? "MD5" : "SHA-256"
            }
            let isRight = Self.isRight(request) && request.value(of: "Authorization")?.contains(algorithm) == true
            return [isRight ? .respond(body: request.bodyText) : Self.challenge(algorithm, nonce: algorithm)]
        }
        try await withKnownSpace(script) { server, session, request in
            let (hashes, gate) = (Counter(), Gate())
            var posting = request
            posting.body = Self.body {
                if hashes.increment() == 1 { await gate.wait() }
                return "a body"
            }
            let task = session.dataTask(for: posting)
            task.resume()
            try await until("the hash has begun") { hashes.value == 1 }
            var getting = request
            getting.method = .get
            getting.url = try #require(URL(string: server.baseURL + "/change"))
            #expect(try await session.data(for: getting).status.code == 200)
            gate.open()
            #expect(try await task.value == Data("a body".utf8))
            // Two hashes and one sending: the server did not have to ask again.
            #expect(hashes.value == 3)
            #expect(server.requests.count { $0.method == "POST" } == 1)
        }
    }
}
