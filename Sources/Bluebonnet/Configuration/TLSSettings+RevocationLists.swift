extension TLSSettings {
    /// Lists of certificates that their authorities have revoked (CRLs, RFC 5280 §5).
    ///
    /// They are read when the first secure connection needs them, and not fetched: a program that
    /// wants newer ones downloads them, and makes a new session.
    ///
    /// No counterpart in AFNetworking; takes the place of `RevocationTrustEvaluator` in Alamofire,
    /// and is curl's `--crlfile`.
    public struct RevocationLists: Sendable, Hashable {
        enum Source: Sendable, Hashable {
            case file(String)
            case pem(String)
        }

        let sources: [Source]

        /// Whether a server is refused when a certificate of its chain, but for the trusted one at
        /// the end, is in the scope of no list that is valid now. Default: false, only certificates
        /// that a list names are refused.
        public var areRequired = false

        /// The lists in a file, in PEM (`X509 CRL`, any number) or DER (one), of at most 32 MiB.
        ///
        /// - Parameter path: The path.
        /// - Returns: The lists.
        public static func file(_ path: String) -> RevocationLists { RevocationLists(sources: [.file(path)]) }

        /// The lists in a PEM text.
        ///
        /// - Parameter text: The text.
        /// - Returns: The lists.
        public static func pem(_ text: String) -> RevocationLists { RevocationLists(sources: [.pem(text)]) }

        /// These lists and others. Lists are required when they are so on either side.
        ///
        /// - Parameter others: The others.
        /// - Returns: All of them.
        public func adding(_ others: RevocationLists) -> RevocationLists {
            var all = RevocationLists(sources: sources + others.sources)
            all.areRequired = areRequired || others.areRequired
            return all
        }
    }
}
