import LocalServer
import NIOCore
import Testing

@testable import Bluebonnet

@Suite struct PerMessageDeflateTests {
    private func accepted(
        _ values: String...,
        change: (inout WebSocketCompression) -> Void = { _ in }
    ) throws(WebSocketHandshakeFault) -> PerMessageDeflate? {
        var options = WebSocketCompression()
        change(&options)
        guard let list = WebSocketExtension.list(values) else { throw WebSocketHandshakeFault("no list") }
        return try PerMessageDeflate.accepted(list, offered: options)
    }

    // MARK: Negotiation

    @Test func `the offer has what is wanted`() {
        #expect(PerMessageDeflate.offer(WebSocketCompression()) == "permessage-deflate; client_max_window_bits")
        var options = WebSocketCompression()
        options.usesClientContext = false
        options.usesServerContext = false
        options.serverWindowBits = 4
        #expect(
            PerMessageDeflate.offer(options)
                == "permessage-deflate; server_no_context_takeover; client_no_context_takeover; "
                + "server_max_window_bits=8; client_max_window_bits"
        )
    }

    @Test func `what the server agrees to is read`() throws {
        #expect(try accepted() == nil)
        #expect(try accepted("") == nil)
        let plain = try #require(try accepted("permessage-deflate"))
        #expect(plain.serverWindowBits == 15 && plain.clientWindowBits == 15)
        #expect(!plain.hasServerNoContext && !plain.hasClientNoContext)
        let all = try #require(
            try accepted(
                "Permessage-Deflate ; server_no_context_takeover; client_no_context_takeover ;"
                    + "server_max_window_bits=\"10\" ; client_max_window_bits = 9"
            )
        )
        #expect(all.serverWindowBits == 10 && all.clientWindowBits == 9)
        #expect(all.hasServerNoContext && all.hasClientNoContext)
    }

    @Test(arguments: [
        "x-webkit-deflate-frame", "permessage-deflate, permessage-deflate", "permessage-deflate; unknown",
        "permessage-deflate; unknown=1", "permessage-deflate; server_no_context_takeover=1",
        "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
        "permessage-deflate; client_max_window_bits", "permessage-deflate; server_max_window_bits",
        "permessage-deflate; server_max_window_bits=7", "permessage-deflate; server_max_window_bits=16",
        "permessage-deflate; client_max_window_bits=08", "permessage-deflate; client_max_window_bits=+9",
        "permessage-deflate; client_max_window_bits=a", "permessage-deflate;", "permessage-deflate; =1", "a b",
        "permessage-deflate; client_max_window_bits=\"9", "permessage-deflate; client_max_window_bits=\"\"",
    ])
    func `what the server may not agree to fails the handshake`(value: String) {
        #expect(throws: WebSocketHandshakeFault.self) { try accepted(value) }
    }

    @Test func `a server that does less than it must fails the handshake`() {
        #expect(throws: WebSocketHandshakeFault.self) {
            try accepted("permessage-deflate") { $0.usesServerContext = false }
        }
        #expect(throws: WebSocketHandshakeFault.self) {
            try accepted("permessage-deflate; server_max_window_bits=12") { $0.serverWindowBits = 11 }
        }
        #expect(throws: WebSocketHandshakeFault.self) {
            try PerMessageDeflate.accepted(WebSocketExtension.list(["permessage-deflate"]) ?? [], offered: nil)
        }
    }

    @Test func `a client that offers no context has none, whatever the server says`() throws {
        let agreed = try #require(try accepted("permessage-deflate") { $0.usesClientContext = false })
        #expect(agreed.hasClientNoContext)
    }

    // MARK: Messages

    private func compressed(_ messages: [[UInt8]], _ deflate: PerMessageDeflate) throws -> [[UInt8]] {
        let deflater = try #require(WebSocketDeflater(deflate))
        return messages.map { Array(deflater.deflate(ByteBuffer(bytes: $0), isLast: true).readableBytesView) }
    }

    private static let messages = [
        Array("Hello".utf8), Array("Hello".utf8), [], Array(repeating: UInt8(ascii: "x"), count: 100_000),
        (0..<70_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 16) }, Array("Hello".utf8),
    ]

    @Test(arguments: [9, 10, 15], [false, true])
    func `messages come back as they were, in frames of any size`(bits: Int, noContext: Bool) throws {
        var deflate = PerMessageDeflate()
        (deflate.clientWindowBits, deflate.serverWindowBits) = (bits, bits)
        (deflate.hasClientNoContext, deflate.hasServerNoContext) = (noContext, noContext)
        let payloads = try compressed(Self.messages, deflate)
        for size in [3, 1000, Int.max] {
            let frames = payloads.flatMap { payload in
                let starts = Array(stride(from: 0, to: max(payload.count, 1), by: min(size, 1 << 30)))
                return starts.map { start in
                    WebSocketFrame(
                        start == 0 ? 2 : 0,
                        Array(payload[start...].prefix(size)),
                        isFinal: start == starts.last,
                        reservedBits: start == 0 ? 0b100 : 0
                    )
                }
            }
            let read = WebSocketMessageReader.read(frames, deflate: deflate)
            #expect(read.fault == nil)
            #expect(read.events == Self.messages.map { .message(.binary(.init($0))) })
        }
    }

    @Test func `a context makes the second of two equal messages smaller`() throws {
        let text = Array("The quick brown fox jumps over the lazy dog.".utf8)
        let with = try compressed([text, text], PerMessageDeflate())
        #expect(with[1].count < with[0].count / 2)
        var deflate = PerMessageDeflate()
        deflate.hasClientNoContext = true
        let without = try compressed([text, text], deflate)
        #expect(without[1] == without[0])
    }

    /// RFC 7692 §7.2.3.
    @Test(
        arguments: [
            [0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00],
            [0x00, 0x05, 0x00, 0xfa, 0xff, 0x48, 0x65, 0x6c, 0x6c, 0x6f, 0x00],
            [0xf3, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x00],
            [0xf2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xff, 0xff, 0xca, 0xc9, 0xc9, 0x07, 0x00],
        ] as [[UInt8]]
    )
    func `the examples of the standard are read`(payload: [UInt8]) {
        let frame = WebSocketFrame(1, payload, reservedBits: 0b100)
        #expect(WebSocketMessageReader.read([frame], deflate: PerMessageDeflate()).events == [.message(.text("Hello"))])
    }

    @Test func `a message behind a block that ends a stream may refer to what came before it`() {
        // §7.2.3.4, then the second message of §7.2.3.2.
        let first = WebSocketFrame(1, [0xf3, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x00], reservedBits: 0b100)
        let second = WebSocketFrame(1, [0xf2, 0x00, 0x11, 0x00, 0x00], reservedBits: 0b100)
        let read = WebSocketMessageReader.read([first, second], deflate: PerMessageDeflate())
        #expect(read.events == [.message(.text("Hello")), .message(.text("Hello"))])
    }

    @Test func `a message that is not compressed may come between others`() {
        let frames = [
            WebSocketFrame(1, [0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00], reservedBits: 0b100), .text("plain"),
        ]
        let read = WebSocketMessageReader.read(frames, deflate: PerMessageDeflate())
        #expect(read.events == [.message(.text("Hello")), .message(.text("plain"))])
    }

    @Test func `a message that grows beyond its limit is refused, and not kept`() throws {
        let zeros = Array(repeating: UInt8(0), count: 10_000_000)
        let payload = try compressed([zeros], PerMessageDeflate())[0]
        #expect(payload.count < 20_000)
        let frame = WebSocketFrame(2, payload, reservedBits: 0b100)
        let options = WebSocketOptions { $0.maximumMessageSize = 1 << 20 }
        let read = WebSocketMessageReader.read([frame], options: options, deflate: PerMessageDeflate())
        #expect(read.events.isEmpty)
        #expect(read.fault?.closeCode == .messageTooBig)
        let exact = WebSocketOptions { $0.maximumMessageSize = zeros.count }
        #expect(WebSocketMessageReader.read([frame], options: exact, deflate: PerMessageDeflate()).fault == nil)
        let less = WebSocketOptions { $0.maximumMessageSize = zeros.count - 1 }
        #expect(WebSocketMessageReader.read([frame], options: less, deflate: PerMessageDeflate()).fault != nil)
    }

    @Test func `what is not DEFLATE is refused, and so is a text that is not UTF-8 behind it`() throws {
        let corrupt = WebSocketFrame(2, [0xFF, 0xFF, 0xFF, 0xFF], reservedBits: 0b100)
        let read = WebSocketMessageReader.read([corrupt], deflate: PerMessageDeflate())
        #expect(read.fault?.closeCode == .invalidPayload)
        let payload = try compressed([[0x61, 0xFF]], PerMessageDeflate())[0]
        let text = WebSocketFrame(1, payload, reservedBits: 0b100)
        #expect(WebSocketMessageReader.read([text], deflate: PerMessageDeflate()).fault?.closeCode == .invalidPayload)
    }

    @Test func `compression marks the first frame of a message only, and no control frame`() {
        let first = WebSocketFrame(1, [0xf2], isFinal: false, reservedBits: 0b100)
        for second in [WebSocketFrame(0, [0x48], reservedBits: 0b100), WebSocketFrame(9, [], reservedBits: 0b100)] {
            let read = WebSocketMessageReader.read([first, second], deflate: PerMessageDeflate())
            #expect(read.fault?.closeCode == .protocolError)
        }
    }

    @Test func `a window that zlib does not have leaves messages as they are`() {
        var deflate = PerMessageDeflate()
        deflate.clientWindowBits = 8
        #expect(WebSocketDeflater(deflate) == nil)
        var sender = WebSocketSender(deflate)
        var buffer = ByteBuffer()
        sender.begin(.text("text"), into: &buffer)
        #expect(buffer.getInteger(at: 0, as: UInt8.self) == 0x81)
    }

    @Test(arguments: [Int.max, 1 << 40, -5, .min])
    func `a limit beyond all bounds is one that buffers can have`(limit: Int) {
        let options = WebSocketOptions {
            $0.maximumMessageSize = limit
            $0.maximumFrameSize = .max
        }
        let hello = WebSocketFrame(1, [0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00], reservedBits: 0b100)
        for frame in [hello, .text("Hello")] {
            let read = WebSocketMessageReader.read([frame], options: options, deflate: PerMessageDeflate())
            if limit > 0 {
                #expect(read.fault == nil && read.events == [.message(.text("Hello"))])
            } else {
                #expect(read.fault?.closeCode == .messageTooBig)
            }
        }
    }

    @Test func `streams that end again and again inside a message are read`() {
        let payload = Array(repeatElement([0x03, 0x00] as [UInt8], count: 20_000).joined())
        let hello: [UInt8] = [0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00]
        let frames = [
            WebSocketFrame(1, payload + hello, reservedBits: 0b100),
            WebSocketFrame(1, payload + [0xf2, 0x00, 0x11, 0x00, 0x00], reservedBits: 0b100),
        ]
        let read = WebSocketMessageReader.read(frames, deflate: PerMessageDeflate())
        #expect(read.fault == nil)
        #expect(read.events == [.message(.text("Hello")), .message(.text("Hello"))])
    }

    @Test func `a message that ends inside a block is refused`() {
        // A stored block of 10 bytes, with two of them.
        let frame = WebSocketFrame(2, [0x00, 0x0A, 0x00, 0xF5, 0xFF, 0x61, 0x62], reservedBits: 0b100)
        let read = WebSocketMessageReader.read([frame], deflate: PerMessageDeflate())
        #expect(read.events.isEmpty && read.fault?.closeCode == .invalidPayload)
    }
}
