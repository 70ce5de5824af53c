import Foundation
import LocalServer
import NIOCore
import NIOPosix
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FaultServerListeningTests {
    private let megabyte = [UInt8](repeating: 1, count: 1_000_000)

    @Test func `a fault server that does not read stops the client's writes`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [.stopReading, .hold(gate), .startReading]
        try await FaultServer.run(script, options: .init(receiveBuffer: 262_144)) { server in
            let connection = try await RawConnection.connect(port: server.port)
            try await server.waitForConnections(1)
            let bytes = megabyte
            let sent = Atomic(0)
            let sending = Task {
                try await connection.send("POST / HTTP/1.1\r\nContent-Length: 20000000\r\n\r\n")
                for _ in 0..<20 {
                    try await connection.send(bytes)
                    sent.add(1, ordering: .sequentiallyConsistent)
                }
            }
            // Until the client has made no progress for a while. The kernel's buffers take some
            // megabytes, never all of them.
            var before: Int
            repeat {
                before = sent.load(ordering: .sequentiallyConsistent)
                await #expect(throws: FaultServer.WaitTimeout.self) {
                    try await server.wait("any byte", timeout: .milliseconds(100)) {
                        $0.connections[0].bytesReceived > 0
                    }
                }
            } while sent.load(ordering: .sequentiallyConsistent) != before
            #expect(before < 20)
            gate.open()
            try await server.waitForRequests(1)
            #expect(server.requests[0].body.count == 20_000_000)
            try await sending.value
        }
    }

    @Test func `a fault server that reads slowly keeps to its rate`() async throws {
        let script: FaultServer.Script = [.readSlowly(bytes: 16, every: .milliseconds(20))]
        try await FaultServer.run(script) { server in
            let connection = try await RawConnection.connect(port: server.port)
            let clock = ContinuousClock()
            let time = try await clock.measure {
                try await connection.send([UInt8](repeating: 1, count: 96))
                try await server.wait("all bytes") { $0.connections.first?.bytesReceived == 96 }
            }
            #expect(time > .milliseconds(60))
        }
    }

    @Test func `a fault server that does not read notices that the client closes`() async throws {
        try await FaultServer.run([.stopReading, .stall]) { server in
            let connection = try await RawConnection.connect(port: server.port)
            try await server.waitForConnections(1)
            await connection.close()
            try await server.waitUntilClosed(connection: 0)
            #expect(server.connections[0].clientClosed)
        }
    }

    @Test func `a fault server's Unix-domain socket is removed at the end`() async throws {
        let path = FileManager.default.temporaryDirectory.path + "/bb-\(UUID().uuidString.prefix(8)).sock"
        try await FaultServer.run([.send("x"), .close], options: .init(socketPath: path)) { server in
            #expect(server.socketPath == path)
            let connection = try await RawConnection.connect(path: path)
            #expect(try await connection.receiveAllText() == "x")
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a client cannot connect to a fault server that does not accept`() async throws {
        try await FaultServer.run([.stall], options: .init(acceptsConnections: false)) { server in
            await #expect(throws: ChannelError.self) {
                _ = try await RawConnection.connect(port: server.port, timeout: .milliseconds(200))
            }
            #expect(server.connections.isEmpty)
        }
    }

    @Test func `no server listens on an unused port`() async throws {
        let port = FaultServer.unusedPort
        #expect(port > 0)
        await #expect(throws: NIOConnectionError.self) {
            _ = try await RawConnection.connect(port: port)
        }
    }
}
