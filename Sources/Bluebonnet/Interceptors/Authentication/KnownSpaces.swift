/// What a session knows of the protection spaces of its servers, as a value: which credential each
/// has accepted, for which paths, and the nonces of Digest.
struct KnownSpaces: Sendable {
    /// A scheme with a credential: what the next request is sent with.
    struct Choice: Sendable {
        /// Nil for a credential that is sent before anything is known.
        var space: ProtectionSpace?
        var scheme: AuthenticationScheme
        var credential: Credential
        /// For Digest.
        var challenge: DigestChallenge?
    }

    private struct Entry: Sendable {
        let space: ProtectionSpace
        /// The credential of the session; nil while only tasks have their own.
        var credential: Credential?
        /// The credential that was accepted without a proof so far that it is right.
        var unproven: Credential?
        /// How many were refused since one was accepted.
        var failures = 0
        var digest: DigestSession?
        /// The beginnings of the paths that belong to the space, as far as is known.
        var prefixes: [String] = []
    }

    private var entries: [Origin: [Entry]] = [:]

    /// A server can name as many realms as it likes.
    private static let mostSpaces = 32
    private static let mostPrefixes = 64
    private static let mostOrigins = 1024

    var isEmpty: Bool { entries.isEmpty }

    // MARK: Before a request

    /// What to send without being asked (RFC 9110 §11.5): the credential of the space whose path
    /// is the longest beginning of the request's.
    ///
    /// - Parameters:
    ///   - origin: The origin of the request.
    ///   - target: Its path with the query.
    ///   - own: The credential of the request itself, which wins.
    /// - Returns: The choice; nil for none.
    func choice(for origin: Origin, target: String, own: Credential?) -> Choice? {
        guard let entries = entries[origin], !Self.hasDotSegment(target) else { return nil }
        var best: (length: Int, choice: Choice)?
        for entry in entries {
            let space = entry.space
            guard let credential = own ?? entry.credential, credential.fits(space.scheme) else { continue }
            if space.scheme == .digest, entry.digest?.isUsable != true { continue }
            for prefix in entry.prefixes where target.utf8.starts(with: prefix.utf8) {
                let length = prefix.utf8.count
                if let best, best.length >= length { continue }
                let choice = Choice(
                    space: space,
                    scheme: space.scheme,
                    credential: credential,
                    challenge: entry.digest?.challenge
                )
                best = (length, choice)
            }
        }
        return best?.choice
    }

    /// A server may take `/docs/../private` for another path than it begins with.
    private static func hasDotSegment(_ target: String) -> Bool {
        target.utf8.prefix { $0 != UInt8(ascii: "?") }.split(separator: UInt8(ascii: "/")).contains { segment in
            let plain = ASCII.percentDecoded(segment)
            return plain.elementsEqual(".".utf8) || plain.elementsEqual("..".utf8)
        }
    }

    // MARK: Digest

    /// The field for the next request with a nonce of this challenge: the one that is in use, if it
    /// is the same, or else from now on this.
    mutating func authorization(
        for origin: Origin,
        _ choice: Choice,
        _ challenge: DigestChallenge,
        _ message: DigestSession.Message,
        isKnown: Bool
    ) -> DigestSession.Authorization? {
        guard let space = choice.space, case .password(let user, let password) = choice.credential.kind else {
            return nil
        }
        return change(space, at: origin) { entry in
            // A nonce that was known when the request was chosen may be an older one by now.
            if !isKnown, entry.digest?.challenge.nonce != challenge.nonce { entry.digest = DigestSession(challenge) }
            if entry.digest == nil { entry.digest = DigestSession(challenge) }
            return entry.digest?.authorization(user: user, password: password, message)
        }
    }

    /// The challenge that ``authorization(for:_:_:_:isKnown:)`` would answer now.
    func challenge(
        for origin: Origin,
        _ choice: Choice,
        _ challenge: DigestChallenge,
        isKnown: Bool
    ) -> DigestChallenge {
        guard let used = choice.space.flatMap({ entry($0, origin)?.digest?.challenge }) else { return challenge }
        return isKnown || used.nonce == challenge.nonce ? used : challenge
    }

    /// The nonce that the session uses for a space.
    func nonce(of space: ProtectionSpace, at origin: Origin) -> String? {
        entry(space, origin)?.digest?.nonce
    }

    /// Goes on with another nonce, unless the one after which the server wants it is not used any
    /// more.
    mutating func take(nextNonce: String, after nonce: String, for space: ProtectionSpace, at origin: Origin) {
        change(space, at: origin) { $0.digest?.take(nextNonce: nextNonce, after: nonce) }
    }

    // MARK: Credentials

    /// The credential of the session for a space.
    func credential(for space: ProtectionSpace, at origin: Origin) -> Credential? {
        entry(space, origin)?.credential
    }

    func failures(in space: ProtectionSpace, at origin: Origin) -> Int {
        entry(space, origin)?.failures ?? 0
    }

    /// Has all tasks of the session use the credential.
    mutating func keep(_ credential: Credential, for space: ProtectionSpace, at origin: Origin) {
        change(space, at: origin) { $0.credential = credential }
    }

    /// Notes that the server refused a credential. It counts once, however many requests had it.
    mutating func refuse(_ credential: Credential, for space: ProtectionSpace, at origin: Origin) {
        change(space, at: origin) { entry in
            guard let known = entry.credential, known.isSame(as: credential) else { return }
            entry.credential = nil
            entry.failures += 1
        }
    }

    /// Notes that the server accepted a credential for a path, and so for what is beside and below
    /// it: RFC 7617 §2.2 for Basic, and the same for Bearer; for Digest the paths of its domain, or
    /// the whole server (RFC 7616 §3.3).
    mutating func accept(_ credential: Credential, for space: ProtectionSpace, at origin: Origin, target: String) {
        change(space, at: origin) { entry in
            entry.unproven = credential
            if space.scheme == .digest {
                entry.prefixes = entry.digest.map { $0.challenge.domain ?? ["/"] } ?? []
                return
            }
            let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
            guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return }
            let prefix = String(target[...slash])
            guard !entry.prefixes.contains(where: { prefix.utf8.starts(with: $0.utf8) }) else { return }
            entry.prefixes.removeAll { $0.utf8.starts(with: prefix.utf8) }
            if entry.prefixes.count >= Self.mostPrefixes { entry.prefixes.removeFirst() }
            entry.prefixes.append(prefix)
        }
    }

    /// Notes that a request with a credential was successful.
    ///
    /// - Returns: Whether that is the first one since the credential was accepted.
    mutating func prove(_ credential: Credential, for space: ProtectionSpace, at origin: Origin) -> Bool {
        guard entry(space, origin)?.unproven?.isSame(as: credential) == true else { return false }
        change(space, at: origin) { entry in
            entry.unproven = nil
            entry.failures = 0
        }
        return true
    }

    // MARK: Entries

    private func entry(_ space: ProtectionSpace, _ origin: Origin) -> Entry? {
        entries[origin]?.first { $0.space == space }
    }

    @discardableResult
    private mutating func change<Result>(
        _ space: ProtectionSpace,
        at origin: Origin,
        _ change: (inout Entry) -> Result
    ) -> Result {
        if entries[origin] == nil, entries.count >= Self.mostOrigins, let one = entries.keys.first {
            entries[one] = nil
        }
        var list = entries[origin] ?? []
        defer { entries[origin] = list }
        if let index = list.firstIndex(where: { $0.space == space }) { return change(&list[index]) }
        if list.count >= Self.mostSpaces { list.removeFirst() }
        var entry = Entry(space: space)
        defer { list.append(entry) }
        return change(&entry)
    }
}
