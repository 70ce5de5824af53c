import BluebonnetTesting
import HTTPTypes
import LocalServer
import Synchronization
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Bodies that break off: a failure of the attempt, where nobody has got anything of them.
@Suite(.timeLimit(.minutes(3)))
struct RetryBodyTests {
    /// A server whose body breaks off so many times.
    private func breaking(_ times: Int = 1, head: String = "HTTP/1.1 200 OK") -> FaultServer.Script {
        let count = Counter()
        return .requests { _ in
            guard count.increment() <= times else { return [.respond(headers: [("X-Last", "1")], body: "whole body")] }
            return [.send("\(head)\r\nContent-Length: 10\r\n\r\nhalf"), .cut]
        }
    }

    @Test func `the request is sent again, and the caller gets the whole body`() async throws {
        let waits = EventLog<Duration>()
        try await FaultServer.run(breaking(2)) { server in
            try await withSession(.retrying(waits: waits)) { session in
                let response = try await session.data(for: Request(to: server.baseURL))
                #expect(response.value == Data("whole body".utf8) && response.retries == 2)
                #expect(
                    response.metrics.transactions.map { $0.error?.code } == [
                        .truncatedResponse, .truncatedResponse, nil,
                    ]
                )
            }
            #expect(server.requests.count == 3)
        }
        #expect(waits.events == [.milliseconds(250), .milliseconds(500)])
    }

    @Test func `a data task shows the head while the body comes, and its progress begins again`() async throws {
        let (gate, count) = (FaultGate(), Counter())
        let script = FaultServer.Script.requests { _ in
            guard count.increment() == 1 else { return [.respond(201, body: "whole body")] }
            return [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .hold(gate), .cut]
        }
        try await FaultServer.run(script) { server in
            try await withSession(.retrying()) { session in
                let task = session.dataTask(for: try Request(to: server.baseURL))
                task.resume()
                try await until("the head is shown") { task.head?.statusCode == 200 }
                gate.open()
                let response = try await task.response
                #expect(response.head.statusCode == 201 && task.head?.statusCode == 201)
                #expect(response.value == Data("whole body".utf8))
                #expect(task.currentProgress.download.completed == 10)
            }
        }
    }

    @Test func `without a policy, and when there are no more retries, the error has what came`() async throws {
        for (configuration, count) in [(SessionConfiguration(), 1), (.retrying(), 3)] {
            try await FaultServer.run(breaking(9)) { server in
                try await withSession(configuration) { session in
                    let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
                    #expect(error.code == .truncatedResponse && error.body == Data("half".utf8))
                    #expect(error.response?.statusCode == 200 && error.metrics?.transactionCount == count)
                }
                #expect(server.requests.count == count)
            }
        }
    }

    @Test func `a POST is not sent again, and the error says why, unless it has a key`() async throws {
        for usesKeys in [false, true] {
            try await FaultServer.run(breaking()) { server in
                let policy = RetryPolicy { $0.usesIdempotencyKeys = usesKeys }
                try await withSession(.retrying(policy)) { session in
                    let request = try Request(.post, to: server.baseURL, body: .data(Data("a".utf8)))
                    if usesKeys {
                        #expect(try await session.data(for: request).value == Data("whole body".utf8))
                    } else {
                        let error = try await networkingError { try await session.data(for: request) }
                        #expect(error.code == .truncatedResponse)
                        #expect(error.message.contains("not sent again, because the server may have processed it"))
                    }
                }
                #expect(server.requests.count == (usesKeys ? 2 : 1))
            }
        }
    }

    @Test func `the budget counts it`() async throws {
        try await FaultServer.run(breaking(9)) { server in
            let configuration = SessionConfiguration.retrying {
                $0.retryBudget = RetryBudget(ratio: 0, minimumPerSecond: 0)
            }
            try await withSession(configuration) { session in
                let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
                #expect(error.message.contains("the retry budget of the session was used up"))
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test func `a retrier hears of it, with its number and its time`() async throws {
        let heard = EventLog<RetryAttempt>()
        let retrier = CallingRetrier { attempt in
            heard.append(attempt)
            return attempt.error == nil ? .byPolicy : .retryNow
        }
        try await FaultServer.run(breaking()) { server in
            try await withSession(.retrying(nil) { $0.retriers = [retrier] }) { session in
                _ = try await session.data(for: Request(to: server.baseURL))
            }
        }
        #expect(heard.events.map(\.number) == [1, 2])
        #expect(heard.events.map(\.error?.code) == [.truncatedResponse, nil])
        #expect(heard.events.map(\.mayHaveBeenProcessed) == [true, true])
        #expect(heard.events.first?.error?.metrics?.transactions.map { $0.response?.statusCode } == [200])
        #expect(heard.events.allSatisfy { $0.duration > .zero })
        #expect(heard.events.last?.timings != nil)
    }

    @Test func `what a stream or a hook has handed out is not fetched again`() async throws {
        try await FaultServer.run(breaking(9)) { server in
            try await withSession(.retrying()) { session in
                let response = try await session.open(Request(to: server.baseURL))
                let error = try await networkingError { try await response.body.collect() }
                #expect(error.code == .truncatedResponse)
            }
            #expect(server.requests.count == 1)
        }
        let told = EventLog<Data>()
        try await FaultServer.run(breaking(9)) { server in
            let configuration = SessionConfiguration.retrying {
                $0.hooks.dataTaskDidReceiveData = { _, data in told.append(data) }
            }
            try await withSession(configuration) { session in
                let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
                #expect(error.code == .truncatedResponse)
            }
            #expect(server.requests.count == 1 && told.events == [Data("half".utf8)])
        }
    }

    @Test func `interceptors read the whole body, also where the caller wants none`() async throws {
        struct Reading: Interceptor {
            let read: EventLog<Data>

            func intercept(
                _ request: Request,
                context: ExchangeContext,
                next: Next
            ) async throws -> TransportResponse {
                var response = try await next(request)
                let bytes = try await response.body.collect()
                read.append(bytes)
                response.body = .data(bytes)
                return response
            }
        }
        let read = EventLog<Data>()
        try await FaultServer.run(breaking()) { server in
            try await withAPI(at: server.baseURL, .retrying { $0.interceptors = [Reading(read: read)] }) { api in
                try await api.delete("a")
            }
        }
        #expect(read.events == [Data("whole body".utf8)])
    }

    @Test func `a body in pieces comes with its trailers and the time of its last byte`() async throws {
        let (gate, count) = (FaultGate(), Counter())
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let script = FaultServer.Script.requests { _ in
            if count.increment() == 1 { return [.send(head + "5\r\nfirst\r\n"), .cut] }
            return [
                .send(head + "5\r\nfirst\r\n"), .hold(gate), .send("4\r\nlast\r\n0\r\nX-Sum: 9\r\n\r\n"),
            ]
        }
        try await FaultServer.run(script) { server in
            try await withSession(.retrying()) { session in
                let task = session.dataTask(for: try Request(to: server.baseURL))
                task.resume()
                try await server.waitForRequests(2)
                try await until("the first piece is there") { task.currentProgress.download.completed > 0 }
                gate.open()
                let response = try await task.response
                #expect(response.value == Data("firstlast".utf8))
                #expect(response.trailers[try #require(HTTPField.Name("X-Sum"))] == "9")
                #expect(response.timings.lastByte != nil)
            }
        }
    }

    @Test func `a body that is too large is not fetched again`() async throws {
        let script = FaultServer.Script.requests { _ in
            [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n"), .stall]
        }
        try await FaultServer.run(script) { server in
            try await withSession(.retrying { $0.limits.bodyInMemory = 3 }) { session in
                let task = session.dataTask(for: try Request(to: server.baseURL))
                let error = try await networkingError { try await task.value }
                #expect(error.code == .bodyTooLarge && error.response?.statusCode == 200)
            }
            #expect(server.requests.count == 1)
        }
    }

    /// Asks for what is missing of the ten bytes.
    private struct Continuing: ContinuingRetrier {
        func decision(after attempt: RetryAttempt, context: ExchangeContext) -> RetryDecision { .byPolicy }

        func continuing(_ request: Request, after error: NetworkingError) -> Request {
            var request = request
            request.headerFields[.range] = "bytes=\(error.body?.count ?? 0)-"
            return request
        }
    }

    @Test func `a retrier of the package has the next attempt ask for the rest`() async throws {
        try await FaultServer.run(breaking()) { server in
            try await withSession(.retrying()) { session in
                var request = try Request(to: server.baseURL)
                request.retriers = [Continuing()]
                #expect(try await session.data(for: request).retries == 1)
            }
            #expect(server.requests.map { $0.value(of: "Range") } == [nil, "bytes=4-"])
        }
    }
}
