import BluebonnetTesting
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.timeLimit(.minutes(5)))
struct ContentDecodingTests {
    private static var raw: SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.decodesContent = false
        return configuration
    }

    /// A compressed body of the embedded server, as it was received.
    private func compressed(_ path: String) async throws -> [UInt8] {
        try await LocalServer.run { server in
            try await withSession(Self.raw) { session in
                try await Array(session.data(for: Request(to: server.baseURL + path)).value)
            }
        }
    }

    /// The error of a response whose `Content-Encoding` declares this body to be gzip.
    private func failure(
        of body: [UInt8],
        _ configuration: SessionConfiguration = SessionConfiguration()
    ) async throws -> NetworkingError {
        let script: FaultServer.Script = [
            .readRequest, .respond(headers: [("Content-Encoding", "gzip")], bytes: body), .close,
        ]
        return try await FaultServer.run(script) { server in
            try await withSession(configuration) { session in
                try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
            }
        }
    }

    @Test func `a body that cannot be decoded is the error of its transaction`() async throws {
        let fields = [("Content-Encoding", "gzip")]
        let cut: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3]
        let broken: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xFF, 0xFF, 0xFF]
        for body in [cut, broken] {
            try await FaultServer.run([.readRequest, .respond(headers: fields, bytes: body)]) { server in
                try await withSession { session in
                    let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
                    #expect(error.code == .contentDecodingFailed)
                    let transaction = error.metrics?.transactions.last
                    #expect(transaction?.error?.code == .contentDecodingFailed)
                    #expect(transaction?.response?.statusCode == 200)
                }
            }
        }
    }

    @Test func `a refused response and a failed request show the request as it was sent`() async throws {
        let script: FaultServer.Script = [.readRequest, .respond(404, body: "no"), .readRequest, .close]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let offer = ContentCoding.Offer.codings.value
                let request = try Request(to: server.baseURL)
                let refused = try await networkingError {
                    _ = try await session.response(for: request, as: HTTPResponseSerializer())
                }
                #expect(refused.code == .unacceptableStatusCode)
                #expect(refused.request?.headerFields[.acceptEncoding] == offer)
                // A POST is not sent again.
                let post = try Request(.post, to: server.baseURL)
                let lost = try await networkingError { _ = try await session.data(for: post) }
                #expect(lost.request?.headerFields[.acceptEncoding] == offer, "\(lost)")
            }
        }
    }

    @Test(arguments: [("/gzip", "gzipped"), ("/deflate", "deflated")])
    func `a content coding that the server applied is undone`(path: String, flag: String) async throws {
        try await LocalServer.run { server in
            try await withSession { session in
                let response = try await session.response(for: Request(to: server.baseURL + path), as: .json)
                #expect(response.value[flag] == true)
                #expect(response.value["headers"]?["Accept-Encoding"]?.string == ContentCoding.Offer.codings.value)
                #expect(response.body.first == UInt8(ascii: "{"))
                #expect(response.head.contains(.contentEncoding))
            }
        }
    }

    @Test(arguments: [("/gzip", "gzipped"), ("/deflate", "deflated")])
    func `a content coding is undone in a stream too`(path: String, flag: String) async throws {
        try await LocalServer.run { server in
            try await withSession { session in
                let response = try await session.open(Request(to: server.baseURL + path))
                let value = try JSONValue(parsing: try await response.body.collect())
                #expect(value[flag] == true)
            }
        }
    }

    @Test func `content codings are offered once, also after redirects`() async throws {
        let transport = StubTransport(routes: [.get("/1"): .redirect(to: "/2"), .get("/2"): .text("ok")])
        try await withSession(transport: transport) { session in
            _ = try await session.data(for: Request(to: "http://x/1"))
            let offers = transport.requests.map { $0.headerFields[values: .acceptEncoding] }
            #expect(offers == [[ContentCoding.Offer.codings.value], [ContentCoding.Offer.codings.value]])
        }
    }

    @Test func `an Accept-Encoding of the user is kept`() async throws {
        let transport = StubTransport { _ in .text("ok") }
        try await withSession(transport: transport) { session in
            let request = try Request(to: "http://x/1", headerFields: [.acceptEncoding: "identity"])
            _ = try await session.data(for: request)
            #expect(transport.requests[0].headerFields[values: .acceptEncoding] == ["identity"])
        }
    }

    @Test func `with decoding off no content coding is offered, and the bytes stay encoded`() async throws {
        try await LocalServer.run { server in
            try await withSession(Self.raw) { session in
                let response = try await session.data(for: Request(to: server.baseURL + "/gzip"))
                #expect(response.value.starts(with: [0x1F, 0x8B]))
                let echo = try await session.response(for: Request(to: server.baseURL + "/headers"), as: .json).value
                #expect(echo["headers"]?["Accept-Encoding"] == nil)
            }
        }
    }

    @Test(arguments: ["compress", "gzip, dcz", "identity", ""])
    func `an unknown content coding leaves the bytes as they are`(coding: String) async throws {
        let transport = StubTransport { _ in
            StubResponse(headerFields: [.contentEncoding: coding], body: Data("as it came".utf8))
        }
        try await withSession(transport: transport) { session in
            let response = try await session.response(for: Request(to: "http://x/1"), as: .string)
            #expect(response.value == "as it came")
            #expect(response.head[.contentEncoding] == coding)
        }
    }

    @Test func `an empty response body with a content coding is an empty body`() async throws {
        let transport = StubTransport { _ in StubResponse(headerFields: [.contentEncoding: "gzip"]) }
        try await withSession(transport: transport) { session in
            let response = try await session.data(for: Request(.head, to: "http://x/1"))
            #expect(response.value.isEmpty)
        }
    }

    @Test func `a truncated encoded response is an error`() async throws {
        let whole = try await compressed("/gzip")
        for count in [1, 10, whole.count / 2, whole.count - 8, whole.count - 1] {
            let error = try await failure(of: Array(whole.prefix(count)))
            #expect(error.code == .contentDecodingFailed, "\(count) of \(whole.count) bytes")
            #expect(error.response?.status == .ok)
        }
    }

    @Test func `a response that is not in its content coding is an error`() async throws {
        let error = try await failure(of: Array("{\"plain\": true}".utf8))
        #expect(error.code == .contentDecodingFailed)
    }

    @Test func `a response that decodes beyond the size limit is stopped`() async throws {
        let whole = try await compressed("/gzip")
        var configuration = SessionConfiguration()
        configuration.limits.decodedBody = 64
        let error = try await failure(of: whole, configuration)
        #expect(error.code == .contentDecodingLimitExceeded)
    }

    @Test func `the memory limit counts decoded bytes`() async throws {
        let whole = try await compressed("/gzip")
        var configuration = SessionConfiguration()
        configuration.limits.bodyInMemory = 64
        let error = try await failure(of: whole, configuration)
        #expect(error.code == .bodyTooLarge)
    }

    @Test func `too many content codings are an error that has the response head`() async throws {
        let codings = Array(repeating: "gzip", count: 6).joined(separator: ", ")
        let transport = StubTransport { _ in
            StubResponse(headerFields: [.contentEncoding: codings], body: Data("as it came".utf8))
        }
        try await withSession(transport: transport) { session in
            let error = try await networkingError { try await session.data(for: Request(to: "http://x/1")) }
            #expect(error.code == .contentDecodingFailed)
            #expect(error.response?.status == .ok)
        }
    }

    @Test func `a range request offers no content coding, and a part of an encoded body stays encoded`() async throws {
        let transport = StubTransport { _ in
            StubResponse(
                status: .partialContent,
                headerFields: [.contentEncoding: "gzip", .contentRange: "bytes 100-103/1000"],
                body: Data("abcd".utf8)
            )
        }
        try await withSession(transport: transport) { session in
            let request = try Request(to: "http://x/1", headerFields: [.range: "bytes=100-103"])
            let response = try await session.data(for: request)
            #expect(response.value == Data("abcd".utf8))
            #expect(transport.requests[0].headerFields[values: .acceptEncoding] == ["identity"])
        }
    }

    @Test(arguments: [(HTTPRequest.Method.head, 200), (.get, 204), (.get, 304), (.get, 200)])
    func `a response with a content coding and no body is empty on the wire too`(
        method: HTTPRequest.Method,
        status: Int
    ) async throws {
        // RFC 9110 §8.6: the response to HEAD and a 304 may carry the length of the body they do
        // not have.
        let length = method == .head || status == 304 ? 1234 : 0
        let script: FaultServer.Script = [
            .readRequest,
            .send("HTTP/1.1 \(status) X\r\nContent-Encoding: gzip\r\n"),
            .send(status == 204 ? "\r\n" : "Content-Length: \(length)\r\n\r\n"),
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let response = try await session.data(for: Request(method, to: server.baseURL))
                #expect(response.value.isEmpty)
                #expect(response.status.code == status)
            }
        }
    }

    @Test func `progress counts encoded bytes against the announced length`() async throws {
        let whole = try await compressed("/gzip")
        let script: FaultServer.Script = [
            .readRequest, .respond(headers: [("Content-Encoding", "gzip")], bytes: whole),
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let task = session.dataTask(for: try Request(to: server.baseURL))
                task.resume()
                let body = try await task.value
                #expect(body.count > whole.count)
                #expect(task.currentProgress.download.completed == whole.count)
                #expect(task.currentProgress.download.total == whole.count)
            }
        }
    }
}
