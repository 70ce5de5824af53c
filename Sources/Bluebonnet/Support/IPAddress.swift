import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An address of IPv4 or IPv6.
///
/// An IPv4 address in the form of one of IPv6, `::ffff:192.0.2.1` (RFC 4291 §2.5.5.2), is the IPv4
/// address.
///
/// Counterpart of `sockaddr` in `managerForAddress:` of AFNetworking, and of `IPv4Address` and
/// `IPv6Address` of Apple's Network framework.
public struct IPAddress: Sendable, Hashable {
    let isIPv4: Bool
    /// The first half of the bits. All of an IPv4 address is at its beginning.
    let high: UInt64
    let low: UInt64

    /// The index of the link of a link-local address (RFC 4007 §6), as the system numbers its
    /// links: `fe80::1` is another machine on each. Default: 0, none. IPv4 addresses have none.
    public let scope: UInt32

    init(isIPv4: Bool, high: UInt64, low: UInt64, scope: UInt32 = 0) {
        (self.isIPv4, self.high, self.low) = (isIPv4, high, low)
        self.scope = isIPv4 ? 0 : scope
    }

    /// The address of 4 or 16 bytes in the order of the network; nil for another number of them.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - scope: The index of the link of a link-local address. Default: 0, none.
    public init?(_ bytes: some Collection<UInt8>, scope: UInt32 = 0) {
        switch bytes.count {
        case 4: self.init(isIPv4: true, high: Self.number(bytes) << 32, low: 0)
        case 16:
            let (high, low) = (Self.number(bytes.prefix(8)), Self.number(bytes.dropFirst(8)))
            // RFC 4291 §2.5.5.2: an IPv4 address in the form of one of IPv6.
            if high == 0, low >> 32 == 0xFFFF {
                self.init(isIPv4: true, high: low << 32, low: 0)
            } else {
                self.init(isIPv4: false, high: high, low: low, scope: scope)
            }
        default: return nil
        }
    }

    /// The address of a socket; nil for a Unix-domain one.
    init?(_ address: SocketAddress) {
        switch address {
        case .v4(let address): self.init(address.address)
        case .v6(let address): self.init(address.address)
        case .unixDomainSocket: return nil
        }
    }

    init?(_ address: sockaddr_in) {
        // The four bytes behind family and port are the address.
        self.init(unsafe withUnsafeBytes(of: address) { unsafe Array($0[4..<8]) })
    }

    init?(_ address: sockaddr_in6) {
        // Behind family, port and flow information are the address and the scope (RFC 3493 §3.3).
        let (bytes, scope) = unsafe withUnsafeBytes(of: address) {
            unsafe (Array($0[8..<24]), $0.loadUnaligned(fromByteOffset: Self.scopeOffset, as: UInt32.self))
        }
        self.init(bytes, scope: scope)
    }

    private static let scopeOffset = 24

    private static func number(_ bytes: some Collection<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The family of the address.
    public var family: Family { isIPv4 ? .ipv4 : .ipv6 }

    /// The 4 or 16 bytes in the order of the network.
    public var bytes: [UInt8] {
        isIPv4 ? Array(Self.bytes(of: high).prefix(4)) : Self.bytes(of: high) + Self.bytes(of: low)
    }

    private static func bytes(of number: UInt64) -> [UInt8] {
        stride(from: UInt64(56), through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// A family of addresses. A struct, as all sets of names here.
    public struct Family: Sendable, Hashable, CustomStringConvertible {
        /// The name: `IPv6`.
        public let description: String

        /// IPv4 (RFC 791).
        public static let ipv4 = Family(description: "IPv4")
        /// IPv6 (RFC 8200).
        public static let ipv6 = Family(description: "IPv6")

        /// The two families.
        static let all: Set<Family> = [.ipv4, .ipv6]

        var other: Family { self == .ipv4 ? .ipv6 : .ipv4 }
    }

    /// The number of bits of an address of this family.
    var bits: Int { isIPv4 ? 32 : 128 }

    /// The address with all bits behind the first ones cleared, without a scope.
    func prefix(_ length: Int) -> IPAddress {
        let mask = { (bits: Int) in bits <= 0 ? 0 : UInt64.max << UInt64(64 - min(bits, 64)) }
        return IPAddress(isIPv4: isIPv4, high: high & mask(length), low: low & mask(length - 64))
    }

    /// The address without a scope, as routes compare addresses.
    var unscoped: IPAddress { IPAddress(isIPv4: isIPv4, high: high, low: low) }

    /// 127.0.0.1
    static let loopback = IPAddress(isIPv4: true, high: 0x7F00_0001 << 32, low: 0)

    /// Whether it is an address of this machine alone: 127.0.0.0/8 or ::1.
    var isLoopback: Bool { isIPv4 ? high >> 56 == 127 : high == 0 && low == 1 }

    /// Whether it is one of IPv6 for one link only (RFC 4291 §2.5.6).
    var isLinkLocal: Bool { !isIPv4 && high >> 54 == 0x3FA }

    /// Whether the policy table of RFC 6724 §2.1 prefers addresses of IPv4: to those of local
    /// networks (fc00::/7, fec0::/10), of 6to4 (2002::/16), of Teredo (2001::/32) and of the 6bone
    /// (3ffe::/16), and to compatible ones (::/96).
    var isBelowIPv4: Bool {
        guard !isIPv4 else { return false }
        let isCompatible = high == 0 && low >> 32 == 0 && !isLoopback
        return isCompatible || high >> 57 == 0x7E || high >> 54 == 0x3FB || high >> 32 == 0x2001_0000
            || [0x2002, 0x3FFE].contains(high >> 48)
    }

    /// The address of a socket.
    ///
    /// - Throws: No error for 4 or 16 bytes, which every address has.
    func socketAddress(port: Int) throws -> SocketAddress {
        let address = try SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: port)
        guard scope != 0, case .v6(let packed) = address else { return address }
        var scoped = packed.address
        unsafe withUnsafeMutableBytes(of: &scoped) {
            unsafe $0.storeBytes(of: scope, toByteOffset: Self.scopeOffset, as: UInt32.self)
        }
        return SocketAddress(scoped, host: "")
    }
}

extension IPAddress: LosslessStringConvertible {
    /// The address of a text such as `192.0.2.1` or `2001:db8::1`, also in brackets; nil for any
    /// other text.
    ///
    /// Behind a link-local address the name or the number of its link may stand, `fe80::1%eth0`
    /// (RFC 4007 §11); where there is no such link, the text is no address.
    ///
    /// - Parameter text: The text.
    public init?(_ text: String) {
        let bare = text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : text[...]
        let parts = bare.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        let address = parts.first.map(String.init) ?? ""
        // inet_pton writes 4 or 16 bytes.
        var bytes = [UInt8](repeating: 0, count: 16)
        if parts.count == 1, unsafe inet_pton(AF_INET, address, &bytes) == 1 {
            self.init(bytes.prefix(4))
        } else if unsafe inet_pton(AF_INET6, address, &bytes) == 1 {
            guard parts.count == 2 else {
                self.init(bytes)
                return
            }
            guard let scope = Self.scope(String(parts[1])) else { return nil }
            self.init(bytes, scope: scope)
            guard isLinkLocal else { return nil }
        } else {
            return nil
        }
    }

    private static func scope(_ link: String) -> UInt32? {
        let index = unsafe if_nametoindex(link)
        if index != 0 { return index }
        return UInt32(link).flatMap { $0 == 0 ? nil : $0 }
    }

    /// The text of the address; IPv6 as RFC 5952 says, with the name of the link where it has one.
    public var description: String {
        guard let text = (try? socketAddress(port: 0))?.ipAddress else { return "" }
        guard scope != 0 else { return text }
        // The system writes at most IF_NAMESIZE bytes, the zero at the end among them.
        var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        guard unsafe if_indextoname(scope, &name) != nil else { return "\(text)%\(scope)" }
        let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return "\(text)%\(String(decoding: bytes, as: UTF8.self))"
    }
}
