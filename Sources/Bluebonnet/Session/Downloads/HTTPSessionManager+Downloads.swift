public import FoundationEssentials
public import HTTPTypes

/// Downloads to files.
extension HTTPSessionManager {
    /// Downloads a file. Cancelling the Swift task cancels the download.
    ///
    /// ```swift
    /// try await api.download("big.iso", to: URL(filePath: "big.iso")) { progress in
    ///     print(progress.fractionCompleted ?? 0)
    /// }
    /// ```
    ///
    /// Counterpart of `downloadTaskWithRequest:progress:destination:completionHandler:`.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The query. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole download. Default: the session's.
    ///   - options: Settings of this call. Default: none.
    ///   - destination: A file URL, which is replaced when the new file is complete, or another
    ///     ``DownloadDestination``.
    ///   - resumeData: The download to continue. Default: none.
    ///   - checksum: The digest that the file must have. Default: any.
    ///   - progress: Called at changes, on no particular thread; see
    ///     ``SessionTask/onProgress(_:)``. Default: nobody.
    /// - Returns: The file.
    /// - Throws: ``NetworkingError``, with ``NetworkingError/resumeData`` where the download can be
    ///   continued; ``NetworkingError/Code/outputFailed`` when the file cannot be written;
    ///   ``NetworkingError/Code/digestMismatch`` when its bytes are not those that were meant.
    @discardableResult
    public func download(
        _ path: String,
        parameters: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = [],
        to destination: some DownloadDestination,
        resuming resumeData: ResumeData? = nil,
        checksum: Checksum? = nil,
        progress: (@Sendable (TaskProgress) -> Void)? = nil
    ) async throws(NetworkingError) -> URL {
        let task = try downloadTask(
            .get,
            path,
            parameters: parameters,
            headers: headers,
            timeout: timeout,
            options: options,
            to: destination,
            resuming: resumeData,
            checksum: checksum
        )
        if let progress { task.onProgress(progress) }
        return try await task.value
    }

    /// Downloads a file, with closures.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The query. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole download. Default: the session's.
    ///   - options: Settings of this call. Default: none.
    ///   - destination: A file URL, which is replaced when the new file is complete, or another
    ///     ``DownloadDestination``.
    ///   - resumeData: The download to continue. Default: none.
    ///   - checksum: The digest that the file must have. Default: any.
    ///   - progress: Called at changes, on ``completionQueue``. Default: nobody.
    ///   - success: Called with the task and the file; nil for nobody.
    ///   - failure: Called with the error, and with the task when there was one. Default: nobody.
    /// - Returns: The started task; nil when the request could not be made.
    @discardableResult
    public func download(
        _ path: String,
        parameters: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = [],
        to destination: some DownloadDestination,
        resuming resumeData: ResumeData? = nil,
        checksum: Checksum? = nil,
        progress: (@Sendable (TaskProgress) -> Void)? = nil,
        success: (@Sendable (DownloadTask, URL) -> Void)?,
        failure: (@Sendable (DownloadTask?, NetworkingError) -> Void)? = nil
    ) -> DownloadTask? {
        start(progress, success, failure) { () throws(NetworkingError) in
            try downloadTask(
                .get,
                path,
                parameters: parameters,
                headers: headers,
                timeout: timeout,
                options: options,
                to: destination,
                resuming: resumeData,
                checksum: checksum
            )
        }
    }

    /// Makes a download of any method that is not started.
    ///
    /// - Parameters:
    ///   - method: The method. What a POST returns is continued like any other response, when its
    ///     server says that it can be.
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: Query or body, as the request serializer decides. Default: none.
    ///   - body: The body, without parameters beside it. Default: none.
    ///   - query: Values for the query of the URL, whatever the method is. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole download. Default: the session's.
    ///   - options: Settings of this call. Default: none.
    ///   - destination: A file URL, which is replaced when the new file is complete, or another
    ///     ``DownloadDestination``.
    ///   - resumeData: The download to continue. Default: none.
    ///   - checksum: The digest that the file must have. Default: any.
    /// - Returns: The task, not started.
    /// - Throws: As ``request(_:_:parameters:body:query:headers:timeout:options:)``.
    public func downloadTask(
        _ method: HTTPRequest.Method,
        _ path: String,
        parameters: Parameters = [:],
        body: RequestContent? = nil,
        query: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = [],
        to destination: some DownloadDestination,
        resuming resumeData: ResumeData? = nil,
        checksum: Checksum? = nil
    ) throws(NetworkingError) -> DownloadTask {
        let request = try request(
            method,
            path,
            parameters: parameters,
            body: body,
            query: query,
            headers: headers,
            timeout: timeout,
            options: options
        )
        let download = Download(
            url: request.url,
            destination: destination,
            resumeData: resumeData,
            checksum: checksum,
            validations: [options.validation ?? validation, bodyRules(options)]
        )
        return DownloadTask(request, session: session.core, download)
    }
}
