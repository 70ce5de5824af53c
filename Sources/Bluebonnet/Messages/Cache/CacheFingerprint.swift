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
        guard case .host(let name, let port) = target.origin.endpoint else { return nil }
        combine(target.origin.isSecure ? "https://" : "http://")
        if Self.isVersion6(name) {
            combine("[")
            combine(name)
            combine("]")
        } else {
            combine(name)
        }
        combine(UInt8(ascii: ":"))
        var (rest, divisor) = (port, 10_000)
        // Ports have at most five digits.
        while divisor > max(1, port) { divisor /= 10 }
        while divisor > 0 {
            combine(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / divisor))
            (rest, divisor) = (rest % divisor, divisor / 10)
        }
        combine(target.path)
    }

    private mutating func combine(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
    }

    private mutating func combine(_ text: String) {
        var text = text
        // The bytes are only read, during the call.
        text.withUTF8 { bytes in
            for index in bytes.indices { combine(unsafe bytes[index]) }
        }
    }

    private static func isVersion6(_ host: String) -> Bool {
        var host = host
        return host.withUTF8 { unsafe $0.contains(UInt8(ascii: ":")) }
    }

    /// Whether a key is that of a request without a `Host` of its own.
    static func isKey(_ key: String, of target: RequestTarget) -> Bool {
        guard case .host(let name, let port) = target.origin.endpoint else { return false }
        let host = isVersion6(name) ? "[\(name)]" : name
        var bytes = key.utf8.makeIterator()
        for piece in [target.origin.isSecure ? "https://" : "http://", host, ":", String(port), target.path] {
            for byte in piece.utf8 where bytes.next() != byte { return false }
        }
        return bytes.next() == nil
    }
}
