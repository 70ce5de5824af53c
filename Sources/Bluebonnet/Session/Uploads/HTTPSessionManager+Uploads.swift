public import HTTPTypes
import Synchronization

/// Uploads from files, streams, forms and memory.
extension HTTPSessionManager {
    /// Uploads a body and returns what the serializer makes of the response. Cancelling the Swift
    /// task cancels the upload.
    ///
    /// ```swift
    /// let file = URL(filePath: "movie.mp4")
    /// try await api.upload("videos/7", from: .file(file)) { progress in
    ///     print(progress.fractionCompleted ?? 0)
    /// }
    /// ```
    ///
    /// Counterpart of `uploadTaskWithRequest:fromFile:progress:completionHandler:` and its
    /// siblings, and of Alamofire's `upload`.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - content: The body, with its content type.
    ///   - method: The method. Default: POST.
    ///   - query: Values for the query of the URL. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange. Default: the session's.
    ///   - options: Settings of this call. Default: none.
    ///   - resumeData: The upload to continue, of the same content. Default: none.
    ///   - serializer: Makes the value of the response. Default: none; the body is discarded.
    ///   - progress: Called at changes of the upload, on no particular thread, with
    ///     ``TaskProgress/upload`` only: its fraction rises to 1 when the body is sent. Default:
    ///     nobody.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``, with ``NetworkingError/uploadResumeData`` where the upload
    ///   can be continued; ``NetworkingError/Code/requestBodyFailed`` for a file that is not there,
    ///   and for another body than that of the resume data,
    ///   ``NetworkingError/Code/requestBodyLengthMismatch`` when its length changed, and
    ///   ``NetworkingError/Code/invalidRequest`` for resume data that cannot continue this request.
    @discardableResult
    public func upload<Serializer: ResponseSerializer>(
        _ path: String,
        from content: RequestContent,
        method: HTTPRequest.Method = .post,
        query: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = [],
        resuming resumeData: UploadResumeData? = nil,
        as serializer: Serializer = DiscardingResponseSerializer(),
        progress: (@Sendable (TaskProgress) -> Void)? = nil
    ) async throws(NetworkingError) -> Serializer.Output {
        let task = try uploadTask(
            path,
            from: content,
            method: method,
            query: query,
            headers: headers,
            timeout: timeout,
            options: options,
            resuming: resumeData,
            as: serializer
        )
        if let progress { task.onProgress(Self.ofUpload(progress)) }
        return try await task.value
    }

    /// Uploads a body and returns the value that the context wants. Cancelling the Swift task
    /// cancels the upload.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - content: The body, with its content type.
    ///   - method: The method. Default: POST.
    ///   - query: Values for the query of the URL. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange. Default: the session's.
    ///   - options: Settings of this call. Default: none.
    ///   - progress: Called at changes of the upload, on no particular thread, with
    ///     ``TaskProgress/upload`` only. Default: nobody.
    /// - Returns: The value: a `String` or `Data` as received, any other type decoded from JSON.
    /// - Throws: ``NetworkingError``; ``NetworkingError/Code/requestBodyFailed`` for a file that is
    ///   not there, ``NetworkingError/Code/requestBodyLengthMismatch`` when its length changed.
    public func upload<Value: Decodable & Sendable>(
        _ path: String,
        from content: RequestContent,
        method: HTTPRequest.Method = .post,
        query: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = [],
        progress: (@Sendable (TaskProgress) -> Void)? = nil
    ) async throws(NetworkingError) -> Value {
        try await upload(
            path,
            from: content,
            method: method,
            query: query,
            headers: headers,
            timeout: timeout,
            options: options,
            as: inferred(options),
            progress: progress
        )
    }

    /// Uploads a body; what ``responseSerializer`` makes of the response goes to one of the
    /// closures.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - content: The body, with its content type.
    ///   - method: The method. Default: POST.
    ///   - query: Values for the query of the URL. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange. Default: the session's.
    ///   - options: Settings of this call. Default: none.
    ///   - progress: Called at changes of the upload, on ``completionQueue``, with
    ///     ``TaskProgress/upload`` only. Default: nobody.
    ///   - success: Called with the task and the value; nil for nobody.
    ///   - failure: Called with the error, and with the task when there was one. Default: nobody.
    /// - Returns: The started task; nil when the request could not be made.
    @discardableResult
    public func upload(
        _ path: String,
        from content: RequestContent,
        method: HTTPRequest.Method = .post,
        query: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = [],
        progress: (@Sendable (TaskProgress) -> Void)? = nil,
        success: (@Sendable (UploadTask<JSONValue>, JSONValue) -> Void)?,
        failure: (@Sendable (UploadTask<JSONValue>?, NetworkingError) -> Void)? = nil
    ) -> UploadTask<JSONValue>? {
        start(progress.map(Self.ofUpload), success, failure) { () throws(NetworkingError) in
            let request = try request(
                method,
                path,
                body: content,
                query: query,
                headers: headers,
                timeout: timeout,
                options: options
            )
            return uploadTask(request, ownSerializer(options), options)
        }
    }

    /// Uploads a body; what the serializer makes of the response goes to one of the closures.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - content: The body, with its content type.
    ///   - method: The method. Default: POST.
    ///   - query: Values for the query of the URL. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange. Default: the session's.
    ///   - options: Settings of this call. Default: none.
    ///   - serializer: Makes the value of the response.
    ///   - progress: Called at changes of the upload, on ``completionQueue``, with
    ///     ``TaskProgress/upload`` only. Default: nobody.
    ///   - success: Called with the task and the value; nil for nobody.
    ///   - failure: Called with the error, and with the task when there was one. Default: nobody.
    /// - Returns: The started task; nil when the request could not be made.
    @discardableResult
    public func upload<Serializer: ResponseSerializer>(
        _ path: String,
        from content: RequestContent,
        method: HTTPRequest.Method = .post,
        query: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = [],
        as serializer: Serializer,
        progress: (@Sendable (TaskProgress) -> Void)? = nil,
        success: (@Sendable (UploadTask<Serializer.Output>, Serializer.Output) -> Void)?,
        failure: (@Sendable (UploadTask<Serializer.Output>?, NetworkingError) -> Void)? = nil
    ) -> UploadTask<Serializer.Output>? {
        start(progress.map(Self.ofUpload), success, failure) { () throws(NetworkingError) in
            try uploadTask(
                path,
                from: content,
                method: method,
                query: query,
                headers: headers,
                timeout: timeout,
                options: options,
                as: serializer
            )
        }
    }

    /// Makes an upload that is not started.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - content: The body, with its content type.
    ///   - method: The method. Default: POST.
    ///   - query: Values for the query of the URL. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange. Default: the session's.
    ///   - options: Settings of this call. Default: none.
    ///   - resumeData: The upload to continue, of the same content. Default: none.
    ///   - serializer: Makes the value of the response.
    /// - Returns: The task, not started.
    /// - Throws: As ``request(_:_:parameters:body:query:headers:timeout:options:)``.
    public func uploadTask<Serializer: ResponseSerializer>(
        _ path: String,
        from content: RequestContent,
        method: HTTPRequest.Method = .post,
        query: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = [],
        resuming resumeData: UploadResumeData? = nil,
        as serializer: Serializer
    ) throws(NetworkingError) -> UploadTask<Serializer.Output> {
        let request = try request(
            method,
            path,
            body: content,
            query: query,
            headers: headers,
            timeout: timeout,
            options: options
        )
        return uploadTask(request, serializer, options, resumeData)
    }

    /// Makes an upload under the manager's validation.
    private func uploadTask<Serializer: ResponseSerializer>(
        _ request: Request,
        _ serializer: Serializer,
        _ options: [RequestOption],
        _ resumeData: UploadResumeData? = nil
    ) -> UploadTask<Serializer.Output> {
        session.uploadTask(for: request, resuming: resumeData, as: checked(serializer, options))
    }

    /// The same closure for the upload alone: it is not called for the response.
    private static func ofUpload(
        _ body: @escaping @Sendable (TaskProgress) -> Void
    ) -> @Sendable (TaskProgress) -> Void {
        let last = LastUpload()
        return { progress in
            if last.isNew(progress.upload) { body(TaskProgress(upload: progress.upload)) }
        }
    }
}

/// What was told last of an upload: later steps, of the download, have nothing new of it but
/// another speed.
private final class LastUpload: Sendable {
    private let last = Mutex<TransferProgress?>(nil)

    func isNew(_ progress: TransferProgress) -> Bool {
        last.withLock { last in
            defer { last = progress }
            return last?.completed != progress.completed || last?.total != progress.total
        }
    }
}
