import BluebonnetTesting
import Dispatch
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

    @Test func `of two priorities the later one is sent, also over the serializer's of a request made before`() throws {
        func sent(_ options: [RequestOption], _ api: HTTPSessionManager) throws -> String? {
            try api.request(.get, "x", options: options).headerFields[.priority]
        }
        #expect(try sent([.priority(.background), .priority(.responsive)], api) == "u=1")
        #expect(try sent([.priority(.background), .priority(.normal)], api) == nil)
        #expect(try sent([.priority(.normal), .priority(.background)], api) == "u=7")
        var api = api
        api.requestSerializer.priority = .background
        var request = try api.request(.get, "x")
        #expect(request.headerFields[.priority] == "u=7")
        [RequestOption.priority(.responsive)].apply(to: &request)
        #expect(request.headerFields[.priority] == "u=1")
    }

    @Test func `the priority of a call is sent, also with a request made before`() async throws {
        let transport = StubTransport { _ in .json([:]) }
        try await withSession(transport: transport) { session in
            let api = HTTPSessionManager(baseURL: "http://example.com/", session: session)
            try await api.get("x", options: [.priority(.background)])
            try await api.send(try api.request(.get, "x"), options: [.priority(.background)])
            try await api.get("x", headers: ["Priority": "u=0"], options: [.priority(.background)])
            #expect(transport.requests.map { $0.headerFields[.priority] } == ["u=7", "u=7", "u=0"])
        }
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `a timeout that is over ends a call at once`(timeout: Duration) async throws {
        let transport = StubTransport { _ in StubResponse.json([:]).delayed(by: .seconds(3600)) }
        try await withSession(transport: transport) { session in
            let api = HTTPSessionManager(baseURL: "http://example.com/", session: session)
            let error = try await networkingError { try await api.get("x", timeout: timeout) }
            #expect(error.code == .requestTimeout)
        }
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
            var other = api
            other.completionQueue = DispatchQueue(label: "options")
            let queued = other
            let isSuccess = await withCheckedContinuation { continuation in
                queued.get("x", options: any) { _, _ in
                    continuation.resume(returning: true)
                } failure: { _, _ in
                    continuation.resume(returning: false)
                }
            }
            #expect(isSuccess)
        }
    }

    @Test func `an error of the manager's rules has the JSON of the body when no result is wanted`() async throws {
        let transport = StubTransport { _ in .json(["reason": "no"], status: .notFound) }
        try await withSession(transport: transport) { session in
            var manager = HTTPSessionManager(baseURL: "http://example.com/", session: session)
            manager.validation = .default
            let api = manager
            let error = try await networkingError { try await api.delete("x") }
            #expect(error.parsedBody as? JSONValue == ["reason": "no"])
        }
    }

    @Test func `the Accept of a request decides for no text, bytes or stream`() async throws {
        let transport = StubTransport { _ in .text("text") }
        try await withSession(transport: transport) { session in
            var manager = HTTPSessionManager(baseURL: "http://example.com/", session: session)
            manager.responseSerializer.validation = .byAcceptHeader
            let api = manager
            let text: String = try await api.get("x", headers: [.accept: "application/json"])
            #expect(text == "text")
            let streamed = try await api.stream("x", headers: [.accept: "application/json"]).collect()
            #expect(streamed.count == 4)
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
