import BluebonnetTesting
import Dispatch
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
struct EventLoopTaskExecutorTests {
    /// Returns whether it ran on an event loop, and the size of the body.
    private struct Probe: ResponseSerializer {
        struct Output: Sendable {
            var isOnEventLoop: Bool
            var count: Int
        }

        var isLengthy = false

        func serialize(_ body: Data, head: ResponseHead, request: Request) throws(NetworkingError) -> Output {
            Output(isOnEventLoop: EventLoopTaskExecutor.isRunningOnEventLoop, count: body.count)
        }
    }

    @Test func `a task that prefers the executor of the event loops runs on one`() async {
        let isInside = await withTaskExecutorPreference(EventLoopTaskExecutor.next()) {
            EventLoopTaskExecutor.isRunningOnEventLoop
        }
        #expect(isInside)
    }

    @Test func `requests work from an event loop`() async throws {
        try await LocalServer.run { server in
            try await withSession { session in
                let api = HTTPSessionManager(baseURL: URL(string: server.baseURL), session: session)
                try await withTaskExecutorPreference(EventLoopTaskExecutor.next()) {
                    for number in 0..<20 {
                        let echo = try await api.get("get", parameters: ["n": JSONValue(number)], as: .json)
                        #expect(echo["args"]?["n"]?.string == "\(number)")
                        #expect(EventLoopTaskExecutor.isRunningOnEventLoop)
                    }
                }
            }
        }
    }

    @Test(arguments: [1000, 32 * 1024, 32 * 1024 + 1, 1_000_000, 3_000_000])
    func `large bodies are parsed off the event loop and small ones on it`(size: Int) async throws {
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"),
            .fill(UInt8(ascii: "1"), count: size),
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let request = try Request(to: server.baseURL)
                let output = try await withTaskExecutorPreference(EventLoopTaskExecutor.next()) {
                    try await session.response(for: request, as: Probe()).value
                }
                #expect(output.count == size)
                #expect(output.isOnEventLoop == (size <= 32 * 1024))
            }
        }
    }

    @Test func `a short body is parsed off the event loop where its serializer is lengthy`() async throws {
        let script: FaultServer.Script = [
            .readRequest, .respond(body: "1"), .readRequest, .respond(body: "1"), .readRequest, .respond(body: "1"),
            .readRequest, .respond(body: "1"),
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let request = try Request(to: server.baseURL)
                let api = HTTPSessionManager(baseURL: URL(string: server.baseURL), session: session)
                let probe = Probe(isLengthy: true)
                let compound = CompoundResponseSerializer([probe])
                let outputs = try await withTaskExecutorPreference(EventLoopTaskExecutor.next()) {
                    [
                        try await session.response(for: request, as: probe).value,
                        try await api.get("", as: probe),
                        try await session.dataTask(for: request, as: probe).value,
                        try await session.response(for: request, as: compound).value,
                    ]
                }
                #expect(outputs.map(\.isOnEventLoop) == [false, false, false, false])
            }
        }
    }

    /// Returns whether it ran on the main actor, which runs on the main queue.
    private struct OnMainActor: ResponseSerializer {
        private static let key = DispatchSpecificKey<Bool>()

        init() {
            DispatchQueue.main.setSpecific(key: Self.key, value: true)
        }

        func serialize(_ body: Data, head: ResponseHead, request: Request) throws(NetworkingError) -> Bool {
            DispatchQueue.getSpecific(key: Self.key) == true
        }
    }

    @Test(arguments: [1000, 1_000_000]) @MainActor
    func `large bodies are parsed off the caller's actor`(size: Int) async throws {
        let transport = StubTransport { _ in .text(String(repeating: "1", count: size)) }
        try await withSession(transport: transport) { session in
            let request = try Request(to: "http://x/")
            let isOnMainActor = try await session.response(for: request, as: OnMainActor()).value
            #expect(isOnMainActor == (size == 1000))
            #expect(try await session.dataTask(for: request, as: OnMainActor()).value == (size == 1000))
        }
    }

    @Test func `a body for a caller outside of the event loops is not parsed on one`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "12")]) { server in
            try await withSession { session in
                let output = try await session.response(for: Request(to: server.baseURL), as: Probe()).value
                #expect(output.count == 2)
                #expect(!output.isOnEventLoop)
            }
        }
    }

    @Test func `cancelling works from an event loop`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            try await withSession { session in
                let request = try Request(to: server.baseURL)
                let running = Task(executorPreference: EventLoopTaskExecutor.next()) {
                    try await session.data(for: request)
                }
                try await server.waitForRequests(1)
                running.cancel()
                let error = try await networkingError { try await running.value }
                #expect(error.code == .cancelled)
                try await server.waitUntilClientClosed()
            }
        }
    }
}
