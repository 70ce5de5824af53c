import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An address of IPv4 or IPv6, as routes compare them: by their first bits.
struct IPAddress: Sendable, Hashable {
    let isIPv4: Bool
    /// The first half of the bits. All of an IPv4 address is at its beginning.
    let high: UInt64
    let low: UInt64

    init(isIPv4: Bool, high: UInt64, low: UInt64) {
        (self.isIPv4, self.high, self.low) = (isIPv4, high, low)
    }

    /// The address of 4 or 16 bytes; nil for another number of them.
    init?(_ bytes: some Collection<UInt8>) {
        switch bytes.count {
        case 4: self.init(isIPv4: true, high: Self.number(bytes) << 32, low: 0)
        case 16:
            let (high, low) = (Self.number(bytes.prefix(8)), Self.number(bytes.dropFirst(8)))
            // RFC 4291 §2.5.5.2: an IPv4 address in the form of one of IPv6.
            if high == 0, low >> 32 == 0xFFFF {
                self.init(isIPv4: true, high: low << 32, low: 0)
            } else {
                self.init(isIPv4: false, high: high, low: low)
            }
        default: return nil
        }
    }

    /// The address of a socket; nil for a Unix-domain one.
    init?(_ address: SocketAddress) {
        guard let text = address.ipAddress else { return nil }
        self.init(text)
    }

    /// The address of a text such as `192.0.2.1` or `2001:db8::1`, also in brackets; nil for any
    /// other text.
    init?(_ text: String) {
        let bare = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
        // inet_pton writes 4 or 16 bytes.
        var bytes = [UInt8](repeating: 0, count: 16)
        if unsafe inet_pton(AF_INET, bare, &bytes) == 1 {
            self.init(bytes.prefix(4))
        } else if unsafe inet_pton(AF_INET6, bare, &bytes) == 1 {
            self.init(bytes)
        } else {
            return nil
        }
    }

    private static func number(_ bytes: some Collection<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The number of bits of an address of this family.
    var bits: Int { isIPv4 ? 32 : 128 }

    /// The address with all bits behind the first ones cleared.
    func prefix(_ length: Int) -> IPAddress {
        let mask = { (bits: Int) in bits <= 0 ? 0 : UInt64.max << UInt64(64 - min(bits, 64)) }
        return IPAddress(isIPv4: isIPv4, high: high & mask(length), low: low & mask(length - 64))
    }

    /// 127.0.0.1
    static let loopback = IPAddress(isIPv4: true, high: 0x7F00_0001 << 32, low: 0)

    /// Whether it is an address of this machine alone: 127.0.0.0/8 or ::1.
    var isLoopback: Bool { isIPv4 ? high >> 56 == 127 : high == 0 && low == 1 }

    /// Whether it is one of IPv6 for one link only (RFC 4291 §2.5.6).
    var isLinkLocal: Bool { !isIPv4 && high >> 54 == 0x3FA }

    /// The text of the address; IPv6 as RFC 5952 says.
    var text: String {
        var buffer = ByteBuffer()
        if isIPv4 { buffer.writeInteger(UInt32(high >> 32)) } else { buffer.writeMultipleIntegers(high, low) }
        return (try? SocketAddress(packedIPAddress: buffer, port: 0))?.ipAddress ?? ""
    }
}
