import HTTPTypes
import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// A body on its way into a file: all of it is there, or nothing is.
@Suite(.timeLimit(.minutes(1)))
struct ResponseFileTests {
    private func names(in directory: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path(percentEncoded: false)).sorted()
    }

    @Test func `a large body arrives in its file`() async throws {
        let count = 5_000_003
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n"), .fill(7, count: count),
        ]
        try await FaultServer.run(script) { server in
            try await TestSession.run { session, _ in
                try await TestSession.withDirectory { directory in
                    let file = directory.appending(path: "a file")
                    let response = try await session.stream(TestSession.request(server.baseURL))
                    let written = try await response.body.write(to: file)
                    #expect(written == count)
                    let contents = try Data(contentsOf: file)
                    #expect(contents == Data(repeating: 7, count: count))
                    #expect(try names(in: directory) == ["a file"])
                }
            }
        }
    }

    @Test func `a link is written through and stays a link`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "new")]) { server in
            try await TestSession.run { session, _ in
                try await TestSession.withDirectory { directory in
                    let file = directory.appending(path: "file")
                    let link = directory.appending(path: "link")
                    try Data("something old".utf8).write(to: file)
                    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
                    let response = try await session.stream(TestSession.request(server.baseURL))
                    try await response.body.write(to: link)
                    #expect(try Data(contentsOf: file) == Data("new".utf8))
                    #expect(try names(in: directory) == ["file", "link"])
                    let target = try FileManager.default.destinationOfSymbolicLink(
                        atPath: link.path(percentEncoded: false)
                    )
                    #expect(target.hasSuffix("file"))
                }
            }
        }
    }

    @Test func `a file that stands there is replaced unless that is forbidden`() async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: "new")] }) { server in
            try await TestSession.run { session, _ in
                try await TestSession.withDirectory { directory in
                    let file = directory.appending(path: "file")
                    try Data("old".utf8).write(to: file)
                    let error = try await TestSession.failure {
                        let response = try await session.stream(TestSession.request(server.baseURL))
                        try await response.body.write(to: file, overwrites: false)
                    }
                    #expect(error.code == .outputFailed, "\(error)")
                    #expect(try Data(contentsOf: file) == Data("old".utf8))
                    let response = try await session.stream(TestSession.request(server.baseURL))
                    let written = try await response.body.write(to: file)
                    #expect(written == 3)
                    #expect(try Data(contentsOf: file) == Data("new".utf8))
                    #expect(try names(in: directory) == ["file"])
                }
            }
        }
    }

    @Test func `a directory that is not there is an error, and the connection is given up`() async throws {
        let script: FaultServer.Script = [.readRequest, .send("HTTP/1.1 200 OK\r\n\r\n"), .fill(7, count: .max)]
        try await FaultServer.run(script) { server in
            try await TestSession.run { session, _ in
                try await TestSession.withDirectory { directory in
                    let file = directory.appending(path: "missing").appending(path: "file")
                    let error = try await TestSession.failure {
                        let response = try await session.stream(TestSession.request(server.baseURL))
                        try await response.body.write(to: file)
                    }
                    #expect(error.code == .outputFailed, "\(error)")
                    try await server.waitUntilClosed(connection: 0)
                    #expect(try names(in: directory).isEmpty)
                }
            }
        }
    }

    @Test func `a destination that is a directory is an error and leaves no part behind`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "new")]) { server in
            try await TestSession.run { session, _ in
                try await TestSession.withDirectory { directory in
                    let file = directory.appending(path: "file")
                    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
                    let error = try await TestSession.failure {
                        let response = try await session.stream(TestSession.request(server.baseURL))
                        try await response.body.write(to: file)
                    }
                    #expect(error.code == .outputFailed, "\(error)")
                    #expect(try names(in: directory) == ["file"])
                }
            }
        }
    }

    @Test func `a body that ends too early leaves no file`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .hold(gate), .close,
        ]
        try await FaultServer.run(script) { server in
            try await TestSession.run { session, _ in
                try await TestSession.withDirectory { directory in
                    let response = try await session.stream(TestSession.request(server.baseURL))
                    gate.open()
                    let error = try await TestSession.failure {
                        try await response.body.write(to: directory.appending(path: "file"))
                    }
                    #expect(error.code == .truncatedResponse, "\(error)")
                    #expect(try names(in: directory).isEmpty)
                }
            }
        }
    }
}
