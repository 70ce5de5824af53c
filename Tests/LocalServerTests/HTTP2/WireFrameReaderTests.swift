import NIOCore
import Testing

@testable import LocalServer

struct WireFrameReaderTests {
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private func events(in pieces: [[UInt8]]) -> [WireFrameReader.Event] {
        var reader = WireFrameReader()
        return pieces.flatMap { piece in
            var buffer = ByteBuffer(bytes: piece)
            reader.append(&buffer)
            var events: [WireFrameReader.Event] = []
            while let event = reader.next() { events.append(event) }
            return events
        }
    }

    @Test func `frames are read as they were made, wherever the bytes are cut`() {
        let frames: [WireFrame] = [
            .settings([(.initialWindowSize, 70_000), (.enablePush, 0)]), .settingsAcknowledgement,
            .headers([(":status", "200")], stream: 1), .data("text", stream: 1, endStream: true),
            .data([1, 2], stream: 3, padding: 5), .goAway(lastStream: 7, .enhanceYourCalm, text: "less"),
            .resetStream(.cancel, stream: 0x7FFF_FFFF), .windowUpdate(1, stream: 5), .ping(.max),
        ]
        let bytes = Self.preface + frames.flatMap(\.bytes)
        let expected = [WireFrameReader.Event.preface] + frames.map { .frame($0) }
        #expect(events(in: [bytes]) == expected)
        #expect(events(in: bytes.map { [$0] }) == expected)
        for cut in bytes.indices {
            #expect(events(in: [Array(bytes[..<cut]), Array(bytes[cut...])]) == expected)
        }
    }

    @Test func `bytes without the preface are no frames`() {
        let bytes = Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        #expect(events(in: [bytes]) == [.noPreface])
    }

    @Test func `the bytes of a frame are those of RFC 9113`() {
        let frame = WireFrame.windowUpdate(0x0102_0304, stream: 0x0A0B)
        #expect(frame.bytes == [0, 0, 4, 8, 0, 0, 0, 0x0A, 0x0B, 1, 2, 3, 4])
        #expect(WireFrame(.ping, length: 0x01_0203).bytes == [1, 2, 3, 6, 0, 0, 0, 0, 0])
        #expect(WireFrame.goAway(lastStream: 1, .frameSizeError).errorCode == .frameSizeError)
        let settings = WireFrame.settings([(.maxFrameSize, 20_000)]).settings
        #expect(settings.map(\.name) == [5] && settings.map(\.value) == [20_000])
    }
}
