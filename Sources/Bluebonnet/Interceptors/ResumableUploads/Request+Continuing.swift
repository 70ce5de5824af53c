import HTTPTypes

extension Request {
    /// The request as one that continues an earlier upload: a form is written with the boundary of
    /// that upload, because the server has its first part, and a new form has another one.
    ///
    /// - Throws: ``NetworkingError/Code/invalidRequest`` for a request that cannot be continued,
    ///   ``NetworkingError/Code/requestBodyFailed`` for another body, as far as that can be seen,
    ///   ``NetworkingError/Code/requestBodyLengthMismatch`` for one of another length.
    func continuing(_ earlier: UploadResumeData) throws(NetworkingError) -> Request {
        if let fault = faultOfResumption {
            throw NetworkingError(
                .invalidRequest,
                "\(self) cannot continue an upload from its resume data, because \(fault).",
                request: self
            )
        }
        let request = try withBoundary(of: earlier)
        if let length = earlier.totalByteCount, length != request.body?.length {
            throw NetworkingError(
                .requestBodyLengthMismatch,
                "The upload was begun with \(length) bytes, and cannot be continued with another length.",
                request: self
            )
        }
        return request
    }

    private func withBoundary(of earlier: UploadResumeData) throws(NetworkingError) -> Request {
        let begun = earlier.content
        guard let form = body?.separated else {
            // A multipart body that was made elsewhere has the boundary that its type names.
            let isSame = multipartType == begun?.multipartType && (multipartType != nil || begun?.boundary == nil)
            if isSame { return self }
            throw otherBody("another multipart body: its boundary would be another one")
        }
        guard let boundary = begun?.boundary else { throw otherBody("a form") }
        guard boundary != form.boundary else { return self }
        var request = self
        do {
            request.body = try form.makeBody(separatedBy: boundary)
        } catch {
            throw error.completed(request: self)
        }
        request.headerFields[.contentType] = begun?.multipartType ?? headerFields[.contentType]
        return request
    }

    private func otherBody(_ what: String) -> NetworkingError {
        NetworkingError(
            .requestBodyFailed,
            "The upload was begun with another body, and cannot be continued with \(what).",
            request: self
        )
    }

    /// The `Content-Type` of a multipart body; nil for another one.
    var multipartType: String? {
        headerFields[.contentType].flatMap { $0.lowercased().hasPrefix("multipart/") ? $0 : nil }
    }
}
