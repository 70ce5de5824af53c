import NIOCore

/// The server that a client means to reach: the reference identifier (RFC 9525 §6.1) by which a
/// certificate is checked.
///
/// It comes from the URL alone. The address of the connection does not count (RFC 9110 §4.3.4): an
/// attacker who controls the name server controls that address, and can have a good certificate for
/// it.
enum ServerIdentity: Hashable, Sendable {
    /// A DNS name: labels of ASCII in lower case, without the dot of the root.
    case name(String)
    /// An IP address; its port is 0.
    case address(SocketAddress)

    /// The identity that the host of a URL names, without brackets; nil for a host that no
    /// certificate can be for.
    init?(host: String) {
        if let address = Self.address(host) {
            self = .address(address)
        } else if let name = Self.name(host) {
            self = .name(name)
        } else {
            return nil
        }
    }

    /// The server's name in the handshake (RFC 6066 §3: never an address, and no dot at the end).
    var serverName: String? {
        if case .name(let name) = self { name } else { nil }
    }

    /// The domain directly above a name; nil for a name of one label, and for an address.
    var domain: ServerIdentity? {
        guard case .name(let name) = self, let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        return .name(String(name[name.utf8.index(after: dot)...]))
    }

    /// For messages: `“example.com”` or `the address 127.0.0.1`.
    var sentence: String {
        switch self {
        case .name(let name): "“\(name)”"
        case .address(let address): "the address \(address.ipAddress ?? "")"
        }
    }

    private static func address(_ host: String) -> SocketAddress? {
        // The system's functions read a text up to its first zero byte.
        guard !host.utf8.contains(0) else { return nil }
        // A zone, as in `fe80::1%eth0`, has a meaning on this machine only (RFC 6874 §1); no
        // certificate can hold it.
        let isVersion6 = host.utf8.contains(UInt8(ascii: ":"))
        let literal = isVersion6 ? String(host.prefix { $0 != "%" }) : host
        return try? SocketAddress(ipAddress: literal, port: 0)
    }

    /// RFC 1034 §3.1, with the underscores that real names have. Names in other scripts must come
    /// as A-labels (RFC 9525 §6.3).
    private static func name(_ host: String) -> String? {
        let name = host.utf8.last == UInt8(ascii: ".") ? host.dropLast() : host[...]
        guard name.utf8.count <= 253 else { return nil }
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.allSatisfy({ (1...63).contains($0.count) && $0.allSatisfy(isNameByte) }),
            let last = labels.last, !isNumber(last)
        else { return nil }
        return name.lowercased()
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Whether a last label is a number: resolvers read such a host as an IPv4 address in another
    /// form (`127.1`, `0x7f.1`), and no top-level domain is a number.
    private static func isNumber(_ label: Substring.UTF8View.SubSequence) -> Bool {
        let text = String(Substring(label)).lowercased()
        return text.hasPrefix("0x") ? text.dropFirst(2).allSatisfy(\.isHexDigit) : text.allSatisfy(\.isNumber)
    }
}
