import Bluebonnet
import Foundation
import HTTPTypes
import LocalServer
import Testing

/// Fields that follow the body of a request (RFC 9110 §6.5).
@Suite(.timeLimit(.minutes(3)))
struct RequestTrailersTests {
    private static let digest = HTTPField.Name.eTag
    private static let other = HTTPField.Name.lastModified

    /// A field as it was received.
    private struct Field: Equatable {
        var name: String
        var value: String

        init(_ field: (name: String, value: String)) {
            (name, value) = field
        }

        init(_ name: String, _ value: String) {
            (self.name, self.value) = (name, value)
        }
    }

    private static let bodies: [(RequestBody, String)] = [
        (.string("abc"), "abc"),
        (.data(Data()), ""),
        (.data(Data(repeating: 97, count: 200_000)), String(repeating: "a", count: 200_000)),
        (
            .stream(makeSequence: {
                AsyncStream {
                    $0.yield(Data("ab".utf8)); $0.yield(Data("c".utf8)); $0.finish()
                }
            }), "abc"
        ),
        (
            .stream(
                length: 3,
                makeSequence: {
                    AsyncStream {
                        $0.yield(Data("abc".utf8)); $0.finish()
                    }
                }
            ), "abc"
        ),
    ]

    @Test func `trailers follow the body in chunks over HTTP 1`() async throws {
        let trailers: HTTPFields = [Self.digest: "a; b", Self.other: "1"]
        for (body, text) in Self.bodies {
            try await FaultServer.run(.requests { _ in [.respond(body: "ok")] }) { server in
                try await withSession { session in
                    let body = body.withTrailers(Self.digest, Self.other) { trailers }
                    _ = try await session.data(for: Request(.put, to: server.baseURL, body: body))
                }
                let request = server.requests[0]
                #expect(request.bodyText == text)
                #expect(request.trailers.map { Field($0) } == [Field("ETag", "a; b"), Field("Last-Modified", "1")])
                #expect(request.value(of: "Trailer") == "ETag, Last-Modified")
                #expect(request.values(of: "Transfer-Encoding") == ["chunked"])
                #expect(request.value(of: "Content-Length") == nil)
            }
        }
    }

    @Test func `trailers end the stream over HTTP 2`() async throws {
        for (body, text) in Self.bodies {
            try await HTTP2FaultServer.run(.requests { _ in [.respond(body: "ok")] }) { server in
                try await withSession(SessionConfiguration { $0.httpVersions = .http2PriorKnowledge }) { session in
                    let body = body.withTrailers(Self.digest) { [Self.digest: "a; b"] }
                    _ = try await session.data(for: Request(.put, to: server.baseURL, body: body))
                }
                let request = server.requests[0]
                #expect(String(decoding: request.body, as: UTF8.self) == text)
                #expect(request.trailers.map { Field($0) } == [Field("etag", "a; b")])
                #expect(request.value(of: "trailer") == "ETag")
                #expect(server.connections[0].failure == nil)
            }
        }
    }

    @Test func `trailers need no window`() async throws {
        let script: HTTP2FaultServer.Script = [.readRequest, .respond(body: "ok")]
        let options = HTTP2FaultServer.Options(settings: [.initialWindowSize: 3], givesWindowsBack: false)
        try await HTTP2FaultServer.run(script, options: options) { server in
            try await withSession(SessionConfiguration { $0.httpVersions = .http2PriorKnowledge }) { session in
                let body = RequestBody.string("abc").withTrailers(Self.digest) { [Self.digest: "x"] }
                _ = try await session.data(for: Request(.put, to: server.baseURL, body: body))
            }
            #expect(server.requests[0].trailers.map { Field($0) } == [Field("etag", "x")])
        }
    }

    @Test func `trailers are made when the body has been read`() async throws {
        let count = Counter()
        try await FaultServer.run(.requests { _ in [.respond(body: "ok")] }) { server in
            try await withSession { session in
                let pieces = AsyncStream(unfolding: {
                    count.increment()
                    return count.value <= 5 ? Data("x".utf8) : nil
                })
                let body = RequestBody.stream(pieces).withTrailers(Self.digest) { [Self.digest: "\(count.value)"] }
                _ = try await session.data(for: Request(.put, to: server.baseURL, body: body))
            }
            #expect(server.requests[0].trailers.map { Field($0) } == [Field("ETag", "6")])
        }
    }

    @Test func `a redirect sends the trailers again, or drops them with the body`() async throws {
        let script = FaultServer.Script.requests { request in
            switch request.target {
            case "/307": [.respond(307, headers: [("Location", "/a")])]
            case "/303": [.respond(303, headers: [("Location", "/b")])]
            default: [.respond(body: "ok")]
            }
        }
        let made = Counter()
        try await FaultServer.run(script) { server in
            try await withSession { session in
                for path in ["/307", "/303"] {
                    let body = RequestBody.string("abc").withTrailers(Self.digest) {
                        made.increment()
                        return [Self.digest: "\(made.value)"]
                    }
                    _ = try await session.data(for: Request(.post, to: server.baseURL + path, body: body))
                }
            }
            let trailers = server.requests.map { $0.trailers.map(\.value) }
            #expect(trailers == [["1"], ["2"], ["3"], []])
            #expect(server.requests.map { $0.value(of: "Trailer") != nil } == [true, true, true, false])
        }
    }

    @Test(arguments: [
        "Content-Length", "transfer-encoding", "Host", "Authorization", "Cookie", "Cache-Control", "If-Match", "Range",
        "Content-Type", "Content-Encoding", "TE", "Trailer", "Connection", "Expect",
    ])
    func `a field that is needed before the content is refused as a trailer`(name: String) async throws {
        let name = try #require(HTTPField.Name(name))
        try await FaultServer.run(.requests { _ in [.respond(body: "ok")] }) { server in
            try await withSession { session in
                let body = RequestBody.string("abc").withTrailers(name) { [name: "x"] }
                let error = try await networkingError {
                    try await session.data(for: Request(.put, to: server.baseURL, body: body))
                }
                #expect(error.code == .invalidRequest && error.message.contains(name.rawName))
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `a trailer that was not announced fails the request`() async throws {
        try await FaultServer.run([.readHead, .stall]) { server in
            try await withSession { session in
                let body = RequestBody.string("abc").withTrailers(Self.digest) { [Self.other: "x"] }
                let error = try await networkingError {
                    try await session.data(for: Request(.put, to: server.baseURL, body: body))
                }
                #expect(error.code == .requestBodyFailed && error.message.contains("Last-Modified"), "\(error)")
            }
        }
    }

    @Test func `an error of the closure fails the request`() async throws {
        struct Failure: Error {}
        try await FaultServer.run([.readHead, .stall]) { server in
            try await withSession { session in
                let body = RequestBody.string("abc").withTrailers(Self.digest) { throw Failure() }
                let error = try await networkingError {
                    try await session.data(for: Request(.put, to: server.baseURL, body: body))
                }
                #expect(error.code == .requestBodyFailed && error.underlying is Failure, "\(error)")
            }
        }
    }

    @Test func `an announced field may be missing, and a Trailer of the request stays`() async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: "ok")] }) { server in
            try await withSession { session in
                let body = RequestBody.string("abc").withTrailers(Self.digest) { [:] }
                var request = try Request(.put, to: server.baseURL, body: body)
                request.headerFields[.trailer] = "etag"
                _ = try await session.data(for: request)
            }
            #expect(server.requests[0].values(of: "Trailer") == ["etag"])
            #expect(server.requests[0].bodyText == "abc" && server.requests[0].trailers.isEmpty)
        }
    }
}
