import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

@testable import Bluebonnet

/// Credentials of uploads that are continued: for whom they are, and what follows when they end.
@Suite(.timeLimit(.minutes(3)))
struct UploadCredentialsTests {
    private typealias Answer = ResumableUploadServer.Answer
    private typealias Options = ResumableUploadServer.Options

    private static let bytes = RangeResponses.bytes(1_500_000)
    private static let cut = 500_000
    private static let ada = Credential(user: "ada", password: "secret")

    private static func request(_ server: ResumableUploadServer, token: String? = nil) throws -> Request {
        var request = try Request(.put, to: server.baseURL + "/a", body: .data(Data(bytes)))
        if let token { request.headerFields[.authorization] = "Bearer \(token)" }
        return request
    }

    // MARK: Origins

    @Test(arguments: [true, false])
    func `a credential does not go to the upload resource of another origin`(isPreemptive: Bool) async throws {
        let challenge = Options { $0.answer = { _ in Answer(401, [("WWW-Authenticate", "Basic realm=\"b\"")]) } }
        let other = try await ResumableUploadServer.start(challenge)
        try await ResumableUploadServer.run { server in
            let resumeData = UploadResumeData(
                url: try #require(URL(string: other.baseURL + "/uploads/0")),
                originalURL: try #require(URL(string: server.baseURL + "/a")),
                totalByteCount: nil,
                version: .version6
            )
            try await withSession(.withoutPauses) { session in
                var request = try Self.request(server)
                var credential = Self.ada
                credential.isPreemptive = isPreemptive
                request.credential = credential
                let task = session.uploadTask(for: request, resuming: resumeData)
                let error = try await networkingError { try await task.value }
                #expect(error.uploadResumeData == resumeData)
            }
            #expect(server.requests.isEmpty)
        }
        #expect(other.requests.map(\.method) == ["HEAD"])
        #expect(other.requests.allSatisfy { $0.value(of: "Authorization") == nil })
        await other.shutdown()
    }

    @Test func `a credential goes to the upload resource of its own origin`() async throws {
        try await ResumableUploadServer.run(.init { $0.cuts = [Self.cut] }) { server in
            try await withSession(.withoutPauses) { session in
                var request = try Self.request(server)
                request.credential = Self.ada
                request.credential?.isPreemptive = true
                _ = try await session.uploadTask(for: request).value
            }
            #expect(server.requests.map(\.method) == ["PUT", "HEAD", "PATCH"])
            #expect(server.requests.allSatisfy { $0.values(of: "Authorization") == ["Basic YWRhOnNlY3JldA=="] })
        }
    }

    // MARK: Digest

    /// The parameters of the digest of a request; nil unless it is right for its method and target.
    private static func digest(of request: ResumableUploadServer.Request) -> HTTPChallenge? {
        guard request.values(of: "Authorization").count == 1, let field = request.value(of: "Authorization"),
            let digest = HTTPChallenge.challenges(in: [field]).first, let algorithm = DigestAlgorithm("MD5")
        else { return nil }
        func hash(_ parts: String?...) -> String { algorithm.digest(parts.map { Array(($0 ?? "").utf8) }) }
        let (key, message) = (hash("ada", "r", "secret"), hash(request.method, request.path))
        let right = hash(key, digest["nonce"], digest["nc"], digest["cnonce"], digest["qop"], message)
        return digest["uri"] == request.path && digest["response"] == right ? digest : nil
    }

    @Test func `each request of an upload behind Digest has a digest of its own`() async throws {
        let options = Options { options in
            options.cuts = [Self.cut]
            options.answer = { request in
                guard Self.digest(of: request) == nil else { return nil }
                return Answer(401, [("WWW-Authenticate", #"Digest realm="r", nonce="n", qop="auth", algorithm=MD5"#)])
            }
        }
        try await ResumableUploadServer.run(options) { server in
            try await withSession(.withoutPauses) { session in
                var request = try Self.request(server)
                request.credential = Self.ada
                let response = try await session.uploadTask(for: request).result.get()
                #expect(response.head.status.code == 201)
            }
            #expect(server.uploads.map(\.bytes) == [Self.bytes])
            let digests = server.requests.compactMap { Self.digest(of: $0) }
            let sent = server.requests.filter { $0.value(of: "Authorization") != nil }
            #expect(sent.map(\.method) == ["PUT", "HEAD", "PATCH"])
            #expect(digests.map { $0["uri"] } == ["/a", "/uploads/0", "/uploads/0"])
            #expect(Set(digests.map { $0["nc"] }).count == 3)
        }
    }

    @Test func `what an observer adds to the creation is not in the other requests`() async throws {
        struct Numbering: TransactionObserver {
            func willSend(_ transaction: inout OutgoingTransaction) -> TransactionEnding? {
                guard let name = HTTPField.Name("X-Number") else { return nil }
                transaction.headerFields.append(HTTPField(name: name, value: "\(transaction.number)"))
                return nil
            }
        }
        try await ResumableUploadServer.run(.init { $0.cuts = [Self.cut] }) { server in
            try await withSession(.withoutPauses { $0.observers = [Numbering()] }) { session in
                _ = try await session.uploadTask(for: try Self.request(server)).value
            }
            #expect(server.requests.map { $0.values(of: "X-Number") } == [["0"], ["1"], ["2"]])
        }
    }

    // MARK: Tokens

    private struct Source: Authenticator {
        struct Failed: Error {}

        var fails = false
        let refreshes = Counter()

        func apply(_ token: Int, to request: inout Request) {
            request.headerFields[.authorization] = "Bearer \(token)"
        }

        func refresh(_ token: Int) async throws -> Int {
            refreshes.increment()
            guard !fails else { throw Failed() }
            return token + 1
        }
    }

    /// A server whose first body is cut. It wants the first token, and the second one from the
    /// first request with this method on.
    private static func expiring(before method: String) -> Options {
        let isExpired = Mutex(false)
        return Options { options in
            options.cuts = [cut]
            options.answer = { request in
                let token = isExpired.withLock { isExpired in
                    if request.method == method { isExpired = true }
                    return isExpired ? 2 : 1
                }
                return request.value(of: "Authorization") == "Bearer \(token)" ? nil : Answer(401)
            }
        }
    }

    @Test(arguments: ["HEAD", "PATCH"])
    func `a token that ends is refreshed once, and the upload goes on`(_ method: String) async throws {
        let source = Source()
        let configuration = SessionConfiguration.withoutPauses {
            $0.interceptors = [AuthenticationInterceptor(source, token: 1)]
        }
        try await ResumableUploadServer.run(Self.expiring(before: method)) { server in
            try await withSession(configuration) { session in
                let response = try await session.uploadTask(for: try Self.request(server)).result.get()
                #expect(response.head.status.code == 201)
            }
            let methods = ["PUT", "HEAD"] + (method == "PATCH" ? ["PATCH"] : []) + ["HEAD", "PATCH"]
            #expect(server.requests.map(\.method) == methods)
            #expect(server.uploads.map(\.bytes) == [Self.bytes])
        }
        #expect(source.refreshes.value == 1)
    }

    @Test func `a refresh that fails keeps the resume data`() async throws {
        let source = Source(fails: true)
        let configuration = SessionConfiguration.withoutPauses {
            $0.interceptors = [AuthenticationInterceptor(source, token: 1)]
        }
        try await ResumableUploadServer.run(Self.expiring(before: "HEAD")) { server in
            try await withSession(configuration) { session in
                let task = session.uploadTask(for: try Self.request(server))
                let error = try await networkingError { try await task.value }
                #expect(error.code == .authenticationFailed && error.underlying is Source.Failed)
                #expect(error.uploadResumeData?.url.path == "/uploads/0")
            }
            #expect(server.requests.map(\.method) == ["PUT", "HEAD"])
        }
    }

    @Test func `another origin that wants credentials does not have a token refreshed`() async throws {
        let other = try await ResumableUploadServer.start(.init { $0.answer = { _ in Answer(401) } })
        let options = Options { options in
            options.cuts = [Self.cut]
            options.locations = { _ in [other.baseURL + "/uploads/0"] }
        }
        let source = Source()
        let configuration = SessionConfiguration.withoutPauses {
            $0.interceptors = [AuthenticationInterceptor(source, token: 1)]
        }
        try await ResumableUploadServer.run(options) { server in
            try await withSession(configuration) { session in
                let task = session.uploadTask(for: try Self.request(server))
                let error = try await networkingError { try await task.value }
                #expect(error.isCut && error.uploadResumeData != nil)
            }
            #expect(server.requests.map(\.method) == ["PUT"])
        }
        #expect(other.requests.map(\.method) == ["HEAD"])
        #expect(source.refreshes.value == 0)
        await other.shutdown()
    }

    @Test func `an interceptor may send other requests before it continues an upload`() async throws {
        struct Login: Interceptor {
            func intercept(
                _ request: Request,
                context: ExchangeContext,
                next: Next
            ) async throws -> TransportResponse {
                let response = try await next(request)
                guard response.head.status.code == 401, let url = URL(string: "/login", relativeTo: request.url) else {
                    return response
                }
                let login = try await next(Request(url: url.absoluteURL))
                #expect(login.head.status.code == 405)
                await login.body.discard()
                var request = request
                request.headerFields[.authorization] = "Bearer 2"
                return try await next(request)
            }
        }
        var options = Self.expiring(before: "HEAD")
        let answer = options.answer
        options.answer = { $0.path == "/login" ? nil : answer($0) }
        try await ResumableUploadServer.run(options) { server in
            try await withSession(.withoutPauses { $0.interceptors = [Login()] }) { session in
                _ = try await session.uploadTask(for: try Self.request(server, token: "1")).value
            }
            #expect(server.requests.map(\.method) == ["PUT", "HEAD", "GET", "HEAD", "PATCH"])
            #expect(server.uploads.map(\.bytes) == [Self.bytes])
        }
    }

    // MARK: Refusals

    @Test(arguments: [401, 403, 407])
    func `an upload that is refused for its credentials can be continued with others`(_ status: Int) async throws {
        let options = Options { options in
            options.cuts = [Self.cut]
            options.answer = { request in
                request.method == "HEAD" && request.value(of: "Authorization") == "Bearer 1" ? Answer(status) : nil
            }
        }
        try await ResumableUploadServer.run(options) { server in
            try await withSession(.withoutPauses) { session in
                let task = session.uploadTask(for: try Self.request(server, token: "1"))
                let error = try await networkingError { try await task.value }
                #expect(error.isCut)
                #expect(error.message.contains("responded \(status)"))
                let resumeData = try #require(error.uploadResumeData)
                let request = try Self.request(server, token: "2")
                _ = try await session.uploadTask(for: request, resuming: resumeData).value
            }
            #expect(server.requests.map(\.method) == ["PUT", "HEAD", "HEAD", "PATCH"])
            #expect(server.uploads.map(\.bytes) == [Self.bytes])
        }
    }

    @Test func `a refused part is the response, and its error has the resume data`() async throws {
        let options = Options { options in
            options.cuts = [Self.cut]
            options.answer = { $0.method == "PATCH" && $0.number == 0 ? Answer(403, [], "no") : nil }
        }
        try await ResumableUploadServer.run(options) { server in
            try await withAPI(at: server.baseURL, .withoutPauses) { api in
                let content = RequestContent.data(Data(Self.bytes))
                let error = try await networkingError { try await api.upload("a", from: content, method: .put) }
                #expect(error.code == .unacceptableStatusCode && error.bodyString == "no")
                let resumeData = try #require(error.uploadResumeData)
                try await api.upload("a", from: content, method: .put, resuming: resumeData)
            }
            #expect(server.requests.map(\.method) == ["PUT", "HEAD", "PATCH", "HEAD", "PATCH"])
            #expect(server.uploads.map(\.bytes) == [Self.bytes])
        }
    }

    @Test func `the error of a server is the response also when its upload resource wants credentials`() async throws {
        let options = Options { options in
            options.result = { _ in Answer(503, [], "out of order") }
            options.answer = { $0.method == "HEAD" ? Answer(401) : nil }
        }
        try await ResumableUploadServer.run(options) { server in
            try await withSession(.withoutPauses) { session in
                let response = try await session.uploadTask(for: try Self.request(server)).result.get()
                #expect(response.head.status.code == 503)
                #expect(response.value == Data("out of order".utf8))
            }
            #expect(server.requests.map(\.method) == ["PUT", "HEAD"])
        }
    }

    @Test func `a journal keeps the resume data of an upload that was refused for its credentials`() async throws {
        let store = MemoryTransferStore()
        let options = Options { options in
            options.cuts = [Self.cut]
            options.answer = { $0.method == "HEAD" ? Answer(401) : nil }
        }
        try await ResumableUploadServer.run(options) { server in
            try await withDirectory { directory in
                let file = directory.appending(path: "movie")
                try Data(Self.bytes).write(to: file)
                try await withJournal(in: store, { $0.pauseOfUpload = { _ in .zero } }) { session in
                    let task = session.uploadTask(for: try Request(.put, to: server.baseURL + "/a", body: .file(file)))
                    task.resume()
                    try await until("the task is over") { task.state == .completed }
                }
                try await withJournal(in: store) { session in
                    let task = try #require(session.restoredTasks.first as? UploadTask<Data>)
                    let error = try await networkingError { try await task.value }
                    #expect(error.isCut)
                    #expect(error.uploadResumeData?.url.path == "/uploads/0")
                }
            }
            #expect(server.requests.map(\.method) == ["PUT", "HEAD"])
        }
    }
}
