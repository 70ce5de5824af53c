import FoundationEssentials
import NIOCore

/// One part of a form: its header section, ready to be sent, and its content.
struct MultipartPart: Sendable {
    enum Content: Sendable {
        case bytes(Data)
        case source(MultipartSource)
    }

    /// The header lines and the empty line that ends them.
    let head: ByteBuffer

    var content: Content

    /// The fields of the header section, for descriptions; nil where the caller made the section.
    var disposition: Disposition?

    /// The fields of RFC 7578 §4.2 and §4.4.
    struct Disposition: Sendable {
        let name: String
        let fileName: String?
        let mimeType: String?
    }

    /// The name of the part, for messages.
    var label: String { disposition.map { MultipartPartHead.display($0.name) } ?? "with headers" }

    /// The length of the content; nil when it is not known before the content is read.
    var length: Int? {
        switch content {
        case .bytes(let bytes): bytes.count
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
