import NIOCore
import NIOHPACK

/// What a connection hears of its peer, whatever reads the frames. All frames are well-formed, and
/// allowed in their stage of the connection and of the stream (RFC 9113 §4 to §6); the fields of
/// sections and the length of the content are not checked.
protocol HTTP2FrameReceiver: AnyObject {
    func received(fields: HPACKHeaders, on stream: Int, endsStream: Bool)
    /// `windowLength` is what it takes of the windows: the bytes and their padding.
    func received(_ bytes: ByteBuffer, windowLength: Int, on stream: Int, endsStream: Bool)
    func receivedReset(_ code: HTTP2Code, on stream: Int)
    func received(settings change: (inout HTTP2Connection.PeerSettings) -> Void)
    func receivedGoAway(_ code: HTTP2Code, lastStream: Int)
    func receivedPingAcknowledgement(_ data: UInt64)
    /// The server may send more: on the connection where the stream is 0.
    func receivedWindowUpdate(_ increment: Int, on stream: Int)
    /// The bytes that the server may still send on the connection, as the frame layer has counted.
    func connectionWindowChanged(to available: Int)
    /// The bytes that may be sent on the connection, as the frame layer has counted; without what
    /// was written to streams that had ended.
    func sendWindowChanged(to available: Int)
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
