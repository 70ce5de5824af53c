import NIOCore
import Testing

@testable import Bluebonnet

/// The bytes of a server, cut into frames as values.
@Suite struct HTTP2FrameDecoderTests {
    private static let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]

    /// What is read of some pieces, content that follows content joined.
    private static func events(_ pieces: [[UInt8]], sectionSize: Int = 1 << 16) -> [String] {
        var decoder = HTTP2FrameDecoder(sectionSize: sectionSize)
        var events: [String] = []
        var content: (bytes: [UInt8], windowLength: Int)?
        do throws(HTTP2Fault) {
            for piece in pieces {
                decoder.append(ByteBuffer(bytes: piece))
                while let frame = try decoder.next() {
                    guard case .data(let bytes, let windowLength, let endsStream) = frame.payload else {
                        events.append(text(of: frame))
                        continue
                    }
                    let before = content ?? ([], 0)
                    content = (before.bytes + Array(bytes.readableBytesView), before.windowLength + windowLength)
                    guard endsStream || content?.bytes.count == 5, let whole = content else { continue }
                    events.append("\(frame.stream) \(whole.bytes) \(whole.windowLength) \(endsStream)")
                    content = nil
                }
            }
        } catch {
            events.append("\(error.code)")
        }
        return events
    }

    private static func text(of frame: HTTP2Frame) -> String {
        switch frame.payload {
        case .fields(let block, let endsStream): "\(frame.stream) \(Array(block.readableBytesView)) \(endsStream)"
        case .settings(let settings): "settings \(settings.initialWindow ?? -1)"
        default: "\(frame.stream) \(frame.payload)"
        }
    }

    private static let all: [UInt8] =
        [0, 0, 12, 4, 0, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0, 0, 99, 0, 0, 0, 0]
        + [0, 0, 0, 4, 1, 0, 0, 0, 0]
        + [0, 0, 2, 1, 4, 0, 0, 0, 1, 0x88, 0x89]
        // Padding and a priority.
        + [0, 0, 9, 1, 0x2D, 0, 0, 0, 3, 1, 0, 0, 0, 0, 15, 0x88, 0x89, 0]
        + [0, 0, 1, 1, 0, 0, 0, 0, 5, 0x88, 0, 0, 0, 9, 0, 0, 0, 0, 5, 0, 0, 1, 9, 4, 0, 0, 0, 5, 0x89]
        + [0, 0, 5, 0, 0, 0, 0, 0, 1, 1, 2, 3, 4, 5]
        + [0, 0, 5, 0, 9, 0, 0, 0, 1, 2, 1, 2, 0, 0]
        + [0, 0, 0, 0, 1, 0, 0, 0, 5]
        + [0, 0, 3, 0xFA, 0xFF, 0, 0, 0, 1, 1, 2, 3]
        + [0, 0, 8, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 42, 0, 0, 8, 6, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 43]
        + [0, 0, 5, 2, 0, 0, 0, 0, 9, 0, 0, 0, 0, 1]
        + [0, 0, 4, 3, 0, 0, 0, 0, 5, 0, 0, 0, 8]
        + [0, 0, 4, 8, 0, 0x80, 0, 0, 7, 0x80, 0, 0, 9]
        + [0, 0, 10, 7, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 2, 111, 107]

    private static let read = [
        "settings 65536", "0 settingsAcknowledgement", "1 [136, 137] false", "3 [136, 137] true", "5 [136, 137] false",
        "1 dataBegins(windowLength: 5, isEmpty: false, endsStream: false)", "1 [1, 2, 3, 4, 5] 5 false",
        "1 dataBegins(windowLength: 5, isEmpty: false, endsStream: true)", "1 [1, 2] 5 true",
        "5 dataBegins(windowLength: 0, isEmpty: true, endsStream: true)", "5 [] 0 true", "0 ping(42)",
        "0 pingAcknowledgement(43)", "9 priority", "5 reset(CANCEL)", "7 windowUpdate(9)",
        "0 goAway(INTERNAL_ERROR, lastStream: 7)",
    ]

    @Test func `frames are read from one piece`() {
        #expect(Self.events([Self.all]) == Self.read)
    }

    @Test func `frames are read wherever they are cut`() {
        for position in Self.all.indices {
            let pieces = [Array(Self.all[..<position]), Array(Self.all[position...])]
            #expect(Self.events(pieces) == Self.read, "cut at \(position)")
        }
        #expect(Self.events(Self.all.map { [$0] }) == Self.read)
    }

    @Test func `content is handed over as it comes, in the memory of the read`() throws {
        var decoder = HTTP2FrameDecoder(sectionSize: 1 << 16)
        decoder.append(ByteBuffer(bytes: Self.settings + [0, 0, 5, 0, 0, 0, 0, 0, 1, 1, 2]))
        var payloads: [HTTP2Frame.Payload] = []
        while let frame = try decoder.next() { payloads.append(frame.payload) }
        guard case .data(let bytes, windowLength: 2, endsStream: false)? = payloads.last else {
            Issue.record("\(payloads)")
            return
        }
        #expect(bytes == ByteBuffer(bytes: [1, 2]))
        #expect(bytes.storageCapacity >= Self.settings.count + 11)
    }

    @Test func `a header tells that its frame is too large`() {
        #expect(Self.events([Self.settings + [0, 0x40, 1, 0, 0, 0, 0, 0, 1]]) == ["settings -1", "FRAME_SIZE_ERROR"])
    }

    @Test func `the first frame is SETTINGS`() {
        #expect(Self.events([Array("HTTP/1.1 400 Bad Request\r\n".utf8)]) == ["PROTOCOL_ERROR"])
        #expect(Self.events([[0, 0, 0, 4, 1, 0, 0, 0, 0]]) == ["PROTOCOL_ERROR"])
    }

    @Test func `the frames of a field block are bounded`() {
        let start: [UInt8] = Self.settings + [0, 0, 1, 1, 0, 0, 0, 0, 1, 0x88]
        let next: [UInt8] = [0, 0, 0, 9, 0, 0, 0, 0, 1]
        let blocks = (0..<9).map { _ in next }
        #expect(Self.events([start] + blocks, sectionSize: 0) == ["settings -1", "ENHANCE_YOUR_CALM"])
        #expect(Self.events([start] + blocks.dropLast(), sectionSize: 0) == ["settings -1"])
        let large: [UInt8] = [0, 0x40, 0, 9, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 16_384)
        #expect(Self.events([start, large], sectionSize: 0) == ["settings -1", "ENHANCE_YOUR_CALM"])
        #expect(Self.events([start, large], sectionSize: 20_000) == ["settings -1"])
    }
}
