import HTTPTypes
import NIOCore

/// Writes requests as HTTP/1.1 (RFC 9112 §3, §5 to §7).
enum HTTP1RequestEncoder {
    /// How the body is delimited.
    enum Framing: Hashable {
        /// There is no body.
        case none
        /// In bytes, possibly 0.
        case contentLength(Int)
        case chunked
    }

    /// Appends the request line and the header section with its empty line.
    ///
    /// Host comes first (RFC 9110 §7.2), then the fields in their order with their spelling, then what the framing
    /// needs: `Content-Length`, also as 0 without a body for POST, PUT and PATCH (RFC 9110 §8.6), or
    /// `Transfer-Encoding: chunked`. Fields that already say the same are not repeated.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - target: The request target in the form that fits the receiver (RFC 9112 §3.2), percent-encoded.
    ///   - host: The value of Host, with the port unless it is the default one. A Host among the fields wins.
    ///   - fields: The header fields. Their value bytes are sent as they are.
    ///   - survey: What the fields say.
    ///   - offer: What is said of content codings behind the fields. Default: nothing.
    ///   - framing: How the body is delimited.
    ///   - buffer: Where the head is appended; unchanged if this throws.
    /// - Throws: What of the arguments cannot be sent.
    static func encodeHead(
        method: HTTPRequest.Method,
        target: String,
        host: String,
        fields: HTTPFields,
        survey: RequestFieldSurvey,
        offer: ContentCoding.Offer? = nil,
        framing: Framing,
        into buffer: inout ByteBuffer
    ) throws(HTTP1RequestEncodingError) {
        guard isVisible(target), !target.isEmpty else { throw .invalidTarget(target) }
        guard survey.host != nil || isVisible(host) else { throw .invalidHost(host) }
        let addition = try framingField(framing, method: method, fields: fields, survey: survey)

        let fixed = method.rawValue.utf8.count + target.utf8.count + host.utf8.count + 96 + ContentCoding.Offer.longest
        try unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: fixed + survey.byteCount) {
            bytes throws(HTTP1RequestEncodingError) in
            var writer = unsafe HTTP1ByteWriter(bytes)
            writer.write(method.rawValue)
            writer.write(" ")
            writer.write(target)
            writer.write(" HTTP/1.1\r\nHost: ")
            if let position = survey.host {
                try writer.write(valueOf: fields[position])
            } else {
                writer.write(host)
            }
            writer.write("\r\n")
            for position in fields.indices where position != survey.host {
                try writer.write(line: fields[position])
            }
            if let offer {
                writer.write("Accept-Encoding: ")
                writer.write(offer.value)
                writer.write("\r\n")
            }
            switch addition {
            case .none: break
            case .contentLength(let length):
                writer.write("Content-Length: ")
                writer.write(String(length))
                writer.write("\r\n")
            case .chunked:
                writer.write("Transfer-Encoding: chunked\r\n")
            }
            writer.write("\r\n")
            return writer.count
        }
    }

    /// Appends the line in front of the data of a chunk (RFC 9112 §7.1); ``encodeChunkEnd(into:)`` follows the data.
    ///
    /// - Parameters:
    ///   - size: The number of data bytes, at least 1: a chunk of 0 would end the body.
    ///   - buffer: Where the line is appended.
    static func encodeChunkHeader(_ size: Int, into buffer: inout ByteBuffer) {
        precondition(size > 0, "a chunk has at least one byte")
        buffer.writeString(String(size, radix: 16))
        encodeChunkEnd(into: &buffer)
    }

    /// Appends the line end behind the data of a chunk.
    static func encodeChunkEnd(into buffer: inout ByteBuffer) {
        buffer.writeStaticString("\r\n")
    }

    /// Appends the last chunk and the empty line that end a chunked body without trailers.
    ///
    /// - Parameter buffer: Where they are appended.
    static func encodeLastChunk(into buffer: inout ByteBuffer) {
        buffer.writeStaticString("0\r\n\r\n")
    }

    /// Appends the last chunk, the trailers and the empty line that end a chunked body.
    ///
    /// - Parameters:
    ///   - trailers: The trailer fields.
    ///   - buffer: Where they are appended; unchanged if this throws.
    /// - Throws: `forbiddenTrailer`, or `invalidFieldValue`.
    static func encodeLastChunk(
        trailers: HTTPFields,
        into buffer: inout ByteBuffer
    ) throws(HTTP1RequestEncodingError) {
        if let field = trailers.first(where: { forbiddenTrailers.contains($0.name.canonicalName) }) {
            throw .forbiddenTrailer(name: field.name.rawName)
        }
        let survey = try RequestFieldSurvey(trailers)
        try unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: survey.byteCount + 5) {
            bytes throws(HTTP1RequestEncodingError) in
            var writer = unsafe HTTP1ByteWriter(bytes)
            writer.write("0\r\n")
            for field in trailers {
                try writer.write(line: field)
            }
            writer.write("\r\n")
            return writer.count
        }
    }

    /// Fields that frame or route the message, so that RFC 9110 §6.5.1 keeps them out of trailers.
    private static let forbiddenTrailers: Set<String> = [
        "authorization", "connection", "content-encoding", "content-length", "content-range", "content-type", "cookie",
        "expect", "host", "te", "trailer", "transfer-encoding", "upgrade",
    ]
}

extension HTTP1RequestEncoder {
    /// The framing that is not yet among the fields, after checking that they do not contradict it.
    private static func framingField(
        _ framing: Framing,
        method: HTTPRequest.Method,
        fields: HTTPFields,
        survey: RequestFieldSurvey
    ) throws(HTTP1RequestEncodingError) -> Framing {
        if survey.hasTransferEncoding, let value = fields[.transferEncoding] {
            // RFC 9112 §6.1: "chunked" is applied once, and is the only coding the body has here.
            guard framing == .chunked, value.lowercased() == "chunked" else { throw .transferEncodingMismatch(value) }
        }
        let length: Int?
        switch framing {
        case .none: length = 0
        case .contentLength(let count): length = count
        case .chunked: length = nil
        }
        if survey.hasContentLength, let value = fields[.contentLength] {
            // RFC 9112 §6.2: never beside Transfer-Encoding, and never another number than the body's.
            guard let length, value == String(length) else {
                throw .contentLengthMismatch(field: value, body: length)
            }
            return .none
        }
        switch framing {
        case .none: return method == .post || method == .put || method == .patch ? .contentLength(0) : .none
        case .contentLength: return framing
        case .chunked: return survey.hasTransferEncoding ? .none : .chunked
        }
    }

    /// Whether all characters are visible ones of ASCII, so that none can end the target, the line or the head.
    private static func isVisible(_ text: String) -> Bool {
        // The bytes are only looked at while the closure runs.
        let isVisible = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
            unsafe bytes.allSatisfy { $0 &- 0x21 < 0x5E }
        }
        return isVisible ?? text.utf8.allSatisfy { $0 &- 0x21 < 0x5E }
    }
}
