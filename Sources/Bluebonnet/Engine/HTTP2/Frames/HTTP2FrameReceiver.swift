import NIOCore

/// What a connection hears of its peer, whatever reads the frames. All frames are well-formed, and
/// allowed in their stage of the connection and of the stream (RFC 9113 §4 to §6); the fields of
/// sections, the length of the content, and the windows for what is sent are not checked.
protocol HTTP2FrameReceiver: AnyObject {
    func received(fields: HTTP2FieldSection, on stream: Int, endsStream: Bool)
    /// `windowLength` is what it takes of the windows: the bytes and their padding. The stream may
    /// have been reset; then the bytes take only of the window of the connection.
    func received(_ bytes: ByteBuffer, windowLength: Int, on stream: Int, endsStream: Bool)
    func receivedReset(_ code: HTTP2Code, on stream: Int)
    func received(settings change: (inout HTTP2Connection.PeerSettings) -> Void)
    func receivedGoAway(_ code: HTTP2Code, lastStream: Int)
    func receivedSettingsAcknowledgement()
    func receivedPingAcknowledgement(_ data: UInt64)
    /// The server may be sent more: on the connection where the stream is 0.
    func receivedWindowUpdate(_ increment: Int, on stream: Int)
    /// All that the channel has read was looked at.
    func receivedAll()
    func writabilityChanged()
    /// A stream broke a rule of frames, and was reset.
    func streamFailed(_ fault: HTTP2Fault, on stream: Int)
    /// The connection broke a rule of frames, and the server was told with a GOAWAY.
    func connectionFailed(_ fault: HTTP2Fault)
    /// No more bytes will come.
    func inputEnded(reset: (any Error)?)
    /// The channel is closed.
    func removed()
}
