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

@Suite(.timeLimit(.minutes(5)))
struct DataTaskTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"

    // MARK: States

    @Test func `a data task is not started until it is resumed`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "hello"), .close]) { server in
            try await withSession { session in
                let task = session.dataTask(for: try Request(to: server.baseURL))
                #expect(task.state == .suspended)
                #expect(session.tasks.first === task)
                #expect(server.connections.isEmpty)
                task.resume()
                let body = try await task.value
                #expect(body == Data("hello".utf8))
                #expect(task.state == .completed)
                #expect(session.tasks.isEmpty)
            }
        }
    }

    @Test func `a data task runs from resume to its value`() async throws {
        let gate = FaultGate()
        try await FaultServer.run([.readRequest, .send(Self.head), .hold(gate), .send("hello")]) { server in
            try await withSession { session in
                let task = session.dataTask(for: try Request(to: server.baseURL))
                task.resume()
                #expect(task.state == .running)
                try await server.waitForRequests(1)
                #expect(session.tasks.count == 1)
                task.suspend()
                #expect(task.state == .suspended)
                task.resume()
                #expect(task.state == .running)
                gate.open()
                _ = try await task.value
                #expect(task.state == .completed)
                #expect(task.head?.status == .ok)
            }
        }
    }

    @Test func `a task that is released before it was started tells those who wait for its end`() async throws {
        try await withSession(transport: StubTransport { _ in .json([:]) }) { session in
            let errors = EventLog<NetworkingError.Code>()
            let request = try Request(to: "http://example.com/")
            do {
                let task = session.dataTask(for: request)
                task.whenComplete { outcome in
                    if case .failure(let error) = outcome { errors.append(error.code) }
                }
                #expect(errors.events.isEmpty)
            }
            #expect(errors.events == [.cancelled])
            #expect(session.core.rememberedTasks == 0)
        }
    }

    @Test func `awaiting the value starts the task`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "hello")]) { server in
            try await withSession { session in
                let task = session.dataTask(for: try Request(to: server.baseURL), as: .string)
                let text = try await task.value
                #expect(text == "hello")
                let again = try await task.value
                #expect(again == "hello")
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test func `several callers that await a task get the same value of one request`() async throws {
        let gate = FaultGate()
        try await FaultServer.run([.readRequest, .hold(gate), .respond(body: "hello")]) { server in
            try await withSession { session in
                let task = session.dataTask(for: try Request(to: server.baseURL), as: .string)
                async let first = task.value
                async let second = task.value
                async let third = task.response
                try await server.waitForRequests(1)
                gate.open()
                let values = try await [first, second, third.value]
                #expect(values == ["hello", "hello", "hello"])
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test func `awaiting the result starts the task, and gives an error as a value`() async throws {
        struct Mine: Error { var code: NetworkingError.Code }
        let transport = StubTransport { _ in .text("no", status: .notFound) }
        try await withSession(transport: transport) { session in
            let request = try Request(to: "http://example.com/")
            let accepted = await session.dataTask(for: request).result
            #expect(try accepted.get().value == Data("no".utf8))
            let task = session.dataTask(for: request, as: .string)
            let refused = await task.result.mapError { Mine(code: $0.code) }
            let mine = #expect(throws: Mine.self) { try refused.get() }
            #expect(mine?.code == .unacceptableStatusCode)
            // The second time the task is over.
            guard case .failure(let error) = await task.result else {
                Issue.record("a failure was expected")
                return
            }
            #expect(error.response?.status == .notFound && transport.requests.count == 2)
        }
    }

    @Test func `a task describes itself in one line without secrets`() async throws {
        try await withSession(transport: StubTransport { _ in .text("ok") }) { session in
            let task = session.dataTask(for: try Request(to: "http://ada:pw@example.com/a?token=1"))
            #expect("\(task)" == "GET http://example.com/a?token=… (suspended)")
            #expect("\(session.tasks)" == "[GET http://example.com/a?token=… (suspended)]")
            _ = try await task.value
            #expect("\(task)" == "GET http://example.com/a?token=… (completed)")
        }
    }

    @Test func `a complete task stays complete`() async throws {
        let transport = StubTransport { _ in .text("once") }
        try await withSession(transport: transport) { session in
            let task = session.dataTask(for: try Request(to: "http://example.com/"), as: .string)
            _ = try await task.value
            task.cancel()
            task.suspend()
            task.resume()
            let value = try await task.value
            #expect(value == "once")
            #expect(task.state == .completed)
            #expect(transport.requests.count == 1)
        }
    }

    @Test func `no two tasks of a session have the same identifier`() async throws {
        try await withSession(transport: StubTransport(routes: [:])) { session in
            let request = try Request(to: "http://example.com/")
            let identifiers = (0..<100).map { _ in session.dataTask(for: request).identifier }
            #expect(Set(identifiers).count == 100)
        }
    }

    // MARK: Properties

    @Test func `the current request is the one of the last hop`() async throws {
        try await LocalServer.run { server in
            try await withSession { session in
                let task = session.dataTask(for: try Request(to: server.baseURL + "/redirect/2"))
                #expect(task.currentRequest.url == task.originalRequest.url)
                #expect(task.head == nil)
                let response = try await task.response
                #expect(task.originalRequest.url.path(percentEncoded: true) == "/redirect/2")
                #expect(task.currentRequest.url.path(percentEncoded: true) == "/get")
                #expect(task.head == response.head)
                #expect(response.url == task.currentRequest.url)
                #expect(response.redirects.count == 2)
            }
        }
    }

    @Test func `progress counts the bytes received and ends with the task`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [.readRequest, .send(Self.head + "he"), .hold(gate), .send("llo")]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let task = session.dataTask(for: try Request(to: server.baseURL))
                let progress = task.progress
                task.resume()
                var last: TaskProgress?
                for await step in progress {
                    last = step
                    guard step.download.completed == 2 else { continue }
                    #expect(step.download.total == 5)
                    #expect(step.download.fractionCompleted == 0.4)
                    gate.open()
                }
                #expect(last?.download.completed == 5)
                #expect(last?.download.fractionCompleted == 1)
                #expect(task.currentProgress == last)
                _ = try await task.value
            }
        }
    }

    @Test func `the progress of a complete task ends at once`() async throws {
        try await withSession(transport: StubTransport { _ in .text("a") }) { session in
            let task = session.dataTask(for: try Request(to: "http://example.com/"))
            _ = try await task.value
            var steps = 0
            for await _ in task.progress { steps += 1 }
            #expect(steps == 0)
        }
    }

    @Test func `the bytes of the request body are counted by the task`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "ok")]) { server in
            try await withSession { session in
                let request = try Request(.post, to: server.baseURL, body: .string("0123456789"))
                let task = session.dataTask(for: request)
                _ = try await task.value
                #expect(task.currentProgress.upload.completed == 10)
                #expect(task.currentProgress.upload.total == 10)
                #expect(task.currentProgress.upload.fractionCompleted == 1)
            }
        }
    }
}
