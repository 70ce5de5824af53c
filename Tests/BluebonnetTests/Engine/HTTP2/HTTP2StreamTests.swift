import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// The streams of a connection: their number, their requests and their responses.
@Suite(.timeLimit(.minutes(5)))
struct HTTP2StreamTests {
    @Test(arguments: [1, 2, 100])
    func `no more streams are open than the server allows`(limit: Int) async throws {
        let gate = FaultGate()
        let script = HTTP2FaultServer.Script.heads { request in
            // The first request brings the settings.
            request.path == "/first" ? [.respond()] : [.hold(gate), .respond(body: "done")]
        }
        let options = HTTP2FaultServer.Options(settings: [.maxConcurrentStreams: UInt32(limit)])
        try await HTTP2FaultServer.run(script, options: options) { server in
            try await withSession(.http2 { $0.maximumConnectionsPerHost = 1 }) { session in
                _ = try await session.data(for: Request(to: server.baseURL + "/first"))
                let task = Task { await bodies(of: 150, in: session) { _ in try Request(to: server.baseURL) } }
                try await server.waitForHeads(1 + limit)
                let open = try await settled { server.requests.count }
                #expect(open == 1 + limit)
                gate.open()
                for result in await task.value { #expect(try result.get() == "done") }
            }
            #expect(server.connections.count == 1)
        }
    }

    @Test func `where the limit is low, waiting requests get another connection`() async throws {
        let gate = FaultGate()
        let script = HTTP2FaultServer.Script.heads { request in
            request.path == "/first" ? [.respond()] : [.hold(gate), .respond(body: "done")]
        }
        let options = HTTP2FaultServer.Options(settings: [.maxConcurrentStreams: 10])
        try await HTTP2FaultServer.run(script, options: options) { server in
            try await withSession(.http2 { $0.maximumConnectionsPerHost = 3 }) { session in
                _ = try await session.data(for: Request(to: server.baseURL + "/first"))
                let task = Task { await bodies(of: 100, in: session) { _ in try Request(to: server.baseURL) } }
                try await server.waitForHeads(31)
                let open = try await settled { server.requests.count }
                #expect(open == 31)
                gate.open()
                for result in await task.value { #expect(try result.get() == "done") }
            }
            #expect(server.connections.count == 3)
        }
    }

    @Test func `ten thousand requests use ten thousand streams of one connection`() async throws {
        let script = HTTP2FaultServer.Script.requests { request in [.respond(body: "\(request.stream)")] }
        try await HTTP2FaultServer.run(script) { server in
            try await withSession(.http2 { $0.maximumConnectionsPerHost = 1 }) { session in
                let streams = try await withThrowingTaskGroup(of: [Data].self) { group in
                    for _ in 0..<100 {
                        group.addTask {
                            var streams: [Data] = []
                            for _ in 0..<100 {
                                streams.append(try await session.data(for: Request(to: server.baseURL)).value)
                            }
                            return streams
                        }
                    }
                    return try await group.reduce(into: Set<Data>()) { $0.formUnion($1) }
                }
                #expect(streams.count == 10_000)
            }
            #expect(server.connections.count == 1)
        }
    }

    @Test func `the preface and the settings are those of a client`() async throws {
        try await HTTP2FaultServer.run([.readRequest, .send(.ping(77)), .readFrame(.ping), .respond()]) { server in
            try await withSession(.http2()) { session in
                _ = try await session.data(for: Request(to: server.baseURL))
            }
            try await server.waitUntilClosed()
            let connection = server.connections[0]
            #expect(connection.hasPreface)
            #expect(connection.frames.first?.kind == .settings)
            #expect(connection.settings[WireFrame.Setting.enablePush.rawValue] == 0)
            // RFC 9113 §6.5.3 and §6.7: both are acknowledged.
            #expect(connection.frames(.settings).count { $0.flags.contains(.acknowledgement) } == 1)
            let ping = connection.frames(.ping).first { $0.flags.contains(.acknowledgement) }
            #expect(ping?.payload == WireFrame.ping(77).payload)
            #expect(connection.goAwayCode == .noError)
        }
    }

    @Test func `a head has its pseudo-header fields first, and no field about the connection`() async throws {
        try await HTTP2FaultServer.run([.readRequest, .respond()]) { server in
            try await withSession(.http2()) { session in
                let name = try #require(HTTPField.Name("Keep-Alive"))
                let fields: HTTPFields = [
                    .connection: "x-hop", .te: "trailers, gzip", name: "timeout=1", .cookie: "a=b; c=d",
                    try #require(HTTPField.Name("X-Hop")): "1", try #require(HTTPField.Name("X-Mixed")): "Value",
                ]
                let request = try Request(
                    .post,
                    to: server.baseURL + "/path?query",
                    headerFields: fields,
                    body: .string("body")
                )
                _ = try await session.data(for: request)
            }
            let request = try #require(server.requests.first)
            let names = request.fields.map(\.name)
            #expect(Set(names.prefix(4)) == [":method", ":scheme", ":authority", ":path"])
            #expect(names.dropFirst(4).allSatisfy { !$0.hasPrefix(":") && $0 == $0.lowercased() })
            #expect(request.method == "POST" && request.path == "/path?query")
            #expect(request.value(of: ":scheme") == "http")
            #expect(request.authority == "127.0.0.1:\(server.port)")
            for name in ["host", "connection", "keep-alive", "x-hop", "transfer-encoding", "te"] {
                #expect(request.value(of: name) == nil, "\(name)")
            }
            let cookies = request.fields.filter { $0.name == "cookie" }.map(\.value)
            #expect(cookies.joined(separator: "; ") == "a=b; c=d")
            #expect(request.value(of: "x-mixed") == "Value" && request.value(of: "content-length") == "4")
        }
    }

    @Test func `a body of unknown length has no content-length, and ends with its stream`() async throws {
        try await HTTP2FaultServer.run([.readRequest, .respond(body: "done")]) { server in
            try await withSession(.http2()) { session in
                let body = RequestBody.stream(Pieces(["a", "bc", "", "d"]))
                _ = try await session.data(for: Request(.post, to: server.baseURL, body: body))
            }
            let request = try #require(server.requests.first)
            #expect(request.body == Array("abcd".utf8) && request.isWhole)
            #expect(request.value(of: "content-length") == nil)
        }
    }

    @Test func `a body whose source fails resets its stream`() async throws {
        try await HTTP2FaultServer.run([.readHead, .readFrame(.resetStream), .readRequest, .respond(body: "next")]) {
            server in
            try await withSession(.http2()) { session in
                let body = RequestBody.stream(Pieces(bytes: [[1]], error: Pieces.Broken()))
                let error = try await networkingError {
                    try await session.data(for: Request(.post, to: server.baseURL, body: body))
                }
                #expect(error.code == .requestBodyFailed, "\(error)")
                #expect(try await session.data(for: Request(to: server.baseURL)).value == Data("next".utf8))
            }
            #expect(server.connections.count == 1)
        }
    }

    @Test func `a body that waits for 100 Continue is sent after it`() async throws {
        let script: HTTP2FaultServer.Script = [
            .readHead, .onStream { [.headers([(":status", "100")], stream: $0)] }, .readEnd, .respond(body: "done"),
        ]
        try await HTTP2FaultServer.run(script) { server in
            try await withSession(.http2()) { session in
                var request = try Request(.post, to: server.baseURL, body: .string("body"))
                request.expectsContinue = true
                request.timeouts = Timeouts(continueWait: nil)
                #expect(try await session.data(for: request).value == Data("done".utf8))
            }
            #expect(server.requests[0].value(of: "expect") == "100-continue")
            #expect(server.requests[0].body == Array("body".utf8))
        }
    }

    @Test func `trailers of a response are read`() async throws {
        let script: HTTP2FaultServer.Script = [
            .readRequest, .head(), .body("ok", endStream: false),
            .trailers([("x-checksum", "1"), ("x-checksum", "2")]),
        ]
        try await HTTP2FaultServer.run(script) { server in
            try await withSession(.http2()) { session in
                let response = try await session.data(for: Request(to: server.baseURL))
                let name = try #require(HTTPField.Name("X-Checksum"))
                #expect(response.trailers[values: name] == ["1", "2"])
            }
        }
    }

    @Test(arguments: [0, 64, 4096, 65_536, 1 << 20])
    func `field blocks keep to the table size of the server`(size: UInt32) async throws {
        // A decoder of this size fails where the client's encoder has a larger table (RFC 7541
        // §4.2).
        let options = HTTP2FaultServer.Options(settings: [.headerTableSize: size])
        try await HTTP2FaultServer.run(.requests { _ in [.respond()] }, options: options) { server in
            try await withSession(.http2()) { session in
                for index in 0..<20 {
                    let name = try #require(HTTPField.Name("X-Field-\(index % 7)"))
                    let fields: HTTPFields = [name: String(repeating: "v", count: 40)]
                    _ = try await session.data(for: Request(to: server.baseURL, headerFields: fields))
                }
            }
            #expect(server.connections.map(\.failure) == [nil])
            #expect(server.requests.count == 20)
            #expect(server.requests.last?.value(of: "x-field-5")?.count == 40)
        }
    }

    @Test func `fields that the server puts into its table are found again`() async throws {
        let script = HTTP2FaultServer.Script.requests { request in
            [
                .onStream { stream in
                    let indexed = HeaderBlock.integer(62, prefix: 7, first: 0x80)
                    let block = [0x88] + (request.number == 0 ? HeaderBlock.indexed([("x-field", "value")]) : indexed)
                    return [.headers(block: block, stream: stream, endStream: true)]
                }
            ]
        }
        try await HTTP2FaultServer.run(script) { server in
            try await withSession(.http2()) { session in
                let name = try #require(HTTPField.Name("X-Field"))
                for _ in 0..<3 {
                    let response = try await session.data(for: Request(to: server.baseURL))
                    #expect(response.headerFields[name] == "value")
                }
            }
        }
    }
}
