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

/// Tasks that are stopped or suspended between two attempts.
@Suite(.timeLimit(.minutes(3)))
struct RetryStoppingTests {
    /// A policy that waits an hour.
    private static let patient = RetryPolicy {
        $0.backoff = RetryBackoff(first: .seconds(3600), longest: nil, isRandom: false)
    }

    @Test(arguments: [Stop.cancel, .cancelledCaller, .endOfSession])
    func `the wait before a retry ends at once when the task is stopped`(stop: Stop) async throws {
        let transport = StubTransport(.status(503), .status(200))
        let isWaiting = Gate()
        let configuration = SessionConfiguration { configuration in
            configuration.retryPolicy = Self.patient
            configuration.retryTiming.sleep = { context, time in
                isWaiting.open()
                try await context.sleep(for: time)
            }
        }
        try await withSession(configuration, transport: transport) { session in
            let error = try await stop.error(of: Request(to: "http://x/a"), in: session) { _ in await isWaiting.wait() }
            #expect(error.code == stop.code)
        }
        #expect(transport.requests.count == 1)
    }

    @Test func `the time of the request goes on while it waits`() async throws {
        let transport = StubTransport(.status(503), .status(200))
        let configuration = SessionConfiguration { configuration in
            configuration.retryPolicy = .standard
            // The wait takes longer than it was to.
            configuration.retryTiming.sleep = { context, _ in try await context.sleep(for: .seconds(3600)) }
            configuration.retryTiming.random = { 0 }
        }
        try await withSession(configuration, transport: transport) { session in
            var request = try Request(to: "http://x/a")
            request.timeouts = Timeouts(request: .milliseconds(50))
            let error = try await networkingError { try await session.data(for: request) }
            #expect(error.code == .requestTimeout)
        }
        #expect(transport.requests.count == 1)
    }

    @Test func `a task that is stopped while its response is dropped sends nothing more`() async throws {
        let gate = FaultGate()
        let script = FaultServer.Script.requests { _ in
            [.send("HTTP/1.1 503 Busy\r\nContent-Length: 10\r\n\r\nhalf"), .hold(gate), .send("longer")]
        }
        try await FaultServer.run(script) { server in
            try await withSession(.retrying()) { session in
                let task = session.dataTask(for: try Request(to: "http://127.0.0.1:\(server.port)/"))
                async let error = networkingError { try await task.value }
                try await server.waitForRequests(1)
                task.cancel()
                #expect(try await error.code == .cancelled)
                gate.open()
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test func `a transport of the user's is not asked for a task that is suspended`() async throws {
        let transport = StubTransport(.status(503), .status(200))
        let (isSuspended, isWaiting) = (Gate(), Gate())
        let configuration = SessionConfiguration.retrying { configuration in
            configuration.retryTiming.sleep = { _, _ in
                isWaiting.open()
                await isSuspended.wait()
            }
        }
        try await withSession(configuration, transport: transport) { session in
            let task = session.dataTask(for: try Request(to: "http://x/a"))
            async let response = task.response
            await isWaiting.wait()
            task.suspend()
            isSuspended.open()
            // Another request of the session is sent meanwhile.
            _ = try await session.data(for: Request(to: "http://x/b"))
            #expect(transport.requests.map { $0.url.path() } == ["/a", "/b"])
            task.resume()
            #expect(try await response.head.status.code == 200)
            #expect(transport.requests.map { $0.url.path() } == ["/a", "/b", "/a"])
        }
    }

    @Test func `a suspended task sends its next attempt when it is resumed`() async throws {
        let isSuspended = Gate()
        let isWaiting = Gate()
        let script = FaultServer.Script.requests { request in
            [.respond(request.target == "/a" ? 503 : 200)]
        }
        let configuration = SessionConfiguration.retrying(RetryPolicy { $0.maximumRetries = 1 }) { configuration in
            configuration.retryTiming.sleep = { _, _ in
                isWaiting.open()
                await isSuspended.wait()
            }
        }
        try await FaultServer.run(script) { server in
            try await withSession(configuration) { session in
                let task = session.dataTask(for: try Request(to: "http://127.0.0.1:\(server.port)/a"))
                async let response = task.response
                await isWaiting.wait()
                task.suspend()
                isSuspended.open()
                // Another request shows that the server is reached, and this one is not sent.
                _ = try await session.data(for: Request(to: "http://127.0.0.1:\(server.port)/b"))
                #expect(server.requests.map(\.target) == ["/a", "/b"])
                task.resume()
                #expect(try await response.head.status.code == 503)
                #expect(server.requests.map(\.target) == ["/a", "/b", "/a"])
            }
        }
    }
}
