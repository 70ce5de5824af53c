public import FoundationEssentials

/// Writing a form to a file.
extension MultipartFormData {
    /// Writes the whole body to a file, for example to upload it later or to give a stream a
    /// length.
    ///
    /// The bytes are written to a temporary file beside the destination, which gets its name when
    /// the body is complete: when this throws, the destination is unchanged. A link is followed; a
    /// device or a pipe is not replaced but written to. The ``throttle`` does not slow the writing.
    ///
    /// - Parameters:
    ///   - file: A file URL.
    ///   - overwrites: Whether an existing file is replaced. Default: true.
    /// - Returns: The file as the body of a request, throttled like the form; the request's
    ///   `Content-Type` must be ``contentType``.
    /// - Throws: ``NetworkingError/Code/outputFailed`` when the file cannot be written, otherwise
    ///   the errors of sending the form; ``NetworkingError/Code/cancelled`` when the caller
    ///   is cancelled.
    @discardableResult
    public func write(to file: URL, overwrites: Bool = true) async throws(NetworkingError) -> RequestBody {
        try await write(to: file, overwrites: overwrites, clock: ContinuousClock())
    }

    func write(
        to file: URL,
        overwrites: Bool,
        clock: some Clock<Duration>
    ) async throws(NetworkingError) -> RequestBody {
        try check()
        _ = try FileOutput.path(of: file, for: "a form")
        let threads = BlockingThreads.files
        do {
            let destination = try await threads.run { file.resolvingSymlinksInPath().path(percentEncoded: false) }
            try await FileOutput.write(to: destination, overwrites: overwrites) { output in
                let sink = RequestBody.Sink.bytes { try await output.write([$0]) }
                try await MultipartProducer(boundary: separator, parts: parts).produce(sink)
            }
            // The file is complete, so that a cancelled caller still gets the body.
            let body = try await threads.runEvenIfCancelled { try RequestBody.file(file) }
            guard let throttle else { return body }
            return body.throttled(throttle, clock: clock)
        } catch {
            throw FileOutput.failure(error, of: "The form")
        }
    }
}
