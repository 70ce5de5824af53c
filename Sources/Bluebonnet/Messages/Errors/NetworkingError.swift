public import FoundationEssentials

/// The failure of a request as one value: the kind of fault, a sentence for a person, and
/// everything that had arrived.
///
/// Counterpart of the `NSError`s of AFNetworking and of `AFError` in Alamofire. ``domain`` and
/// ``number`` are those of the `NSError`; with `import BluebonnetFoundation`, `error as NSError`
/// also has its `userInfo`.
///
/// Two errors are equal when their ``code`` is equal; the rest is context.
public struct NetworkingError: Error, Sendable {
    private struct Contents: Sendable {
        var code: Code
        var message: String
        var request: Request?
        var response: ResponseHead?
        var body: Data?
        var parsedBody: (any Sendable)?
        var underlying: (any Error)?
        var resumeData: ResumeData?
        var uploadResumeData: UploadResumeData?
        var metrics: TaskMetrics?
        var connection: ConnectionRecord?
        var detail: Detail?
    }

    /// One reference, so that functions that may throw an error are not slower for what it carries.
    private var contents: CopyOnWrite<Contents>

    /// The kind of fault. Match on this.
    public var code: Code {
        get { contents.value.code }
        set {
            contents.value.code = newValue
            contents.value.detail = nil
        }
    }

    /// One sentence a person can act on. Credentials and query values of URLs are not in it.
    public var message: String {
        get { contents.value.message }
        set { contents.value.message = newValue }
    }

    /// The request that failed, as it was when it failed (after serialization, interceptors and
    /// redirects).
    public var request: Request? {
        get { contents.value.request }
        set { contents.value.request = newValue }
    }

    /// The response head, when one had arrived.
    public var response: ResponseHead? {
        get { contents.value.response }
        set { contents.value.response = newValue }
    }

    /// The body bytes that had arrived, content coding undone, when there are any.
    public var body: Data? {
        get { contents.value.body }
        set { contents.value.body = newValue }
    }

    /// The value that the response serializer made of the body although the response was refused,
    /// for example the JSON of a 422.
    public var parsedBody: (any Sendable)? {
        get { contents.value.parsedBody }
        set { contents.value.parsedBody = newValue }
    }

    /// ``parsedBody`` as a type, nil when it is another:
    /// `error.parsedBody(as: JSONValue.self)?["message"]`.
    ///
    /// - Parameter type: The type that the serializer makes. Default: as the context says.
    /// - Returns: The value.
    public func parsedBody<Value: Sendable>(as type: Value.Type = Value.self) -> Value? {
        // A cast of nothing to an optional type would succeed.
        parsedBody.flatMap { $0 as? Value }
    }

    /// The fault below this one. Of two faults, the later one is the outer error and the earlier
    /// one is here.
    public var underlying: (any Error)? {
        get { contents.value.underlying }
        set { contents.value.underlying = newValue }
    }

    /// What continues a download that failed; nil when nothing of it was kept. See ``ResumeData``.
    public var resumeData: ResumeData? {
        get { contents.value.resumeData }
        set { contents.value.resumeData = newValue }
    }

    /// What continues an upload that failed; nil where the server does not support that, or has
    /// given it up. See ``UploadResumeData``.
    public var uploadResumeData: UploadResumeData? {
        get { contents.value.uploadResumeData }
        set { contents.value.uploadResumeData = newValue }
    }

    /// What had happened until the task failed: redirects, retries, timings and connections. Nil
    /// for an error of a task that had not begun, and for one that no task has thrown.
    ///
    /// Of a body that is read while it comes, the errors of the connection have them; those of what
    /// is made of the bytes, as of a broken content coding, have not.
    public var metrics: TaskMetrics? {
        get { contents.value.metrics }
        set { contents.value.metrics = newValue }
    }

    /// The connection that could not be made.
    var connection: ConnectionRecord? {
        get { contents.value.connection }
        set { contents.value.connection = newValue }
    }

    /// The detail of the fault for which AFNetworking had another domain and number than the code
    /// has.
    var detail: Detail? { contents.value.detail }

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: The kind of fault.
    ///   - message: One sentence for a person, without credentials.
    ///   - request: The request that failed.
    ///   - response: The response head, when one had arrived.
    ///   - body: The body bytes, when there are any.
    ///   - underlying: The fault below this one.
    public init(
        _ code: Code,
        _ message: String,
        request: Request? = nil,
        response: ResponseHead? = nil,
        body: Data? = nil,
        underlying: (any Error)? = nil
    ) {
        contents = CopyOnWrite(
            Contents(
                code: code,
                message: message,
                request: request,
                response: response,
                body: body,
                underlying: underlying,
                detail: Detail(code, underlying)
            )
        )
    }

    /// Makes the error for a URL whose file can be neither a body nor a part of one.
    ///
    /// - Parameters:
    ///   - reason: AFNetworking's words for it, if it had some.
    ///   - message: One sentence for a person.
    ///   - underlying: The fault below this one.
    init(unusableFile reason: String?, _ message: String, underlying: (any Error)? = nil) {
        self.init(.requestBodyFailed, message, underlying: underlying)
        contents.value.detail = .unusableFile(reason: reason)
    }

    /// Whether the task was cancelled, by `cancel()` or by cancelling the Swift task that awaited
    /// it.
    public var isCancelled: Bool { code == .cancelled }

    /// Whether one of the timeouts fired.
    public var isTimeout: Bool { code.family == .timeout }

    /// Whether this error or one below it has the code.
    ///
    /// - Parameter code: The code to look for along ``underlying``.
    /// - Returns: Whether it is there.
    public func contains(_ code: Code) -> Bool {
        if self.code == code { return true }
        return (underlying as? NetworkingError)?.contains(code) ?? false
    }

    /// The body as text, when there is one and it is valid UTF-8.
    public var bodyString: String? {
        body.flatMap { String(validating: $0, as: UTF8.self) }
    }
}

extension NetworkingError: Equatable {
    /// Errors are equal when their codes are.
    public static func == (left: NetworkingError, right: NetworkingError) -> Bool {
        left.code == right.code
    }
}

extension NetworkingError: CustomStringConvertible {
    /// The code and the sentence, then the chain of errors below as far as the sentence lacks it.
    public var description: String {
        let text = "\(code.rawValue): \(message)"
        guard let cause = underlying?.causeText, !message.contains(cause) else { return text }
        return "\(text) (\(cause))"
    }
}

extension NetworkingError: LocalizedError {
    /// The sentence for a person.
    public var errorDescription: String? { message }

    /// The reason why the request could not be serialized, where AFNetworking had one in its
    /// `NSError`: for ``Code/requestSerializationFailed`` the sentence, for a file that cannot be
    /// sent "Expected URL to be a file URL" or "File URL not reachable."; else nil.
    public var failureReason: String? {
        if case .unusableFile(let reason) = detail { return reason }
        return code == .requestSerializationFailed ? message : nil
    }
}

extension NetworkingError {
    /// Fills in what an inner layer could not know, keeping what it did know.
    func completed(request: Request, response: ResponseHead? = nil, body: Data? = nil) -> NetworkingError {
        var copy = self
        copy.request = self.request ?? request
        copy.response = self.response ?? response
        copy.body = self.body ?? body
        return copy
    }

    /// The same error with what had happened until then.
    func with(_ metrics: TaskMetrics?) -> NetworkingError {
        var copy = self
        copy.metrics = metrics
        return copy
    }

    /// Wraps an error of any type; a `NetworkingError` stays as it is.
    static func wrapping(_ error: any Error) -> NetworkingError {
        switch error {
        case let error as NetworkingError: error
        case is CancellationError: NetworkingError(.cancelled, "The request was cancelled.", underlying: error)
        default: NetworkingError(.interceptorFailed, "The request failed: \(error)", underlying: error)
        }
    }
}
