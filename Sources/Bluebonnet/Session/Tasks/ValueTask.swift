/// A task that ends with a value, or with an error: a ``DataTask``, an ``UploadTask`` or a
/// ``DownloadTask``.
///
/// No counterpart: the tasks of AFNetworking and Alamofire know no type of value.
public protocol ValueTask<Output>: SessionTask {
    /// The value.
    associatedtype Output: Sendable

    /// The response or the error, as one value; starts the task if it was not started. Cancelling
    /// the Swift task that awaits cancels this task.
    var result: Result<Response<Output>, NetworkingError> { get async }

    /// Calls the closure once when the task is over, on no particular thread; at once if it is
    /// over.
    func whenComplete(_ body: @escaping @Sendable (Result<Response<Output>, NetworkingError>) -> Void)
}

extension ValueTask {
    /// The value; starts the task if it was not started. Cancelling the Swift task that awaits
    /// cancels this task.
    ///
    /// - Throws: ``NetworkingError``.
    public var value: Output {
        get async throws(NetworkingError) { try await result.get().value }
    }

    /// The value with everything that was received; starts the task if it was not started.
    /// Cancelling the Swift task that awaits cancels this task.
    ///
    /// - Throws: ``NetworkingError``.
    public var response: Response<Output> {
        get async throws(NetworkingError) { try await result.get() }
    }
}
