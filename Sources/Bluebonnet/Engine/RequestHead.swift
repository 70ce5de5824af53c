import HTTPTypes

/// The head of a request as a connection of any protocol writes it when the request starts there:
/// checked, and not encoded yet.
struct RequestHead: Sendable {
    /// How long the body is.
    enum BodyLength: Hashable, Sendable {
        /// In bytes, possibly 0.
        case length(Int)
        case unknownLength
    }

    let method: HTTPRequest.Method
    /// The request target in the form that fits the receiver (RFC 9112 §3.2), percent-encoded.
    let target: String
    /// The value of Host, with the port unless it is the default one. A Host among the fields wins.
    let host: String
    let fields: HTTPFields
    let survey: RequestFieldSurvey
    /// What is said of content codings behind the fields.
    let offer: ContentCoding.Offer?
    /// How the body is delimited, where the fields do not say that already. nil without a body,
    /// except for POST, PUT and PATCH, for which it is a length of 0 (RFC 9110 §8.6).
    let missingFraming: BodyLength?

    /// `Connection: close` (RFC 9112 §9.6).
    var asksForClose: Bool { survey.asksForClose }

    /// - Parameters:
    ///   - method: The method.
    ///   - target: The request target.
    ///   - host: The value of Host.
    ///   - fields: The header fields.
    ///   - survey: What the fields say.
    ///   - body: How long the body is; nil without one.
    ///   - offer: What is said of content codings behind the fields. Default: nothing.
    /// - Throws: What of the arguments cannot be sent.
    init(
        method: HTTPRequest.Method,
        target: String,
        host: String,
        fields: HTTPFields,
        survey: RequestFieldSurvey,
        body: BodyLength?,
        offer: ContentCoding.Offer? = nil
    ) throws(RequestHeadError) {
        guard Self.isVisible(target), !target.isEmpty else { throw .invalidTarget(target) }
        guard survey.host != nil || Self.isVisible(host) else { throw .invalidHost(host) }
        self.method = method
        self.target = target
        self.host = host
        self.fields = fields
        self.survey = survey
        self.offer = offer
        missingFraming = try Self.missingFraming(of: body, method, fields, survey)
    }

    /// What the fields do not say yet, after checking that they do not contradict it.
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
