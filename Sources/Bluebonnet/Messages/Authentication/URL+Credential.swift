import FoundationEssentials

extension URL {
    /// The URL without its user information (RFC 3986 §3.2.1), and the credential that was in it,
    /// percent-decoded: nil where both parts are empty. Nil for a URL that has none.
    func splitCredential() -> (url: URL, credential: Credential?)? {
        let text = absoluteString
        guard let scheme = text.utf8.firstRange(of: "://".utf8) else { return nil }
        let authority = text.utf8[scheme.upperBound...].prefix { byte in
            byte != UInt8(ascii: "/") && byte != UInt8(ascii: "?") && byte != UInt8(ascii: "#")
        }
        // A password may have an `@` that is not escaped.
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return nil }
        let parts = authority[..<at].split(
            separator: ASCII.colon,
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        var plain = text
        plain.removeSubrange(authority.startIndex..<text.utf8.index(after: at))
        guard let url = URL(string: plain) else { return nil }
        let user = ASCII.percentDecoded(parts[0])
        let password = parts.count > 1 ? ASCII.percentDecoded(parts[1]) : []
        guard !user.isEmpty || !password.isEmpty else { return (url, nil) }
        var credential = Credential(user: user, password: password, persistence: .task)
        credential.isPreemptive = true
        return (url, credential)
    }
}
