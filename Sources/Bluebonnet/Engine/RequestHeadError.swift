/// A reason why the head of a request cannot be sent.
enum RequestHeadError: Error, Hashable {
    /// The target is empty or contains a space, a control character or a character outside ASCII
    /// (RFC 9112 §3.2).
    case invalidTarget(String)
    /// The host contains a space, a control character or a character outside ASCII.
    case invalidHost(String)
    /// The value of the named field contains CR, LF or NUL (RFC 9110 §5.5).
    case invalidFieldValue(name: String)
    /// More than one Host (RFC 9112 §3.2).
    case repeatedHost
    /// The Content-Length among the fields is not the length of the body; nil where there is no
    /// body of known length.
    case contentLengthMismatch(field: String, body: Int?)
    /// The Transfer-Encoding among the fields is not how the body is sent (RFC 9112 §6.1).
    case transferEncodingMismatch(String)
    /// The body has a declared length below zero, which no field can say (RFC 9110 §8.6).
    case negativeLength(Int)
}

extension RequestHeadError: CustomStringConvertible {
    var description: String {
        switch self {
        case .invalidTarget(""):
            "The request has no target."
        case .invalidTarget(let target):
            // A query may hold secrets.
            "The request target \"\(Self.shown(target, upTo: "?"))\" contains characters that have to be percent-encoded."
        case .invalidHost(let host):
            "The host \"\(Self.shown(host))\" contains characters that no host name has."
        case .invalidFieldValue(let name):
            "The value of the header \(name) contains a line break or a NUL."
        case .repeatedHost:
            "The request has more than one Host header."
        case .contentLengthMismatch(let field, let body?):
            "The header Content-Length says \"\(Self.shown(field))\", but the body has \(body) bytes."
        case .contentLengthMismatch(let field, nil):
            "The header Content-Length says \"\(Self.shown(field))\", but the body is sent in chunks."
        case .transferEncodingMismatch(let field):
            "The header Transfer-Encoding says \"\(Self.shown(field))\", but the body is not sent that way."
        case .negativeLength(let length):
            "The request body was declared as \(length) bytes, which is less than none."
        }
    }

    private static func shown(_ text: String, upTo end: Unicode.Scalar? = nil) -> String {
        let shown = text.utf8.prefix { byte in end.map { Unicode.Scalar(byte) != $0 } ?? true }
        return ASCII.escaped(shown) + (shown.count < text.utf8.count ? "?…" : "")
    }
}
