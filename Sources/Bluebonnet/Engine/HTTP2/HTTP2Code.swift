/// An error code of HTTP/2 (RFC 9113 §7), with which a stream or a connection ends.
struct HTTP2Code: Hashable, Sendable, CustomStringConvertible {
    let rawValue: Int

    static let noError = Self(rawValue: 0x0)
    static let protocolError = Self(rawValue: 0x1)
    static let internalError = Self(rawValue: 0x2)
    static let flowControlError = Self(rawValue: 0x3)
    static let settingsTimeout = Self(rawValue: 0x4)
    static let streamClosed = Self(rawValue: 0x5)
    static let frameSizeError = Self(rawValue: 0x6)
    static let refusedStream = Self(rawValue: 0x7)
    static let cancel = Self(rawValue: 0x8)
    static let compressionError = Self(rawValue: 0x9)
    static let connectError = Self(rawValue: 0xA)
    static let enhanceYourCalm = Self(rawValue: 0xB)
    static let inadequateSecurity = Self(rawValue: 0xC)
    static let http11Required = Self(rawValue: 0xD)

    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    /// The name in the RFC; codes that it does not know are numbers, and mean nothing special.
    var description: String {
        Self.names.indices.contains(rawValue) ? Self.names[rawValue] : "error 0x" + String(rawValue, radix: 16)
    }
}
