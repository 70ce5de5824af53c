/// Addresses that are used for a host and a port in place of a lookup.
///
/// ```swift
/// var configuration = SessionConfiguration()
/// configuration.addressOverrides = try AddressOverrides([
///     "example.com:443:127.0.0.1,[::1]",
///     "*:80:192.0.2.7",
/// ])
/// ```
///
/// The name stays that of the URL: for `Host`, for TLS and the certificate, for cookies.
///
/// Counterpart of `--resolve` of curl. No counterpart in AFNetworking and URLSession.
public struct AddressOverrides: Sendable, Hashable {
    private struct Key: Sendable, Hashable {
        /// Nil for all hosts.
        var host: String?
        var port: Int
    }

    private var addresses: [Key: [IPAddress]] = [:]

    /// Makes overrides without a host.
    public init() {}

    /// Makes overrides from texts such as curl's `--resolve` has: `HOST:PORT:ADDRESS[,ADDRESS]…`.
    ///
    /// - `HOST` is a name, an address, or `*` for all hosts without an entry of their own.
    /// - An address of IPv6 may be in brackets, and has to be as `HOST`.
    /// - `-HOST:PORT` removes an entry before it; of two for the same host and port, the later one
    ///   counts.
    ///
    /// The addresses are used as long as the session: an entry with `+` before it, which curl
    /// forgets after a minute, is refused.
    ///
    /// - Parameter texts: The texts.
    /// - Throws: ``NetworkingError/Code/invalidRequest`` for a text that is none of these.
    public init(_ texts: [String]) throws(NetworkingError) {
        for text in texts { try apply(text) }
    }

    /// Whether there are none.
    public var isEmpty: Bool { addresses.isEmpty }

    /// Sets the addresses of a host and a port.
    ///
    /// - Parameters:
    ///   - addresses: The addresses, in the order in which they are to be tried. With none, the
    ///     host is looked up.
    ///   - host: A name or an address; nil for all hosts without an entry of their own.
    ///   - port: The port.
    public mutating func set(_ addresses: [IPAddress], for host: String?, port: Int) {
        self.addresses[Key(host: host.map(Self.normalized), port: port)] = addresses.isEmpty ? nil : addresses
    }

    /// The addresses for a host and a port; nil where it has to be looked up.
    ///
    /// - Parameters:
    ///   - host: A name or an address.
    ///   - port: The port.
    /// - Returns: The addresses of its own entry, or else of the one for all hosts.
    public func addresses(of host: String, port: Int) -> [IPAddress]? {
        guard !addresses.isEmpty else { return nil }
        return addresses[Key(host: Self.normalized(host), port: port)] ?? addresses[Key(host: nil, port: port)]
    }

    /// Names are compared without regard to case (RFC 4343), and addresses by their value.
    static func normalized(_ host: String) -> String {
        IPAddress(host)?.description ?? host.lowercased()
    }

    // MARK: Texts

    private mutating func apply(_ text: String) throws(NetworkingError) {
        if text.hasPrefix("+") {
            throw Self.fault(text, "addresses that are forgotten after a while are not supported; leave out the “+”")
        }
        let isRemoval = text.hasPrefix("-")
        var rest = isRemoval ? text.dropFirst() : text[...]
        guard let host = Self.takeHost(&rest) else { throw Self.fault(text, "it has no host") }
        let digits = rest.prefix { $0 != ":" }
        guard let port = UInt16(digits), port > 0 else {
            throw Self.fault(text, "“\(digits)” is not a port")
        }
        let key = Key(host: host == "*" ? nil : Self.normalized(host), port: Int(port))
        rest = rest.dropFirst(digits.count)
        if isRemoval {
            guard rest.isEmpty else { throw Self.fault(text, "nothing may follow the port") }
            addresses[key] = nil
            return
        }
        var found: [IPAddress] = []
        for part in rest.dropFirst().split(separator: ",", omittingEmptySubsequences: false) {
            guard let address = IPAddress(String(part)) else {
                throw Self.fault(text, "“\(part)” is not an address")
            }
            found.append(address)
        }
        guard !found.isEmpty else { throw Self.fault(text, "it has no address") }
        addresses[key] = found
    }

    /// Takes the host and the colon behind it.
    private static func takeHost(_ text: inout Substring) -> String? {
        let end: Substring.Index?
        if text.hasPrefix("["), let bracket = text.firstIndex(of: "]") {
            end = text.index(after: bracket)
        } else {
            end = text.firstIndex(of: ":")
        }
        guard let end, end > text.startIndex, end < text.endIndex, text[end] == ":" else { return nil }
        defer { text = text[text.index(after: end)...] }
        return String(text[..<end])
    }

    private static func fault(_ text: String, _ reason: String) -> NetworkingError {
        NetworkingError(
            .invalidRequest,
            "“\(text)” does not say which addresses a host has: \(reason). It must be HOST:PORT:ADDRESS[,ADDRESS]…"
        )
    }
}
