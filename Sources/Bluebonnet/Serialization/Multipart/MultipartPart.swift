import FoundationEssentials
public import HTTPTypes
import NIOCore

/// One part of a ``MultipartFormData``, to be looked at.
///
/// AFNetworking had no counterpart: its `AFHTTPBodyPart` was private.
public struct MultipartPart: Sendable {
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

    /// The name, not escaped; nil for a part whose header fields the caller made.
    public var name: String? { disposition?.name }

    /// The file name, not escaped; nil where there is none, and for a part whose header fields the
    /// caller made.
    public var fileName: String? { disposition?.fileName }

    /// The value of `Content-Type`; nil where the part has none.
    public var contentType: String? { headerFields[.contentType] }

    /// The header fields as they are sent, `Content-Disposition` among them.
    public var headerFields: HTTPFields {
        var fields = HTTPFields()
        // Values have no line ends.
        for line in head.readableBytesView.split(separator: UInt8(ascii: "\n")) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
                let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
            else { continue }
            let value = line[colon...].dropFirst(2).prefix { $0 != UInt8(ascii: "\r") }
            fields.append(HTTPField(name: name, lenientValue: value))
        }
        return fields
    }

    /// The name of the part, for messages.
    var label: String { disposition.map { MultipartPartHead.display($0.name) } ?? "with headers" }

    /// The length of the content in bytes; nil when it is not known before the content is read.
    public var length: Int? {
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
