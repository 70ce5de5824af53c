import Bluebonnet
import Foundation
import HTTPTypes
import LocalServer
import Testing

/// Challenges of servers, answered over sockets.
@Suite(.timeLimit(.minutes(5)))
struct ChallengeTests {
    static let ada = Credential(user: "ada", password: "secret")

    /// Wants Basic with `ada:secret` below `/private/`, and shows every other request.
    static let basic = FaultServer.Script.requests { request in
        guard request.target.hasPrefix("/private/"), request.value(of: "Authorization") != "Basic YWRhOnNlY3JldA=="
        else { return [.respond(body: "\(request.method) \(request.bodyText)")] }
        return [.respond(401, headers: [("WWW-Authenticate", #"Basic realm="Private""#)], body: "who?")]
    }

    private static func authorizations(_ server: FaultServer) -> [String?] {
        server.requests.map { $0.value(of: "Authorization") }
    }

    // MARK: Schemes

    @Test func `a credential of the request answers a challenge, and is sent at once from then on`() async throws {
        try await FaultServer.run(Self.basic) { server in
            try await withAPI(at: server.baseURL) { api in
                let options = [RequestOption.credential(Self.ada)]
                let text = try await api.get("private/a", options: options, as: .string)
                #expect(text == "GET ")
                try await api.get("private/b/c", options: options)
                try await api.get("other", options: options)
                let field = "Basic YWRhOnNlY3JldA=="
                #expect(Self.authorizations(server) == [nil, field, field, nil])
            }
        }
    }

    @Test(arguments: ["MD5", "SHA-256"], ["auth", "auth-int"])
    func `Digest is answered with each algorithm and protection`(algorithm: String, qop: String) async throws {
        try await LocalServer.run { server in
            var configuration = SessionConfiguration()
            configuration.hooks.taskDidReceiveChallenge = { _, challenge in
                #expect(challenge.protectionSpace.scheme == .digest)
                return .use(Self.ada)
            }
            try await withAPI(at: server.baseURL, configuration) { api in
                let path = "digest-auth/\(qop)/ada/secret/\(algorithm)"
                for _ in 0..<3 {
                    let json = try await api.post(path, body: .text("a body"), as: .json)
                    #expect(json["user"]?.string == "ada")
                }
                try await api.get(path)
            }
        }
    }

    @Test func `a stale nonce is replaced without a question`() async throws {
        try await LocalServer.run { server in
            let asked = Counter()
            var configuration = SessionConfiguration()
            configuration.hooks.taskDidReceiveChallenge = { _, challenge in
                asked.increment()
                return .use(Self.ada)
            }
            try await withAPI(at: server.baseURL, configuration) { api in
                for _ in 0..<7 { try await api.get("digest-auth/auth/ada/secret/SHA-256/2") }
            }
            #expect(asked.value == 1)
        }
    }

    @Test func `a server that confirms another password is refused, and its next nonce is taken`() async throws {
        let script = FaultServer.Script.requests { request in
            guard let field = request.value(of: "Authorization") else {
                let challenge = #"Digest realm="r", nonce="n1", qop="auth""#
                return [.respond(401, headers: [("WWW-Authenticate", challenge)])]
            }
            let info = request.target == "/false" ? #"rspauth="00""# : #"nextnonce="n2""#
            return [.respond(headers: [("Authentication-Info", info)], body: field)]
        }
        try await FaultServer.run(script) { server in
            try await withAPI(at: server.baseURL) { api in
                let options = [RequestOption.credential(Self.ada)]
                let first: String = try await api.get("x", options: options, as: .string)
                let second: String = try await api.get("x", options: options, as: .string)
                #expect(first.contains(#"nonce="n1""#) && second.contains(#"nonce="n2", nc=00000001"#))
                let error = try await networkingError { try await api.get("false", options: options) }
                #expect(error.code == .authenticationFailed && error.response?.status.code == 200)
                #expect(server.requests.count == 4)
            }
        }
    }

    @Test func `the next nonce of a late response does not bring back one that was in use`() async throws {
        let gate = FaultGate()
        let script = FaultServer.Script.requests { request in
            guard let field = request.value(of: "Authorization") else {
                let challenge = #"Digest realm="r", nonce="n1", qop="auth""#
                return [.respond(401, headers: [("WWW-Authenticate", challenge)])]
            }
            let next = ["/slow": "n2", "/a": "n2", "/b": "n3"][request.target].map { "nextnonce=\($0)" }
            let response = FaultStep.respond(headers: next.map { [("Authentication-Info", $0)] } ?? [], body: field)
            return request.target == "/slow" ? [.hold(gate), response] : [response]
        }
        try await FaultServer.run(script) { server in
            try await withAPI(at: server.baseURL) { api in
                let options = [RequestOption.credential(Self.ada)]
                try await api.get("first", options: options)
                let slow = Task { try await api.get("slow", options: options, as: .string) }
                try await until("it is sent") { server.requests.last?.target == "/slow" }
                try await api.get("a", options: options)
                let text: String = try await api.get("b", options: options, as: .string)
                #expect(text.contains(#"nonce="n2", nc=00000001"#))
                gate.open()
                #expect(try await slow.value.contains(#"nonce="n1", nc=00000002"#))
                let last: String = try await api.get("c", options: options, as: .string)
                #expect(last.contains(#"nonce="n3", nc=00000001"#), "\(last)")
            }
        }
    }

    @Test func `the strongest challenge is answered for which there is a credential`() async throws {
        let challenges = [
            ("WWW-Authenticate", #"Basic realm="r", Digest realm="r", nonce="1", qop="auth", algorithm=MD5"#),
            ("WWW-Authenticate", #"Bearer realm="r""#),
            ("WWW-Authenticate", #"Digest realm="r", nonce="2", qop="auth", algorithm=SHA-512-256"#),
            ("WWW-Authenticate", #"Digest realm="r", nonce="3", qop="auth", algorithm=SHA-256"#),
        ]
        let script = FaultServer.Script.requests { request in
            request.value(of: "Authorization") == nil ? [.respond(401, headers: challenges)] : [.respond(body: "ok")]
        }
        try await FaultServer.run(script) { server in
            try await withAPI(at: server.baseURL) { api in
                var basicOnly = Self.ada
                basicOnly.schemes = [.basic]
                for credential in [Self.ada, Credential(token: "t0ken"), basicOnly] {
                    // Each in a session of its own, which knows nothing yet.
                    let api = HTTPSessionManager(baseURL: server.baseURL, configuration: SessionConfiguration())
                    try await api.get("x", options: [.credential(credential)])
                }
                let sent = Self.authorizations(server).compactMap(\.self)
                #expect(sent[0].contains("algorithm=SHA-512-256") && sent[0].contains(#"nonce="2""#))
                #expect(sent.dropFirst() == ["Bearer t0ken", "Basic YWRhOnNlY3JldA=="])
            }
        }
    }

    // MARK: Ends

    @Test func `a refused credential ends with the 401, after one answer`() async throws {
        try await FaultServer.run(Self.basic) { server in
            try await withAPI(at: server.baseURL) { api in
                let wrong = Credential(user: "ada", password: "wrong")
                let error = try await networkingError {
                    try await api.get("private/a", options: [.credential(wrong)])
                }
                #expect(error.code == .unacceptableStatusCode && error.response?.status.code == 401)
                #expect(error.bodyString == "who?")
                #expect(server.requests.count == 2)
            }
        }
    }

    @Test func `what was refused is not sent again for another realm`() async throws {
        let script = FaultServer.Script.requests { request in
            let isFirst = request.target == "/a"
            guard !isFirst || request.value(of: "Authorization") == nil else { return [.respond(body: "in")] }
            return [.respond(401, headers: [("WWW-Authenticate", "Basic realm=\(isFirst ? "a" : "b")")])]
        }
        try await FaultServer.run(script) { server in
            try await withAPI(at: server.baseURL) { api in
                let options = [RequestOption.credential(Self.ada)]
                try await api.get("a", options: options)
                // Its body can be read once, and was sent with the credential of the first realm.
                let body = RequestContent.stream(AsyncStream<[UInt8]>(unfolding: { nil }))
                let error = try await networkingError { try await api.post("b", body: body, options: options) }
                #expect(error.code == .unacceptableStatusCode && error.response?.status == .unauthorized)
            }
            let field = "Basic YWRhOnNlY3JldA=="
            #expect(Self.authorizations(server) == [nil, field, field])
        }
    }

    @Test func `a server that calls every nonce stale is not asked for ever`() async throws {
        let script = FaultServer.Script.requests { _ in
            let nonce = UInt64.random(in: 0 ... .max)
            let field = #"Digest realm="r", nonce="\#(nonce)", qop="auth", stale=true"#
            return [.respond(401, headers: [("WWW-Authenticate", field)])]
        }
        try await FaultServer.run(script) { server in
            try await withAPI(at: server.baseURL) { api in
                let error = try await networkingError { try await api.get("x", options: [.credential(Self.ada)]) }
                #expect(error.response?.status.code == 401)
                #expect(server.requests.count == 6)
            }
        }
    }

    @Test func `a handler that always has another password ends after ten requests`() async throws {
        try await FaultServer.run(Self.basic) { server in
            let counts = EventLog<Int>()
            var configuration = SessionConfiguration()
            configuration.hooks.taskDidReceiveChallenge = { _, challenge in
                counts.append(challenge.previousFailureCount)
                return .use(Credential(user: "ada", password: "guess \(challenge.previousFailureCount)"))
            }
            try await withAPI(at: server.baseURL, configuration) { api in
                let error = try await networkingError { try await api.get("private/a") }
                #expect(error.response?.status.code == 401)
            }
            #expect(server.requests.count == 10)
            #expect(counts.events == Array(0..<9))
        }
    }

    @Test(arguments: ["", "Basic", "Unknown x=y", "Digest realm=\"r\"", "Digest realm=r, nonce=n, algorithm=MD4"])
    func `a 401 that nobody can answer is the response`(challenge: String) async throws {
        let script = FaultServer.Script.requests { _ in
            [.respond(401, headers: challenge.isEmpty ? [] : [("WWW-Authenticate", challenge)])]
        }
        try await FaultServer.run(script) { server in
            try await withSession { session in
                var request = try Request(to: server.baseURL + "/")
                request.credential = challenge == "Basic" ? Credential(token: "t") : Self.ada
                let response = try await session.data(for: request)
                #expect(response.status.code == 401 && server.requests.count == 1)
            }
        }
    }

    @Test func `a request with its own Authorization is left alone`() async throws {
        try await FaultServer.run(Self.basic) { server in
            var configuration = SessionConfiguration()
            configuration.hooks.taskDidReceiveChallenge = { _, _ in
                Issue.record("it has credentials of its own")
                return .use(Self.ada)
            }
            try await withSession(configuration) { session in
                var request = try Request(to: server.baseURL + "/private/a", headerFields: [.authorization: "Own x"])
                request.credential = Self.ada
                #expect(try await session.data(for: request).status.code == 401)
                #expect(Self.authorizations(server) == ["Own x"])
            }
        }
    }

    // MARK: The handler

    @Test func `each decision of the handler has its outcome`() async throws {
        struct Refused: Error, CustomStringConvertible { var description: String { "not today" } }
        let decisions: [(ChallengeDisposition, NetworkingError.Code)] = [
            (.cancel, .authenticationCancelled), (.fail(Refused()), .authenticationFailed),
            (.fail(NetworkingError(.storeFailed, "no keyring")), .storeFailed),
            (.rejectProtectionSpace, .unacceptableStatusCode), (.performDefaultHandling, .unacceptableStatusCode),
            (.use(Credential(token: "does not fit")), .unacceptableStatusCode),
        ]
        for (decision, code) in decisions {
            try await FaultServer.run(Self.basic) { server in
                var configuration = SessionConfiguration()
                configuration.hooks.taskDidReceiveChallenge = { _, challenge in
                    #expect(challenge.protectionSpace.realm == "Private" && challenge.previousFailureCount == 0)
                    #expect(challenge.response.status.code == 401 && challenge.proposedCredential == nil)
                    return decision
                }
                try await withAPI(at: server.baseURL, configuration) { api in
                    let error = try await networkingError { try await api.get("private/a") }
                    #expect(error.code == code && error.response?.status.code == 401)
                    if code == .authenticationFailed { #expect(error.underlying is Refused) }
                }
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test func `a rejected challenge leaves the next one`() async throws {
        let script = FaultServer.Script.requests { request in
            guard request.value(of: "Authorization") == nil else { return [.respond(body: "ok")] }
            let field = #"Digest realm="d", nonce="n", qop="auth", Basic realm="b""#
            return [.respond(401, headers: [("WWW-Authenticate", field)])]
        }
        try await FaultServer.run(script) { server in
            let realms = EventLog<String?>()
            var configuration = SessionConfiguration()
            configuration.hooks.taskDidReceiveChallenge = { _, challenge in
                realms.append(challenge.protectionSpace.realm)
                return challenge.protectionSpace.scheme == .basic ? .use(Self.ada) : .rejectProtectionSpace
            }
            try await withAPI(at: server.baseURL, configuration) { try await $0.get("x") }
            #expect(realms.events == ["d", "b"])
        }
    }

    @Test func `a task that ends while the handler waits ends the wait`() async throws {
        try await FaultServer.run(Self.basic) { server in
            var configuration = SessionConfiguration()
            configuration.hooks.taskDidReceiveChallenge = { _, _ in
                try? await Task.sleep(for: .seconds(60))
                return .performDefaultHandling
            }
            try await withAPI(at: server.baseURL, configuration) { api in
                let error = try await networkingError {
                    try await api.get("private/a", timeout: .milliseconds(300))
                }
                #expect(error.code == .requestTimeout)
            }
        }
    }

    // MARK: Origins and bodies

    @Test func `a credential goes to no other origin`() async throws {
        try await FaultServer.run(Self.basic) { other in
            let target = other.baseURL + "/private/x"
            let script = FaultServer.Script.requests { request in
                guard request.value(of: "Authorization") != nil else {
                    return [.respond(401, headers: [("WWW-Authenticate", #"Basic realm="Private""#)])]
                }
                return [.respond(302, headers: [("Location", target)])]
            }
            try await FaultServer.run(script) { server in
                try await withAPI(at: server.baseURL) { api in
                    for credential in [Self.ada, Self.ada] {
                        let error = try await networkingError {
                            try await api.get("x", options: [.credential(credential)])
                        }
                        #expect(error.response?.status.code == 401)
                    }
                    #expect(other.requests.count == 2)
                    #expect(other.requests.allSatisfy { $0.value(of: "Authorization") == nil })
                }
            }
        }
    }

    @Test func `a body is sent again where it can be, else the hook is asked for another one`() async throws {
        try await FaultServer.run(Self.basic) { server in
            func post(_ body: RequestBody, _ configuration: SessionConfiguration) async throws -> String {
                try await withSession(configuration) { session in
                    var request = try Request(.post, to: server.baseURL + "/private/x", body: body)
                    request.credential = Self.ada
                    return String(decoding: try await session.data(for: request).value, as: UTF8.self)
                }
            }
            var configuration = SessionConfiguration()
            #expect(try await post(.string("again"), configuration) == "POST again")
            let error = try await networkingError { try await post(.stream(Pieces(["once"])), configuration) }
            #expect(error.code == .requestBodyNotReplayable && error.response?.status.code == 401)
            configuration.hooks.taskNeedsNewBody = { _ in .string("another") }
            #expect(try await post(.stream(Pieces(["once"])), configuration) == "POST another")
        }
    }

    // MARK: URLs

    @Test func `user and password of a URL are sent at once, and shown nowhere`() async throws {
        try await FaultServer.run(Self.basic) { server in
            let url = server.baseURL.replacingOccurrences(of: "://", with: "://ada:secret@") + "/private/x"
            let events = EventLog<String>()
            let recorder = HARRecorder()
            var configuration = SessionConfiguration()
            configuration.observers = [recorder]
            configuration.hooks.taskDidComplete = { task, error in
                events.append("\(task) \(task.originalRequest.url) \(task.currentRequest.url)")
            }
            try await withSession(configuration) { session in
                let api = HTTPSessionManager(session: session)
                let text: String = try await api.get(url, as: .string)
                #expect(text == "GET ")
                let response = try await session.data(for: try Request(to: url))
                #expect(response.url.absoluteString == server.baseURL + "/private/x")
                let error = try await networkingError {
                    try await api.get(url.replacingOccurrences(of: "secret", with: "hunter2"))
                }
                #expect(error.request?.url.absoluteString == server.baseURL + "/private/x")
                events.append(
                    "\(error) \(error.message) \(error.request.map { "\($0) \($0.curlDescription())" } ?? "")"
                )
            }
            events.append(String(decoding: recorder.log.data(), as: UTF8.self))
            for text in events.events {
                #expect(!text.contains("secret") && !text.contains("hunter2") && !text.contains("ada:"))
            }
            #expect(Self.authorizations(server).allSatisfy { $0 != nil })
        }
    }

    @Test func `user and password of a URL answer Digest too`() async throws {
        try await LocalServer.run { server in
            let url = server.baseURL.replacingOccurrences(of: "://", with: "://ada:p%40ss@")
            try await withAPI(at: url) { api in
                let json: JSONValue = try await api.get("digest-auth/auth/ada/p%40ss/MD5", as: .json)
                #expect(json["user"]?.string == "ada")
            }
        }
    }

    @Test func `a colon in the user of a URL is refused`() async throws {
        try await withSession { session in
            let request = try Request(to: "http://a%3Ab:c@127.0.0.1:1/")
            let error = try await networkingError { try await session.data(for: request) }
            #expect(error.code == .invalidRequest)
        }
    }
}
