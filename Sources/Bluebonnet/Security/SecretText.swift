/// Hides the secrets in texts that may have URLs and parameters in them.
package struct SecretText {
    /// The bytes that may be in front of a URL or a parameter, and behind it.
    private static let separators = Set("?#&;,<>\"'() \t".utf8)
    /// The number of levels to which values that are URLs or forms themselves are searched.
    private static let depth = 3

    private let hidesUsers: Bool
    private let isSecret: (String) -> Bool

    /// Hides what ``SecretNames`` takes for a secret, and user and password of URLs.
    package init() {
        self.init(hidesUsers: true, isSecret: SecretNames.contains)
    }

    /// - Parameters:
    ///   - hidesUsers: Whether user and password of URLs are hidden.
    ///   - isSecret: Whether a name is that of a secret.
    init(hidesUsers: Bool, isSecret: @escaping (String) -> Bool) {
        self.hidesUsers = hidesUsers
        self.isSecret = isSecret
    }

    /// The text without user and password of its URLs, and with a word in place of each value whose
    /// name says that it is secret.
    package func hidden(in text: String) -> String {
        String(decoding: hidden(in: Array(text.utf8), depth: Self.depth), as: UTF8.self)
    }

    private func hidden(in text: [UInt8], depth: Int) -> [UInt8] {
        var shown: [UInt8] = []
        var rest = (hidesUsers ? Self.withoutUsers(text) : text)[...]
        while let first = rest.first {
            if Self.separators.contains(first) {
                shown.append(first)
                rest.removeFirst()
                continue
            }
            let word = rest.prefix { !Self.separators.contains($0) }
            rest = rest[word.endIndex...]
            guard let equals = word.firstIndex(of: UInt8(ascii: "=")) else {
                shown += word
                continue
            }
            let value = word[(equals + 1)...]
            let isSecret =
                isSecret(SecretNames.name(encoded: word[..<equals])) || hasSecret(in: value, depth: depth)
            shown += word[...equals]
            shown += isSecret ? Array(SecretNames.replacement.utf8) : Array(value)
            // A secret in quotation marks may have separators in it; the whole of it is hidden.
            if isSecret, value.isEmpty, rest.first == UInt8(ascii: "\""),
                let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\""))
            {
                rest = rest[(end + 1)...]
            }
        }
        return shown
    }

    /// Whether a value that is percent-encoded has a secret inside.
    private func hasSecret(in value: ArraySlice<UInt8>, depth: Int) -> Bool {
        guard depth > 0, value.contains(UInt8(ascii: "%")) else { return false }
        let decoded = ASCII.percentDecoded(value)
        return hidden(in: decoded, depth: depth - 1) != decoded
    }

    /// The text without the user information of its URLs (RFC 3986 §3.2.1), which are with or
    /// without a scheme.
    private static func withoutUsers(_ text: [UInt8]) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        var shown: [UInt8] = []
        var position = 0
        while position < text.count {
            let byte = text[position]
            shown.append(byte)
            position += 1
            let begins =
                byte == slash && shown.dropLast().last == slash
                && (shown.dropLast(2).last.map { beginsURL($0) } ?? true)
            guard begins else { continue }
            let authority = text[position...].prefix { $0 != slash && !separators.contains($0) }
            if let at = authority.lastIndex(of: UInt8(ascii: "@")) { position = at + 1 }
        }
        return shown
    }

    /// Whether `//` behind this byte begins an authority.
    private static func beginsURL(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ":") || byte == UInt8(ascii: "=") || separators.contains(byte)
    }
}
