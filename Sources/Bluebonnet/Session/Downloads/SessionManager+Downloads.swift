public import FoundationEssentials

extension SessionManager {
    /// Makes a download that is not started.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - destination: The file, or what decides it: ``DownloadDestination``.
    ///   - resumeData: The download to continue. Default: none.
    ///   - validation: The responses that are written. Default: every 2xx.
    ///   - checksum: The digest that the file must have. Default: any.
    /// - Returns: The task, not started.
    public func downloadTask(
        for request: Request,
        to destination: some DownloadDestination,
        resuming resumeData: ResumeData? = nil,
        validation: ResponseValidation = .default,
        checksum: Checksum? = nil
    ) -> DownloadTask {
        let download = Download(
            url: request.url,
            destination: destination,
            resumeData: resumeData,
            checksum: checksum,
            validations: [validation]
        )
        return DownloadTask(request, session: core, download)
    }

    /// Downloads a file. Cancelling the Swift task cancels the download.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - destination: The file, or what decides it: ``DownloadDestination``.
    ///   - resumeData: The download to continue. Default: none.
    ///   - validation: The responses that are written. Default: every 2xx.
    ///   - checksum: The digest that the file must have. Default: any.
    ///   - progress: Called at changes; see ``SessionTask/onProgress(_:)``. Default: nobody.
    /// - Returns: The file.
    /// - Throws: ``NetworkingError``, with ``NetworkingError/resumeData`` where the download can be
    ///   continued; ``NetworkingError/Code/outputFailed`` when the file cannot be written;
    ///   ``NetworkingError/Code/digestMismatch`` when its bytes are not those that were meant.
    @discardableResult
    public func download(
        _ request: Request,
        to destination: some DownloadDestination,
        resuming resumeData: ResumeData? = nil,
        validation: ResponseValidation = .default,
        checksum: Checksum? = nil,
        progress: (@Sendable (TaskProgress) -> Void)? = nil
    ) async throws(NetworkingError) -> URL {
        let task = downloadTask(
            for: request,
            to: destination,
            resuming: resumeData,
            validation: validation,
            checksum: checksum
        )
        if let progress { task.onProgress(progress) }
        return try await task.value
    }

    /// The downloads among ``tasks``.
    public var downloadTasks: [DownloadTask] { core.tasks(.download).compactMap { $0 as? DownloadTask } }
}
