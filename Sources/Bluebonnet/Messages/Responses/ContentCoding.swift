/// The content codings of a response that can be undone, in the order in which they were applied
/// (RFC 9110 §8.4).
///
/// A list with an unknown coding makes no value: the body is then handed over as it came, and the
/// `Content-Encoding` of the head tells what it is. The dictionary codings `dcb` and `dcz` (RFC
/// 9842) are unknown here. A list longer than ``longestList`` is an error.
struct ContentCoding: Sendable, Hashable {
    /// One coding (RFC 9110 §8.4.1).
    enum Coding: Sendable, Hashable, CaseIterable {
        /// RFC 1952; also called `x-gzip`.
        case gzip
        /// RFC 1950, or the bare RFC 1951 that some servers send under this name.
        case deflate
        #if Brotli
            /// RFC 7932, called `br`; with the package trait `Brotli`.
            case brotli
        #endif
        #if Zstd
            /// RFC 8878 with the limit of RFC 9659; with the package trait `Zstd`.
            case zstd
        #endif

        /// The coding of a name in lower case.
        init?(name: String) {
            switch name {
            case "gzip", "x-gzip": self = .gzip
            case "deflate": self = .deflate
            #if Brotli
                case "br": self = .brotli
            #endif
            #if Zstd
                case "zstd": self = .zstd
            #endif
            default: return nil
            }
        }

        /// The name by which it is offered to servers.
        var name: String {
            switch self {
            case .gzip: "gzip"
            case .deflate: "deflate"
            #if Brotli
                case .brotli: "br"
            #endif
            #if Zstd
                case .zstd: "zstd"
            #endif
            }
        }
    }

    /// A response with more codings is not honest: each one may multiply the size of the one
    /// before.
    static let longestList = 5

    /// The `Accept-Encoding` (RFC 9110 §12.5.3) of a request that has none itself.
    enum Offer: Sendable {
        /// The codings that can be undone in this build, and nothing else.
        case codings
        /// No coding: a part of encoded bytes cannot be decoded (RFC 9110 §14.4).
        case identity

        /// The offer to add to other fields, nil when they have one. A request for a range asks for
        /// no coding.
        init?(hasAcceptEncoding: Bool, hasRange: Bool) {
            guard !hasAcceptEncoding else { return nil }
            self = hasRange ? .identity : .codings
        }

        var value: String {
            switch self {
            case .codings: Self.codingsValue
            case .identity: "identity"
            }
        }

        private static let codingsValue = Coding.allCases.map(\.name).joined(separator: ", ")

        /// The most bytes that its line takes.
        static let longest = "Accept-Encoding: \r\n".utf8.count + codingsValue.utf8.count
    }

    /// The codings in the order in which the server applied them.
    let codings: [Coding]

    /// Whether there is nothing to undo.
    var isIdentity: Bool { codings.isEmpty }

    /// Reads the value of `Content-Encoding`, nil when it cannot be undone.
    ///
    /// - Parameter contentEncoding: The value; several fields are joined with commas.
    /// - Throws: ``NetworkingError/Code/contentDecodingFailed`` for more than ``longestList``
    ///   codings.
    init?(contentEncoding: String) throws(NetworkingError) {
        var codings: [Coding] = []
        var count = 0
        var isKnown = true
        for element in contentEncoding.utf8.split(separator: UInt8(ascii: ",")) {
            // RFC 9110 §5.6.1: empty elements of a list do not count.
            let name = element.drop(while: ASCII.isBlank).reversed().drop(while: ASCII.isBlank)
            guard !name.isEmpty else { continue }
            count += 1
            let text = String(decoding: name.reversed().map(ASCII.lowercased), as: UTF8.self)
            if let coding = Coding(name: text) {
                codings.append(coding)
            } else if text != "identity" {
                isKnown = false
            }
        }
        guard count <= Self.longestList else {
            throw NetworkingError(
                .contentDecodingFailed,
                "The response body has \(count) content codings; at most \(Self.longestList) are undone."
            )
        }
        guard isKnown else { return nil }
        self.codings = codings
    }
}
