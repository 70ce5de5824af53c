/// The progress of a task's upload and download at one moment.
///
/// Counterpart of the two `NSProgress` objects of AFNetworking's task delegate.
public struct TaskProgress: Sendable, Hashable {
    /// Bytes of the request body that have been handed to the socket.
    public var bytesSent: Int
    /// Bytes of the request body in all, when that is known.
    public var bytesExpectedToSend: Int?
    /// Bytes of the response body that have been received, before content coding is undone.
    public var bytesReceived: Int
    /// Bytes of the response body in all, by its Content-Length, when that is known.
    public var bytesExpectedToReceive: Int?

    /// The speed of the upload in bytes per second, smoothed; nil until a tenth of a second after
    /// its first bytes.
    ///
    /// Bytes are gathered for at least 0.1 seconds; a sample of `n` bytes in `t` seconds moves the
    /// speed by `(1 − e^(−t/τ)) · (n/t − speed)` with `τ` = 2 seconds, and the first sample is the
    /// speed. It falls while no bytes move, also while the task is suspended, and stays as it was
    /// when all is sent.
    public var bytesSentPerSecond: Double?

    /// The speed of the download in bytes per second, smoothed as ``bytesSentPerSecond``.
    public var bytesReceivedPerSecond: Double?

    /// The part of the response body that is here, 0 to 1; nil while its length is not known.
    public var fractionCompleted: Double? {
        Self.fraction(bytesReceived, of: bytesExpectedToReceive)
    }

    /// The part of the request body that has been sent, 0 to 1; nil while its length is not known.
    public var fractionSent: Double? {
        Self.fraction(bytesSent, of: bytesExpectedToSend)
    }

    /// The time until the request body is sent, at the present speed: the rest divided by
    /// ``bytesSentPerSecond``. Zero when all is sent; nil while the length or the speed is not
    /// known, or when it would be longer than thirty years.
    public var estimatedTimeToSend: Duration? {
        Self.time(for: bytesSent, of: bytesExpectedToSend, bytesSentPerSecond)
    }

    /// The time until the response body is here, at the present speed, by the rules of
    /// ``estimatedTimeToSend``.
    public var estimatedTimeToReceive: Duration? {
        Self.time(for: bytesReceived, of: bytesExpectedToReceive, bytesReceivedPerSecond)
    }

    /// Whether the response body is what moves: nothing is left to send, or the response came
    /// before that.
    private var isReceiving: Bool {
        bytesReceived > 0 || bytesExpectedToReceive != nil || bytesSent == (bytesExpectedToSend ?? 0)
    }

    /// The speed of what moves now: the upload until the response begins, then the download. For
    /// one progress bar.
    public var bytesPerSecond: Double? { isReceiving ? bytesReceivedPerSecond : bytesSentPerSecond }

    /// The time left of what moves now: the upload until the response begins, then the download.
    /// For one progress bar.
    public var estimatedTimeRemaining: Duration? { isReceiving ? estimatedTimeToReceive : estimatedTimeToSend }

    private static func time(for part: Int, of whole: Int?, _ speed: Double?) -> Duration? {
        guard let whole else { return nil }
        guard part < whole else { return .zero }
        guard let speed, speed > 0 else { return nil }
        let seconds = Double(whole - part) / speed
        return seconds < 1e9 ? .seconds(seconds) : nil
    }

    private static func fraction(_ part: Int, of whole: Int?) -> Double? {
        guard let whole else { return nil }
        return whole == 0 ? 1 : min(1, Double(part) / Double(whole))
    }
}
