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

@Suite(.timeLimit(.minutes(1)))
struct ContentDecodingInterceptorTests {
    private static var raw: SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.decodesContent = false
        return configuration
    }

    /// What the embedded server sends compressed, as it sends it.
    private func compressed(_ path: String) async throws -> [UInt8] {
        try await LocalServer.run { server in
            try await withSession(Self.raw) { session in
                try await Array(session.data(for: Request(to: server.baseURL + path)).value)
            }
        }
    }

    /// The error of a body that a server says is gzip.
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

    @Test(arguments: [("/gzip", "gzipped"), ("/deflate", "deflated")])
    func `a coding that the server applied is undone`(path: String, flag: String) async throws {
        try await LocalServer.run { server in
            try await withSession { session in
                let response = try await session.response(for: Request(to: server.baseURL + path), as: .json)
                #expect(response.value[flag] == true)
                #expect(response.value["headers"]?["Accept-Encoding"]?.string == "gzip, deflate")
                #expect(response.body.first == UInt8(ascii: "{"))
                #expect(response.head.contains(.contentEncoding))
            }
        }
    }

    @Test(arguments: [("/gzip", "gzipped"), ("/deflate", "deflated")])
    func `a coding is undone in a stream too`(path: String, flag: String) async throws {
        try await LocalServer.run { server in
            try await withSession { session in
                let response = try await session.stream(Request(to: server.baseURL + path))
                let value = try JSONValue(parsing: try await response.body.collect())
                #expect(value[flag] == true)
            }
        }
    }

    @Test func `the codings are offered once, also after redirects`() async throws {
        let transport = StubTransport(routes: [.get("/1"): .redirect(to: "/2"), .get("/2"): .text("ok")])
        try await withSession(transport: transport) { session in
            _ = try await session.data(for: Request(to: "http://x/1"))
            let offers = transport.requests.map { $0.headerFields[values: .acceptEncoding] }
            #expect(offers == [["gzip, deflate"], ["gzip, deflate"]])
        }
    }

    @Test func `what the user offers is left alone`() async throws {
        let transport = StubTransport { _ in .text("ok") }
        try await withSession(transport: transport) { session in
            let request = try Request(to: "http://x/1", headerFields: [.acceptEncoding: "identity"])
            _ = try await session.data(for: request)
            #expect(transport.requests[0].headerFields[values: .acceptEncoding] == ["identity"])
        }
    }

    @Test func `without decoding nothing is offered and the bytes stay`() async throws {
        try await LocalServer.run { server in
            try await withSession(Self.raw) { session in
                let response = try await session.data(for: Request(to: server.baseURL + "/gzip"))
                #expect(response.value.starts(with: [0x1F, 0x8B]))
                let echo = try await session.response(for: Request(to: server.baseURL + "/headers"), as: .json).value
                #expect(echo["headers"]?["Accept-Encoding"] == nil)
            }
        }
    }

    @Test(arguments: ["br", "gzip, br", "identity", ""])
    func `a coding that is not known leaves the bytes`(coding: String) async throws {
        let transport = StubTransport { _ in
            StubResponse(headerFields: [.contentEncoding: coding], body: Data("as it came".utf8))
        }
        try await withSession(transport: transport) { session in
            let response = try await session.response(for: Request(to: "http://x/1"), as: .string)
            #expect(response.value == "as it came")
            #expect(response.head[.contentEncoding] == coding)
        }
    }

    @Test func `an empty body with a coding is an empty body`() async throws {
        let transport = StubTransport { _ in StubResponse(headerFields: [.contentEncoding: "gzip"]) }
        try await withSession(transport: transport) { session in
            let response = try await session.data(for: Request(.head, to: "http://x/1"))
            #expect(response.value.isEmpty)
        }
    }

    @Test func `a body that ends too early is an error`() async throws {
        let whole = try await compressed("/gzip")
        for count in [1, 10, whole.count / 2, whole.count - 8, whole.count - 1] {
            let error = try await failure(of: Array(whole.prefix(count)))
            #expect(error.code == .contentDecodingFailed, "\(count) of \(whole.count) bytes")
            #expect(error.response?.status == .ok)
        }
    }

    @Test func `a body that is something else is an error`() async throws {
        let error = try await failure(of: Array("{\"plain\": true}".utf8))
        #expect(error.code == .contentDecodingFailed)
    }

    @Test func `a body that grows beyond its size is stopped`() async throws {
        let whole = try await compressed("/gzip")
        var configuration = SessionConfiguration()
        configuration.limits.decodedBody = 64
        let error = try await failure(of: whole, configuration)
        #expect(error.code == .contentDecodingLimitExceeded)
    }

    @Test func `the limit in memory counts what was decoded`() async throws {
        let whole = try await compressed("/gzip")
        var configuration = SessionConfiguration()
        configuration.limits.bodyInMemory = 64
        let error = try await failure(of: whole, configuration)
        #expect(error.code == .bodyTooLarge)
    }
}
