import BluebonnetTesting
import Dispatch
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

extension Request {
    fileprivate mutating func append(_ word: String) {
        headerFields[.via] = [headerFields[.via], word].compactMap(\.self).joined(separator: " ")
    }
}

/// Adapters, and interceptors of one request.
@Suite(.timeLimit(.minutes(5)))
struct RequestAdapterTests {
    private struct Broken: Error, Equatable {}

    /// Appends a word to a field, so that the order can be seen at the end.
    private static func adding(_ word: String) -> RequestAdapter {
        RequestAdapter { request in
            await Task.yield()
            request.append(word)
        }
    }

    private static func configuration(_ interceptors: any Interceptor...) -> SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.interceptors = interceptors
        return configuration
    }

    @Test func `adapters of the session run before those of the request, each in their order`() async throws {
        let transport = StubTransport { _ in .text("ok") }
        let configuration = Self.configuration(Self.adding("a"), Self.adding("b"))
        try await withSession(configuration, transport: transport) { session in
            var request = try Request(to: "http://x/")
            request.interceptors = [Self.adding("c"), Self.adding("d")]
            _ = try await session.data(for: request)
            _ = try await session.data(for: Request(to: "http://x/"))
            let task = session.dataTask(for: request)
            _ = try await task.value
            #expect(task.currentRequest.headerFields[.via] == "a b c d")
            _ = try await session.open(request).body.collect()
        }
        #expect(transport.requests.map { $0.headerFields[.via] } == ["a b c d", "a b", "a b c d", "a b c d"])
    }

    @Test func `a request's interceptors run before redirects and content decoding`() async throws {
        let transport = StubTransport(routes: [.get("/1"): .redirect(to: "/2"), .get("/2"): .text("ok")])
        try await withSession(transport: transport) { session in
            var request = try Request(to: "http://x/1")
            request.interceptors = [
                RequestAdapter { request in #expect(request.headerFields[.acceptEncoding] == nil) },
                Self.adding("once"),
            ]
            _ = try await session.data(for: request)
        }
        #expect(transport.requests.map { $0.headerFields[.via] } == ["once", "once"])
    }

    @Test func `an adapter sees the session's header fields and the context`() async throws {
        let transport = StubTransport { _ in .text("ok") }
        var configuration = Self.configuration(
            RequestAdapter { request, context in
                #expect(request.headerFields[.server] == "session")
                request.headerFields[.via] = "\(context.taskIdentifier)"
            }
        )
        configuration.additionalHeaderFields = [.server: "session"]
        try await withSession(configuration, transport: transport) { session in
            let task = session.dataTask(for: try Request(to: "http://x/"))
            _ = try await task.value
            #expect(transport.requests.first?.headerFields[.via] == "\(task.identifier)")
        }
    }

    @Test func `an error thrown by an adapter is the request's error with its own code, and nothing is sent`()
        async throws
    {
        let transport = StubTransport { _ in .text("ok") }
        let failures: [any Error & Sendable] = [
            Broken(), NetworkingError(.connectFailed, "No token."), CancellationError(),
        ]
        for failure in failures {
            let refusing = RequestAdapter { _ in throw failure }
            try await withSession(Self.configuration(refusing, Self.adding("never")), transport: transport) { session in
                let request = try Request(to: "http://x/?token=secret")
                let error = try await networkingError { try await session.data(for: request) }
                #expect(error.code == .requestAdaptationFailed)
                #expect(error.request?.url == request.url && error.underlying != nil)
                #expect(!error.message.contains("secret"))
            }
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func `an error thrown by an adapter after a wait is the request's error too`() async throws {
        let transport = StubTransport { _ in .text("ok") }
        let refusing = RequestAdapter { _, _ in
            await Task.yield()
            throw Broken()
        }
        try await withSession(Self.configuration(Self.adding("a"), refusing), transport: transport) { session in
            let request = try Request(to: "http://x/")
            let error = try await networkingError { try await session.data(for: request) }
            #expect(error.code == .requestAdaptationFailed && error.underlying is Broken)
        }
        #expect(transport.requests.isEmpty)
    }

    /// Passes everything on.
    private struct Passing: Interceptor {
        func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
            try await next(request)
        }
    }

    /// The four forms of an adapter; each appends its word.
    private static let forms: [@Sendable (String) -> RequestAdapter] = [
        { word in RequestAdapter { request in request.append(word) } },
        { word in RequestAdapter { request, _ in request.append(word) } },
        { word in
            RequestAdapter { request in
                await Task.yield()
                request.append(word)
            }
        },
        { word in
            RequestAdapter { request, _ in
                await Task.yield()
                request.append(word)
            }
        },
    ]

    @Test func `adapters that do not suspend run in the same order as others`() async throws {
        let transport = StubTransport { _ in .text("ok") }
        // Each form first and last, alone and among the others, with another interceptor in every
        // place and with none.
        for first in 0..<Self.forms.count {
            for last in 0..<Self.forms.count {
                let adapters = [first, 0, 2, last].enumerated().map { Self.forms[$1]("\($0)") as any Interceptor }
                for place in 0...5 {
                    var interceptors = adapters
                    if place < 5 { interceptors.insert(Passing(), at: place) }
                    var configuration = SessionConfiguration()
                    configuration.interceptors = interceptors
                    try await withSession(configuration, transport: transport) { session in
                        _ = try await session.data(for: Request(to: "http://x/"))
                    }
                }
            }
        }
        #expect(transport.requests.count == 96)
        #expect(transport.requests.allSatisfy { $0.headerFields[.via] == "0 1 2 3" })
    }

    @Test func `adapters run before the engine sends`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "ok")]) { server in
            for form in Self.forms {
                try await withSession(Self.configuration(form("a"), form("b"))) { session in
                    _ = try await session.data(for: Request(to: server.baseURL))
                }
            }
            #expect(server.requests.count == 4)
            #expect(server.requests.allSatisfy { String(decoding: $0.head, as: UTF8.self).contains("a b") })
        }
    }

    @TaskLocal private static var mark = 0

    @Test func `an adapter sees the caller's task-local values`() async throws {
        let seen = EventLog<Int>()
        let note: @Sendable () -> Void = { seen.append(Self.mark) }
        let configuration = Self.configuration(
            RequestAdapter { _ in note() },
            RequestAdapter { _ in
                note()
                await Task.yield()
                note()
            }
        )
        try await withSession(configuration, transport: StubTransport { _ in .text("ok") }) { session in
            let request = try Request(to: "http://x/")
            try await Self.$mark.withValue(7) { _ = try await session.data(for: request) }
        }
        #expect(seen.events == [7, 7, 7])
    }

    @Test func `an adapter that does not suspend runs in its caller's Swift task`() async throws {
        let seen = EventLog<Int?>()
        let note: @Sendable () -> Void = {
            let number = unsafe withUnsafeCurrentTask { task in unsafe task?.hashValue }
            seen.append(number)
        }
        let adapter = RequestAdapter { _ in note() }
        try await withSession(Self.configuration(adapter), transport: StubTransport { _ in .text("ok") }) { session in
            let request = try Request(to: "http://x/")
            let caller = Task { @concurrent in
                note()
                _ = try await session.data(for: request)
            }
            try await caller.value
        }
        let numbers = seen.events
        #expect(numbers.count == 2 && numbers[0] != nil && numbers[0] == numbers[1])
    }

    /// An actor with its own queue, and the test whether code runs on it.
    private actor Place {
        private final class Executor: SerialExecutor {
            static let key = DispatchSpecificKey<Bool>()
            private let queue = DispatchQueue(label: "test")

            init() {
                queue.setSpecific(key: Self.key, value: true)
            }

            func enqueue(_ job: consuming ExecutorJob) {
                let job = UnownedJob(job)
                let executor = unsafe asUnownedSerialExecutor()
                queue.async { unsafe job.runSynchronously(on: executor) }
            }
        }

        private let executor = Executor()

        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

        static var isHere: Bool { DispatchQueue.getSpecific(key: Executor.key) == true }

        func run(_ body: @Sendable () async throws -> Void) async throws {
            #expect(Self.isHere)
            try await body()
            #expect(Self.isHere)
        }
    }

    @Test(arguments: 0..<4, [true, false])
    func `an adapter does not run on its caller's actor`(form: Int, isBeforeOthers: Bool) async throws {
        let (here, elsewhere) = (Counter(), Counter())
        let note: @Sendable () -> Void = { (Place.isHere ? here : elsewhere).increment() }
        let adapter =
            switch form {
            case 0: RequestAdapter { _ in note() }
            case 1: RequestAdapter { _, _ in note() }
            case 2:
                RequestAdapter { _ in
                    note()
                    await Task.yield()
                }
            default:
                RequestAdapter { _, _ in
                    note()
                    await Task.yield()
                }
            }
        let configuration =
            isBeforeOthers ? Self.configuration(adapter, Passing()) : Self.configuration(Passing(), adapter)
        try await withSession(configuration, transport: StubTransport { _ in .text("ok") }) { session in
            let request = try Request(to: "http://x/")
            try await Place().run { _ = try await session.data(for: request) }
        }
        #expect(here.value == 0 && elsewhere.value == 1)
    }

    @Test(arguments: [true, false])
    func `a task that its own adapter cancels sends nothing`(awaitsSomething: Bool) async throws {
        let transport = StubTransport { _ in .text("ok") }
        let session = Mutex<SessionManager?>(nil)
        let cancelling: @Sendable () -> Void = { session.withLock { $0 }?.tasks.first?.cancel() }
        let adapter =
            awaitsSomething
            ? RequestAdapter { _ in
                await Self.nothing()
                cancelling()
            } : RequestAdapter { _ in cancelling() }
        try await FaultServer.run([.readRequest, .respond(body: "ok")]) { server in
            for transport in [transport, nil] as [StubTransport?] {
                try await withSession(Self.configuration(adapter), transport: transport) { own in
                    session.withLock { $0 = own }
                    defer { session.withLock { $0 = nil } }
                    let request = try Request(to: server.baseURL)
                    let error = try await networkingError { try await own.data(for: request) }
                    #expect(error.code == .cancelled)
                }
            }
            #expect(server.requests.isEmpty)
        }
    }

    /// An async function that does not suspend.
    private static func nothing() async {}

    @Test func `an adapter cancelled with its task does not fail the request with its own error`() async throws {
        let begun = Counter()
        let waiting = RequestAdapter { _ in
            begun.increment()
            try await Task.sleep(for: .seconds(3600))
        }
        try await withSession(Self.configuration(waiting), transport: StubTransport(routes: [:])) { session in
            let request = try Request(to: "http://x/")
            let caller = Task { try await session.data(for: request) }
            try await until("the adapter waits") { begun.value == 1 }
            caller.cancel()
            let error = try await networkingError { try await caller.value }
            #expect(error.code == .cancelled)
        }
    }
}
