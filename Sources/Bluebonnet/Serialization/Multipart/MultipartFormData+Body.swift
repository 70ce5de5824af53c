import FoundationEssentials
import HTTPTypes
import NIOCore

/// The body of a request that is made of a form.
extension MultipartFormData {
    /// Forms in memory up to this size become one piece of bytes, which is sent with the head of
    /// the request.
    private static let joinedSize = 1 << 20

    /// Makes the body of a request; its `Content-Type` must be ``contentType``.
    ///
    /// ``Request/setBody(multipart:)`` and the functions of ``HTTPSessionManager`` that take a form
    /// set both. The body of a form without parts is only the closing delimiter, as in browsers.
    ///
    /// - Returns: The body. It has a length where ``contentLength`` is known, and can be sent again
    ///   where ``isReplayable``.
    /// - Throws: ``NetworkingError/Code/requestSerializationFailed`` for the first part that could
    ///   not be added, for content in memory that contains a chosen boundary, for a throttle that
    ///   lets nothing pass, and for a length beyond `Int`.
    public func makeBody() throws(NetworkingError) -> RequestBody {
        try makeBody(clock: ContinuousClock())
    }

    func makeBody(clock: some Clock<Duration>) throws(NetworkingError) -> RequestBody {
        try check()
        let body = unthrottledBody()
        return RequestBody(
            throttle.map { body.throttled($0, clock: clock).storage } ?? body.storage,
            madeOf: Source(form: self),
            files: parts.compactMap { if case .source(let source) = $0.content { source.path } else { nil } }
        )
    }

    /// The form, kept with the body that was made of it.
    fileprivate final class Source: SeparatedBody {
        let form: MultipartFormData

        init(form: MultipartFormData) {
            self.form = form
        }

        var boundary: String { form.boundary }

        func makeBody(separatedBy boundary: String) throws(NetworkingError) -> RequestBody {
            var other = try MultipartFormData(boundary: boundary)
            (other.throttle, other.parts, other.fault) = (form.throttle, form.parts, form.fault)
            return try other.makeBody()
        }
    }

    /// Throws the error of a form that cannot be sent.
    func check() throws(NetworkingError) {
        if let fault { throw fault }
        if let throttle, !throttle.isPossible {
            throw NetworkingError(
                .requestSerializationFailed,
                "The throttle of the form sends nothing: sizes and rates must be at least 1, delays at least 0."
            )
        }
        if contentLength == nil, parts.allSatisfy({ $0.length != nil }) {
            throw NetworkingError(.requestSerializationFailed, "The declared lengths of the form have too large a sum.")
        }
        guard separator.isChosen else { return }
        for case .bytes(let bytes) in parts.map(\.content) where separator.occurs(in: bytes) {
            throw NetworkingError(
                .requestSerializationFailed,
                "The content of a form part contains the chosen boundary: choose another, or none for a random one."
            )
        }
    }

    private func unthrottledBody() -> RequestBody {
        let length = contentLength
        let isInMemory = parts.allSatisfy { if case .bytes = $0.content { true } else { false } }
        if isInMemory, let length, length <= Self.joinedSize {
            return RequestBody(.bytes(joined(capacity: length)))
        }
        let producer = MultipartProducer(boundary: separator, parts: parts)
        return RequestBody(.produced(length: length, isReplayable: isReplayable, produce: producer.produce))
    }

    /// The whole body, when all its parts are in memory and one buffer holds them.
    func bytes() -> Data? {
        guard let contentLength, contentLength <= RequestBody.longestBuffer,
            parts.allSatisfy({ if case .bytes = $0.content { true } else { false } })
        else {
            return nil
        }
        return Data(joined(capacity: contentLength).readableBytesView)
    }

    private func joined(capacity: Int) -> ByteBuffer {
        var encoder = MultipartEncoder(boundary: separator, parts: parts, capacity: capacity)
        guard case .emit(let whole) = encoder.next() else { return ByteBuffer() }
        return whole
    }
}

extension RequestBody {
    /// The form that the body was made of.
    var form: MultipartFormData? { (source as? MultipartFormData.Source)?.form }
}

extension Request {
    /// Makes a form the body of the request and replaces `Content-Type` by that of the form.
    ///
    /// - Parameter form: The form.
    /// - Throws: ``NetworkingError/Code/requestSerializationFailed``, as
    ///   ``MultipartFormData/makeBody()``, and for GET and HEAD, which have no body.
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
