/// The text of a URL, or of a reference to one, as `URL` is to have it.
///
/// `URL` percent-encodes what no URL can have, and then every `%` as well, also that of bytes which
/// are encoded already: `/é%20b` would be sent as `/%C3%A9%2520b`.
package enum URLText {
    /// The text in which every byte behind the authority that no URL can have is percent-encoded
    /// (RFC 3986 §2), and what is encoded stays as it is (§2.4).
    ///
    /// - Parameter text: The text, with or without a scheme.
    /// - Returns: The same text where nothing is to be encoded.
    package static func encoded(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var encoded = Array(bytes[..<endOfAuthority(in: bytes)])
        var rest = bytes[encoded.count...]
        var isInFragment = false
        while let byte = rest.popFirst() {
            let isKept =
                switch byte {
                case UInt8(ascii: "%"): rest.prefix(2).count { ASCII.hexDigit($0) != nil } == 2
                case UInt8(ascii: "#"): !isInFragment
                default: ASCII.isUnreserved(byte) || others.contains(byte)
                }
            if byte == UInt8(ascii: "#") { isInFragment = true }
            if isKept { encoded.append(byte) } else { encoded += ASCII.percentEncoded([byte]) { _ in false }.utf8 }
        }
        return encoded.count == bytes.count ? text : String(decoding: encoded, as: UTF8.self)
    }

    /// The other bytes of paths, queries and fragments (RFC 3986 §3.3 to §3.5).
    private static let others = Set("!$&'()*+,;=:@/?".utf8)

    /// The index behind the authority (RFC 3986 §3.2), whose brackets are those of an IPv6 address.
    private static func endOfAuthority(in bytes: [UInt8]) -> Int {
        let delimiters = Set("/?#".utf8)
        guard let slash = bytes.firstIndex(where: delimiters.contains), bytes[slash...].starts(with: "//".utf8),
            slash == 0 || bytes[slash - 1] == UInt8(ascii: ":")
        else { return 0 }
        return bytes[(slash + 2)...].firstIndex(where: delimiters.contains) ?? bytes.count
    }
}
