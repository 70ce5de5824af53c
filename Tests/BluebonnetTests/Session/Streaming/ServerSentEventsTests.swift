import BluebonnetTesting
import HTTPTypes
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.timeLimit(.minutes(5)))
struct ServerSentEventsTests {
    private static let stream = "text/event-stream"

    @Test func `server-sent events come one by one, and the request accepts them`() async throws {
        let stub = StubResponse.stream(
            Pieces(["data: a\n", "\nid: 7\nevent: e\ndata: b\n\nda", "ta: lost"]),
            contentType: "text/event-stream; charset=utf-8"
        )
        try await withAPI(over: StubTransport { _ in stub }) { api, transport in
            var events: [ServerSentEvent] = []
            for try await event in api.stream("events").serverSentEvents { events.append(event) }
            #expect(events == [ServerSentEvent(data: "a"), ServerSentEvent(type: "e", data: "b", id: "7")])
            #expect(transport.requests.count == 1)
            let fields = transport.requests[0].headerFields
            #expect(fields[.accept] == Self.stream)
            #expect(fields[.cacheControl] == "no-cache")
        }
    }

    @Test func `server-sent events are read from a body in memory`() async throws {
        let body = ResponseBody.data(Data("data: a\r\rdata: b\r\r".utf8))
        var texts: [String] = []
        for try await event in body.serverSentEvents { texts.append(event.data) }
        #expect(texts == ["a", "b"])
    }

    @Test func `server-sent events under another content type are refused unless it was allowed`() async throws {
        try await withAPI(over: StubTransport { _ in .text("data: a\n\n") }) { api, _ in
            let stream = api.stream("events")
            let error = try await networkingError { for try await _ in stream.serverSentEvents {} }
            #expect(error.code == .unacceptableContentType)
            #expect(error.bodyString == "data: a\n\n")
            let lenient = stream.validating(ResponseValidation(contentTypes: ["text/plain"]))
            var count = 0
            for try await _ in lenient.serverSentEvents { count += 1 }
            #expect(count == 1)
        }
    }

    @Test func `a streamed event beyond the limit is an error with the response head`() async throws {
        let stub = StubResponse.stream(Pieces(["data: 0123456789\n\n"]), contentType: Self.stream)
        try await withAPI(over: StubTransport { _ in stub }) { api, _ in
            let error = try await networkingError {
                for try await _ in api.stream("events").serverSentEvents(limit: 5) {}
            }
            #expect(error.code == .lineTooLong)
            #expect(error.response?.status == .ok)
        }
    }

    // MARK: Connecting again

    @Test func `an event stream connects again with the last identifier until the server responds 204`() async throws {
        let count = Counter()
        let responder: StubTransport.Responder = { _ in
            switch count.increment() {
            case 1: .stream(Pieces(["retry: 0\nid: 1\ndata: a\n\nid: 2\ndata: lost"]), contentType: Self.stream)
            case 2:
                .stream(
                    Pieces(["data: b\n\n"], error: NetworkingError(.connectionLost, "The cable is out.")),
                    contentType: Self.stream
                )
            case 3: .failure(NetworkingError(.connectFailed, "The cable is still out."))
            default: StubResponse(status: .noContent)
            }
        }
        try await withAPI(over: StubTransport(respond: responder)) { api, transport in
            var texts: [String] = []
            let events = api.stream("events").serverSentEvents(lastEventID: "0", reconnects: true)
            for try await event in events { texts.append(event.data) }
            #expect(texts == ["a", "b"])
            let name = try #require(HTTPField.Name("Last-Event-ID"))
            #expect(transport.requests.map { $0.headerFields[name] } == ["0", "1", "1", "1"])
        }
    }

    @Test func `a refused response ends an event stream, and so does a first request that fails`() async throws {
        let count = Counter()
        let responder: StubTransport.Responder = { _ in
            count.increment() == 1
                ? .stream(Pieces(["retry: 0\ndata: a\n\n"]), contentType: Self.stream)
                : .text("no", status: .forbidden)
        }
        try await withAPI(over: StubTransport(respond: responder)) { api, transport in
            var texts: [String] = []
            let error = try await networkingError {
                for try await event in api.stream("events").serverSentEvents(reconnects: true) {
                    texts.append(event.data)
                }
            }
            #expect(texts == ["a"])
            #expect(error.code == .unacceptableStatusCode)
            #expect(transport.requests.count == 2)
        }
        try await withAPI(over: StubTransport { _ in .failure(NetworkingError(.connectFailed, "No.")) }) {
            api,
            transport in
            let error = try await networkingError {
                for try await _ in api.stream("events").serverSentEvents(reconnects: true) {}
            }
            #expect(error.code == .connectFailed)
            #expect(transport.requests.count == 1)
        }
    }

    @Test func `an event stream connects at most ten times a second`() async throws {
        let count = Counter()
        let responder: StubTransport.Responder = { _ in
            count.increment() < 4
                ? .stream(Pieces(["retry: 0\ndata: a\n\n"]), contentType: Self.stream)
                : StubResponse(status: .noContent)
        }
        try await withAPI(over: StubTransport(respond: responder)) { api, _ in
            let start = ContinuousClock.now
            var texts: [String] = []
            for try await event in api.stream("events").serverSentEvents(reconnects: true) { texts.append(event.data) }
            #expect(texts == ["a", "a", "a"])
            #expect(ContinuousClock.now - start >= .milliseconds(300))
        }
    }

    @Test func `the time before an event stream connects again has bounds, and doubles while no event comes`() {
        var pace = ServerSentEvents.Pace()
        #expect((0..<8).map { _ in pace.next(nil) } == [3, 6, 12, 24, 48, 96, 192, 300].map { .seconds($0) })
        for _ in 0..<10_000 { #expect(pace.next(.zero) <= .seconds(300)) }
        pace.succeeded()
        #expect((0..<3).map { _ in pace.next(.zero) } == [100, 200, 400].map { .milliseconds($0) })
        pace.succeeded()
        #expect(pace.next(.milliseconds(Int64.max)) == .seconds(300))
        #expect(pace.next(.milliseconds(Int64.max)) == .seconds(300))
        pace.succeeded()
        #expect(pace.next(.milliseconds(-5)) == .milliseconds(100))
    }

    @Test func `cancelling ends the wait before an event stream connects again`() async throws {
        let stub = StubResponse.stream(Pieces(["retry: 3600000\ndata: a\n\n"]), contentType: Self.stream)
        try await withAPI(over: StubTransport { _ in stub }) { api, _ in
            let (firsts, first) = AsyncStream.makeStream(of: Void.self)
            let reading = Task {
                for try await _ in api.stream("events").serverSentEvents(reconnects: true) { first.finish() }
            }
            for await _ in firsts {}
            reading.cancel()
            let error = try await networkingError { try await reading.value }
            #expect(error.code == .cancelled)
        }
    }
}
