import Bluebonnet
import Foundation
import HTTPTypes
import LocalServer
import Testing

/// A hook that never returns does not keep a task that was stopped.
@Suite(.timeLimit(.minutes(5)))
struct HookStoppingTests {
    /// The hook that does not return.
    enum Place: CaseIterable {
        case creation, redirection, newBody, sentBytes, response, data
    }

    /// What the hook does with its cancellation.
    enum Habit: CaseIterable {
        case sleeps, ignoresCancellation
    }

    private static func hooks(_ place: Place, _ wait: @escaping @Sendable () async -> Void) -> SessionHooks {
        var hooks = SessionHooks()
        switch place {
        case .creation: hooks.sessionDidCreateTask = { _ in await wait() }
        case .redirection:
            hooks.taskWillPerformRedirection = { _, _, _ in
                await wait()
                return nil
            }
        case .newBody:
            hooks.taskNeedsNewBody = { _ in
                await wait()
                return nil
            }
        case .sentBytes: hooks.taskDidSendBodyData = { _, _, _, _ in await wait() }
        case .response:
            hooks.dataTaskDidReceiveResponse = { _, _ in
                await wait()
                return .allow
            }
        case .data: hooks.dataTaskDidReceiveData = { _, _ in await wait() }
        }
        return hooks
    }

    @Test(arguments: Place.allCases, Stop.allCases)
    func `a stopped task does not wait for a hook that ignores cancellation`(place: Place, stop: Stop) async throws {
        let (gate, calls) = (Gate(), Counter())
        defer { gate.open() }
        let hooks = Self.hooks(place) {
            calls.increment()
            await gate.wait()
        }
        let isRedirected = place == .redirection || place == .newBody
        let script = FaultServer.Script.requests { _ in
            // With a response the task would be complete, and only its end wait for the hook.
            if place == .sentBytes { return [.stall] }
            return isRedirected ? [.respond(307, headers: [("Location", "/b")])] : [.respond(body: "ok")]
        }
        try await FaultServer.run(script) { server in
            try await withSession(SessionConfiguration { $0.hooks = hooks }) { session in
                let body = RequestBody.stream(Pieces(["one", "two"]))
                let request = try Request(.post, to: server.baseURL, body: body)
                let error = try await stop.error(of: request, in: session) { _ in
                    try await until("the hook waits") { calls.value > 0 }
                }
                #expect(error.code == stop.code)
                #expect(calls.value <= 1)
            }
        }
    }

    @Test(arguments: Stop.allCases)
    func `a hook that waits is cancelled at once when its task is stopped`(stop: Stop) async throws {
        let (calls, ends) = (Counter(), Counter())
        let hooks = Self.hooks(.response) {
            calls.increment()
            try? await Task.sleep(for: .seconds(3600))
            ends.increment()
        }
        try await FaultServer.run([.readRequest, .respond(body: "ok")]) { server in
            try await withSession(SessionConfiguration { $0.hooks = hooks }) { session in
                let error = try await stop.error(of: Request(to: server.baseURL), in: session) { _ in
                    try await until("the hook waits") { calls.value > 0 }
                }
                // The time may be over before the response is there.
                #expect(error.code == stop.code && ends.value == calls.value)
            }
        }
    }

    @Test func `a caller that is cancelled does not wait for the bytes that are told`() async throws {
        let (gate, calls) = (Gate(), Counter())
        defer { gate.open() }
        let hooks = Self.hooks(.sentBytes) {
            calls.increment()
            await gate.wait()
        }
        try await FaultServer.run([.readRequest, .respond(body: "ok")]) { server in
            try await withSession(SessionConfiguration { $0.hooks = hooks }) { session in
                let request = try Request(.post, to: server.baseURL, body: .string("12345"))
                let caller = Task { try await session.data(for: request) }
                try await until("the hook waits") { calls.value == 1 }
                caller.cancel()
                // The response may have come before.
                if case .failure(let error) = await caller.result {
                    #expect((error as? NetworkingError)?.code == .cancelled)
                }
            }
        }
    }

    @Test func `a request that is given up while it waits for its turn does not stop its task`() async throws {
        /// Sends three requests, and takes the response that is no redirect.
        struct Racing: Interceptor {
            func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
                try await withThrowingTaskGroup(of: TransportResponse.self) { group in
                    for path in ["a", "b", "c"] {
                        var request = request
                        request.url.append(path: path)
                        group.addTask { [request] in try await next(request) }
                    }
                    defer { group.cancelAll() }
                    for try await response in group { return response }
                    throw CancellationError()
                }
            }
        }
        let (gate, calls) = (FaultGate(), Counter())
        let script = FaultServer.Script.requests { request in
            guard request.target == "/a" else { return [.respond(302, headers: [("Location", "/a")])] }
            return [.hold(gate), .respond(body: "ok")]
        }
        try await FaultServer.run(script) { server in
            let hooks = Self.hooks(.redirection) {
                calls.increment()
                try? await Task.sleep(for: .seconds(3600))
            }
            let configuration = SessionConfiguration { configuration in
                configuration.hooks = hooks
                configuration.interceptors = [Racing()]
            }
            try await withSession(configuration) { session in
                let task = session.dataTask(for: try Request(to: server.baseURL))
                task.resume()
                try await until("one waits in the hook, and one for its turn") {
                    calls.value == 1 && task.metrics?.transactions.count { $0.response != nil } == 2
                }
                gate.open()
                // The one that waits may get its turn before it is given up, too.
                #expect(try await task.value == Data("ok".utf8))
            }
        }
    }

    // MARK: The last hooks

    @Test(arguments: [true, false])
    func `a task that was stopped has its last hooks, which may not keep it`(isMetrics: Bool) async throws {
        let (gate, calls) = (Gate(), Counter())
        defer { gate.open() }
        var hooks = SessionHooks()
        let wait: @Sendable () async -> Void = {
            if !Task.isCancelled { calls.increment() }
            await gate.wait()
        }
        if isMetrics {
            hooks.taskDidFinishCollectingMetrics = { _, _ in await wait() }
        } else {
            hooks.taskDidComplete = { _, _ in await wait() }
        }
        try await FaultServer.run([.readRequest, .stall]) { server in
            try await withSession(SessionConfiguration { $0.hooks = hooks }) { session in
                for (number, stop) in Stop.allCases.enumerated() {
                    // The time of a request may be over before it was sent.
                    let earlier = server.requests.count
                    let error = try await stop.error(of: Request(to: server.baseURL), in: session) { _ in
                        try await server.wait("the request") { $0.requests.count > earlier }
                    }
                    #expect(error.code == stop.code)
                    #expect(calls.value == number + 1)
                }
            }
        }
    }

    @Test func `cancelling a task that is complete ends the wait for its last hook, with its result`() async throws {
        let (gate, calls) = (Gate(), Counter())
        defer { gate.open() }
        var hooks = SessionHooks()
        hooks.taskDidComplete = { _, _ in
            calls.increment()
            await gate.wait()
        }
        try await FaultServer.run([.readRequest, .respond(body: "ok"), .startOver]) { server in
            try await withSession(SessionConfiguration { $0.hooks = hooks }) { session in
                for (number, isCaller) in [true, false].enumerated() {
                    let task = session.dataTask(for: try Request(to: server.baseURL))
                    let caller = Task { try await task.value }
                    try await until("the hook waits") { calls.value == number + 1 }
                    #expect(task.state == .completed)
                    if isCaller { caller.cancel() } else { task.cancel() }
                    #expect(try await caller.value == Data("ok".utf8))
                }
            }
        }
    }

    @Test func `the time of the whole exchange ends the wait for the last hook too`() async throws {
        let gate = Gate()
        defer { gate.open() }
        var hooks = SessionHooks()
        hooks.taskDidComplete = { _, _ in await gate.wait() }
        try await FaultServer.run([.readRequest, .respond(body: "ok")]) { server in
            try await withSession(SessionConfiguration { $0.hooks = hooks }) { session in
                let request = try Request(to: server.baseURL, timeouts: Timeouts(request: .seconds(2)))
                #expect(try await session.data(for: request).value == Data("ok".utf8))
            }
        }
    }
}
