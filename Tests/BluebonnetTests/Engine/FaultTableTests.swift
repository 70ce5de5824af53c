import HTTPTypes
import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// Every fault of a server has its own error code, closes its connection and leaves no task behind.
@Suite(.timeLimit(.minutes(5)))
struct FaultTableTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        var name: String
        var code: NetworkingError.Code
        var steps: [FaultStep]

        var testDescription: String { name }

        init(_ name: String, _ code: NetworkingError.Code, steps: [FaultStep]) {
            self.name = name
            self.code = code
            self.steps = steps
        }

        /// The server sends exactly this text and keeps the connection open.
        init(_ name: String, _ code: NetworkingError.Code, _ text: String) {
            self.init(name, code, steps: [.readRequest, .send(text)])
        }

        /// The server sends this text and closes.
        init(_ name: String, _ code: NetworkingError.Code, cut text: String) {
            self.init(name, code, steps: [.readRequest, .send(text), .close])
        }

        /// The head has these lines; two bytes of body follow.
        init(_ name: String, _ code: NetworkingError.Code, lines: String) {
            self.init(name, code, "HTTP/1.1 200 OK\r\n\(lines)\r\n\r\nok")
        }

        /// The body is chunked, and these are its bytes.
        init(_ name: String, _ code: NetworkingError.Code, chunks: String) {
            self.init(name, code, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)")
        }
    }

    private static let hint = "HTTP/1.1 103 Early Hints\r\n\r\n"

    static let faults: [Fault] = [
        Fault("garbage before the status line", .malformedStatusLine, "garbage\r\nHTTP/1.1 200 OK\r\n\r\n"),
        Fault("an HTTP/0.9 response", .malformedStatusLine, cut: "<html>hello</html>"),
        Fault("a status line without a number", .malformedStatusLine, "HTTP/1.1 OK\r\n\r\n"),
        Fault("another version", .unsupportedHTTPVersion, "HTTP/2.0 200 OK\r\n\r\n"),
        Fault("a header without a colon", .malformedHeader, lines: "Nothing here"),
        Fault("a space before the colon", .malformedHeader, lines: "Content-Length : 2"),
        Fault("a control character in a header", .malformedHeader, lines: "X: a\u{0}b"),
        Fault("a header line above 64 KiB", .headerTooLarge, lines: "X: " + String(repeating: "x", count: 66_000)),
        Fault(
            "a header section above 64 KiB",
            .headerTooLarge,
            lines: (0..<10).map { "X-\($0): " + String(repeating: "x", count: 8000) }.joined(separator: "\r\n")
        ),
        Fault("a length that is not a number", .invalidContentLength, lines: "Content-Length: two"),
        Fault("a negative length", .invalidContentLength, lines: "Content-Length: -2"),
        Fault("two lengths that differ", .conflictingFraming, lines: "Content-Length: 2\r\nContent-Length: 3"),
        Fault("two lengths in a list", .conflictingFraming, lines: "Content-Length: 2, 3"),
        Fault(
            "a length beside a transfer coding",
            .conflictingFraming,
            lines: "Content-Length: 2\r\nTransfer-Encoding: chunked"
        ),
        Fault(
            "a transfer coding in HTTP/1.0",
            .conflictingFraming,
            "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        Fault("an unknown transfer coding", .unsupportedTransferCoding, lines: "Transfer-Encoding: gzip"),
        Fault("a coding around chunked", .unsupportedTransferCoding, lines: "Transfer-Encoding: gzip, chunked"),
        Fault("a bad chunk size", .malformedChunk, chunks: "xyz\r\nabc\r\n0\r\n\r\n"),
        Fault("a chunk size beyond all numbers", .malformedChunk, chunks: "FFFFFFFFFFFFFFFFF\r\n"),
        Fault("a chunk without its line end", .malformedChunk, chunks: "3\r\nabcdef\r\n0\r\n\r\n"),
        Fault("a malformed trailer", .malformedHeader, chunks: "2\r\nok\r\n0\r\nno trailer\r\n\r\n"),
        Fault("a body that is too short", .truncatedResponse, cut: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"),
        Fault("no body at all", .truncatedResponse, cut: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"),
        Fault(
            "a chunked body without its end",
            .truncatedResponse,
            cut: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"
        ),
        Fault("a head without its end", .truncatedResponse, cut: "HTTP/1.1 200 OK\r\nContent-Le"),
        Fault("nothing but an informational response", .truncatedResponse, cut: hint),
        Fault("an end before the first byte", .connectionLost, steps: [.readRequest, .close]),
        Fault("an end before the request", .connectionLost, steps: [.close]),
        Fault("a reset before the first byte", .connectionLost, steps: [.readRequest, .reset]),
        Fault(
            "a reset inside the body",
            .connectionLost,
            steps: [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .wait(.milliseconds(30)),
                .reset,
            ]
        ),
        Fault(
            "an unasked protocol switch",
            .unexpectedResponse,
            "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"
        ),
        Fault("too many informational responses", .unexpectedResponse, String(repeating: hint, count: 65)),
    ]

    @Test(arguments: faults, ResponseReading.allCases)
    func `each server fault has its own error code`(fault: Fault, reading: ResponseReading) async throws {
        try await FaultServer.run(.steps(fault.steps)) { server in
            try await withEngine { session, engine in
                let request = try Request(to: server.baseURL + "/path")
                let error = try await networkingError {
                    _ = try await reading.body(of: request, in: session)
                }
                #expect(error.code == fault.code, "\(error)")
                #expect(error.request?.url == request.url)
                #expect(!error.message.isEmpty)
                #expect(session.tasks.isEmpty)
                try await server.waitUntilClosed(connection: 0)
                #expect(server.connections.count == 1)
                try await until("the pool has removed the connection") { engine.openConnections == 0 }
                #expect(engine.waitingExchanges == 0)
            }
        }
    }

    @Test(arguments: ResponseReading.allCases)
    func `repeated equal Content-Length fields are accepted`(reading: ResponseReading) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\nContent-Length: 2\r\n\r\n"
        try await FaultServer.run([.readRequest, .send(head + "ok")]) { server in
            try await withSession { session in
                let body = try await reading.body(of: Request(to: server.baseURL), in: session)
                #expect(body == Data("ok".utf8))
            }
        }
    }

    struct Place: Sendable {
        var url: String
        var code: NetworkingError.Code
    }

    static let places = [
        Place(url: "ftp://localhost/file", code: .unsupportedScheme),
        Place(url: "http:///no-host", code: .invalidURL),
        Place(url: "/no-scheme", code: .invalidURL),
        // RFC 1035 §2.3.4: a label has at most 63 bytes, so no name server is asked.
        Place(url: "http://\(String(repeating: "n", count: 64)).invalid/", code: .dnsLookupFailed),
    ]

    @Test(arguments: places, ResponseReading.allCases)
    func `a URL that cannot be reached has its own error code`(place: Place, reading: ResponseReading) async throws {
        try await withEngine { session, engine in
            let error = try await networkingError {
                _ = try await reading.body(of: Request(to: place.url), in: session)
            }
            #expect(error.code == place.code, "\(error)")
            #expect(session.tasks.isEmpty)
            #expect(engine.openConnections == 0 && engine.waitingExchanges == 0)
        }
    }

    @Test(arguments: ResponseReading.allCases)
    func `a refused connection has its own error code`(reading: ResponseReading) async throws {
        let port = FaultServer.unusedPort
        try await withSession { session in
            let error = try await networkingError {
                _ = try await reading.body(of: Request(to: "http://127.0.0.1:\(port)/"), in: session)
            }
            #expect(error.code == .connectFailed, "\(error)")
            #expect(session.tasks.isEmpty)
        }
    }
}
