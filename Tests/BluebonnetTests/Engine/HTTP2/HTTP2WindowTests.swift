import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// The windows of RFC 9113 §5.2 and §6.9, as the server sees them.
@Suite(.timeLimit(.minutes(5)))
struct HTTP2WindowTests {
    /// Waits until so many bytes of request bodies have arrived, and sees that no more come.
    private func expect(_ count: Int, _ server: HTTP2FaultServer) async throws {
        try await server.wait("\(count) bytes of body") { record in
            record.requests.reduce(0) { $0 + $1.bodyLength } >= count
        }
        let total = try await settled { server.requests.reduce(0) { $0 + $1.bodyLength } }
        #expect(total == count)
    }

    @Test func `an upload keeps to the window of its stream`() async throws {
        let gates = (0..<4).map { _ in FaultGate() }
        let script: HTTP2FaultServer.Script = [
            .readHead,
            .hold(gates[0]), .onStream { [.windowUpdate(500, stream: $0)] },
            .hold(gates[1]), .send(.settings([(.initialWindowSize, 2000)])),
            // §6.9.2: the window becomes smaller by 1900, below zero, and must come back above it.
            .hold(gates[2]), .send(.settings([(.initialWindowSize, 100)])),
            .onStream { [.windowUpdate(1950, stream: $0)] },
            .hold(gates[3]), .onStream { [.windowUpdate(1_000_000, stream: $0)] },
            .readEnd, .respond(body: "done"),
        ]
        let options = HTTP2FaultServer.Options(settings: [.initialWindowSize: 1000], givesWindowsBack: false)
        try await HTTP2FaultServer.run(script, options: options) { server in
            try await withSession(.http2()) { session in
                let body = Data(repeating: 7, count: 10_000)
                // The first request brings the settings, so that the body knows its window.
                let task = Task { try await session.data(for: Request(.post, to: server.baseURL, body: .data(body))) }
                try await server.waitForHeads(1)
                let first = try await settled { server.requests[0].bodyLength }
                // What was sent before the settings came counts too (§6.9.2).
                try #require([1000, 10_000].contains(first))
                guard first == 1000 else { return task.cancel() }
                for (gate, count) in zip(gates, [1500, 2500, 2550, 10_000]) {
                    gate.open()
                    try await expect(count, server)
                }
                #expect(try await task.value.value == Data("done".utf8))
                #expect(server.requests[0].body == [UInt8](body))
            }
        }
    }

    @Test func `all uploads together keep to the window of the connection`() async throws {
        let gate = FaultGate()
        let script = HTTP2FaultServer.Script.heads { request in
            guard request.number == 0 else { return [.readEnd, .respond(body: "done")] }
            return [.hold(gate), .send(.windowUpdate(1_000_000)), .readEnd, .respond(body: "done")]
        }
        let options = HTTP2FaultServer.Options(settings: [.initialWindowSize: 1_000_000], givesWindowsBack: false)
        try await HTTP2FaultServer.run(script, options: options) { server in
            try await withSession(.http2()) { session in
                let task = Task {
                    await bodies(of: 3, in: session) { _ in
                        try Request(.post, to: server.baseURL, body: .data(Data(repeating: 1, count: 100_000)))
                    }
                }
                try await expect(65_535, server)
                gate.open()
                for result in await task.value { #expect(try result.get() == "done") }
                #expect(server.requests.allSatisfy { $0.bodyLength == 100_000 })
            }
        }
    }

    @Test func `no frame of an upload is larger than the server allows`() async throws {
        try await HTTP2FaultServer.run(.requests { _ in [.respond(body: "done")] }) { server in
            try await withSession(.http2()) { session in
                let body = RequestBody.data(Data(repeating: 1, count: 1_000_000))
                _ = try await session.data(for: Request(.post, to: server.baseURL, body: body))
                #expect(server.connections[0].frames(.data).allSatisfy { $0.length <= 16_384 })
            }
        }
    }

    @Test func `a reader that stalls costs bounded memory and stalls nobody else`() async throws {
        let blocks = 4096
        let script = HTTP2FaultServer.Script.requests { request in
            request.path == "/large" ? [.head(), .fill(5, blocks: blocks)] : [.respond(body: "small")]
        }
        try await HTTP2FaultServer.run(script) { server in
            try await withSession(.http2()) { session in
                let large = try await session.open(Request(to: server.baseURL + "/large"))
                var iterator = large.body.makeAsyncIterator()
                var length = try await iterator.next()?.count ?? 0
                let sent = try await settled { server.connections[0].bodyBytesSent }
                // 64 MiB wait there; the window is in proportion to what was read.
                #expect(sent - length <= max(16 * length, HTTP2WindowBudget.guaranteed), "\(sent), \(length)")
                for _ in 0..<20 {
                    #expect(try await session.data(for: Request(to: server.baseURL)).value == Data("small".utf8))
                }
                while let piece = try await iterator.next() { length += piece.count }
                #expect(length == blocks * 16_384)
            }
            #expect(server.connections.count == 1)
        }
    }

    @Test func `many streams that are not read stall nobody else`() async throws {
        // Each fills its first window: together, more than the window of the connection.
        let count = HTTP2FrameHandler.connectionWindow / HTTP2WindowBudget.first + 1
        let script = HTTP2FaultServer.Script.requests { request in
            request.path == "/large" ? [.head(), .fill(5, blocks: 64)] : [.respond(body: "small")]
        }
        try await HTTP2FaultServer.run(script) { server in
            try await withSession(.http2()) { session in
                var unread: [ResponseBody] = []
                for _ in 0..<count {
                    unread.append(try await session.open(Request(to: server.baseURL + "/large")).body)
                }
                try await server.wait("a window of the connection") { record in
                    record.connections[0].bodyBytesSent >= HTTP2FrameHandler.connectionWindow
                }
                #expect(try await session.data(for: Request(to: server.baseURL)).value == Data("small".utf8))
                #expect(server.connections.count == 1)
                withExtendedLifetime(unread) {}
            }
        }
    }

    @Test func `a body that has used the window up ends without more window`() async throws {
        // RFC 9113 §6.9.1: a frame without content may end the stream then.
        let script = HTTP2FaultServer.Script.heads { request in
            [.readEnd, .respond(body: request.method == "POST" ? "done" : "settings")]
        }
        let options = HTTP2FaultServer.Options(settings: [.initialWindowSize: 1000], givesWindowsBack: false)
        try await HTTP2FaultServer.run(script, options: options) { server in
            try await withSession(.http2()) { session in
                _ = try await session.data(for: Request(to: server.baseURL))
                let source = AsyncStream<[UInt8]>.makeStream()
                let request = try Request(.post, to: server.baseURL, body: .stream(source.stream))
                let task = Task { try await session.data(for: request) }
                source.continuation.yield([UInt8](repeating: 1, count: 1000))
                try await expect(1000, server)
                source.continuation.finish()
                #expect(try await task.value.value == Data("done".utf8))
            }
        }
    }

    @Test func `a stream that the server has ended takes nothing of the window of the connection`() async throws {
        let gate = FaultGate()
        let script = HTTP2FaultServer.Script.heads { request in
            guard request.path == "/first" else { return [.readEnd, .respond(body: "done")] }
            return [
                .hold(gate),
                .onStream { stream in
                    [
                        .headers([(":status", "413")], stream: stream, endStream: true),
                        .resetStream(.noError, stream: stream), .windowUpdate(65_535),
                    ]
                },
            ]
        }
        let options = HTTP2FaultServer.Options(settings: [.initialWindowSize: 1_000_000], givesWindowsBack: false)
        try await HTTP2FaultServer.run(script, options: options) { server in
            try await withSession(.http2()) { session in
                let large = RequestBody.data(Data(repeating: 1, count: 300_000))
                let request = try Request(.post, to: server.baseURL + "/first", body: large)
                let first = Task { try await session.data(for: request) }
                try await expect(65_535, server)
                gate.open()
                #expect(try await first.value.head.statusCode == 413)
                let body = RequestBody.data(Data(repeating: 2, count: 60_000))
                let second = try await session.data(for: Request(.post, to: server.baseURL + "/second", body: body))
                #expect(second.value == Data("done".utf8))
                #expect(server.connections.count == 1)
            }
        }
    }

    @Test func `a server that sends more than its window loses the stream`() async throws {
        let piece = WireFrame.data([UInt8](repeating: 1, count: 16_384), stream: 1)
        try await HTTP2FaultServer.run([.readRequest, .head(), .flood(piece, times: 2000)]) { server in
            try await withSession(.http2()) { session in
                let response = try await session.open(Request(to: server.baseURL))
                // Nobody reads the body, so that no window is given back.
                try await server.waitForFrame("RST_STREAM") { $0.kind == .resetStream }
                #expect(server.connections[0].resetCode(of: 1) == .flowControlError)
                let error = try await networkingError { try await response.body.collect() }
                #expect(error.code == .protocolViolation, "\(error)")
            }
        }
    }

    @Test func `a window that holds up the server grows`() async throws {
        // The acknowledgement of the PING comes behind 8 MiB, as where a link holds so much.
        let gate = FaultGate()
        let script: HTTP2FaultServer.Script = [
            // The windows that the settings give count when these are acknowledged.
            .readRequest, .send(.settingsAcknowledgement), .head(),
            .fill(1, blocks: HTTP2BandwidthProbe.interval / 16_384, endStream: false),
            .readFrame(.ping), .fill(1, blocks: 512, endStream: false),
            .send(.ping(HTTP2Connection.probePing, acknowledgement: true)),
            .fill(1, blocks: 512, endStream: false), .hold(gate), .body(""),
        ]
        try await HTTP2FaultServer.run(script, options: .init(acknowledges: false)) { server in
            try await withSession(.http2()) { session in
                let response = try await session.open(Request(to: server.baseURL))
                let reading = Task { try await response.body.collect(upTo: 32 << 20).count }
                try await server.wait("a larger window") { record in
                    let connection = record.connections[0]
                    let granted = connection.frames(.windowUpdate).filter { $0.stream == 1 }
                        .reduce(HTTP2WindowBudget.first) { $0 + Int($1.number(at: 0, as: UInt32.self) ?? 0) }
                    // 16 MiB, less the quarter that is not given back at once, and what waits for
                    // the reader.
                    return granted - connection.bodyBytesSent >= 10 << 20
                }
                gate.open()
                #expect(try await reading.value == HTTP2BandwidthProbe.interval + 1024 * 16_384)
            }
        }
    }

    @Test func `padding takes its place of the window, and the window comes back`() async throws {
        // 16 MiB of frames for 64 KiB of content.
        let script: HTTP2FaultServer.Script = [.readRequest, .head(), .padded(1, times: 65_536)]
        try await HTTP2FaultServer.run(script) { server in
            try await withSession(.http2()) { session in
                let response = try await session.open(Request(to: server.baseURL))
                #expect(try await response.body.collect().count == 65_536)
            }
        }
    }
}
