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

/// The redirects that a session follows.
@Suite(.timeLimit(.minutes(5)))
struct RedirectPolicyTests {
    /// A transport that counts down: `/3` redirects to `/2`, and so on to `/0`.
    private static func countdown() -> StubTransport {
        StubTransport { request in
            let number = Int(request.url.path(percentEncoded: true).dropFirst()) ?? 0
            return number == 0 ? .text("there") : .redirect(to: "/\(number - 1)")
        }
    }

    @Test func `twenty redirects are followed`() async throws {
        try await withSession(transport: Self.countdown()) { session in
            let response = try await session.data(for: Request(to: "http://example.com/20"))
            #expect(response.status == .ok)
            #expect(response.redirects.count == 20)
            #expect(response.redirects.last == response.url)
            #expect(response.url.path(percentEncoded: true) == "/0")
        }
    }

    @Test func `the twenty-first redirect is one too many`() async throws {
        let transport = Self.countdown()
        try await withSession(transport: transport) { session in
            let error = try await networkingError { try await session.data(for: Request(to: "http://example.com/21")) }
            #expect(error.code == .tooManyRedirects)
            #expect(error.message.contains("20"))
            #expect(error.response?.status == .found)
            #expect(error.request?.url.path(percentEncoded: true) == "/1")
            #expect(transport.requests.count == 21)
        }
    }

    @Test func `the limit of redirects is the session's`() async throws {
        var configuration = SessionConfiguration()
        configuration.limits.redirects = 0
        try await withSession(configuration, transport: Self.countdown()) { session in
            let error = try await networkingError { try await session.data(for: Request(to: "http://example.com/1")) }
            #expect(error.code == .tooManyRedirects)
            let response = try await session.data(for: Request(to: "http://example.com/0"))
            #expect(response.status == .ok)
        }
    }

    @Test func `with the manual policy a redirect is returned as the response`() async throws {
        var configuration = SessionConfiguration()
        configuration.redirectPolicy = .manual
        try await withSession(configuration, transport: Self.countdown()) { session in
            let response = try await session.data(for: Request(to: "http://example.com/3"))
            #expect(response.status == .found)
            #expect(response.head[.location] == "/2")
            #expect(response.redirects.isEmpty)
        }
    }

    @Test func `with the error policy a redirect is an error`() async throws {
        let transport = Self.countdown()
        try await withSession(transport: transport) { session in
            var request = try Request(to: "http://example.com/3")
            request.redirectPolicy = .error
            let error = try await networkingError { try await session.data(for: request) }
            #expect(error.code == .redirectRefused)
            #expect(error.response?[.location] == "/2")
            #expect(transport.requests.count == 1)
        }
    }

    @Test func `the policy of a request wins over the session's`() async throws {
        var configuration = SessionConfiguration()
        configuration.redirectPolicy = .error
        try await withSession(configuration, transport: Self.countdown()) { session in
            var request = try Request(to: "http://example.com/3")
            request.redirectPolicy = .follow
            let response = try await session.data(for: request)
            #expect(response.status == .ok)
        }
    }

    // MARK: Bodies

    @Test(arguments: [307, 308])
    func `a body that can be read only once is not sent again after a redirect`(status: Int) async throws {
        try await LocalServer.run { server in
            try await withSession { session in
                let url = "\(server.baseURL)/redirect-to?url=/anything&status_code=\(status)"
                let request = try Request(.post, to: url, body: .stream(Pieces(["abc"])))
                let error = try await networkingError { try await session.data(for: request) }
                #expect(error.code == .requestBodyNotReplayable)
                #expect(error.response?.status.code == status)
            }
        }
    }

    @Test(arguments: [307, 308])
    func `a body that can be made again is sent again after a redirect`(status: Int) async throws {
        try await LocalServer.run { server in
            try await withSession { session in
                let url = "\(server.baseURL)/redirect-to?url=/anything&status_code=\(status)"
                let request = try Request(.put, to: url, body: .stream { Pieces(["abc"]) })
                let response = try await session.response(for: request, as: .json)
                #expect(response.value["method"]?.string == "PUT")
                #expect(response.value["data"]?.string == "abc")
            }
        }
    }

    // MARK: Over sockets

    @Test(arguments: ["redirect", "relative-redirect", "absolute-redirect"])
    func `redirects of a server are followed over one connection`(kind: String) async throws {
        try await LocalServer.run { server in
            try await withSession { session in
                let request = try Request(to: "\(server.baseURL)/\(kind)/5")
                let response = try await session.response(for: request, as: .json)
                #expect(response.redirects.count == 5)
                #expect(response.value["url"]?.string == server.baseURL + "/get")
                #expect(response.timings.isConnectionReused)
            }
        }
    }

    @Test func `a redirect to another server drops secrets`() async throws {
        try await LocalServer.run { first in
            try await LocalServer.run { second in
                try await withSession { session in
                    let url = "\(first.baseURL)/redirect-to?url=\(second.baseURL)/anything&status_code=302"
                    let fields: HTTPFields = [.authorization: "Bearer secret", .accept: "application/json"]
                    let request = try Request(.post, to: url, headerFields: fields, body: .string("abc"))
                    let echo = try await session.response(for: request, as: .json).value
                    #expect(echo["method"]?.string == "GET")
                    #expect(echo["url"]?.string == second.baseURL + "/anything")
                    #expect(echo["headers"]?["Authorization"] == nil)
                    #expect(echo["headers"]?["Accept"]?.string == "application/json")
                }
            }
        }
    }

    @Test func `a stream follows redirects too`() async throws {
        try await LocalServer.run { server in
            try await withSession { session in
                let response = try await session.open(Request(to: server.baseURL + "/redirect/2"))
                #expect(response.head.status == .ok)
                #expect(response.redirects.count == 2)
                let body = try await response.body.collect()
                #expect(!body.isEmpty)
            }
        }
    }

    // MARK: Redirect bodies that do not end

    private static let redirect = "HTTP/1.1 302 Found\r\nLocation: /there\r\n"
    private static let drip = FaultStep.drip(String(repeating: "x", count: 60_000), every: .milliseconds(20))

    private static let unending: [[FaultStep]] = [
        [.send(redirect + "Content-Length: 5\r\n\r\n"), .stall],
        [.send(redirect + "Content-Length: 50000\r\n\r\nabc"), drip],
        [.send(redirect + "Content-Length: 50000\r\nContent-Encoding: gzip\r\n\r\n"), drip],
        [.send(redirect + "Transfer-Encoding: chunked\r\n\r\n"), .stall],
        [.send(redirect + "\r\n"), .fill(0x61, count: .max)],
    ]

    @Test(arguments: unending)
    func `a redirect does not wait for a body that does not come`(steps: [FaultStep]) async throws {
        let script = FaultServer.Script.connections([[.readRequest] + steps, [.readRequest, .respond(body: "ok")]])
        try await FaultServer.run(script) { server in
            try await withSession { session in
                var request = try Request(to: server.baseURL + "/here")
                request.timeouts = Timeouts(firstByte: nil, betweenBytes: nil)
                let response = try await session.data(for: request)
                #expect(response.value == Data("ok".utf8))
                #expect(server.requests.map(\.target) == ["/here", "/there"])
            }
        }
    }

    @Test func `a redirect whose short body comes late keeps the connection`() async throws {
        let script: FaultServer.Script = [
            .readRequest, .send(Self.redirect + "Content-Length: 5\r\n\r\n"), .wait(.milliseconds(10)), .send("hello"),
            .readRequest, .respond(body: "ok"),
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let response = try await session.data(for: Request(to: server.baseURL + "/here"))
                #expect(response.value == Data("ok".utf8))
                #expect(server.connections.count == 1)
            }
        }
    }
}
