public import HTTPTypes

extension RequestBody {
    /// This body with a trailer section behind it (RFC 9110 §6.5): fields that are known only when
    /// the body has been sent, such as a digest of it.
    ///
    /// ```swift
    /// let digest = HTTPField.Name("Content-Digest")!
    /// let body = try RequestBody.file(file)
    /// request.body = body.withTrailers(digest) { [digest: "sha-256=:…:"] }
    /// ```
    ///
    /// The names are announced in the field `Trailer` (RFC 9110 §6.6.2), unless the request has one
    /// of its own. Over HTTP/1.1 the body is sent in chunks, since only these have trailers (RFC
    /// 9112 §7.1.2), also where its ``length`` is known; over HTTP/2 the trailers are a field
    /// section behind it (RFC 9113 §8.1). A body with trailers is not offered to be resumed, and a
    /// transfer journal cannot store it.
    ///
    /// A request that is sent again, by a retry or a redirect, sends its trailers again, and the
    /// closure is called again. A redirect that becomes GET drops them with the body. Many servers
    /// ignore trailers.
    ///
    /// Counterpart of `Request.Trailer` in Go; neither URLSession nor Alamofire has one.
    ///
    /// - Parameters:
    ///   - names: The names of the fields. A request fails with
    ///     ``NetworkingError/Code/invalidRequest`` before it is sent where one of them may not be
    ///     in a trailer section, because it is needed before the content (RFC 9110 §6.5.1):
    ///     fields that frame, route, authenticate, control or make conditional the request, or tell
    ///     what its content is.
    ///   - fields: Makes the fields when all of the body has been produced, on no particular
    ///     thread. A field that was not announced, and an error that it throws, fail the request
    ///     with ``NetworkingError/Code/requestBodyFailed``; announced fields may be missing.
    /// - Returns: The body with trailers; those of a body that had some are replaced.
    public func withTrailers(
        _ names: HTTPField.Name...,
        fields: @escaping @Sendable () async throws -> HTTPFields
    ) -> RequestBody {
        var body = self
        body.trailers = RequestTrailers(names, fields)
        return body
    }

    /// The length that is declared before it is sent; nil where that is not known, or trailers
    /// follow, which exclude it (RFC 9112 §7.1.2).
    var declaredLength: Int? { trailers == nil ? length : nil }
}

extension Request {
    /// Announces the trailers of its body in its header section.
    mutating func announceTrailers() throws(NetworkingError) {
        guard let trailers = body?.trailers else { return }
        do {
            try trailers.announce(in: &headerFields)
        } catch {
            throw error.completed(request: self)
        }
    }
}

/// The trailer section of a request. A class, so that bodies stay small: few have one.
final class RequestTrailers: Sendable {
    let names: [HTTPField.Name]
    private let makeFields: @Sendable () async throws -> HTTPFields

    init(_ names: [HTTPField.Name], _ makeFields: @escaping @Sendable () async throws -> HTTPFields) {
        self.names = names
        self.makeFields = makeFields
    }

    /// Announces the fields in the header section (RFC 9110 §6.6.2).
    ///
    /// - Throws: ``NetworkingError/Code/invalidRequest`` for a name that may not be among them.
    func announce(in fields: inout HTTPFields) throws(NetworkingError) {
        if let name = names.first(where: { Self.isNeededBefore($0.canonicalName) }) {
            throw NetworkingError(
                .invalidRequest,
                "\(name.rawName) must not be a trailer: it is needed before the content (RFC 9110 §6.5.1)."
            )
        }
        guard !names.isEmpty, !fields.contains(.trailer) else { return }
        fields[.trailer] = names.map(\.rawName).joined(separator: ", ")
    }

    /// Makes the fields, when the body has been produced.
    ///
    /// - Throws: The error of the caller's closure, or ``NetworkingError/Code/requestBodyFailed``
    ///   for a field that was not announced.
    /// - Returns: The fields.
    func make() async throws -> HTTPFields {
        let fields = try await makeFields()
        if let field = fields.first(where: { !names.contains($0.name) }) {
            throw NetworkingError(
                .requestBodyFailed,
                "The trailer \(field.name.rawName) was not announced: name it in withTrailers(_:fields:)."
            )
        }
        return fields
    }

    /// RFC 9110 §6.5.1, RFC 9113 §8.2.2: framing and the connection, routing, authentication,
    /// controls and conditions, and the format of the content.
    private static func isNeededBefore(_ name: String) -> Bool {
        switch name {
        case "transfer-encoding", "content-length", "trailer", "te", "connection", "keep-alive", "proxy-connection",
            "upgrade", "http2-settings",
            "host", "forwarded", "via",
            "authorization", "proxy-authorization", "cookie",
            "cache-control", "pragma", "expect", "max-forwards", "range", "priority", "prefer",
            "content-encoding", "content-type", "content-range":
            true
        default: name.hasPrefix("if-")
        }
    }
}
