import BluebonnetTesting
import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// A response body is read once; a second reader gets an error.
@Suite(.timeLimit(.minutes(2)))
struct SecondReadingTests {
    /// The ways to read a body.
    enum Reading: CaseIterable {
        case collect, iterate, lines, file

        func read(_ body: ResponseBody) async throws {
            switch self {
            case .collect: _ = try await body.collect()
            case .iterate: for try await _ in body {}
            case .lines: for try await _ in body.lines {}
            case .file: try await body.write(to: URL(filePath: "/dev/null"))
            }
        }
    }

    private func expectOneReading(_ body: ResponseBody, _ first: Reading, _ second: Reading) async throws {
        try await first.read(body)
        let error = try await networkingError { try await second.read(body) }
        #expect(error.code == .responseBodyAlreadyRead && error.message.contains("read before"), "\(error)")
    }

    @Test(arguments: Reading.allCases, Reading.allCases)
    func `a body from a connection is read once`(first: Reading, second: Reading) async throws {
        try await FaultServer.run([.readRequest, .respond(body: "one\ntwo")]) { server in
            try await withSession(SessionConfiguration()) { session in
                let response = try await session.open(Request(to: server.baseURL))
                try await expectOneReading(response.body, first, second)
            }
        }
    }

    @Test(arguments: Reading.allCases, Reading.allCases)
    func `a body from a stub is read once too`(first: Reading, second: Reading) async throws {
        let transport = StubTransport { _ in .text("one\ntwo") }
        try await withSession(transport: transport) { session in
            let response = try await session.open(Request(to: "http://example.com/"))
            try await expectOneReading(response.body, first, second)
        }
    }

    @Test func `a reader does not go on where another one stopped`() async throws {
        let gate = FaultGate()
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"
        try await FaultServer.run([.readRequest, .send(head + "one"), .hold(gate), .send("two")]) { server in
            try await withSession(SessionConfiguration()) { session in
                let body = try await session.open(Request(to: server.baseURL)).body
                // An iterator that is not asked reads nothing.
                _ = body.makeAsyncIterator()
                for try await piece in body {
                    #expect(piece == Data("one".utf8))
                    break
                }
                gate.open()
                let error = try await networkingError { _ = try await body.collect() }
                #expect(error.code == .responseBodyAlreadyRead)
            }
        }
    }

    @Test func `a body that was read in part can be discarded, and not be read afterwards`() async throws {
        let script: FaultServer.Script = [.readRequest, .respond(body: "one"), .readRequest, .respond(body: "two")]
        try await FaultServer.run(script) { server in
            try await withSession(SessionConfiguration()) { session in
                let body = try await session.open(Request(to: server.baseURL)).body
                await body.discard()
                let error = try await networkingError { _ = try await body.collect() }
                #expect(error.code == .responseBodyAlreadyRead)
                let next = try await session.data(for: Request(to: server.baseURL)).value
                #expect(next == Data("two".utf8) && server.connections.count == 1)
            }
        }
    }

    @Test func `a body that was made can be read again by the code that made it`() async throws {
        let body = ResponseBody.data(Data("one".utf8))
        for _ in 0..<2 {
            let data = try await body.collect()
            #expect(data == Data("one".utf8))
        }
    }
}
