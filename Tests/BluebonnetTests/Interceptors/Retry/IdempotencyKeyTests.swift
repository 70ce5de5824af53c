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

/// The field `Idempotency-Key` of a POST or PATCH.
@Suite(.timeLimit(.minutes(3)))
struct IdempotencyKeyTests {
    private static let policy = RetryPolicy { $0.usesIdempotencyKeys = true }

    private func keys(_ transport: StubTransport) throws -> [String?] {
        let name = try #require(HTTPField.Name("Idempotency-Key"))
        return transport.requests.map { $0.headerFields[name] }
    }

    @Test func `a POST gets a key, the same for each attempt, and is sent again`() async throws {
        for method in [HTTPRequest.Method.post, .patch] {
            let transport = StubTransport(.error(.connectionLost), .status(503), .status(200))
            try await withSession(.retrying(Self.policy), transport: transport) { session in
                let response = try await session.data(for: Request(method, to: "http://x/a", body: .string("1")))
                #expect(response.retries == 2)
            }
            let keys = try keys(transport)
            #expect(keys.count == 3)
            #expect(Set(keys).count == 1)
            // A string of structured fields, with a UUID in it.
            let key = try #require(keys[0])
            #expect(key.hasPrefix("\"") && key.hasSuffix("\""))
            #expect(UUID(uuidString: String(key.dropFirst().dropLast())) != nil)
        }
    }

    @Test(arguments: ["", " "])
    func `an empty field is no key, and a POST with it is not sent again`(value: String) async throws {
        let transport = StubTransport(.error(.connectionLost), .status(200))
        try await withSession(.retrying(), transport: transport) { session in
            var request = try Request(.post, to: "http://x/a")
            request.headerFields[try #require(HTTPField.Name("Idempotency-Key"))] = value
            let error = try await networkingError { try await session.data(for: request) }
            #expect(error.code == .connectionLost)
        }
        #expect(transport.requests.count == 1)
    }

    @Test func `each request has a key of its own`() async throws {
        let transport = StubTransport(.status(200))
        try await withSession(.retrying(Self.policy), transport: transport) { session in
            let request = try Request(.post, to: "http://x/a")
            for _ in 0..<5 { _ = try await session.data(for: request) }
        }
        #expect(Set(try keys(transport)).count == 5)
    }

    @Test func `other methods get no key, and neither do requests of another policy`() async throws {
        let transport = StubTransport(.status(200))
        try await withSession(.retrying(Self.policy), transport: transport) { session in
            for method in [HTTPRequest.Method.get, .put, .delete, .head] {
                _ = try await session.data(for: Request(method, to: "http://x/a"))
            }
            var request = try Request(.post, to: "http://x/a")
            request.retryPolicy = .standard
            _ = try await session.data(for: request)
        }
        #expect(try keys(transport) == [nil, nil, nil, nil, nil])
    }

    @Test func `a key of the user's is kept, and makes a POST repeatable by itself`() async throws {
        for policy in [Self.policy, .standard] {
            let transport = StubTransport(.error(.connectionLost), .status(200))
            try await withSession(.retrying(policy), transport: transport) { session in
                var request = try Request(.post, to: "http://x/a")
                request.headerFields[try #require(HTTPField.Name("idempotency-key"))] = "mine"
                _ = try await session.data(for: request)
            }
            #expect(try keys(transport) == ["mine", "mine"])
        }
    }

    @Test func `an option gives one call a key`() async throws {
        let transport = StubTransport(.error(.connectionLost), .status(200))
        try await withAPI(at: "http://x/", .retrying(), transport: transport) { api in
            try await api.post("a", options: [.idempotencyKey], as: .data)
            try await api.post("a", options: [.idempotencyKey], as: .data)
            try await api.get("a", options: [.idempotencyKey], as: .data)
        }
        let keys = try keys(transport)
        #expect(keys.count == 4)
        #expect(keys[0] != nil && keys[0] == keys[1])
        #expect(keys[2] != nil && keys[2] != keys[0])
        #expect(keys[3] == nil)
    }

    @Test func `a POST that an adapter made of a GET gets no key and is not sent again`() async throws {
        let transport = StubTransport(.error(.connectionLost), .status(200))
        let configuration = SessionConfiguration.retrying(Self.policy) {
            $0.interceptors = [RequestAdapter { $0.method = .post }]
        }
        try await withSession(configuration, transport: transport) { session in
            let error = try await networkingError { try await session.data(for: Request(to: "http://x/a")) }
            #expect(error.code == .connectionLost)
        }
        #expect(try keys(transport) == [nil])
    }

    @Test func `an interceptor that sends a request again sends its key again`() async throws {
        /// Sends each request twice.
        struct Twice: Interceptor {
            func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
                await (try next(request)).body.discard()
                return try await next(request)
            }
        }
        let transport = StubTransport(.status(200))
        let configuration = SessionConfiguration.retrying(Self.policy) { $0.interceptors = [Twice()] }
        try await withSession(configuration, transport: transport) { session in
            _ = try await session.data(for: Request(.post, to: "http://x/a"))
        }
        let keys = try keys(transport)
        #expect(keys.count == 2)
        #expect(Set(keys).count == 1)
    }

    @Test func `the requests that continue a resumable upload do not have the key of its creation`() async throws {
        let options = ResumableUploadServer.Options { $0.cuts = [500_000] }
        var configuration = SessionConfiguration.withoutPauses { _ in }
        configuration.retryPolicy = Self.policy
        try await ResumableUploadServer.run(options) { server in
            try await withSession(configuration) { session in
                let body = RequestBody.data(Data(RangeResponses.bytes(1_500_000)))
                let request = try Request(.post, to: server.baseURL + "/a", body: body)
                _ = try await session.uploadTask(for: request).result.get()
            }
            #expect(server.requests.map(\.method) == ["POST", "HEAD", "PATCH"])
            let counts = server.requests.map { $0.values(of: "Idempotency-Key").count }
            #expect(counts == [1, 0, 0])
        }
    }
}
