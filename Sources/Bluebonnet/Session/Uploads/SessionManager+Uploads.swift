public import FoundationEssentials

/// Uploads of requests that were made before.
extension SessionManager {
    /// Makes an upload that is not started. Only the serializer validates its response, never a
    /// manager's rules.
    ///
    /// Counterpart of `uploadTaskWithStreamedRequest:progress:completionHandler:`.
    ///
    /// - Parameters:
    ///   - request: The request to send, with its body.
    ///   - resumeData: The upload to continue, of the same body. Default: none.
    ///   - serializer: Makes the value of the response.
    /// - Returns: The task, not started.
    public func uploadTask<Serializer: ResponseSerializer>(
        for request: Request,
        resuming resumeData: UploadResumeData? = nil,
        as serializer: Serializer
    ) -> UploadTask<Serializer.Output> {
        UploadTask(request, session: core, resuming: resumeData, serializer: serializer) {
            received throws(NetworkingError) in
            try serializer.serialize(received)
        }
    }

    /// Makes an upload that is not started and returns the body of the response as it is: nothing
    /// is validated, and a response of any status is returned.
    ///
    /// - Parameters:
    ///   - request: The request to send, with its body.
    ///   - resumeData: The upload to continue, of the same body. Default: none.
    /// - Returns: The task, not started.
    public func uploadTask(
        for request: Request,
        resuming resumeData: UploadResumeData? = nil
    ) -> UploadTask<Data> {
        UploadTask(request, session: core, resuming: resumeData) { received throws(NetworkingError) in received.body }
    }

    /// Makes an upload that is not started. Only the serializer validates its response, never a
    /// manager's rules.
    ///
    /// ```swift
    /// let file = URL(filePath: "movie.mp4")
    /// let task = try session.uploadTask(for: request, from: .file(file), as: .json)
    /// ```
    ///
    /// Counterpart of `uploadTaskWithRequest:fromFile:progress:completionHandler:` and
    /// `uploadTaskWithRequest:fromData:progress:completionHandler:`.
    ///
    /// - Parameters:
    ///   - request: The request to send. A `Content-Type` of its own stays.
    ///   - content: The body, in place of the request's. An encoded value is written as a form
    ///     where the content does not say how.
    ///   - resumeData: The upload to continue, of the same content. Default: none.
    ///   - serializer: Makes the value of the response.
    /// - Returns: The task, not started.
    /// - Throws: What the content throws: ``NetworkingError/Code/requestBodyFailed`` for a file
    ///   that is not there, ``NetworkingError/Code/requestSerializationFailed`` for a value that
    ///   cannot be written.
    public func uploadTask<Serializer: ResponseSerializer>(
        for request: Request,
        from content: RequestContent,
        resuming resumeData: UploadResumeData? = nil,
        as serializer: Serializer
    ) throws(NetworkingError) -> UploadTask<Serializer.Output> {
        var request = request
        try content.put(into: &request, serializer: HTTPRequestSerializer())
        return uploadTask(for: request, resuming: resumeData, as: serializer)
    }
}
