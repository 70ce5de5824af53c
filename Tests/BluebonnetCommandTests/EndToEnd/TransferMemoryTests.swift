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

    @Test(arguments: [false, true])
    func `a download of a gigabyte needs less than 40 MB`(usesTLS: Bool) async throws {
        let gate = FaultGate()
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(Self.size)\r\nETag: \"a\"\r\n\r\n"
        let script = FaultServer.Script.requests { _ in
            [.send(head), .fill(1, count: Self.size - 1), .hold(gate), .fill(1, count: 1)]
        }
        try await withServer(script, usesTLS: usesTLS) { server, trust in
            try await withDirectory { directory in
                func size(_ name: String) -> Int {
                    let path = directory.appending(path: name).path
                    return (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
                }
                let peak = try await peak(["download", server.baseURL + "/a"] + trust, in: directory) {
                    size("a.bluebonnet") == Self.size - 1
                } end: {
                    gate.open()
                }
                #expect(size("a") == Self.size)
                #expect(peak < Self.most, "\(peak)")
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
