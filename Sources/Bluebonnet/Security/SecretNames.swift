package import HTTPTypes

/// The names of header fields, query parameters and members of a body that are secrets.
///
/// A name is cut into words where it is not a letter or digit, and where its case changes:
/// `user[pin]`, `X-Auth-Key` and `clientSecret` have two or three. Only letters and digits of ASCII
/// count, byte by byte.
package enum SecretNames {
    /// The text in place of a secret.
    package static let replacement = "REDACTED"

    private static let names: Set = [
        "authorization", "proxy-authorization", "cookie", "cookie2", "set-cookie", "set-cookie2", "code",
    ]

    /// Parts that make a name secret anywhere, also inside of other words.
    private static let parts = [
        "password", "passwd", "passphrase", "passcode", "secret", "token", "apikey", "accesskey", "privatekey",
        "authkey", "appkey", "masterkey", "credential", "signature", "authorization", "authentication", "session",
        "assertion", "verifier", "samlresponse",
    ].map { Array($0.utf8) }

    /// Words that make a name secret only as whole words.
    private static let words = Set(
        [
            "pass", "pwd", "pw", "pin", "key", "sig", "auth", "jwt", "otp", "totp", "sid", "csrf", "xsrf", "cvv",
            "cvc",
        ]
        .map { Array($0.utf8) }
    )

    /// Words that tell, before `key`, that it is not a secret.
    private static let openKeys = Set(
        [
            "public", "idempotency", "socket", "websocket", "sort", "primary", "foreign", "partition", "cache",
            "surrogate",
        ]
        .map { Array($0.utf8) }
    )

    /// Whether a name is that of a secret: `api_key`, `X-Auth-Token`, `clientSecret`, `user[pin]`,
    /// `pw`.
    package static func contains(_ name: String) -> Bool {
        let words = cut(Array(name.utf8))
        let name = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
        // Says only whether a browser may send credentials (Fetch §3.3.3).
        if name == "access-control-allow-credentials" { return false }
        if names.contains(name) { return true }
        var previous: [UInt8] = []
        for numbered in words {
            // `key2` is a key.
            let word = Array(numbered[...(numbered.lastIndex { $0 > 0x39 } ?? 0)])
            let isOpen = word == Array("key".utf8) && openKeys.contains(previous)
            if self.words.contains(word), !isOpen { return true }
            previous = word
        }
        let letters = Array(words.joined())
        // The number of tokens that a client may still use is not a token.
        if letters.contains(Array("ratelimit".utf8)) { return false }
        return parts.contains { letters.contains($0) }
    }

    /// The words of a name in lower case.
    private static func cut(_ name: [UInt8]) -> [[UInt8]] {
        var words: [[UInt8]] = []
        var word: [UInt8] = []
        func isUpper(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
        func isLower(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
        for (position, byte) in name.enumerated() {
            let isDigit = (0x30...0x39).contains(byte)
            // Between `t` and `S` of `clientSecret`, and between `I` and `K` of `APIKey`.
            let next = position + 1 < name.count ? name[position + 1] : 0
            let begins = position > 0 && isUpper(byte) && (!isUpper(name[position - 1]) || isLower(next))
            if begins || !(isUpper(byte) || isLower(byte) || isDigit) {
                if !word.isEmpty { words.append(word) }
                word = []
            }
            if isUpper(byte) { word.append(byte | 0x20) } else if isLower(byte) || isDigit { word.append(byte) }
        }
        if !word.isEmpty { words.append(word) }
        return words
    }

    /// A field's value without its secret; the scheme of credentials stays (RFC 9110 §11.4).
    package static func redacted(_ field: HTTPField) -> String {
        guard contains(field.name.canonicalName) else { return field.value }
        guard field.name == .authorization || field.name == .proxyAuthorization,
            let blank = field.value.utf8.firstIndex(of: UInt8(ascii: " "))
        else { return replacement }
        return field.value[..<blank] + " " + replacement
    }

    /// A query or form without the values of secrets; everything else byte for byte.
    ///
    /// - Parameters:
    ///   - pairs: The query or form.
    ///   - isSecret: Whether a name is that of a secret. Default: ``contains(_:)``.
    /// - Returns: The query or form to show.
    package static func redacted(
        pairs: some Collection<UInt8>,
        isSecret: (String) -> Bool = contains
    ) -> [UInt8] {
        let pairs = pairs.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { pair in
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")), isSecret(name(encoded: pair[..<equals]))
            else { return Array(pair) }
            return Array(pair[...equals]) + Array(replacement.utf8)
        }
        return Array(pairs.joined(separator: [UInt8(ascii: "&")]))
    }

    /// A name or value of a query or a form without its encoding.
    package static func name(encoded text: some Collection<UInt8>) -> String {
        let spaced = text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return String(decoding: ASCII.percentDecoded(spaced), as: UTF8.self)
    }
}
