import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// What the requests of one connection have to do with each other: the clock of each counts its own
/// bytes, and all of them get their part of the window.
@Suite(.timeLimit(.minutes(3)))
struct HTTP2SharedConnectionTests {
    /// The body of an upload that goes on as long as its request: 100 bytes every few milliseconds.
    private static func endless() -> RequestBody {
        .stream(
            AsyncStream(unfolding: {
                try? await Task.sleep(for: .milliseconds(5))
                return Task.isCancelled ? nil : Data(repeating: 1, count: 100)
            })
        )
    }

    /// Runs while an upload is under way on the connection.
    private func besideUpload(
        to server: HTTP2FaultServer,
        _ session: SessionManager,
        _ work: () async throws -> Void
    ) async throws {
        // The first request brings the settings.
        _ = try await session.data(for: Request(to: server.baseURL))
        let upload = session.dataTask(for: try Request(.post, to: server.baseURL + "/endless", body: Self.endless()))
        upload.resume()
        try await server.wait("bytes of the upload") {
            $0.requests.contains { $0.path == "/endless" && $0.bodyLength > 0 }
        }
        try await work()
        #expect(upload.state == .running)
        upload.cancel()
    }

    private func bodyLength(_ path: String, _ server: HTTP2FaultServer) -> Int {
        server.requests.first { $0.path == path }?.bodyLength ?? 0
    }

    @Test func `a pause in a response ends its request, though another one is uploading`() async throws {
        let script = HTTP2FaultServer.Script.heads { request in
            switch request.path {
            case "/endless": []
            case "/slow": [.head(200), .body("x", endStream: false)]
            default: [.respond(body: "ok")]
            }
        }
        try await HTTP2FaultServer.run(script) { server in
            try await withSession(.http2()) { session in
                try await besideUpload(to: server, session) {
                    // Its own body pauses too.
                    let source = AsyncStream<[UInt8]>.makeStream()
                    source.continuation.yield([1, 2, 3])
                    let timeouts = Timeouts(betweenBytes: .milliseconds(500))
                    let body = RequestBody.stream(source.stream)
                    let request = try Request(.post, to: server.baseURL + "/slow", body: body, timeouts: timeouts)
                    let error = try await networkingError { try await session.data(for: request) }
                    #expect(error.code == .betweenBytesTimeout, "\(error)")
                    source.continuation.finish()
                }
            }
        }
    }

    @Test func `an upload whose window is never opened ends, though another one goes on`() async throws {
        let script = HTTP2FaultServer.Script.heads { request in
            switch request.path {
            case "/endless": [.onStream { [.windowUpdate(10_000_000, stream: $0)] }]
            case "/stuck": []
            default: [.respond(body: "ok")]
            }
        }
        let options = HTTP2FaultServer.Options(settings: [.initialWindowSize: 1000], givesWindowsBack: false)
        try await HTTP2FaultServer.run(script, options: options) { server in
            try await withSession(.http2()) { session in
                try await besideUpload(to: server, session) {
                    let timeouts = Timeouts(betweenBytes: .milliseconds(500))
                    let body = RequestBody.data(Data(repeating: 1, count: 100_000))
                    let request = try Request(.post, to: server.baseURL + "/stuck", body: body, timeouts: timeouts)
                    let error = try await networkingError { try await session.data(for: request) }
                    #expect(error.code == .betweenBytesTimeout, "\(error)")
                    try await server.wait("the window of the stream") { record in
                        record.requests.contains { $0.path == "/stuck" && $0.bodyLength >= 1000 }
                    }
                    #expect(bodyLength("/stuck", server) == 1000)
                }
            }
        }
    }

    @Test func `a server that never responds is noticed while another request uploads`() async throws {
        let script = HTTP2FaultServer.Script.heads { request in
            ["/endless", "/silent"].contains(request.path) ? [] : [.respond(body: "ok")]
        }
        try await HTTP2FaultServer.run(script) { server in
            try await withSession(.http2()) { session in
                try await besideUpload(to: server, session) {
                    let timeouts = Timeouts(firstByte: .milliseconds(500))
                    let request = try Request(
                        .post,
                        to: server.baseURL + "/silent",
                        body: .data(Data(repeating: 1, count: 100_000)),
                        timeouts: timeouts
                    )
                    let error = try await networkingError { try await session.data(for: request) }
                    #expect(error.code == .firstByteTimeout, "\(error)")
                }
            }
        }
    }

    @Test func `the window of the connection is given to uploads in turn`() async throws {
        let gates = (0..<3).map { _ in FaultGate() }
        let script = HTTP2FaultServer.Script.heads { request in
            guard request.path == "/0" else { return [.readEnd, .respond(body: "done")] }
            return gates.dropLast().flatMap { [HTTP2FaultStep.hold($0), .send(.windowUpdate(10_000))] }
                + [.hold(gates[2]), .send(.windowUpdate(1_000_000)), .readEnd, .respond(body: "done")]
        }
        let options = HTTP2FaultServer.Options(settings: [.initialWindowSize: 1_000_000], givesWindowsBack: false)
        try await HTTP2FaultServer.run(script, options: options) { server in
            try await withSession(.http2()) { session in
                let lengths = { @Sendable (record: HTTP2FaultServer.Record) in
                    ["/0", "/1", "/2"].map { path in record.requests.first { $0.path == path }?.bodyLength ?? 0 }
                }
                var tasks: [Task<Data, any Error>] = []
                // Each begins when the one before it waits.
                for index in 0..<3 {
                    let body = RequestBody.data(Data(repeating: 1, count: 100_000))
                    let request = try Request(.post, to: server.baseURL + "/\(index)", body: body)
                    tasks.append(Task { try await session.data(for: request).value })
                    try await server.waitForHeads(index + 1)
                    if index == 0 { try await server.wait("the first window") { lengths($0)[0] == 65_535 } }
                }
                for (gate, expected) in zip(gates, [20_000, 30_000]) {
                    gate.open()
                    try await server.wait("\(expected - 10_000) bytes more") { record in
                        lengths(record).reduce(0, +) == 65_535 + expected - 10_000
                    }
                }
                // None of the two was for the first one, which has had most.
                #expect(lengths(server.record)[0] <= 65_535 + 10_000)
                #expect(lengths(server.record)[1...].contains { $0 > 0 })
                gates[2].open()
                for task in tasks { #expect(try await task.value == Data("done".utf8)) }
            }
        }
    }

    @Test func `uploads that wait for each other do not fail for that`() async throws {
        let options = HTTP2FaultServer.Options(settings: [.initialWindowSize: 1_000_000], givesWindowsBack: false)
        try await patiently(first: [.seconds(1), .seconds(3)], last: .seconds(10)) { timeout in
            // The window comes slowly: each upload waits longer than its pause for its turn.
            let steps = (0..<40).flatMap { _ in
                [HTTP2FaultStep.wait(timeout / 10), .send(.windowUpdate(1000))]
            }
            let script = HTTP2FaultServer.Script.heads { request in
                switch request.path {
                case "/first": steps + [.send(.windowUpdate(10_000_000)), .readEnd, .respond(body: "done")]
                default: [.readEnd, .respond(body: "done")]
                }
            }
            try await HTTP2FaultServer.run(script, options: options) { server in
                try await withSession(.http2()) { session in
                    let results = await bodies(of: 30, in: session) { index in
                        let url = server.baseURL + (index == 0 ? "/first" : "/other")
                        let body = RequestBody.data(Data(repeating: 1, count: 100_000))
                        return try Request(.post, to: url, body: body, timeouts: Timeouts(betweenBytes: timeout))
                    }
                    let texts = try results.map { try $0.get() }
                    #expect(texts.allSatisfy { $0 == "done" })
                }
            }
        }
    }

    @Test func `an upload that never gets a turn has its limit`() async throws {
        let script = HTTP2FaultServer.Script.heads { request in
            switch request.path {
            case "/first": [.stopReading]
            default: [.send(.windowUpdate(100_000_000)), .respond(body: "ok")]
            }
        }
        let options = HTTP2FaultServer.Options(
            settings: [.initialWindowSize: 100_000_000],
            keepsBodies: false,
            receiveBuffer: 65_536
        )
        try await HTTP2FaultServer.run(script, options: options) { server in
            try await withSession(.http2()) { session in
                _ = try await session.data(for: Request(to: server.baseURL))
                let large = RequestBody.data(Data(repeating: 1, count: 50_000_000))
                let first = session.dataTask(for: try Request(.post, to: server.baseURL + "/first", body: large))
                first.resume()
                try await server.waitForHeads(2)
                _ = try await settled { first.currentProgress.upload.completed }
                let timeouts = Timeouts(betweenBytes: .milliseconds(500))
                let body = RequestBody.data(Data(repeating: 1, count: 100_000))
                let second = try Request(.post, to: server.baseURL + "/second", body: body, timeouts: timeouts)
                let error = try await networkingError { try await session.data(for: second) }
                #expect(error.code == .betweenBytesTimeout, "\(error)")
                first.cancel()
            }
        }
    }

    @Test func `what was not sent of a cancelled upload takes nothing of the window of the connection`() async throws {
        let (window, gate) = (16 << 20, FaultGate())
        let script = HTTP2FaultServer.Script.heads { request in
            switch request.path {
            case "/first": [.stopReading, .hold(gate), .startReading]
            case "/second": [.readEnd, .respond(body: "done")]
            default: [.send(.windowUpdate(UInt32(window - 65_535))), .respond(body: "ok")]
            }
        }
        let options = HTTP2FaultServer.Options(
            settings: [.initialWindowSize: UInt32(2 * window)],
            givesWindowsBack: false,
            keepsBodies: false,
            receiveBuffer: 65_536
        )
        try await HTTP2FaultServer.run(script, options: options) { server in
            try await withSession(.http2()) { session in
                _ = try await session.data(for: Request(to: server.baseURL))
                let body = RequestBody.data(Data(repeating: 1, count: window - 1_000_000))
                let first = session.dataTask(for: try Request(.post, to: server.baseURL + "/first", body: body))
                first.resume()
                try await server.waitForHeads(2)
                _ = try await settled { first.currentProgress.upload.completed }
                first.cancel()
                gate.open()
                try await server.waitForFrame("RST_STREAM") { $0.kind == .resetStream }
                let rest = RequestBody.data(Data(repeating: 2, count: window - bodyLength("/first", server)))
                let second = try await session.data(for: Request(.post, to: server.baseURL + "/second", body: rest))
                #expect(second.value == Data("done".utf8))
                #expect(server.connections.count == 1)
            }
        }
    }

    @Test func `a stream that is reset while the socket is full is told`() async throws {
        let (gate, reading) = (FaultGate(), FaultGate())
        let script = HTTP2FaultServer.Script.heads { request in
            switch request.path {
            // RFC 9113 §8.1: content before the head.
            case "/broken": [.hold(gate), .onStream { [.data("x", stream: $0)] }]
            case "/large": [.stopReading, .hold(reading), .startReading, .readEnd, .respond(body: "done")]
            default: [.send(.windowUpdate(100_000_000)), .respond(body: "ok")]
            }
        }
        let options = HTTP2FaultServer.Options(
            settings: [.initialWindowSize: 100_000_000],
            keepsBodies: false,
            receiveBuffer: 65_536
        )
        try await HTTP2FaultServer.run(script, options: options) { server in
            try await withSession(.http2()) { session in
                _ = try await session.data(for: Request(to: server.baseURL))
                let broken = Task { try await session.data(for: Request(to: server.baseURL + "/broken")) }
                try await server.waitForHeads(2)
                let body = RequestBody.data(Data(repeating: 1, count: 20_000_000))
                let large = session.dataTask(for: try Request(.post, to: server.baseURL + "/large", body: body))
                large.resume()
                try await server.waitForHeads(3)
                _ = try await settled { large.currentProgress.upload.completed }
                gate.open()
                reading.open()
                let error = try await networkingError { try await broken.value }
                #expect(error.code == .protocolViolation, "\(error)")
                #expect(try await large.value == Data("done".utf8))
            }
        }
    }
}
