/// The reason why bytes from a server are not an HTTP/1.1 response.
///
/// The `fault` depends only on the bytes, never on how they were cut into reads; the `excerpt` may.
struct HTTP1ParseError: Error, Hashable {
    /// The kind of fault.
    let fault: Fault
    /// The offending bytes, escaped and shortened; empty where there are none to show.
    let excerpt: String

    init(_ fault: Fault, excerpt: String = "") {
        self.fault = fault
        self.excerpt = excerpt
    }

    init(_ fault: Fault, showing bytes: some Sequence<UInt8>) {
        self.init(fault, excerpt: ASCII.escaped(bytes))
    }

    /// The kinds of faults.
    enum Fault: Hashable {
        /// The response does not start with a status line (RFC 9112 §4).
        case malformedStatusLine
        /// The response starts with a record of TLS, an alert or a handshake (RFC 8446 §5.1).
        case tlsRecord
        /// The status line names a version other than HTTP/1.x.
        case unsupportedVersion
        /// A header or trailer line breaks RFC 9112 §5.
        case malformedHeader(HeaderFault)
        /// A status, header or trailer line is longer than the limit in bytes.
        case headerLineTooLarge(limit: Int)
        /// The head or the trailer section is longer than the limit in bytes.
        case headerSectionTooLarge(limit: Int)
        /// The head or the trailer section has more fields than the limit.
        case tooManyHeaders(limit: Int)
        /// A Content-Length is not a decimal number up to 2^63 - 1.
        case invalidContentLength
        /// Content-Length is given several times, with different numbers.
        case conflictingContentLength
        /// Transfer-Encoding is beside Content-Length or in an HTTP/1.0 response (RFC 9112 §6.1).
        case conflictingFraming
        /// Transfer-Encoding is anything but "chunked", once.
        case unsupportedTransferCoding
        /// A chunk breaks RFC 9112 §7.1.
        case malformedChunk
        /// The connection closed inside the head, or after nothing but informational responses.
        case truncatedHead
        /// The connection closed before the whole body had arrived; in bytes.
        case truncatedBody(expected: Int64, received: Int64)
        /// The connection closed before the last chunk and the trailers.
        case truncatedChunkedBody
        /// The connection closed before the first byte of the response.
        case closedBeforeResponse
        /// More informational responses than the limit came before the final one.
        case tooManyInformational(limit: Int)
    }

    /// The faults of one header line.
    enum HeaderFault: Hashable {
        case missingColon
        case emptyName
        case invalidName
        case whitespaceBeforeColon
        case controlCharacter
        case foldedFirstLine
    }
}

extension HTTP1ParseError: CustomStringConvertible {
    var description: String {
        excerpt.isEmpty ? fault.sentence + "." : fault.sentence + ": \"" + excerpt + "\"."
    }
}

extension HTTP1ParseError.Fault {
    fileprivate var sentence: String {
        switch self {
        case .malformedStatusLine: "The response does not start with an HTTP status line"
        case .tlsRecord: "The server speaks TLS here; the URLs of such a server begin with https://"
        case .unsupportedVersion: "The response is in a version of HTTP that was not asked for"
        case .malformedHeader(let fault): fault.sentence
        case .headerLineTooLarge(let limit): "The server sent a header line of more than \(limit) bytes"
        case .headerSectionTooLarge(let limit): "The server sent headers of more than \(limit) bytes in all"
        case .tooManyHeaders(let limit): "The server sent more than \(limit) headers"
        case .invalidContentLength: "The server sent a Content-Length that is not a number of bytes"
        case .conflictingContentLength: "The server sent several Content-Lengths that contradict each other"
        case .conflictingFraming:
            "The server sent a Transfer-Encoding where none is allowed (beside Content-Length, or in HTTP/1.0)"
        case .unsupportedTransferCoding: "The server sent a Transfer-Encoding other than \"chunked\""
        case .malformedChunk: "The server sent a body whose chunks are malformed"
        case .truncatedHead: "The connection closed in the middle of the response head"
        case .truncatedBody(let expected, let received):
            "The connection closed after \(received) of the \(expected) bytes of the response body"
        case .truncatedChunkedBody: "The connection closed in the middle of a chunked response body"
        case .closedBeforeResponse: "The connection closed before the response began"
        case .tooManyInformational(let limit):
            "The server sent more than \(limit) informational responses and no final one"
        }
    }
}

extension HTTP1ParseError.HeaderFault {
    fileprivate var sentence: String {
        switch self {
        case .missingColon: "The server sent a header line without a colon"
        case .emptyName: "The server sent a header without a name"
        case .invalidName: "The server sent a header whose name contains a forbidden character"
        case .whitespaceBeforeColon: "The server sent a header with whitespace between its name and the colon"
        case .controlCharacter: "The server sent a header whose value contains a control character"
        case .foldedFirstLine: "The server sent a first header line that starts with whitespace"
        }
    }
}
