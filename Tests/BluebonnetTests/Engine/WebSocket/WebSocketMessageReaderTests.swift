import LocalServer
import NIOCore
import Testing

@testable import Bluebonnet

@Suite struct WebSocketMessageReaderTests {
    private typealias Reader = WebSocketMessageReader

    @Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 100_000])
    func `messages of each length are read, in one read and in small ones`(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        for pieces in [Int.max, 4096, 7] {
            let read = Reader.read([.binary(bytes), .text("end")], pieces: pieces)
            #expect(read.fault == nil)
            #expect(read.events == [.message(.binary(.init(bytes))), .message(.text("end"))])
        }
    }

    @Test func `frames that come byte by byte are read`() {
        let frames: [WebSocketFrame] = [
            .ping([1, 2, 3]), .text("κόσμε"), .binary(Array(repeating: 7, count: 300)), .pong(), .close(1000, "bye"),
        ]
        let read = Reader.read(frames, pieces: 1)
        #expect(read.fault == nil)
        #expect(
            read.events == [
                .ping(ByteBuffer(bytes: [1, 2, 3])), .message(.text("κόσμε")),
                .message(.binary(.init(repeating: 7, count: 300))), .pong(ByteBuffer()),
                .close(WebSocketClosure(code: .normalClosure, reason: "bye")),
            ]
        )
    }

    @Test func `the frames of a message are put together, with control frames between them`() {
        let frames: [WebSocketFrame] = [
            WebSocketFrame(1, Array("fra".utf8), isFinal: false), .ping([9]),
            WebSocketFrame(0, Array("gme".utf8), isFinal: false), .pong([8]), WebSocketFrame(0, Array("nts".utf8)),
        ]
        let read = Reader.read(frames, pieces: 3)
        #expect(
            read.events == [
                .ping(ByteBuffer(bytes: [9])), .pong(ByteBuffer(bytes: [8])), .message(.text("fragments")),
            ]
        )
    }

    @Test func `empty frames are allowed everywhere in a message`() {
        let empty = WebSocketFrame(0, isFinal: false)
        let frames = [WebSocketFrame(2, isFinal: false), empty, WebSocketFrame(0, [1], isFinal: false), empty]
        #expect(Reader.read(frames + [WebSocketFrame(0)]).events == [.message(.binary(.init([1])))])
        #expect(Reader.read([WebSocketFrame(1)]).events == [.message(.text(""))])
    }

    /// RFC 6455 §5: what a client must not accept.
    private static let forbidden: [(String, [WebSocketFrame])] = [
        ("a masked frame", [WebSocketFrame(1, [65], mask: [1, 2, 3, 4])]),
        ("the first reserved bit", [WebSocketFrame(1, [65], reservedBits: 0b100)]),
        ("the second reserved bit", [WebSocketFrame(1, [65], reservedBits: 0b010)]),
        ("the third reserved bit", [WebSocketFrame(2, [65], reservedBits: 0b001)]),
        ("a reserved bit of a ping", [WebSocketFrame(9, [65], reservedBits: 0b100)]),
        ("a fragmented ping", [WebSocketFrame(9, [65], isFinal: false)]),
        ("a fragmented Close", [WebSocketFrame(8, [], isFinal: false)]),
        ("a ping of 126 bytes", [.ping(Array(repeating: 0, count: 126))]),
        ("a continuation of nothing", [WebSocketFrame(0, [65])]),
        ("a continuation of a message that has ended", [.text("a"), WebSocketFrame(0, [65])]),
        ("a message inside another one", [WebSocketFrame(1, [65], isFinal: false), .text("b")]),
        ("a Close of one byte", [WebSocketFrame(8, [3])]),
        ("a Close of 126 bytes", [.close(1000, String(repeating: "a", count: 124))]),
    ]

    @Test(arguments: forbidden.indices)
    func `what breaks the framing is a protocol error`(index: Int) {
        let (name, frames) = Self.forbidden[index]
        for pieces in [Int.max, 1] {
            #expect(Reader.read(frames, pieces: pieces).fault?.closeCode == .protocolError, "\(name)")
        }
    }

    @Test(arguments: [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as [UInt8])
    func `each reserved opcode is a protocol error`(opcode: UInt8) {
        #expect(Reader.read([WebSocketFrame(opcode, [1])]).fault?.closeCode == .protocolError)
    }

    @Test func `a length with more bytes than it needs is a protocol error`() {
        for length in [0, 125, 126, 65_535] as [UInt64] {
            let header = WebSocketFrame(2).header(length: length, minimal: false)
            #expect(Reader.read(header).fault?.closeCode == .protocolError, "\(length)")
        }
        #expect(Reader.read([0x82, 126, 0, 125]).fault?.closeCode == .protocolError)
        #expect(Reader.read([0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0]).fault?.closeCode == .protocolError)
    }

    @Test func `the last fault is the only one`() throws {
        var reader = WebSocketMessageReader(WebSocketOptions(), deflate: nil)
        var bytes = ByteBuffer(bytes: WebSocketFrame(3).bytes + WebSocketFrame.text("later").bytes)
        #expect(throws: WebSocketFault.self) { try reader.next(&bytes) }
        #expect(throws: WebSocketFault.self) { try reader.next(&bytes) }
    }

    @Test func `bytes at random are read the same however they are cut`() {
        var generator = SeededGenerator(seed: 6455)
        for _ in 0..<3000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let opcode: UInt8 = [0, 1, 1, 2, 8, 9, 10].randomElement(using: &generator) ?? 0
                let count = [0, 1, 5, 125, 126, 300].randomElement(using: &generator) ?? 0
                let payload = (0..<count).map { _ in UInt8.random(in: 0x20...0x7E, using: &generator) }
                bytes += WebSocketFrame(opcode, payload, isFinal: Bool.random(using: &generator) || opcode > 7).bytes
            }
            // One byte of some is another one.
            if Bool.random(using: &generator), let index = bytes.indices.randomElement(using: &generator) {
                bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
            }
            for deflate in [nil, PerMessageDeflate()] {
                let whole = Reader.read(bytes, deflate: deflate)
                for pieces in [1, 3, 64] {
                    let cut = Reader.read(bytes, pieces: pieces, deflate: deflate)
                    #expect(cut.events == whole.events && cut.fault?.closeCode == whole.fault?.closeCode)
                }
            }
        }
    }

    // MARK: Limits

    @Test func `a frame beyond its limit is refused by its header`() {
        let options = WebSocketOptions { $0.maximumFrameSize = 1000 }
        #expect(Reader.read([.binary(Array(repeating: 0, count: 1000))], options: options).fault == nil)
        let header = WebSocketFrame(2).header(length: 1001)
        #expect(Reader.read(header, options: options).fault?.closeCode == .messageTooBig)
        let most = WebSocketFrame(2).header(length: UInt64(Int64.max))
        #expect(Reader.read(most, options: options).fault?.closeCode == .messageTooBig)
    }

    @Test func `a message beyond its limit is refused in the frame that exceeds it`() {
        let options = WebSocketOptions { $0.maximumMessageSize = 1000 }
        let half = Array(repeating: UInt8(0), count: 500)
        let frames = [WebSocketFrame(2, half, isFinal: false), WebSocketFrame(0, half, isFinal: false)]
        #expect(Reader.read(frames + [WebSocketFrame(0)], options: options).fault == nil)
        #expect(Reader.read(frames + [WebSocketFrame(0, [1])], options: options).fault?.closeCode == .messageTooBig)
    }

    // MARK: Text

    @Test func `a byte that is not UTF-8 is found at each position, in each way of sending`() {
        let text = Array("a κ € 𝄞 z".utf8)
        for position in text.indices {
            var bad = text
            bad[position] = 0xFF
            #expect(Reader.read([WebSocketFrame(1, bad)]).fault?.closeCode == .invalidPayload)
            #expect(Reader.read([WebSocketFrame(1, bad)], pieces: 1).fault?.closeCode == .invalidPayload)
            let frames = bad.enumerated().map { index, byte in
                WebSocketFrame(index == 0 ? 1 : 0, [byte], isFinal: index == bad.count - 1)
            }
            #expect(Reader.read(frames).fault?.closeCode == .invalidPayload, "\(position)")
            // The frames up to the fault are enough to find it.
            #expect(Reader.read(Array(frames[...position])).fault?.closeCode == .invalidPayload, "\(position)")
        }
    }

    @Test func `a character may be cut by the end of a frame, not by that of the message`() {
        let text = Array("𝄞".utf8)
        for cut in 1..<text.count {
            let first = WebSocketFrame(1, Array(text[..<cut]), isFinal: false)
            #expect(Reader.read([first, WebSocketFrame(0, Array(text[cut...]))]).events == [.message(.text("𝄞"))])
            #expect(Reader.read([first, WebSocketFrame(0)]).fault?.closeCode == .invalidPayload)
            #expect(Reader.read([WebSocketFrame(1, Array(text[..<cut]))]).fault?.closeCode == .invalidPayload)
        }
    }

    @Test func `binary messages may have any bytes`() {
        #expect(Reader.read([.binary([0xFF, 0xC0])]).events == [.message(.binary(.init([0xFF, 0xC0])))])
    }

    // MARK: Close

    @Test(arguments: [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999])
    func `a Close with a code that may be sent is read`(code: UInt16) {
        let expected = WebSocketClosure(code: WebSocketCloseCode(rawValue: code), reason: "why")
        #expect(Reader.read([.close(code, "why")]).events == [.close(expected)])
    }

    @Test(arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535])
    func `a Close with a code that may not be sent is a protocol error`(code: UInt16) {
        #expect(Reader.read([.close(code)]).fault?.closeCode == .protocolError)
    }

    @Test func `a Close without a code has none, and a reason that is not UTF-8 is refused`() {
        #expect(Reader.read([.close(nil)]).events == [.close(WebSocketClosure(code: .noStatus))])
        #expect(Reader.read([WebSocketFrame(8, [3, 0xE8, 0xFF])]).fault?.closeCode == .invalidPayload)
    }
}
