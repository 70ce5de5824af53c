import HTTPTypes

extension Request {
    /// The request for a part of a file if its version is still the same (RFC 9110 §13.1.5, §14.2);
    /// without a part for the whole.
    ///
    /// Content coding is not wanted, from the first request on: a range is one of the encoded bytes
    /// (§14.1.2), and a server that encodes while it sends cannot continue.
    ///
    /// - Parameters:
    ///   - start: The first byte; nil for the whole.
    ///   - end: The byte behind the last one; nil for all of the rest.
    ///   - validator: The version; nil for any.
    /// - Returns: The request.
    func asking(from start: Int?, to end: Int?, of validator: ResumeData.Validator?) -> Request {
        var request = self
        if !request.headerFields.contains(.acceptEncoding) { request.headerFields[.acceptEncoding] = "identity" }
        guard let start else { return request }
        request.headerFields[.range] = "bytes=\(start)-\(end.map { "\($0 - 1)" } ?? "")"
        request.headerFields[.ifRange] = validator?.text
        return request
    }
}
