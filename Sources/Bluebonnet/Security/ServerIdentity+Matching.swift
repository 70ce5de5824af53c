import NIOCore

extension ServerIdentity {
    /// Whether one name of a certificate is for this server.
    func matches(_ identifier: PresentedIdentifier) -> Bool {
        switch (self, identifier) {
        case (.name(let name), .name(let pattern)): Self.matches(pattern.utf8, name.utf8)
        // RFC 9525 §6.4: byte for byte; an IPv4 address in the form of IPv6 is another address.
        case (.address(let address), .address(let bytes)):
            (try? SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: 0)) == address
        default: false
        }
    }

    /// RFC 9525 §6.3: equal but for case, or equal behind a first label that is `*`. The name is
    /// valid, so what equals it is too: there is no other place for an asterisk, no empty label and
    /// no zero byte.
    private static func matches(_ pattern: String.UTF8View, _ name: String.UTF8View) -> Bool {
        guard pattern.starts(with: "*.".utf8) else { return isEqual(pattern[...], name[...]) }
        guard let dot = name.firstIndex(of: UInt8(ascii: ".")) else { return false }
        let domain = name[dot...].dropFirst()
        // Two labels must follow: `*.com` would be for every name there is.
        return domain.contains(UInt8(ascii: ".")) && isEqual(pattern.dropFirst(2), domain)
    }

    private static func isEqual(_ left: Substring.UTF8View, _ right: Substring.UTF8View) -> Bool {
        left.count == right.count && left.elementsEqual(right) { lower($0) == lower($1) }
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
