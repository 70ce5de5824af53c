import Foundation
import LocalServer
import NIOCore
import Testing

@testable import Bluebonnet

/// The cases of the Autobahn test suite for clients, sections 1 to 7, 9, 10, 12 and 13, by a server
/// of our own: the suite itself needs Python 2. `scripts/autobahn` runs that where it can be had.
@Suite(.timeLimit(.minutes(5)))
struct AutobahnTests {
    /// What the server has seen.
    private struct Seen: Sendable, Equatable {
        var messages: [[UInt8]] = []
        var pongs: [[UInt8]] = []
        var closeCode: UInt16?
        var hasClosed = false
    }

    /// Returns every message until the end.
    private func echo(_ socket: WebSocketTask) async {
        while let message = try? await socket.receive() { try? await socket.send(message) }
    }

    private func run(_ cases: [AutobahnCase]) async throws {
        let seen = Notes<(Int, Seen)>()
        try await WebSocketServer.run { peer, number in
            let test = cases[number - 1]
            try await peer.open()
            let bytes = test.frames.flatMap(\.bytes)
            for start in stride(from: 0, to: bytes.count, by: min(test.pieces, 1 << 30)) {
                try? await peer.send(Array(bytes[start...].prefix(test.pieces)))
            }
            var result = Seen()
            var message: [UInt8] = []
            if test.messages.isEmpty, test.closeCode == 1000 { try? await peer.send(.close(1000)) }
            while !result.hasClosed, let frame = try? await peer.readFrame() {
                switch frame.opcode {
                case 8: (result.closeCode, result.hasClosed) = (frame.closeCode, true)
                case 9: break
                case 10: result.pongs.append(frame.payload)
                default:
                    message += frame.payload
                    guard frame.isFinal else { continue }
                    result.messages.append(message)
                    message = []
                    if result.messages.count == test.messages.count, test.closeCode == 1000 {
                        try? await peer.send(.close(1000))
                    }
                }
            }
            seen.note((number, result))
        } _: { server in
            try await withSession(SessionConfiguration()) { session in
                for _ in cases {
                    let socket = try session.webSocket(to: server) {
                        $0.compression = nil
                        $0.closeTimeout = .seconds(20)
                    }
                    await echo(socket)
                }
            }
        }
        for (number, result) in seen.all {
            let test = cases[number - 1]
            #expect(result.hasClosed && result.closeCode == test.closeCode, "\(test): \(result.closeCode as Any)")
            // What came in front of a fault, or of a Close frame in the same burst, may be returned
            // before the end, or not: nothing is sent behind a Close frame (RFC 6455 §5.5.1), and a
            // reader on another thread comes too late.
            if test.closeCode != 1000 || test.frames.contains(where: { $0.opcode == 8 }) {
                #expect(test.messages.starts(with: result.messages), "\(test)")
            } else {
                #expect(result.messages.map(\.count) == test.messages.map(\.count), "\(test)")
                #expect(result.messages == test.messages && result.pongs == test.pongs, "\(test)")
            }
        }
        #expect(seen.all.count == cases.count)
    }

    @Test(arguments: [
        AutobahnCase.framing, AutobahnCase.pings, AutobahnCase.reserved, AutobahnCase.fragmentation, AutobahnCase.text,
        AutobahnCase.closing, AutobahnCase.sizes,
    ])
    func `the cases pass`(cases: [AutobahnCase]) async throws {
        try await run(cases)
    }

    // MARK: Compression

    /// Sections 12 and 13: sizes of messages, and what is agreed upon.
    private static let agreements: [(String, String)] = [
        ("13.1", "permessage-deflate"), ("13.2", "permessage-deflate; server_no_context_takeover"),
        ("13.3", "permessage-deflate; client_no_context_takeover"),
        ("13.4", "permessage-deflate; server_max_window_bits=9; client_max_window_bits=9"),
        ("13.5", "permessage-deflate; client_max_window_bits=8"),
        (
            "13.6",
            "permessage-deflate; server_no_context_takeover; server_max_window_bits=15; client_max_window_bits=15"
        ),
        (
            "13.7",
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=12"
        ),
    ]

    @Test(arguments: agreements.indices)
    func `compressed messages of each size come back`(index: Int) async throws {
        let (number, value) = Self.agreements[index]
        let messages = [16, 64, 256, 1024, 4096, 8192, 16_384, 32_768, 65_536, 131_072].flatMap { size in
            (0..<5).map { seed in
                (0..<size).map { UInt8(ascii: "a") + UInt8(truncatingIfNeeded: ($0 &* $0 &+ seed) / 7 % 13) }
            }
        }
        let returned = Notes<[[UInt8]]>()
        try await WebSocketServer.run { peer, _ in
            try await peer.open(["Sec-WebSocket-Extensions: \(value)"])
            let list = WebSocketExtension.list([value]) ?? []
            guard let deflate = try PerMessageDeflate.accepted(list, offered: WebSocketCompression()) else { return }
            // The server's side has the parameters of the client, and the other way round.
            var own = deflate
            (own.clientWindowBits, own.serverWindowBits) = (deflate.serverWindowBits, deflate.clientWindowBits)
            (own.hasClientNoContext, own.hasServerNoContext) = (deflate.hasServerNoContext, deflate.hasClientNoContext)
            let deflater = WebSocketDeflater(own)
            let inflater = WebSocketInflater(own)
            var all: [[UInt8]] = []
            for message in messages {
                if let payload = deflater?.deflate(ByteBuffer(bytes: message), isLast: true) {
                    try await peer.send(WebSocketFrame(1, Array(payload.readableBytesView), reservedBits: 4))
                } else {
                    try await peer.send(WebSocketFrame(1, message))
                }
                var bytes = ByteBuffer()
                var isCompressed = false
                while true {
                    let frame = try await peer.readFrame()
                    if frame.opcode != 0 { isCompressed = frame.reservedBits == 4 }
                    let payload = ByteBuffer(bytes: frame.payload)
                    if isCompressed {
                        _ = try inflater.inflate(payload, isLast: frame.isFinal, into: &bytes, upTo: 1 << 20)
                    } else {
                        bytes.writeImmutableBuffer(payload)
                    }
                    if frame.isFinal { break }
                }
                all.append(Array(bytes.readableBytesView))
            }
            returned.note(all)
            try await peer.close(1000)
        } _: { server in
            try await withSession(SessionConfiguration()) { session in
                await echo(try session.webSocket(to: server))
            }
        }
        #expect(returned.all == [messages], "\(number)")
    }
}
