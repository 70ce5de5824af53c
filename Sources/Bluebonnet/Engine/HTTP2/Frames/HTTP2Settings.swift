import NIOCore

/// The values of a SETTINGS frame of a server (RFC 9113 §6.5.2, RFC 8441 §3); nil for those that it
/// does not have. Of several for one setting the last one counts.
struct HTTP2Settings: Equatable {
    var headerTableSize: Int?
    /// The smallest of several table sizes.
    var smallestHeaderTableSize: Int?
    var concurrentStreams: Int?
    var initialWindow: Int?
    var frameSize: Int?
    var allowsConnectProtocol: Bool?

    private static let headerTableSize: UInt16 = 0x1
    static let enablePush: UInt16 = 0x2
    private static let concurrentStreams: UInt16 = 0x3
    static let initialWindow: UInt16 = 0x4
    private static let frameSize: UInt16 = 0x5
    static let fieldSectionSize: UInt16 = 0x6
    private static let allowsConnectProtocol: UInt16 = 0x8

    /// The bytes of a value with its identifier.
    static let length = 6
    /// The most values of a frame. RFC 9113 knows 6 settings.
    private static let most = 64

    init() {}

    /// Reads the payload of a frame, whose length is a multiple of ``length``.
    ///
    /// - Throws: An error of the connection.
    init(_ payload: ByteBuffer) throws(HTTP2Fault) {
        var payload = payload
        let count = payload.readableBytes / Self.length
        // RFC 9113 §10.5: each value costs something, and one for each setting is enough.
        guard count <= Self.most else {
            throw HTTP2Fault(
                .flood,
                sending: .enhanceYourCalm,
                clause: "sent \(count) values in one SETTINGS frame"
            )
        }
        while let (identifier, number) = payload.readMultipleIntegers(as: (UInt16, UInt32).self) {
            let value = Int(number)
            switch identifier {
            case Self.headerTableSize:
                headerTableSize = value
                smallestHeaderTableSize = min(smallestHeaderTableSize ?? value, value)
            case Self.enablePush:
                // §6.5.2: a server cannot receive pushed streams.
                guard value == 0 else { throw Self.invalid("SETTINGS_ENABLE_PUSH, which only a client may") }
            case Self.concurrentStreams: concurrentStreams = value
            case Self.initialWindow:
                guard value <= HTTP2ReceiveWindow.largest else {
                    throw Self.invalid("SETTINGS_INITIAL_WINDOW_SIZE above 2^31-1", .flowControlError)
                }
                initialWindow = value
            case Self.frameSize:
                guard HTTP2Frame.leastSize...HTTP2Frame.mostSize ~= value else {
                    throw Self.invalid("SETTINGS_MAX_FRAME_SIZE outside its range")
                }
                frameSize = value
            case Self.allowsConnectProtocol:
                // RFC 8441 §3.
                guard value <= 1 else { throw Self.invalid("SETTINGS_ENABLE_CONNECT_PROTOCOL outside its range") }
                allowsConnectProtocol = value == 1
            // §6.5.2: those that are unknown are ignored.
            default: break
            }
        }
    }

    private static func invalid(_ clause: String, _ code: HTTP2Code = .protocolError) -> HTTP2Fault {
        HTTP2Fault(.violation, sending: code, clause: "sent \(clause)")
    }
}

extension HTTP2Connection.PeerSettings {
    /// Takes what concerns the connection.
    mutating func apply(_ settings: HTTP2Settings) {
        if let value = settings.concurrentStreams { concurrentStreams = value }
        if let value = settings.initialWindow { initialWindow = value }
        if let value = settings.allowsConnectProtocol { allowsConnectProtocol = value }
    }
}
