import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// The ends of transactions whose bodies have a content coding.
@Suite(.timeLimit(.minutes(5)))
struct TransactionDecodingTests {
    /// Writes down the ends that it is told.
    private struct Watcher: TransactionObserver {
        let log = EventLog<String>()

        func willSend(_ transaction: inout OutgoingTransaction) -> TransactionEnding? {
            let number = transaction.number
            return { [log] metrics in
                let outcome = metrics.error?.code.rawValue ?? metrics.response.map { "\($0.statusCode)" } ?? "nothing"
                log.append("\(number): \(outcome), \(metrics.bytes.decodedResponseBody) bytes")
            }
        }
    }

    private let watcher = Watcher()
    private var configuration: SessionConfiguration { SessionConfiguration { $0.observers = [watcher] } }

    /// A member of gzip without data, and with a block of a type that there is not.
    private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
    private static let broken = header + [0xFF, 0xFF, 0xFF]
    private static let fields = [("Content-Encoding", "gzip")]

    private static func whole(_ text: String) throws -> [UInt8] {
        let compressed = try RequestBody.string(text).compressed(.gzip, level: 6)
        return Array(try #require(compressed.data))
    }

    @Test(arguments: [true, false])
    func `a body that cannot be decoded is a failure, and the observer knows it first`(isCut: Bool) async throws {
        let body = isCut ? Self.header : Self.broken
        try await FaultServer.run([.readRequest, .respond(headers: Self.fields, bytes: body)]) { server in
            try await withSession(configuration) { session in
                let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
                #expect(error.code == .contentDecodingFailed)
                #expect(watcher.log.events.count == 1)
                #expect(watcher.log.events.first?.hasPrefix("0: content-decoding-failed") == true)
            }
        }
        #expect(watcher.log.events.count == 1)
    }

    @Test func `so is one that is streamed, before the rest of it has come`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\n"
        try await FaultServer.run([.readRequest, .send(Array(head.utf8) + Self.broken), .stall]) { server in
            try await withSession(configuration) { session in
                let error = try await networkingError {
                    for try await _ in try await session.open(Request(to: server.baseURL)).body {}
                }
                #expect(error.code == .contentDecodingFailed)
                #expect(watcher.log.events.first?.hasPrefix("0: content-decoding-failed") == true)
            }
        }
        #expect(watcher.log.events.count == 1)
    }

    @Test(arguments: [true, false])
    func `the observer gets the decoded size`(isStreamed: Bool) async throws {
        let text = String(repeating: "text", count: isStreamed ? 1_000_000 : 1_000)
        let bytes = try Self.whole(text)
        try await FaultServer.run([.readRequest, .respond(headers: Self.fields, bytes: bytes)]) { server in
            try await withSession(configuration) { session in
                if isStreamed {
                    for try await _ in try await session.open(Request(to: server.baseURL)).body {}
                } else {
                    _ = try await session.data(for: Request(to: server.baseURL))
                }
                #expect(watcher.log.events == ["0: 200, \(text.utf8.count) bytes"])
            }
        }
        #expect(watcher.log.events.count == 1)
    }

    @Test func `a body that nobody reads ends its transaction, too`() async throws {
        let bytes = try Self.whole("text")
        try await FaultServer.run([.readRequest, .respond(headers: Self.fields, bytes: bytes)]) { server in
            try await withSession(configuration) { session in
                _ = try await session.open(Request(to: server.baseURL)).head
                try await until("it has ended") { !watcher.log.events.isEmpty }
            }
        }
        #expect(watcher.log.events.count == 1)
    }

    @Test func `a redirect with a coding ends before the next hop`() async throws {
        let bytes = try Self.whole("moved")
        let script = FaultServer.Script.requests { request in
            guard request.target == "/a" else { return [.respond(body: "ok")] }
            return [.respond(302, headers: Self.fields + [("Location", "/b")], bytes: bytes)]
        }
        try await FaultServer.run(script) { server in
            try await withSession(configuration) { session in
                _ = try await session.data(for: Request(to: server.baseURL + "/a"))
            }
        }
        #expect(watcher.log.events.map { $0.prefix(6) } == ["0: 302", "1: 200"])
    }

    /// Writes down what begins and ends.
    private struct Order: TransactionObserver {
        let log = EventLog<String>()

        func willSend(_ transaction: inout OutgoingTransaction) -> TransactionEnding? {
            let number = transaction.number
            log.append("begins \(number)")
            return { [log] _ in log.append("ends \(number)") }
        }
    }

    @Test func `a challenge that is encoded ends before it is answered`() async throws {
        let body = try Self.whole("who?")
        let challenge = Self.fields + [("WWW-Authenticate", #"Basic realm="r""#)]
        let script = FaultServer.Script.requests { request in
            if request.value(of: "Authorization") != nil { return [.respond(body: "ok")] }
            return [.respond(401, headers: challenge, bytes: body)]
        }
        try await FaultServer.run(script) { server in
            let order = Order()
            try await withSession(SessionConfiguration { $0.observers = [order] }) { session in
                var request = try Request(to: server.baseURL)
                request.credential = Credential(user: "ada", password: "lovelace")
                let response = try await session.data(for: request)
                #expect(response.status == .ok)
            }
            #expect(order.log.events == ["begins 0", "ends 0", "begins 1", "ends 1"])
        }
    }

    @Test(arguments: ["identity", "unknown"])
    func `a coding that is not undone ends with the last byte`(coding: String) async throws {
        let fields = [("Content-Encoding", coding)]
        try await FaultServer.run([.readRequest, .respond(headers: fields, body: "text")]) { server in
            try await withSession(configuration) { session in
                _ = try await session.data(for: Request(to: server.baseURL))
                #expect(watcher.log.events == ["0: 200, 4 bytes"])
            }
        }
    }
}
