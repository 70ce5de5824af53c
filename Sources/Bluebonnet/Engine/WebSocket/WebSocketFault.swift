/// A reason to fail the connection (RFC 6455 §7.1.7), with the code that the peer is told.
struct WebSocketFault: Error, Hashable {
    let closeCode: WebSocketCloseCode
    let sentence: String

    /// The peer has broken RFC 6455 or RFC 7692.
    static func protocolError(_ sentence: String) -> WebSocketFault {
        WebSocketFault(closeCode: .protocolError, sentence: sentence)
    }

    static func invalidPayload(_ sentence: String) -> WebSocketFault {
        WebSocketFault(closeCode: .invalidPayload, sentence: sentence)
    }

    static func tooBig(_ sentence: String) -> WebSocketFault {
        WebSocketFault(closeCode: .messageTooBig, sentence: sentence)
    }
}

/// The kind of a frame (RFC 6455 §5.2, §11.8).
enum WebSocketOpcode: UInt8 {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    /// RFC 6455 §5.5: the high bit tells.
    var isControl: Bool { rawValue & 8 != 0 }
}
