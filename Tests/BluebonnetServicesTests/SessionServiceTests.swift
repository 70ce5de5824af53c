#if ServiceLifecycle
    import Bluebonnet
    import BluebonnetServices
    import LocalServer
    import Logging
    import ServiceLifecycle
    import ServiceLifecycleTestKit
    import Synchronization
    import Testing

    /// A session as a service.
    @Suite(.timeLimit(.minutes(5)))
    struct SessionServiceTests {
        @Test func `a graceful shutdown waits for the running tasks, and refuses new ones`() async throws {
            let gate = FaultGate()
            try await FaultServer.run([.readRequest, .hold(gate), .respond(body: "ok")]) { server in
                let session = SessionManager()
                let request = try Request(to: server.baseURL)
                let running = session.dataTask(for: request)
                running.resume()
                try await server.waitForRequests(1)
                try await testGracefulShutdown { trigger in
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask { await session.run() }
                        trigger.triggerGracefulShutdown()
                        let late = try await Self.refusal(of: request, in: session)
                        #expect(late == .sessionInvalidated)
                        #expect(running.state == .running)
                        gate.open()
                        try await group.waitForAll()
                    }
                }
                #expect(running.state == .completed)
                #expect(try await running.value.count == 2)
            }
        }

        /// The code with which requests fail from the shutdown on.
        private static func refusal(of request: Request, in session: SessionManager) async throws
            -> NetworkingError.Code
        {
            while true {
                var request = request
                request.timeouts = Timeouts(request: .milliseconds(20))
                let error = try await networkingError { try await session.data(for: request) }
                if error.code == .sessionInvalidated { return error.code }
            }
        }

        @Test func `a service that is cancelled fails its tasks`() async throws {
            try await FaultServer.run([.readRequest, .stall]) { server in
                let session = SessionManager()
                let running = session.dataTask(for: try Request(to: server.baseURL))
                running.resume()
                try await server.waitForRequests(1)
                let service = Task { await session.run() }
                service.cancel()
                await service.value
                let error = try await networkingError { try await running.value }
                #expect(error.code == .sessionInvalidated)
            }
        }

        @Test func `a graceful shutdown that is cancelled fails the tasks that it waited for`() async throws {
            try await FaultServer.run([.readRequest, .stall]) { server in
                let session = SessionManager()
                let request = try Request(to: server.baseURL)
                let running = session.dataTask(for: request)
                running.resume()
                try await server.waitForRequests(1)
                try await testGracefulShutdown { trigger in
                    let service = Task { await session.run() }
                    trigger.triggerGracefulShutdown()
                    _ = try await Self.refusal(of: request, in: session)
                    #expect(running.state == .running)
                    service.cancel()
                    await service.value
                }
                let error = try await networkingError { try await running.value }
                #expect(error.code == .sessionInvalidated)
            }
        }

        @Test func `a graceful shutdown lets the last hook of a task return`() async throws {
            let (gate, end) = (FaultGate(), HookEnd())
            try await FaultServer.run([.readRequest, .hold(gate), .respond(body: "ok")]) { server in
                var configuration = SessionConfiguration()
                configuration.hooks.taskDidComplete = { _, _ in
                    // Longer than the hooks of a task that is stopped have.
                    try? await Task.sleep(for: .milliseconds(1500))
                    end.isCancelled.withLock { $0 = Task.isCancelled }
                }
                let session = SessionManager(configuration: configuration)
                let running = session.dataTask(for: try Request(to: server.baseURL))
                running.resume()
                try await server.waitForRequests(1)
                await testGracefulShutdown { trigger in
                    async let run: Void = session.run()
                    trigger.triggerGracefulShutdown()
                    gate.open()
                    await run
                }
            }
            #expect(end.isCancelled.withLock(\.self) == false)
        }

        /// Whether a hook was cancelled; nil until it returns.
        private final class HookEnd: Sendable {
            let isCancelled = Mutex<Bool?>(nil)
        }

        @Test func `a session that was invalidated before completes its tasks at the graceful shutdown`() async throws {
            let script: FaultServer.Script = [.readRequest, .wait(.milliseconds(300)), .respond(body: "ok")]
            try await FaultServer.run(script) { server in
                let session = SessionManager()
                let running = session.dataTask(for: try Request(to: server.baseURL))
                running.resume()
                try await server.waitForRequests(1)
                session.invalidate(cancellingTasks: false)
                await testGracefulShutdown { trigger in
                    async let end: Void = session.run()
                    trigger.triggerGracefulShutdown()
                    await end
                }
                #expect(running.state == .completed)
                #expect(try await running.value.count == 2)
            }
        }

        @Test func `a session without tasks ends at once`() async throws {
            let session = SessionManager()
            await testGracefulShutdown { trigger in
                async let end: Void = session.run()
                trigger.triggerGracefulShutdown()
                await end
            }
            let error = try await networkingError { try await session.data(for: Request(to: "http://127.0.0.1:1/")) }
            #expect(error.code == .sessionInvalidated)
        }

        @Test func `the shared session stays as it is`() async throws {
            await testGracefulShutdown { trigger in
                async let end: Void = SessionManager.shared.run()
                trigger.triggerGracefulShutdown()
                await end
            }
            try await FaultServer.run([.readRequest, .respond(body: "ok")]) { server in
                _ = try await SessionManager.shared.data(for: Request(to: server.baseURL))
            }
        }

        @Test func `a service group runs a session`() async throws {
            let session = SessionManager()
            let ender = ServiceGroupConfiguration.ServiceConfiguration(
                service: Ender(),
                successTerminationBehavior: .gracefullyShutdownGroup
            )
            let services = [ServiceGroupConfiguration.ServiceConfiguration(service: session), ender]
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            try await ServiceGroup(configuration: .init(services: services, logger: logger)).run()
            let error = try await networkingError { try await session.data(for: Request(to: "http://127.0.0.1:1/")) }
            #expect(error.code == .sessionInvalidated)
        }

        /// A service whose end ends its group.
        private struct Ender: Service {
            func run() async {}
        }
    }
#endif
