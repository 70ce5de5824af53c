import Foundation
import LocalServer
import Testing

/// The memory of the command while it transfers a gigabyte.
@Suite(.timeLimit(.minutes(10))) struct TransferMemoryTests {
    private static let size = 1 << 30
    private static let most = 40_000_000

    /// Runs a server, with TLS or without.
    private func withServer(
        _ script: FaultServer.Script,
        usesTLS: Bool,
        _ work: (FaultServer, _ trust: [String]) async throws -> Void
    ) async throws {
        guard usesTLS else {
            return try await FaultServer.run(script, options: .init(keepsBodies: false)) { try await work($0, []) }
        }
        let certificates = try TestCertificates.shared()
        let options = FaultServer.Options(tls: ServerTLS(certificates.localhost), keepsBodies: false)
        try await certificates.withFiles { files in
            try await FaultServer.run(script, options: options) { server in
                try await work(server, ["--cacert", files.authority])
            }
        }
    }

    /// Runs the command in a folder until nothing but the end of the transfer is missing, then has
    /// it end. Returns the most memory of its own that was seen: without the pages of the program
    /// and its libraries, which have 35 to 42 MB of code when they are not optimized.
    private func peak(
        _ arguments: [String],
        in directory: URL,
        isNearEnd: () -> Bool,
        end: () -> Void
    ) async throws -> Int {
        let process = Command.process(arguments + ["-q"])
        process.currentDirectoryURL = directory
        let status = try process.start()
        var peak = 0
        var isOver = false
        while process.isRunning, !isOver {
            isOver = isNearEnd()
            peak = max(peak, try process.ownMemory)
            try await Task.sleep(for: .milliseconds(5))
        }
        end()
        #expect(await status.value == 0)
        return peak
    }

    /// Downloads a gigabyte, and a byte that is sent when the gate is open.
    private func download(from server: String, _ trust: [String], last gate: FaultGate) async throws {
        try await withDirectory { directory in
            func size(_ name: String) -> Int {
                let path = directory.appending(path: name).path
                return (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
            }
            let peak = try await peak(["download", server + "/a"] + trust, in: directory) {
                size("a.bluebonnet") == Self.size
            } end: {
                gate.open()
            }
            #expect(size("a") == Self.size + 1)
            #expect(peak < Self.most, "\(peak)")
        }
    }

    @Test(arguments: [false, true])
    func `a download of a gigabyte needs less than 40 MB`(usesTLS: Bool) async throws {
        let gate = FaultGate()
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(Self.size + 1)\r\nETag: \"a\"\r\n\r\n"
        let script = FaultServer.Script.requests { _ in
            [.send(head), .fill(1, count: Self.size), .hold(gate), .fill(1, count: 1)]
        }
        try await withServer(script, usesTLS: usesTLS) { server, trust in
            try await download(from: server.baseURL, trust, last: gate)
        }
    }

    /// Runs a server of HTTP/2 over TLS.
    private func withHTTP2Server(
        _ script: HTTP2FaultServer.Script,
        acknowledges: Bool = true,
        _ work: (HTTP2FaultServer, _ trust: [String]) async throws -> Void
    ) async throws {
        let certificates = try TestCertificates.shared()
        let options = HTTP2FaultServer.Options(tls: ServerTLS(certificates.localhost), acknowledges: acknowledges)
        try await certificates.withFiles { files in
            try await HTTP2FaultServer.run(script, options: options) { server in
                try await work(server, ["--cacert", files.authority])
            }
        }
    }

    @Test func `a download of a gigabyte over HTTP2 needs less than 40 MB`() async throws {
        let gate = FaultGate()
        let fields = [("content-length", "\(Self.size + 1)"), ("etag", "\"a\"")]
        let script = HTTP2FaultServer.Script.requests { _ in
            [.head(200, fields), .fill(1, blocks: Self.size / 16_384, endStream: false), .hold(gate), .body("1")]
        }
        try await withHTTP2Server(script) { server, trust in
            try await download(from: server.baseURL, trust, last: gate)
        }
    }

    @Test func `a server of HTTP2 sends at most a mebibyte ahead where the link holds no more`() async throws {
        // Without a length, places are given back to the end. Without acknowledgements of PING, no
        // round trip is known.
        let script: HTTP2FaultServer.Script = [
            .readRequest, .send(.settingsAcknowledgement), .head(), .fill(1, blocks: 4096),
        ]
        try await withHTTP2Server(script, acknowledges: false) { server, trust in
            try await withDirectory { directory in
                let process = Command.process(["download", server.baseURL + "/a", "-q"] + trust)
                process.currentDirectoryURL = directory
                let status = try process.start()
                #expect(await status.value == 0)
                let connection = server.connections[0]
                let granted = connection.frames(.windowUpdate).filter { $0.stream == 1 }
                    .reduce(1 << 18) { $0 + Int($1.number(at: 0, as: UInt32.self) ?? 0) }
                // All of it, but for a quarter that is not given back at once.
                let ahead = granted - connection.bodyBytesSent
                #expect((0...1 << 20).contains(ahead), "\(ahead)")
            }
        }
    }

    @Test(arguments: [false, true])
    func `an upload of a gigabyte needs less than 40 MB`(usesTLS: Bool) async throws {
        let gate = FaultGate()
        try await withServer(.requests { _ in [.hold(gate), .respond()] }, usesTLS: usesTLS) { server, trust in
            try await withDirectory { directory in
                let file = directory.appending(path: "sparse")
                try Data().write(to: file)
                let handle = try FileHandle(forWritingTo: file)
                try handle.truncate(atOffset: UInt64(Self.size))
                try handle.close()
                let peak = try await peak(["upload", "sparse", server.baseURL + "/a"] + trust, in: directory) {
                    server.requests.count == 1
                } end: {
                    gate.open()
                }
                #expect(server.requests.first?.value(of: "content-length") == "\(Self.size)")
                #expect(server.record.connections.reduce(0) { $0 + $1.bytesReceived } > Self.size)
                #expect(peak < Self.most, "\(peak)")
            }
        }
    }
}
