import HTTPTypes

/// The head of a request as a connection of any protocol writes it when the request starts there:
/// checked, and not encoded yet.
///
/// Every header field that the library decides on its own is decided here, in one pass over the
/// fields of the request. They are written in this order:
///
/// | field | value |
/// |---|---|
/// | `Host` | that of the request; else host and port of the URL |
/// | `Proxy-Authorization` | where a proxy that forwards requests gets it, and the request has none |
/// | the fields of the request | as they are, in their order |
/// | `Expect` | `100-continue` where ``Expectation`` adds it; left out where it removes it |
/// | `Accept-Encoding` | ``ContentCoding/Offer``, where the caller can decode and the request has none |
/// | `Content-Length` or `Transfer-Encoding` | the framing of the body, where the request has neither |
///
/// The fields of the request have their defaults already, because interceptors see those: the
/// request serializer's (``HTTPRequestSerializer/defaultHeaderFields``) and the session's
/// (``SessionConfiguration/additionalHeaderFields``).
struct RequestHead: Sendable {
    /// The length of the body.
    enum BodyLength: Hashable, Sendable {
        /// In bytes, possibly 0.
        case length(Int)
        case unknownLength

        init(of body: RequestBody) {
            self = body.declaredLength.map(BodyLength.length) ?? .unknownLength
        }
    }

    /// Whether the body waits for 100 Continue (RFC 9110 §10.1.1).
    enum Expectation: Sendable {
        /// Where the fields of the request have `Expect: 100-continue`.
        case ofFields
        case added
        /// There is no content, or the server refused the expectation (417) before.
        case removed

        /// - Parameters:
        ///   - request: The request.
        ///   - threshold: The size of a body from which on the session adds it; nil for never.
        init(of request: Request, from threshold: Int?) {
            guard let body = request.body, body.length != 0 else {
                self = .removed
                return
            }
            let isWanted = request.expectsContinue ?? threshold.map { body.length ?? .max >= $0 } ?? false
            self = isWanted ? .added : .ofFields
        }
    }

    let method: HTTPRequest.Method
    /// The request target in the form that fits the receiver (RFC 9112 §3.2), percent-encoded.
    let target: String
    /// The path and the query, which HTTP/2 sends in place of the target (RFC 9113 §8.3.1).
    let path: String
    /// The value of Proxy-Authorization in front of the fields.
    let proxyAuthorization: [UInt8]?
    /// The value of Host, with the port unless it is the default one. A Host among the fields wins.
    let host: String
    /// The fields of the request, with or without Expect as decided.
    let fields: HTTPFields
    let survey: RequestFieldSurvey
    /// The Accept-Encoding behind the fields.
    let offer: ContentCoding.Offer?
    /// The framing of the body, where the fields do not have it. nil without a body,
    /// except for POST, PUT and PATCH, for which it is a length of 0 (RFC 9110 §8.6).
    let missingFraming: BodyLength?

    /// `Connection: close` (RFC 9112 §9.6).
    var asksForClose: Bool { survey.asksForClose }

    /// `Expect: 100-continue` is among the fields, so that the body waits.
    var expectsContinue: Bool { survey.expectsContinue }

    /// - Parameters:
    ///   - method: The method.
    ///   - target: The request target.
    ///   - path: The path and the query. Default: nil, the target is in that form.
    ///   - host: The value of Host.
    ///   - proxyAuthorization: The value of Proxy-Authorization. Default: none.
    ///   - fields: The header fields of the request.
    ///   - body: The length of the body; nil without one.
    ///   - expectation: Whether the body waits for 100 Continue.
    ///   - offersCodings: Whether the caller can undo content codings. Default: no.
    /// - Throws: The reason why the request cannot be sent.
    init(
        method: HTTPRequest.Method,
        target: String,
        path: String? = nil,
        host: String,
        proxyAuthorization: [UInt8]? = nil,
        fields: HTTPFields,
        body: BodyLength?,
        expectation: Expectation = .ofFields,
        offersCodings: Bool = false
    ) throws(RequestHeadError) {
        guard Self.isVisible(target), !target.isEmpty else { throw .invalidTarget(target) }
        var fields = fields
        var survey = try RequestFieldSurvey(fields)
        guard survey.host != nil || Self.isVisible(host) else { throw .invalidHost(host) }
        switch (expectation, survey.expectsContinue) {
        case (.ofFields, _), (.added, true), (.removed, false): break
        case (.added, false), (.removed, true):
            fields[.expect] = expectation == .added ? RequestFieldSurvey.expectation : nil
            // Rare, and Host may have another position now.
            survey = try RequestFieldSurvey(fields)
        }
        self.method = method
        self.target = target
        self.path = path ?? target
        self.host = host
        self.proxyAuthorization = proxyAuthorization
        self.fields = fields
        self.survey = survey
        offer =
            offersCodings
            ? ContentCoding.Offer(hasAcceptEncoding: survey.hasAcceptEncoding, hasRange: survey.hasRange) : nil
        missingFraming = try Self.missingFraming(of: body, method, fields, survey)
    }

    /// The framing that the fields do not have yet, after a check that they do not contradict it.
    private static func missingFraming(
        of body: BodyLength?,
        _ method: HTTPRequest.Method,
        _ fields: HTTPFields,
        _ survey: RequestFieldSurvey
    ) throws(RequestHeadError) -> BodyLength? {
        if survey.hasTransferEncoding, let value = fields[.transferEncoding] {
            // RFC 9112 §6.1: "chunked" is applied once, and is the only coding the body has here.
            guard body == .unknownLength, value.lowercased() == "chunked" else {
                throw .transferEncodingMismatch(value)
            }
        }
        let length: Int? =
            switch body {
            case nil: 0
            case .length(let count): count
            case .unknownLength: nil
            }
        if let length, length < 0 { throw .negativeLength(length) }
        if survey.hasContentLength, let value = fields[.contentLength] {
            // RFC 9112 §6.2: never beside Transfer-Encoding, and never another number than the
            // body's.
            guard let length, value == String(length) else {
                throw .contentLengthMismatch(field: value, body: length)
            }
            return nil
        }
        switch body {
        case nil: return method == .post || method == .put || method == .patch ? .length(0) : nil
        case .length: return body
        case .unknownLength: return survey.hasTransferEncoding ? nil : body
        }
    }

    /// Whether all characters are visible ones of ASCII, so that none can end the target, the line
    /// or the head.
    private static func isVisible(_ text: String) -> Bool {
        // The bytes are only looked at while the closure runs.
        let isVisible = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
            unsafe bytes.allSatisfy { $0 &- 0x21 < 0x5E }
        }
        return isVisible ?? text.utf8.allSatisfy { $0 &- 0x21 < 0x5E }
    }
}

extension Request {
    /// Checks what can be checked before there is a connection, for what shows a request and does
    /// not send it: the method, the target, and the framing.
    ///
    /// - Throws: ``NetworkingError/Code/invalidRequest``, ``NetworkingError/Code/invalidURL``,
    ///   ``NetworkingError/Code/unsupportedScheme``, as the engine throws them.
    package func checkHead() throws(NetworkingError) {
        try checkMethod()
        let target = try RequestTarget(url)
        do {
            _ = try RequestHead(
                method: method,
                target: target.path,
                host: target.host,
                fields: headerFields,
                body: body.map(RequestHead.BodyLength.init(of:))
            )
        } catch {
            throw NetworkingError(.invalidRequest, error.description, request: self)
        }
    }

    /// RFC 9110 §9.3.6: CONNECT asks a proxy for a tunnel. Another server could only refuse it, or
    /// take what follows for the tunnel.
    func checkMethod() throws(NetworkingError) {
        guard method == .connect else { return }
        throw NetworkingError(
            .invalidRequest,
            "CONNECT asks a proxy for a tunnel, and is not sent by itself.",
            request: self
        )
    }
}
