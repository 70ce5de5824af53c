import HTTPTypes

extension Request {
    /// Makes a form the body of the request and sets `Content-Type` to it, whatever it was.
    ///
    /// - Parameter form: The form.
    /// - Throws: ``NetworkingError/Code/requestSerializationFailed``, as ``MultipartFormData/makeBody()``, and for GET and
    ///   HEAD, which have no body.
    public mutating func setBody(multipart form: MultipartFormData) throws(NetworkingError) {
        try checkTakesForm()
        do {
            body = try form.makeBody()
        } catch {
            throw error.completed(request: self)
        }
        headerFields[.contentType] = form.contentType
    }

    func checkTakesForm() throws(NetworkingError) {
        guard !["GET", "HEAD"].contains(method.rawValue.uppercased()) else {
            throw NetworkingError(
                .requestSerializationFailed,
                "A \(method.rawValue.uppercased()) request cannot carry a multipart form: use POST, PUT or PATCH.",
                request: self
            )
        }
    }
}
