/// The use of one nonce: it counts the requests that were sent with it (RFC 7616 §3.4).
struct DigestSession: Sendable {
    let challenge: DigestChallenge
    private(set) var nonce: String
    /// The client's nonce, the same for all requests with one nonce of the server: their count
    /// makes them differ, and the key of a `-sess` algorithm is made of the first two.
    private let clientNonce: String
    private var count: UInt32 = 0
    /// The nonces that the key of a `-sess` algorithm was made of.
    private let firstNonce: String

    init(_ challenge: DigestChallenge, clientNonce: String = Self.newNonce()) {
        self.challenge = challenge
        nonce = challenge.nonce
        firstNonce = challenge.nonce
        self.clientNonce = clientNonce
    }

    /// 128 random bits.
    static func newNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        let (high, low) = (generator.next(), generator.next())
        return String(high, radix: 16) + String(low, radix: 16)
    }

    /// One request: what its hash is over.
    struct Message: Sendable {
        let method: String
        /// The request target as it is sent (RFC 9112 §3.2).
        let target: String
        /// The hash of the body, where that is protected.
        var bodyDigest: String?
    }

    /// A field that was sent, and what the server must know to confirm it.
    struct Authorization: Sendable, Equatable {
        /// The bytes of the field: a name or a realm need not be UTF-8.
        let value: [UInt8]
        /// `rspauth` as a server with the password writes it (RFC 7616 §3.5).
        let confirmation: String?
        let clientNonce: String
        let nonceCount: String

        /// The field as a text.
        var field: String { String(decoding: value, as: UTF8.self) }
    }

    /// Whether the nonce can be used again; its count has eight digits.
    var isUsable: Bool { count < .max }

    /// The field for the next request (RFC 7616 §3.4).
    mutating func authorization(
        user: [UInt8],
        password: [UInt8],
        _ message: Message
    ) -> Authorization {
        count += 1
        let algorithm = challenge.algorithm
        let realm = challenge.realm
        let digits = String(count, radix: 16)
        let nonceCount = String(repeating: "0", count: 8 - digits.utf8.count) + digits
        // §3.4.2
        var key = algorithm.digest([user, realm, password])
        if algorithm.isSession { key = algorithm.digest([Array(key.utf8), Array(firstNonce.utf8), client]) }
        let protection = chosen(hasBodyDigest: message.bodyDigest != nil)
        // §3.4.3
        var parts = [Array(message.method.utf8), Array(message.target.utf8)]
        if protection == .authInt { parts.append(Array((message.bodyDigest ?? "").utf8)) }
        let word = protection == .authInt ? "auth-int" : "auth"
        func response(_ request: [[UInt8]]) -> String {
            let digest = Array(algorithm.digest(request).utf8)
            // §3.4.1, and RFC 2069 without a protection.
            let middle =
                protection == .none
                ? [Array(nonce.utf8)] : [Array(nonce.utf8), Array(nonceCount.utf8), client, Array(word.utf8)]
            return algorithm.digest([Array(key.utf8)] + middle + [digest])
        }
        var field = FieldText()
        if challenge.hashesUser {
            field.append("username", quoted: algorithm.digest([user, realm]))
        } else if challenge.isUTF8, user.contains(where: { $0 >= 0x80 }), String(validating: user, as: UTF8.self) != nil
        {
            // §3.4: the name has characters that a quoted string must not have.
            field.append("username*", plain: "UTF-8''\(Self.percentEncoded(user))")
        } else {
            field.append("username", quoted: user)
        }
        field.append("realm", quoted: realm)
        field.append("uri", quoted: message.target)
        if let name = challenge.algorithmName { field.append("algorithm", plain: name) }
        field.append("nonce", quoted: nonce)
        if protection != .none {
            field.append("nc", plain: nonceCount)
            field.append("cnonce", quoted: clientNonce)
            field.append("qop", plain: word)
        }
        field.append("response", quoted: response(parts))
        if let opaque = challenge.opaque { field.append("opaque", quoted: opaque) }
        if challenge.hashesUser { field.append("userhash", plain: "true") }
        // §3.5: as the request without its method. Of a protected body the hash is not known here.
        let confirmation = protection == .auth ? response([[], Array(message.target.utf8)]) : nil
        return Authorization(
            value: field.bytes,
            confirmation: confirmation,
            clientNonce: clientNonce,
            nonceCount: nonceCount
        )
    }

    private var client: [UInt8] { Array(clientNonce.utf8) }

    /// The protection of a request. The body is hashed only where a server offers nothing else: it
    /// costs a reading of the whole.
    private func chosen(hasBodyDigest: Bool) -> DigestChallenge.Protection {
        if challenge.protections.contains(.auth) { return .auth }
        return challenge.protections.contains(.authInt) && hasBodyDigest ? .authInt : .none
    }

    /// Goes on with the nonce that the server wants for the next requests (RFC 7616 §3.5), after
    /// one with this nonce. A late response may speak of an earlier one: to count its next nonce
    /// from the beginning again would look like a replay.
    mutating func take(nextNonce: String, after sentNonce: String) {
        guard sentNonce == nonce, nextNonce != nonce else { return }
        (nonce, count) = (nextNonce, 0)
    }

    /// RFC 8187 §3.2.1.
    private static func percentEncoded(_ bytes: [UInt8]) -> String {
        ASCII.percentEncoded(bytes) { byte in
            ASCII.isToken(byte) && byte != UInt8(ascii: "*") && byte != UInt8(ascii: "'") && byte != UInt8(ascii: "%")
        }
    }

    /// `Digest` and its parameters.
    private struct FieldText {
        private(set) var bytes = Array("Digest ".utf8)
        private var isFirst = true

        mutating func append(_ name: String, plain value: String) {
            append(name, value.utf8)
        }

        mutating func append(_ name: String, quoted value: String) {
            append(name, quoted: Array(value.utf8))
        }

        /// RFC 9110 §5.6.4.
        mutating func append(_ name: String, quoted value: [UInt8]) {
            let mark = UInt8(ascii: "\"")
            var quoted = [mark]
            for byte in value {
                if byte == mark || byte == UInt8(ascii: "\\") { quoted.append(UInt8(ascii: "\\")) }
                quoted.append(byte)
            }
            append(name, quoted + [mark])
        }

        private mutating func append(_ name: String, _ value: some Sequence<UInt8>) {
            if !isFirst { bytes += ", ".utf8 }
            isFirst = false
            bytes += "\(name)=".utf8
            bytes += value
        }
    }
}

/// What a server says about an accepted request of Digest (RFC 7616 §3.5, RFC 7615).
struct AuthenticationInfo: Sendable {
    let nextNonce: String?
    /// The `qop` in lower case; nil where the server leaves it out.
    let protection: String?
    let confirmation: String?
    let clientNonce: String?
    let nonceCount: String?

    /// Nil for a field that is not a list of parameters.
    init?(_ field: String) {
        var parser = ChallengeParser(field)
        guard let parameters = parser.parameterList() else { return nil }
        func value(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
        nextNonce = value("nextnonce")
        protection = value("qop").map { String(decoding: $0.utf8.map(ASCII.lowercased), as: UTF8.self) }
        confirmation = value("rspauth")
        clientNonce = value("cnonce")
        nonceCount = value("nc")
    }

    /// Whether it contradicts what was sent: then whoever wrote it does not know the password.
    func contradicts(_ sent: DigestSession.Authorization) -> Bool {
        guard let confirmation, let expected = sent.confirmation else { return false }
        // §3.5: that of another protection, as of the body of the response, is another hash.
        guard protection == nil || protection == "auth" else { return false }
        // §3.5: it is about the request with these two.
        guard clientNonce ?? sent.clientNonce == sent.clientNonce, nonceCount ?? sent.nonceCount == sent.nonceCount
        else { return true }
        return !confirmation.utf8.map(ASCII.lowercased).elementsEqual(expected.utf8)
    }
}
