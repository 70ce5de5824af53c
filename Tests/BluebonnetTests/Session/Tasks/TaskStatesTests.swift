import BluebonnetTesting
import LocalServer
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The stream of the states of a task.
@Suite(.timeLimit(.minutes(5)))
struct TaskStatesTests {
    @Test func `the states of a task are told from the one it has to its end`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na"), .hold(gate), .send("b"),
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let task = session.dataTask(for: try Request(to: server.baseURL), as: .string)
                var states = task.states.makeAsyncIterator()
                #expect(await states.next() == .suspended)
                task.resume()
                #expect(await states.next() == .running)
                task.suspend()
                #expect(await states.next() == .suspended)
                // Suspending again changes nothing, and is not told.
                task.suspend()
                task.resume()
                #expect(await states.next() == .running)
                gate.open()
                #expect(try await task.value == "ab")
                #expect(await states.next() == .completed)
                #expect(await states.next() == nil)
            }
        }
    }

    @Test func `a task that is over tells that, and its states end`() async throws {
        try await withSession(transport: StubTransport { _ in .text("a") }) { session in
            let task = session.dataTask(for: try Request(to: "http://example.com/"), as: .string)
            _ = try await task.value
            var states: [TaskState] = []
            for await state in task.states { states.append(state) }
            #expect(states == [.completed])
        }
    }

    @Test func `a task that is cancelled before it starts is told as over`() async throws {
        try await withSession(transport: StubTransport { _ in .text("a") }) { session in
            let task = session.dataTask(for: try Request(to: "http://example.com/"))
            let states = task.states
            task.cancel()
            var last: TaskState?
            for await state in states { last = state }
            #expect(last == .completed)
        }
    }

    @Test func `the states of a task that is released without a start end`() async throws {
        try await withSession(transport: StubTransport { _ in .text("a") }) { session in
            let states = session.dataTask(for: try Request(to: "http://example.com/")).states
            var told: [TaskState] = []
            for await state in states { told.append(state) }
            #expect(told == [.suspended])
        }
    }

    @Test func `who stops reading is forgotten, and others are told`() async throws {
        try await withSession(transport: StubTransport { _ in .text("a") }) { session in
            let task = session.dataTask(for: try Request(to: "http://example.com/"), as: .string)
            let states = task.states
            let reader = Task { for await _ in task.states {} }
            reader.cancel()
            await reader.value
            _ = try await task.value
            var last: TaskState?
            for await state in states { last = state }
            #expect(last == .completed)
        }
    }
}
