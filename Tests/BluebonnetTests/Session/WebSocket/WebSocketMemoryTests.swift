import Foundation
import LocalServer
import NIOCore
import Testing

@testable import Bluebonnet

/// What a server can make a client keep in memory.
@Suite(.timeLimit(.minutes(5)))
struct WebSocketMemoryTests {
    private static let size = 1_000_000
    private static let count = 100

    /// The frames of 100 messages of a million zeros each, 100 KB.
    private static func bombs() throws -> [UInt8] {
        let deflater = try #require(WebSocketDeflater(PerMessageDeflate()))
        let payload = deflater.deflate(ByteBuffer(repeating: 0, count: size), isLast: true)
        let frame = WebSocketFrame(2, Array(buffer: payload), reservedBits: 0b100).bytes
        return Array(repeating: frame, count: count).flatMap(\.self)
    }

    private static let agreement = ["Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover"]

    /// Runs the body with a WebSocket whose received messages have a mebibyte.
    private func run(
        isSecure: Bool = false,
        receiveBuffer: Int = 1 << 20,
        _ script: @escaping WebSocketServer.Script,
        _ body: @Sendable (WebSocketTask) async throws -> Void
    ) async throws {
        let certificates = try TestCertificates.shared()
        let tls = isSecure ? ServerTLS(certificates.localhost) : nil
        try await WebSocketServer.run(tls: tls, script) { server in
            try await withSession(SessionConfiguration(trusting: certificates.authority)) { session in
                let socket = try session.webSocket(to: server) { $0.receiveBuffer = receiveBuffer }
                _ = try await socket.value
                try await body(socket)
            }
        }
    }

    /// The bytes of the messages that were made, when there come no more.
    private func settledBytes(of socket: WebSocketTask) async throws -> Int {
        try await until("a message") { socket.currentProgress.download.completed > 0 }
        return try await settled { Int(socket.currentProgress.download.completed) }
    }

    private enum Ending: CaseIterable {
        case none, close, closeAndEnd, end
    }

    @Test(arguments: [false, true], Ending.allCases)
    private func `compressed messages of one read are made only while they have room`(
        isSecure: Bool,
        ending: Ending
    ) async throws {
        let bombs = try Self.bombs()
        try await run(isSecure: isSecure) { peer, _ in
            try await peer.open(Self.agreement)
            switch ending {
            case .none:
                try await peer.send(bombs)
                try await peer.finish()
            case .close:
                try await peer.send(bombs + WebSocketFrame.close(1000).bytes)
                try await peer.readClose()
            case .closeAndEnd: try await peer.send(bombs + WebSocketFrame.close(1000).bytes)
            case .end: try await peer.send(bombs)
            }
        } _: { socket in
            let bytes = try await settledBytes(of: socket)
            #expect(bytes <= 1 << 20 + Self.size, "\(bytes) bytes were made")
            for _ in 0..<Self.count {
                let message = try await socket.receive()
                #expect(message?.data.count == Self.size)
            }
            switch ending {
            case .none: #expect(await socket.close(4000).code == 4000)
            case .close, .closeAndEnd:
                try await socket.expect(nil)
                #expect(socket.closure?.code == .normalClosure)
            case .end:
                let error = try await networkingError { try await socket.receive() }
                #expect(error.code == .connectionLost || isSecure && error.code == .tlsFailed)
            }
        }
    }

    @Test(arguments: [false, true])
    func `small messages have room as large ones have`(isSecure: Bool) async throws {
        let frames = Array(repeating: WebSocketFrame.binary([1]).bytes, count: 100_000).flatMap(\.self)
        try await run(isSecure: isSecure, receiveBuffer: 33_000) { peer, _ in
            try await peer.open()
            try await peer.send(frames + WebSocketFrame.close(1000).bytes)
            try await peer.readClose()
        } _: { socket in
            // Each counts 33 bytes.
            let bytes = try await settledBytes(of: socket)
            #expect(bytes <= 1001)
            let all = try await socket.all()
            #expect(all.count == 100_000)
        }
    }

    @Test(arguments: [false, true])
    func `a close makes no messages of what has no room`(isSecure: Bool) async throws {
        let bombs = try Self.bombs()
        try await run(isSecure: isSecure) { peer, _ in
            try await peer.open(Self.agreement)
            try await peer.send(bombs)
            try await peer.readClose()
            try await peer.send(bombs + WebSocketFrame.close(4000).bytes)
        } _: { socket in
            let bytes = try await settledBytes(of: socket)
            #expect(await socket.close(4000).code == 4000)
            #expect(Int(socket.currentProgress.download.completed) == bytes)
            let all = try await socket.all()
            #expect(all.count == bytes / Self.size)
        }
    }

    @Test func `a close goes through where each side waits for the other to read`() async throws {
        let sent = Notes<Int>()
        try await WebSocketServer.run(WebSocketServer.echo) { server in
            try await withSession(SessionConfiguration()) { session in
                let socket = try session.webSocket(to: server) {
                    $0.receiveBuffer = 200_000
                    $0.sendBuffer = 200_000
                    $0.compression = nil
                }
                // A close before it is open would cancel it.
                _ = try await socket.value
                let sender = Task {
                    for number in 0..<1000 {
                        try await socket.send(.binary(Data(repeating: UInt8(number & 0xFF), count: 100_000)))
                        sent.note(number)
                    }
                }
                // Nobody reads: the server waits to write, and reads no more.
                try await until("messages are sent") { sent.all.count > 10 }
                let count = try await settled { sent.all.count }
                #expect(count < 1000)
                #expect(await socket.close(4000).code == 4000)
                await #expect(throws: NetworkingError.self) { try await sender.value }
                // Nothing is missing between the messages that can be read.
                let all = try await socket.all()
                #expect(all.map { $0.data.first ?? 0 } == (0..<all.count).map { UInt8($0 & 0xFF) })
                #expect(all.count > 0 && all.count < count)
            }
        }
    }
}
