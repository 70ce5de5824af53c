import NIOCore

/// One part of a form: its header section, ready to be sent, and its content.
struct MultipartPart: Sendable {
    enum Content: Sendable {
        case bytes(ByteBuffer)
        case source(MultipartSource)
    }

    /// For messages: which part this is.
    let label: String

    /// The header lines and the empty line that ends them.
    let head: ByteBuffer

    let content: Content

    /// The length of the content; nil when it shows only while the content is read.
    var length: Int? {
        switch content {
        case .bytes(let bytes): bytes.readableBytes
        case .source(let source): source.length
        }
    }

    var isReplayable: Bool {
        switch content {
        case .bytes: true
        case .source(let source): source.isReplayable
        }
    }
}
