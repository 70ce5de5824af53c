public import FoundationEssentials

/// The servers that are reached without a proxy, written as in the variable `NO_PROXY`.
///
/// The rules are those of curl, and ports, brackets and networks of any length beyond them. A list
/// has elements between commas or white space:
///
/// | element | reached without a proxy |
/// |---|---|
/// | `example.com`, `.example.com` | the host `example.com` and all below it, not `badexample.com` |
/// | `192.0.2.7`, `2001:db8::7`, `[2001:db8::7]` | the address, in whatever form the URL has it |
/// | `10.0.0.0/8`, `2001:db8::/32` | the addresses of the network |
/// | one of them with a port, as `example.com:8080` or `[::1]:80` | the same, on this port alone |
/// | `*` as the whole list | every host |
///
/// Names compare without case, and without the dot of the root. A name is not looked up: an element
/// with an address holds for URLs with an address. There are no other patterns, and nothing is
/// excepted by itself, not even `localhost`.
///
/// Counterpart of `kCFNetworkProxiesExceptionsList` of `connectionProxyDictionary`.
public struct ProxyExceptions: Sendable, Hashable {
    fileprivate struct Element: Sendable, Hashable {
        enum Place: Sendable, Hashable {
            /// A name in lower case, for the host and all below it.
            case domain(String)
            case network(IPAddress, length: Int)
        }

        let place: Place
        /// Nil for every port.
        let port: Int?
    }

    private let elements: [Element]
    private let isEverything: Bool

    /// No server: all are reached by the proxy.
    public static let none = ProxyExceptions("")

    /// Makes exceptions of a list.
    ///
    /// - Parameter list: The elements, with commas or white space between them. One that is neither
    ///   a name nor an address excepts nothing.
    public init(_ list: String) {
        let parts = list.utf8.split { byte in
            byte == UInt8(ascii: ",") || ASCII.isBlank(byte) || byte == ASCII.lineFeed || byte == ASCII.carriageReturn
        }
        isEverything = parts.count == 1 && parts[0].elementsEqual("*".utf8)
        elements = isEverything ? [] : parts.compactMap { Element(Substring($0)) }
    }

    /// Whether the server of a URL is reached without a proxy.
    ///
    /// - Parameter url: The URL.
    /// - Returns: True where it is; false also for a URL that no request can have.
    public func contains(_ url: URL) -> Bool {
        guard let target = try? RequestTarget(url) else { return false }
        return contains(target.origin)
    }

    func contains(_ origin: Origin) -> Bool {
        guard case .host(let host, let port) = origin.endpoint else { return false }
        if isEverything { return true }
        guard !elements.isEmpty else { return false }
        // A zone has a meaning on this machine only (RFC 6874 §4).
        let name = Self.withoutRoot(host[...])
        let address = IPAddress(String(host.prefix { $0 != "%" })) ?? IPAddress(numbers: name)
        return elements.contains { element in
            guard element.port.map({ $0 == port }) ?? true else { return false }
            switch element.place {
            case .network(let network, let length):
                return address.map { $0.isIPv4 == network.isIPv4 && $0.prefix(length) == network } ?? false
            case .domain(let domain):
                return address == nil && Self.isIn(domain, name)
            }
        }
    }

    /// The list as curl knows it: without elements for one port.
    var curlList: String {
        if isEverything { return "*" }
        return elements.filter { $0.port == nil }.map { element in
            switch element.place {
            case .domain(let name): name
            case .network(let address, let length) where length == address.bits: address.description
            case .network(let address, let length): "\(address)/\(length)"
            }
        }.joined(separator: ",")
    }

    private static func isIn(_ domain: String, _ name: Substring) -> Bool {
        let (domain, name) = (domain.utf8, name.utf8)
        guard name.count >= domain.count, name.suffix(domain.count).elementsEqual(domain) else { return false }
        return name.count == domain.count || name.dropLast(domain.count).last == UInt8(ascii: ".")
    }

    fileprivate static func withoutRoot(_ name: Substring) -> Substring {
        name.utf8.last == UInt8(ascii: ".") ? name.dropLast() : name
    }
}

extension ProxyExceptions.Element {
    /// Nil for what is neither a name nor an address.
    init?(_ text: Substring) {
        var (host, port) = (text, Int?.none)
        if text.utf8.first == UInt8(ascii: "[") {
            guard let bracket = text.utf8.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let rest = text.utf8[text.utf8.index(after: bracket)...]
            host = text.dropFirst()[..<bracket]
            if rest.first == ASCII.colon {
                guard let number = Self.port(Substring(rest.dropFirst())) else { return nil }
                port = number
            } else {
                host += Substring(rest)
            }
        } else if text.utf8.count(where: { $0 == ASCII.colon }) == 1,
            let colon = text.utf8.firstIndex(of: ASCII.colon)
        {
            guard let number = Self.port(text[text.utf8.index(after: colon)...]) else { return nil }
            (host, port) = (text[..<colon], number)
        }
        guard let place = Place(host) else { return nil }
        (self.place, self.port) = (place, port)
    }

    private static func port(_ digits: Substring) -> Int? {
        guard digits.utf8.allSatisfy(ASCII.isDigit), let number = Int(digits), (1...65_535).contains(number) else {
            return nil
        }
        return number
    }
}

extension ProxyExceptions.Element.Place {
    init?(_ text: Substring) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
        if let first = parts.first, let address = IPAddress(String(Substring(first))) {
            var length = address.bits
            if parts.count > 1 {
                guard !parts[1].isEmpty, parts[1].allSatisfy(ASCII.isDigit), var bits = Int(Substring(parts[1])) else {
                    return nil
                }
                // An IPv4 address in the form of one of IPv6 (RFC 4291 §2.5.5.2) has 96 bits more.
                if address.isIPv4, first.contains(ASCII.colon) { bits -= 96 }
                guard (0...address.bits).contains(bits) else { return nil }
                length = bits
            }
            self = .network(address.prefix(length), length: length)
            return
        }
        if parts.count == 1, let address = IPAddress(numbers: text) {
            self = .network(address, length: address.bits)
            return
        }
        let name = ProxyExceptions.withoutRoot(text.utf8.first == UInt8(ascii: ".") ? text.dropFirst() : text)
        guard !name.isEmpty, parts.count == 1 else { return nil }
        self = .domain(name.lowercased())
    }
}

extension IPAddress {
    /// The IPv4 address of one to four numbers, as `inet_aton` and so `getaddrinfo` of POSIX read
    /// it: each is decimal, octal behind `0` or hexadecimal behind `0x`, and the last one has all
    /// bits that are left, `127.1`. Nil for any other text.
    fileprivate init?(numbers text: Substring) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count <= 4 else { return nil }
        var bits: UInt64 = 0
        for (position, part) in parts.enumerated() {
            let width = UInt64(position == parts.count - 1 ? 8 * (4 - position) : 8)
            guard let number = Self.number(Substring(part)), number >> width == 0 else { return nil }
            bits = bits << width | number
        }
        self.init(isIPv4: true, high: bits << 32, low: 0)
    }

    private static func number(_ text: Substring) -> UInt64? {
        // An initializer of a number would take a sign, too.
        guard text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) else { return nil }
        if text.hasPrefix("0x") || text.hasPrefix("0X") { return UInt64(text.dropFirst(2), radix: 16) }
        return UInt64(text, radix: text.hasPrefix("0") ? 8 : 10)
    }
}
