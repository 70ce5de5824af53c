import NIOCore
import Testing

@testable import Bluebonnet

@Suite struct WebSocketFrameWriterTests {
    /// Undoes the mask of a frame by the definition of RFC 6455 §5.3.
    private func unmasked(_ buffer: ByteBuffer) -> (header: [UInt8], payload: [UInt8])? {
        var buffer = buffer
        guard var header = buffer.readBytes(length: 2), header[1] & 0x80 != 0 else { return nil }
        let more = header[1] & 0x7F == 126 ? 2 : header[1] & 0x7F == 127 ? 8 : 0
        guard let length = buffer.readBytes(length: more), let key = buffer.readBytes(length: 4) else { return nil }
        header += length
        let payload = buffer.readableBytesView.enumerated().map { $1 ^ key[$0 % 4] }
        return (header, payload)
    }

    @Test func `a payload of each length is masked`() throws {
        var writer = WebSocketFrameWriter()
        for count in Array(0...40) + [125, 126, 127, 65_535, 65_536, 70_000] {
            let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
            var buffer = ByteBuffer()
            writer.write(.binary, count: count, into: &buffer) { $0.writeBytes(payload) }
            let frame = try #require(unmasked(buffer))
            #expect(frame.payload == payload)
            #expect(frame.header[0] == 0x82)
            switch count {
            case ...125: #expect(frame.header.count == 2 && Int(frame.header[1] & 0x7F) == count)
            case ...65_535: #expect(frame.header.count == 4 && frame.header[1] == 0x80 | 126)
            default: #expect(frame.header.count == 10 && frame.header[1] == 0x80 | 127)
            }
        }
    }

    @Test func `a frame behind others is masked from its own beginning`() throws {
        var writer = WebSocketFrameWriter()
        var buffer = ByteBuffer(string: "before")
        buffer.moveReaderIndex(forwardBy: 3)
        writer.write(.text, count: 11, into: &buffer) { $0.writeString("hello world") }
        #expect(buffer.readString(length: 3) == "ore")
        #expect(try #require(unmasked(buffer)).payload == Array("hello world".utf8))
    }

    @Test func `each frame has another key`() {
        var writer = WebSocketFrameWriter()
        var keys: Set<[UInt8]> = []
        for _ in 0..<1000 {
            var buffer = ByteBuffer()
            writer.write(.ping, count: 0, into: &buffer) { _ in }
            keys.insert(Array(buffer.readableBytesView.suffix(4)))
        }
        #expect(keys.count > 990)
    }

    @Test func `a large message is sent in several frames, and a small one in one`() {
        var sender = WebSocketSender(nil)
        var buffer = ByteBuffer()
        sender.begin(.text("small"), into: &buffer)
        #expect(!sender.isInMessage)
        #expect(buffer.readableBytes == 2 + 4 + 5)
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        buffer = ByteBuffer()
        sender.begin(.binary(.init(bytes)), into: &buffer)
        var heads: [UInt8] = []
        var payload: [UInt8] = []
        while true {
            guard let frame = unmasked(buffer) else { break }
            heads.append(frame.header[0])
            payload += frame.payload
            guard sender.isInMessage else { break }
            buffer = ByteBuffer()
            sender.proceed(into: &buffer)
        }
        #expect(payload == bytes)
        #expect(heads == [0x02, 0x00, 0x00, 0x80])
    }

    @Test func `a message is compressed in pieces, of which some become nothing`() throws {
        let deflate = PerMessageDeflate()
        var sender = WebSocketSender(deflate)
        var frames: [(header: [UInt8], payload: [UInt8])] = []
        var pieces = 0
        func take(_ buffer: ByteBuffer) throws {
            pieces += 1
            if buffer.readableBytes > 0 { frames.append(try #require(unmasked(buffer))) }
        }
        var buffer = ByteBuffer()
        sender.begin(.binary(.init([UInt8](repeating: 0, count: 1 << 20))), into: &buffer)
        try take(buffer)
        while sender.isInMessage {
            buffer = ByteBuffer()
            sender.proceed(into: &buffer)
            try take(buffer)
        }
        #expect(pieces == 16)
        #expect(frames.count < 16)
        #expect(frames.first?.header[0] == (frames.count == 1 ? 0xC2 : 0x42))
        #expect(frames.dropFirst().dropLast().allSatisfy { $0.header[0] == 0 })
        #expect(frames.last.map { $0.header[0] & 0x80 } == 0x80)
        var inflated = ByteBuffer()
        let payload = ByteBuffer(bytes: frames.flatMap(\.payload))
        let isWhole = try WebSocketInflater(deflate).inflate(payload, isLast: true, into: &inflated, upTo: 1 << 20)
        #expect(isWhole && inflated.readableBytes == 1 << 20)
    }

    /// The reason of a Close frame.
    private func reason(_ reason: String) throws -> String? {
        var sender = WebSocketSender(nil)
        var buffer = ByteBuffer()
        sender.close(WebSocketClosure(code: .goingAway, reason: reason), into: &buffer)
        let frame = try #require(unmasked(buffer))
        #expect(Array(frame.payload[..<2]) == [0x03, 0xE9])
        #expect(frame.payload.count <= 125)
        return String(validating: frame.payload[2...], as: UTF8.self)
    }

    @Test func `a reason is cut between scalars`() throws {
        #expect(try reason("") == "")
        #expect(try reason(String(repeating: "a", count: 123)) == String(repeating: "a", count: 123))
        #expect(try reason(String(repeating: "a", count: 124)) == String(repeating: "a", count: 123))
        #expect(try reason(String(repeating: "€", count: 60)) == String(repeating: "€", count: 41))
        #expect(try reason("a" + String(repeating: "😀", count: 60)) == "a" + String(repeating: "😀", count: 30))
        // One character with more than 123 bytes.
        #expect(try reason("e" + String(repeating: "\u{301}", count: 100))?.utf8.count == 123)
    }

    @Test func `a long reason takes no longer`() throws {
        // 40 MB of flags: where characters end is known only from the beginning.
        let long = String(repeating: "🇫🇷", count: 5_000_000)
        let start = ContinuousClock.now
        for _ in 0..<1000 { _ = try reason(long) }
        #expect(ContinuousClock.now - start < .seconds(5))
    }
}
