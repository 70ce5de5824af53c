public import FoundationEssentials

/// A message of a WebSocket (RFC 6455 §5.6). There are these two kinds, and the protocol has no
/// place for a third one.
///
/// Counterpart of `URLSessionWebSocketTask.Message`.
public enum WebSocketMessage: Sendable, Hashable {
    /// Text; sent as UTF-8.
    case text(String)
    /// Bytes of any kind.
    case binary(Data)

    /// The bytes of the message; those of a text are its UTF-8.
    public var data: Data {
        switch self {
        case .text(let text): Data(text.utf8)
        case .binary(let bytes): bytes
        }
    }

    /// The text; nil for a binary message.
    public var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The number of bytes.
    var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let bytes): bytes.count
        }
    }
}

extension WebSocketMessage: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Makes a text.
    public init(stringLiteral text: String) {
        self = .text(text)
    }
}
