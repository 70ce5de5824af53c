import BluebonnetTesting
import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(5)))
struct SessionEventTests {
    /// An event as text, such as `didComplete 1 cancelled`.
    private static func text(_ event: SessionEvent) -> String {
        var words = [event.kind.description]
        if let task = event.task { words.append("\(task.identifier)") }
        if let head = event.head { words.append("\(head.status.code)") }
        if event.kind == .didComplete { words.append(event.error?.code.rawValue ?? "-") }
        return words.joined(separator: " ")
    }

    /// The events up to the end of a task.
    private static func untilComplete(_ events: AsyncStream<SessionEvent>) async -> [String] {
        var texts: [String] = []
        for await event in events {
            texts.append(text(event))
            if event.kind == .didComplete { break }
        }
        return texts
    }

    @Test func `the events of a task come in order`() async throws {
        try await withSession(transport: StubTransport { _ in .text("ok") }) { session in
            let events = session.events
            let task = session.dataTask(for: try Request(to: "http://example.com/"))
            _ = try await task.value
            let texts = await Self.untilComplete(events)
            let number = task.identifier
            #expect(
                texts == ["didResume \(number)", "didReceiveResponse \(number) 200", "didComplete \(number) 200 -"]
            )
        }
    }

    @Test func `a refused status is reported as received before the task fails`() async throws {
        try await withSession(transport: StubTransport { _ in .text("no", status: .notFound) }) { session in
            let events = session.events
            let task = session.dataTask(for: try Request(to: "http://example.com/"), as: .string)
            _ = try await networkingError { try await task.value }
            let texts = await Self.untilComplete(events)
            let number = task.identifier
            #expect(
                texts == [
                    "didResume \(number)", "didReceiveResponse \(number) 404",
                    "didComplete \(number) 404 unacceptable-status-code",
                ]
            )
        }
    }

    @Test func `suspending and resuming are session events when they change something`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            try await withSession { session in
                let events = session.events
                let task = session.dataTask(for: try Request(to: server.baseURL))
                task.suspend()
                task.resume()
                try await server.waitForRequests(1)
                task.resume()
                task.suspend()
                task.suspend()
                task.resume()
                task.cancel()
                let texts = await Self.untilComplete(events)
                let number = task.identifier
                #expect(
                    texts == [
                        "didResume \(number)", "didSuspend \(number)", "didResume \(number)",
                        "didComplete \(number) cancelled",
                    ]
                )
            }
        }
    }

    @Test func `a task that is suspended at once is resumed first, and suspended then`() async throws {
        try await FaultServer.run(.requests { _ in [.respond()] }) { server in
            try await withSession { session in
                for _ in 0..<50 {
                    var events = session.events.makeAsyncIterator()
                    let task = session.dataTask(for: try Request(to: server.baseURL))
                    task.resume()
                    task.suspend()
                    var kinds = [await events.next(), await events.next()].map { $0?.kind }
                    task.resume()
                    _ = try await task.value
                    while let event = await events.next() {
                        kinds.append(event.kind)
                        if event.kind == .didComplete { break }
                    }
                    #expect(kinds == [.didResume, .didSuspend, .didResume, .didReceiveResponse, .didComplete])
                }
            }
        }
    }

    @Test func `a suspension before anybody asked for events is known later`() async throws {
        let gate = FaultGate()
        try await FaultServer.run([.readRequest, .hold(gate), .respond()]) { server in
            try await withSession { session in
                let task = session.dataTask(for: try Request(to: server.baseURL))
                task.resume()
                try await server.waitForRequests(1)
                task.suspend()
                let events = session.events
                task.resume()
                gate.open()
                _ = try await task.value
                let number = task.identifier
                #expect(
                    await Self.untilComplete(events) == [
                        "didResume \(number)", "didReceiveResponse \(number) 200", "didComplete \(number) 200 -",
                    ]
                )
            }
        }
    }

    @Test func `every listener gets every session event`() async throws {
        try await withSession(transport: StubTransport { _ in .text("ok") }) { session in
            let (first, second) = (session.events, session.events)
            _ = try await session.data(for: Request(to: "http://example.com/"))
            let texts = await [Self.untilComplete(first), Self.untilComplete(second)]
            #expect(texts[0].count == 3)
            #expect(texts[0] == texts[1])
        }
    }

    @Test func `the invalidation of the session is its last event`() async throws {
        let session = SessionManager(transport: StubTransport { _ in .text("ok") })
        let events = session.events
        _ = try await session.data(for: Request(to: "http://example.com/"))
        session.invalidate()
        session.invalidate()
        var texts: [String] = []
        for await event in events { texts.append(Self.text(event)) }
        #expect(texts.count == 4)
        #expect(texts.last == "didInvalidate")
        var late = 0
        for await _ in session.events { late += 1 }
        #expect(late == 0)
    }

    @Test func `the events of a session end when it is released`() async {
        func listen() -> AsyncStream<SessionEvent> {
            let session = SessionManager(transport: StubTransport(routes: [:]))
            return session.events
        }
        var texts: [String] = []
        for await event in listen() { texts.append(Self.text(event)) }
        #expect(texts == ["didInvalidate"])
    }

    @Test func `events have bodies and values for those who ask for them`() async throws {
        try await withSession(transport: StubTransport { _ in .text("ok") }) { session in
            let (asked, plain) = (session.events(keepingNewest: nil, withResults: true), session.events)
            let request = try Request(to: "http://example.com/")
            _ = try await session.response(for: request, as: .string)
            _ = try await session.data(for: request)
            var seen: [SessionEvent] = []
            for await event in asked where event.kind == .didComplete {
                seen.append(event)
                if seen.count == 2 { break }
            }
            #expect(seen.map(\.body) == [Data("ok".utf8), Data("ok".utf8)])
            #expect(seen[0].value as? String == "ok" && seen[1].value as? Data == Data("ok".utf8))
            for await event in plain where event.kind == .didComplete {
                #expect(event.body == nil && event.value == nil && event.head?.statusCode == 200)
                break
            }
        }
    }

    @Test func `a reader without a limit loses no event, and one with a limit has the newest`() async throws {
        try await withSession(transport: StubTransport { _ in .text("ok") }) { session in
            let (all, few) = (session.events(keepingNewest: nil), session.events(keepingNewest: 0))
            let request = try Request(to: "http://example.com/")
            for _ in 0..<1000 { _ = try await session.data(for: request) }
            await session.shutdown()
            var kinds: [SessionEvent.Kind] = []
            for await event in all { kinds.append(event.kind) }
            #expect(kinds.count == 3001 && kinds.last == .didInvalidate)
            var rest: [SessionEvent.Kind] = []
            for await event in few { rest.append(event.kind) }
            #expect(rest == [.didInvalidate])
        }
    }
}
