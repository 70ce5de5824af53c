/// The progress of a task at one moment, in both directions: the body of the request goes up, the
/// body of the response comes down.
///
/// ```swift
/// for await progress in task.progress {
///     print("sent", progress.upload.fractionCompleted ?? 0)
///     print("received", progress.download.fractionCompleted ?? 0)
/// }
/// ```
///
/// Counterpart of `uploadProgress` and `downloadProgress` of AFNetworking and Alamofire.
public struct TaskProgress: Sendable, Hashable {
    /// The progress of the request body.
    public var upload: TransferProgress

    /// The progress of the response body.
    public var download: TransferProgress

    /// Makes a progress, for tests and previews.
    ///
    /// - Parameters:
    ///   - upload: The progress of the request body. Default: nothing is known.
    ///   - download: The progress of the response body. Default: nothing is known.
    public init(upload: TransferProgress = TransferProgress(), download: TransferProgress = TransferProgress()) {
        self.upload = upload
        self.download = download
    }

    /// The direction that the task is about now, for programs with one bar: ``upload`` while the
    /// request has a body and its response has not begun, otherwise ``download``.
    public var current: TransferProgress { upload.isNeeded && !download.hasBegun ? upload : download }

    /// The part of ``current`` that is transferred, 0 to 1; nil while its length is not known. Of a
    /// request with a body it rises to 1 twice: when the body is sent, and when the response is
    /// here. Where that is not wanted, take the fraction of ``upload`` or ``download``.
    public var fractionCompleted: Double? { current.fractionCompleted }
}

/// The progress in one direction, in bytes of the body.
///
/// Counterpart of `NSProgress`.
public struct TransferProgress: Sendable, Hashable {
    /// The bytes so far: handed to the socket, or received before content coding is undone.
    public var completed: Int

    /// The bytes in all, when that is known: nil for a request body without a length, and for a
    /// response without a Content-Length.
    public var total: Int?

    /// The speed in bytes per second, smoothed; nil until a tenth of a second after the first
    /// bytes.
    ///
    /// Bytes are gathered for at least 0.1 seconds; a sample of `n` bytes in `t` seconds moves
    /// the speed by `(1 − e^(−t/τ)) · (n/t − speed)` with `τ` = 2 seconds, and the first sample
    /// is the speed. It falls while no bytes move, also while the task is suspended, and stays
    /// as it was when all is transferred.
    public var bytesPerSecond: Double?

    /// Makes a progress, for tests and previews.
    ///
    /// - Parameters:
    ///   - completed: The bytes so far. Default: 0.
    ///   - total: The bytes in all. Default: not known.
    ///   - bytesPerSecond: The speed. Default: not known.
    public init(completed: Int = 0, total: Int? = nil, bytesPerSecond: Double? = nil) {
        self.completed = completed
        self.total = total
        self.bytesPerSecond = bytesPerSecond
    }

    /// The part that is transferred, 0 to 1; nil while the length is not known.
    public var fractionCompleted: Double? {
        guard let total else { return nil }
        return total > 0 ? max(0, min(1, Double(completed) / Double(total))) : 1
    }

    /// The time until all is transferred, at the present speed: the rest divided by
    /// ``bytesPerSecond``. Zero when all is transferred; nil while the length or the speed is
    /// not known, or when it would be longer than thirty years.
    public var estimatedTimeRemaining: Duration? {
        guard let total else { return nil }
        guard completed < total else { return .zero }
        guard let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        let seconds = (Double(total) - Double(completed)) / bytesPerSecond
        return seconds < 1e9 ? .seconds(seconds) : nil
    }

    /// Whether there is something to transfer, as far as it is known.
    fileprivate var isNeeded: Bool { completed > 0 || total ?? 0 > 0 }

    /// Whether it is known of: the head of a response may have come before its first byte.
    fileprivate var hasBegun: Bool { completed > 0 || total != nil }
}
