import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// Messages that are values.
@Suite(.timeLimit(.minutes(5)))
struct WebSocketJSONTests {
    private struct Tick: Codable, Equatable, Sendable {
        var name: String
        var price: Double
    }

    @Test func `values are sent and received as JSON, also in binary messages`() async throws {
        let ticks = [Tick(name: "µ", price: 1.5), Tick(name: "b", price: -2)]
        try await withWebSocket(to: WebSocketServer.echo) { socket in
            for tick in ticks { try await socket.send(json: tick) }
            try await socket.send(.binary(Data(#"{"name":"c","price":3}"#.utf8)))
            var values = socket.json(of: Tick.self).makeAsyncIterator()
            for tick in ticks + [Tick(name: "c", price: 3)] {
                let value = try await values.next()
                #expect(value == tick)
            }
            await socket.close()
            let end = try await values.next()
            #expect(end == nil)
        }
    }

    @Test func `a message that is no such value is an error, and the next one is read`() async throws {
        try await withWebSocket(to: WebSocketServer.echo) { socket in
            try await socket.send("{")
            try await socket.send(json: Tick(name: "a", price: 1))
            var values = socket.json(of: Tick.self).makeAsyncIterator()
            do throws(NetworkingError) {
                _ = try await values.next()
                Issue.record("An error was expected.")
            } catch {
                #expect(error.code == .responseSerializationFailed)
                #expect(error.body == Data("{".utf8))
            }
            let value = try await values.next()
            #expect(value == Tick(name: "a", price: 1))
            await socket.close()
        }
    }

    @Test func `a value that cannot be JSON is not sent`() async throws {
        try await withWebSocket(to: WebSocketServer.echo) { socket in
            let error = try await networkingError { try await socket.send(json: Tick(name: "a", price: .infinity)) }
            #expect(error.code == .requestSerializationFailed)
            try await socket.send("next")
            try await socket.expect(.text("next"))
            await socket.close()
        }
    }
}
