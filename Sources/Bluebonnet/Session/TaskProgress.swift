/// How far a task's upload and download are, at one moment.
///
/// Answers to the two `NSProgress` objects of AFNetworking's task delegate.
public struct TaskProgress: Sendable, Hashable {
    /// Bytes of the request body that have been handed to the socket.
    public var bytesSent: Int
    /// Bytes of the request body in all, when that is known.
    public var bytesExpectedToSend: Int?
    /// Bytes of the response body that have been received, before content coding is undone.
    public var bytesReceived: Int
    /// Bytes of the response body in all, by its Content-Length, when that is known.
    public var bytesExpectedToReceive: Int?

    init(_ counts: TaskControl.Counts) {
        bytesSent = counts.sent
        bytesExpectedToSend = counts.expectedToSend
        bytesReceived = counts.received
        bytesExpectedToReceive = counts.expectedToReceive
    }

    /// The part of the response body that is here, 0 to 1; nil while its length is not known.
    public var fractionCompleted: Double? {
        Self.fraction(bytesReceived, of: bytesExpectedToReceive)
    }

    /// The part of the request body that has been sent, 0 to 1; nil while its length is not known.
    public var fractionSent: Double? {
        Self.fraction(bytesSent, of: bytesExpectedToSend)
    }

    private static func fraction(_ part: Int, of whole: Int?) -> Double? {
        guard let whole else { return nil }
        return whole == 0 ? 1 : min(1, Double(part) / Double(whole))
    }
}
