/// The content codings of a response that can be undone, in the order in which they were applied (RFC 9110 §8.4).
///
/// An unknown coding in the list, or a list longer than ``longestList``, makes no value: the body is then handed over
/// as it came, and the `Content-Encoding` of the head tells what it is.
struct ContentCoding: Sendable, Hashable {
    /// One coding (RFC 9110 §8.4.1).
    enum Coding: Sendable, Hashable {
        /// RFC 1952; also called `x-gzip`.
        case gzip
        /// RFC 1950, or the bare RFC 1951 that some servers send under this name.
        case deflate
    }

    /// More codings than this are no honest response: each one may multiply the size of the one before.
    static let longestList = 5

    /// The codings in the order in which the server applied them.
    let codings: [Coding]

    /// Whether there is nothing to undo.
    var isIdentity: Bool { codings.isEmpty }

    /// Reads the value of `Content-Encoding`, nil when it cannot be undone.
    ///
    /// - Parameter contentEncoding: The value; several fields are joined with commas.
    init?(contentEncoding: String) {
        var codings: [Coding] = []
        var count = 0
        for element in contentEncoding.utf8.split(separator: UInt8(ascii: ",")) {
            // RFC 9110 §5.6.1: empty elements of a list do not count.
            let name = element.drop(while: HTTP1Bytes.isBlank).reversed().drop(while: HTTP1Bytes.isBlank)
            guard !name.isEmpty else { continue }
            count += 1
            guard count <= Self.longestList else { return nil }
            switch String(decoding: name.reversed().map(HTTP1Bytes.lowercased), as: UTF8.self) {
            case "gzip", "x-gzip": codings.append(.gzip)
            case "deflate": codings.append(.deflate)
            case "identity": break
            default: return nil
            }
        }
        self.codings = codings
    }
}
