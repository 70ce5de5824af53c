import FoundationEssentials

/// A challenge of Digest that can be answered (RFC 7616 §3.3).
struct DigestChallenge: Sendable, Hashable {
    /// What the hash is over (RFC 7616 §3.4.3).
    enum Protection: Sendable, Hashable {
        /// Without `qop`, as RFC 2069 had it.
        case none
        /// Method and URI.
        case auth
        /// The body of the request, too.
        case authInt
    }

    /// The bytes of the realm, which need not be UTF-8.
    let realm: [UInt8]
    let algorithm: DigestAlgorithm
    /// The algorithm as the server wrote it; nil where it did not.
    let algorithmName: String?
    let nonce: String
    let opaque: String?
    /// The protections that are offered; one at least.
    let protections: Set<Protection>
    /// Whether only the nonce was too old, and not the password wrong.
    let isStale: Bool
    /// Whether the name of the user is sent as a hash (RFC 7616 §3.4.4).
    let hashesUser: Bool
    /// Whether the server knows UTF-8, and so `username*` (RFC 7616 §3.4, §4).
    let isUTF8: Bool
    /// The paths under which the credentials hold, with query; nil for the whole server.
    let domain: [String]?

    /// The algorithm that the body has to be hashed with (RFC 7616 §3.4.3); nil where it has not.
    var bodyAlgorithm: DigestAlgorithm? { protections == [.authInt] ? algorithm : nil }

    /// Nil for another scheme, for a challenge without realm or nonce, for algorithms and
    /// protections that are not known, and for a `-sess` algorithm without `qop`: its key is made
    /// of the client's nonce (RFC 7616 §3.4.2), which is only sent with `qop`.
    ///
    /// - Parameters:
    ///   - challenge: The challenge.
    ///   - url: The URL of the refused request, against which those of the domain are resolved; nil
    ///     for a challenge of a proxy, which has no domain (RFC 7616 §3.3).
    init?(_ challenge: HTTPChallenge, from url: URL?) {
        guard challenge.scheme == .digest, let realm = challenge.realmBytes, let nonce = challenge["nonce"],
            let algorithm = DigestAlgorithm(challenge["algorithm"])
        else { return nil }
        self.realm = realm
        self.nonce = nonce
        self.algorithm = algorithm
        algorithmName = challenge["algorithm"]
        opaque = challenge["opaque"]
        isStale = Self.isTrue(challenge["stale"])
        hashesUser = Self.isTrue(challenge["userhash"])
        isUTF8 = challenge["charset"].map { Self.lowercased($0) == "utf-8" } ?? false
        if let options = challenge["qop"] {
            let words = options.utf8.split { $0 == UInt8(ascii: ",") || ASCII.isBlank($0) }
                .map { String(decoding: $0.map(ASCII.lowercased), as: UTF8.self) }
            protections = Set(words.compactMap { ["auth": Protection.auth, "auth-int": .authInt][$0] })
        } else {
            // RFC 7616 makes it mandatory, but servers from before it do without.
            protections = [.none]
        }
        guard !protections.isEmpty, !algorithm.isSession || protections != [.none] else { return nil }
        domain = url.flatMap { Self.domain(challenge["domain"], $0) }
    }

    /// The paths of a `domain` that are on the server itself. Others are left out: credentials are
    /// never sent to another origin, whatever this one says.
    private static func domain(_ text: String?, _ url: URL) -> [String]? {
        guard let text else { return nil }
        let words = text.utf8.split(separator: ASCII.space).prefix(64)
        guard !words.isEmpty, let origin = try? RequestTarget(url).origin else { return nil }
        return words.compactMap { word in
            guard let target = URL(string: String(decoding: word, as: UTF8.self), relativeTo: url)?.absoluteURL,
                let target = try? RequestTarget(target), target.origin == origin
            else { return nil }
            return target.path
        }
    }

    private static func isTrue(_ text: String?) -> Bool { text.map { lowercased($0) == "true" } ?? false }

    private static func lowercased(_ text: String) -> String {
        String(decoding: text.utf8.map(ASCII.lowercased), as: UTF8.self)
    }
}
