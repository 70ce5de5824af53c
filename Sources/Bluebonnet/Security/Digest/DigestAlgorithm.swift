import Crypto

/// A hash of Digest, and whether it is bound to a session (RFC 7616 §3.3, §6.1).
struct DigestAlgorithm: Sendable, Hashable {
    /// From the weakest to the strongest.
    enum Hash: Int, Sendable, Hashable, Comparable {
        case md5, sha256, sha512256

        static func < (one: Hash, other: Hash) -> Bool { one.rawValue < other.rawValue }
    }

    let hash: Hash
    /// Whether the first nonces are part of the key (`-sess`).
    let isSession: Bool

    /// The algorithm of a name; nil for one that is not known. No name is MD5 (RFC 7616 §3.3).
    init?(_ name: String?) {
        let known: [(String, Hash)] = [("md5", .md5), ("sha-256", .sha256), ("sha-512-256", .sha512256)]
        let lower = String(decoding: (name ?? "md5").utf8.map(ASCII.lowercased), as: UTF8.self)
        for (word, hash) in known where lower == word || lower == "\(word)-sess" {
            self.hash = hash
            isSession = lower != word
            return
        }
        return nil
    }

    /// The digest of the parts with colons between them, as hexadecimal digits: `H(a:b:c)`.
    func digest(_ parts: [[UInt8]]) -> String {
        var hasher = Hasher(hash)
        hasher.update(Array(parts.joined(separator: [ASCII.colon])))
        return hasher.finalized()
    }

    /// Hashes bytes that come in pieces.
    struct Hasher {
        private enum State {
            case md5(Insecure.MD5)
            case sha256(SHA256)
            case sha512256(SHA512256)
        }

        private var state: State

        init(_ hash: Hash) {
            state =
                switch hash {
                case .md5: .md5(Insecure.MD5())
                case .sha256: .sha256(SHA256())
                case .sha512256: .sha512256(SHA512256())
                }
        }

        mutating func update(_ bytes: [UInt8]) {
            switch state {
            case .md5(var hasher):
                hasher.update(data: bytes)
                state = .md5(hasher)
            case .sha256(var hasher):
                hasher.update(data: bytes)
                state = .sha256(hasher)
            case .sha512256(var hasher):
                hasher.update(bytes)
                state = .sha512256(hasher)
            }
        }

        /// The digest as hexadecimal digits in lower case (RFC 7616 §3.1).
        func finalized() -> String {
            let digest =
                switch state {
                case .md5(let hasher): Array(hasher.finalize())
                case .sha256(let hasher): Array(hasher.finalize())
                case .sha512256(let hasher): hasher.finalized()
                }
            return String(decoding: digest.flatMap { [Self.digit($0 >> 4), Self.digit($0 & 15)] }, as: UTF8.self)
        }

        private static func digit(_ value: UInt8) -> UInt8 {
            value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
        }
    }
}
