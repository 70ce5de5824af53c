import BluebonnetTesting
import HTTPTypes
import Testing

@testable import Bluebonnet

struct RequestOptionTests {
    private let api = HTTPSessionManager(baseURL: "http://example.com/")

    @Test func `options set what a request can choose, over the serializer's defaults`() throws {
        var api = api
        api.requestSerializer.priority = .background
        let request = try api.request(
            .get,
            "x",
            timeout: .seconds(7),
            options: [
                .priority(.responsive), .redirectPolicy(.manual), .timeouts(Timeouts(connect: .seconds(3))),
                .cachePolicy(.reload), .expectsContinue(true), .interceptor(RequestAdapter { _ in }),
                .interceptor(RequestAdapter { _ in }),
            ]
        )
        #expect(request.headerFields[.priority] == "u=1")
        #expect(request.redirectPolicy == .manual)
        #expect(request.timeouts?.connect == .seconds(3))
        #expect(request.properties.cachePolicy == .reload)
        #expect(request.expectsContinue == true)
        #expect(request.interceptors.count == 2)
        let effective = request.effectiveTimeouts(over: ExchangeTimeouts(Timeouts()))
        #expect(effective.request.duration == .seconds(7))
        #expect(effective.connect.duration == .seconds(3))
    }

    @Test func `the timeout of a call and the interval of the serializer both hold`() throws {
        var api = api
        api.requestSerializer.timeoutInterval = .seconds(20)
        let request = try api.request(.get, "x", timeout: .seconds(50))
        let effective = request.effectiveTimeouts(over: ExchangeTimeouts(Timeouts(request: .seconds(90))))
        #expect(effective.firstByte.duration == .seconds(20))
        #expect(effective.request.duration == .seconds(50))
        let plain = try api.request(.get, "x").effectiveTimeouts(
            over: ExchangeTimeouts(Timeouts(request: .seconds(90)))
        )
        #expect(plain.request.duration == .seconds(90))
    }

    @Test func `the timeout of a call ends a request that gets no response`() async throws {
        let transport = StubTransport { _ in StubResponse.json([:]).delayed(by: .seconds(3600)) }
        try await withSession(transport: transport) { session in
            let api = HTTPSessionManager(baseURL: "http://example.com/", session: session)
            let error = try await networkingError { try await api.get("x", timeout: .milliseconds(50)) }
            #expect(error.code == .requestTimeout)
        }
    }

    @Test func `validation of a call replaces the manager's, and the rules of calls without a serializer`() async throws
    {
        let transport = StubTransport { _ in .json(["a": 1], status: .notFound) }
        try await withSession(transport: transport) { session in
            var manager = HTTPSessionManager(baseURL: "http://example.com/", session: session)
            manager.validation = ResponseValidation(statusCodes: [200])
            let api = manager
            let refused = try await networkingError { try await api.get("x") }
            #expect(refused.code == .unacceptableStatusCode)
            let any = [RequestOption.validation(.none)]
            try await api.get("x", options: any)
            let value: [String: Int] = try await api.get("x", options: any)
            #expect(value == ["a": 1])
            let named = try await networkingError { try await api.get("x", options: any, as: .json) }
            #expect(named.code == .unacceptableStatusCode)
            let pieces = try await api.stream("x", options: any).collect()
            #expect(pieces.count > 0)
        }
    }

    @Test func `the statuses of calls without a result are those of the manager's response serializer`() async throws {
        let transport = StubTransport { _ in .text("gone", status: .gone) }
        try await withSession(transport: transport) { session in
            var manager = HTTPSessionManager(baseURL: "http://example.com/", session: session)
            manager.responseSerializer.acceptableStatusCodes?.insert(410)
            let api = manager
            try await api.delete("x")
            let head = try await api.head("x")
            #expect(head.status == .gone)
            let own = try await networkingError {
                try await api.delete("x", as: .discarding.accepting(statusCodes: 200..<300))
            }
            #expect(own.code == .unacceptableStatusCode)
        }
    }
}
