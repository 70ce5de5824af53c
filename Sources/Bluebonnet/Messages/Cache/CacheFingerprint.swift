/// A number for the key of a stored response, found without putting the key together. Two keys may
/// have the same one: it finds what then has to be compared, or tells that there is nothing.
///
/// It is FNV-1a (RFC 9923) of the bytes of the key, the same in every process.
package struct CacheFingerprint: Hashable, Sendable {
    /// The number.
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// That of a ``CacheRecord/key``.
    package init(_ key: String) {
        combine(key)
    }

    /// That of the ``Request/cacheKey`` of a request without a `Host` of its own; nil for a
    /// Unix-domain socket.
    init?(_ target: RequestTarget) {
        guard let pieces = KeyPieces(target) else { return nil }
        combine(pieces.scheme)
        combine(pieces.host)
        combine(pieces.port)
        combine(target.path)
    }

    private mutating func combine(_ text: String) {
        for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    /// Whether a key is that of a request without a `Host` of its own.
    static func isKey(_ key: String, of target: RequestTarget) -> Bool {
        guard let pieces = KeyPieces(target) else { return false }
        var bytes = key.utf8.makeIterator()
        for piece in [pieces.scheme, pieces.host, pieces.port, target.path] {
            for byte in piece.utf8 where bytes.next() != byte { return false }
        }
        return bytes.next() == nil
    }

    /// The beginning of a key, in pieces.
    private struct KeyPieces {
        let scheme: String
        let host: String
        let port: String

        init?(_ target: RequestTarget) {
            guard case .host(let name, let number) = target.origin.endpoint else { return nil }
            scheme = target.origin.isSecure ? "https://" : "http://"
            host = name.utf8.contains(UInt8(ascii: ":")) ? "[\(name)]" : name
            // Most ports are the schemes' own.
            port = number == 80 ? ":80" : number == 443 ? ":443" : ":\(number)"
        }
    }
}
