import NIOCore
import NIOHPACK

/// Makes requests of the frames of a client.
struct HTTP2RequestCollector {
    enum Event {
        case head(HTTP2FaultServer.Request)
        case data(stream: Int, bytes: ArraySlice<UInt8>, endStream: Bool)
        case trailers(stream: Int, fields: [(name: String, value: String)])
        /// The field block cannot be decoded.
        case failure(String)
    }

    /// The block of a HEADERS frame that CONTINUATION frames go on with (RFC 9113 §4.3).
    private struct Block {
        var stream: Int
        var endStream: Bool
        var bytes: ByteBuffer
    }

    private let connection: Int
    private var decoder: HPACKDecoder
    private var block: Block?
    private var heads: Set<Int> = []

    init(connection: Int, tableSize: UInt32?) {
        self.connection = connection
        let size = tableSize.map(Int.init) ?? HPACKDecoder.maxDynamicTableSize
        decoder = HPACKDecoder(allocator: ByteBufferAllocator(), maxDynamicTableSize: size, maxHeaderListSize: 1 << 24)
    }

    /// The event that the frame completes.
    mutating func receive(_ frame: WireFrame) -> Event? {
        switch frame.kind {
        case .data:
            guard let content = frame.content else { return .failure("more padding than payload in DATA") }
            return .data(stream: frame.stream, bytes: content, endStream: frame.flags.contains(.endStream))
        case .headers:
            guard let content = frame.content else { return .failure("more padding than payload in HEADERS") }
            block = Block(
                stream: frame.stream,
                endStream: frame.flags.contains(.endStream),
                bytes: ByteBuffer(bytes: content)
            )
        case .continuation: block?.bytes.writeBytes(frame.payload)
        default: return nil
        }
        return frame.flags.contains(.endHeaders) ? endBlock() : nil
    }

    private mutating func endBlock() -> Event? {
        guard var block else { return nil }
        self.block = nil
        let fields: [(name: String, value: String)]
        do {
            fields = try decoder.decodeHeaders(from: &block.bytes).map { ($0.name, $0.value) }
        } catch {
            return .failure("\(error)")
        }
        guard heads.insert(block.stream).inserted else { return .trailers(stream: block.stream, fields: fields) }
        let request = HTTP2FaultServer.Request(
            connection: connection,
            number: heads.count - 1,
            stream: block.stream,
            fields: fields,
            isWhole: block.endStream
        )
        return .head(request)
    }
}
