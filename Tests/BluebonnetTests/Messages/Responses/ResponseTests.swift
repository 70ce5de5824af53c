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
struct ResponseTests {
    @Test func `a response describes itself in one line without its value and without secrets`() async throws {
        let transport = StubTransport { _ in .json(["a": 1], headerFields: [.setCookie: "s=secret"]) }
        try await withSession(transport: transport) { session in
            let request = try Request(to: "http://ada:pw@example.com/a?token=secret#x")
            let response = try await session.response(for: request, as: .json)
            let line = "200 OK, application/json, 7 bytes, GET http://example.com/a?token=…"
            #expect("\(response)" == line && "\(response.map { $0["a"] })" == line)
            let opened = try await session.open(request)
            #expect("\(opened)" == line)
            #expect("\(response.head)" == "HTTP/1.1 200 OK")
        }
    }

    @Test func `a response whose body is still to come has no size in its line`() async throws {
        let gate = FaultGate()
        let head = "HTTP/1.1 206 \r\nContent-Length: 2\r\n\r\na"
        try await FaultServer.run([.readRequest, .send(head), .hold(gate), .send("b")]) { server in
            try await withSession { session in
                let opened = try await session.open(Request(to: server.baseURL))
                #expect("\(opened)" == "206, GET \(server.baseURL)")
                gate.open()
                #expect(try await opened.body.collect().count == 2)
            }
        }
    }

    @Test func `what the server wrote stays one short line`() async throws {
        // NEL, U+0085, is a line break for some terminals.
        let head = Array("HTTP/1.1 200 a".utf8) + [0x85] + Array("\(String(repeating: "b", count: 500))\r\n".utf8)
        let rest = Array("Content-Type: \(String(repeating: "c", count: 500))/d\r\nContent-Length: 1\r\n\r\nx".utf8)
        try await FaultServer.run([.readRequest, .send(head + rest)]) { server in
            try await withSession { session in
                let line = try await "\(session.data(for: Request(to: server.baseURL)))"
                #expect(
                    line.hasPrefix("200 abbb")
                        && line.hasSuffix("bbb…, \(String(repeating: "c", count: 60))…, 1 byte, GET \(server.baseURL)")
                )
                #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
            }
        }
    }

    @Test func `a value is made of another with an error of any type`() async throws {
        struct Mine: Error {}
        try await withSession(transport: StubTransport { _ in .text("7") }) { session in
            let response = try await session.response(for: Request(to: "http://example.com/"), as: .string)
            #expect(response.map { $0 + "7" }.value == "77")
            do throws(Mine) {
                let number = try response.map { text throws(Mine) in
                    guard let number = Int(text) else { throw Mine() }
                    return number
                }
                #expect(number.value == 7 && number.status == .ok)
                _ = try number.map { _ throws(Mine) -> Int in throw Mine() }
                Issue.record("an error was expected")
            } catch {
                let mine: Mine = error
                #expect("\(mine)" == "Mine()")
            }
        }
    }
}
