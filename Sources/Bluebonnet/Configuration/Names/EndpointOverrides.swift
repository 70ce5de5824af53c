import FoundationEssentials

/// Hosts and ports that are connected to in place of those of the URL.
///
/// ```swift
/// var configuration = SessionConfiguration()
/// configuration.endpointOverrides = try EndpointOverrides([
///     "example.com:443:staging.example.com:8443",
///     "::127.0.0.1:8080",
/// ])
/// ```
///
/// The URL stays as it is: for `Host`, for TLS and the certificate, for cookies, for the choice of
/// the proxy. Only the connection leads elsewhere: ``AddressOverrides`` and the lookup are for the
/// new host. A proxy is asked for a tunnel to the new host, also for `http`, and is itself never
/// replaced. Unix-domain sockets are not, either.
///
/// Counterpart of `--connect-to` of curl. No counterpart in AFNetworking and URLSession.
public struct EndpointOverrides: Sendable, Hashable {
    private struct Entry: Sendable, Hashable {
        /// Nil for every host.
        var host: String?
        /// Nil for every port.
        var port: Int?
        /// Nil for that of the URL.
        var newHost: String?
        /// Nil for that of the URL.
        var newPort: Int?
    }

    private var entries: [Entry] = []

    /// Makes overrides without an entry.
    public init() {}

    /// Makes overrides from texts such as curl's `--connect-to` has: `HOST1:PORT1:HOST2:PORT2`,
    /// where requests for the first host and port are sent to the second ones.
    ///
    /// - Each part may be empty: an empty `HOST1` or `PORT1` is any, an empty `HOST2` or `PORT2`
    ///   that of the URL.
    /// - An address of IPv6 has to be in brackets.
    /// - The first text that is for a host and port counts.
    ///
    /// - Parameter texts: The texts.
    /// - Throws: ``NetworkingError/Code/invalidRequest`` for a text that is none of these.
    public init(_ texts: [String]) throws(NetworkingError) {
        for text in texts { try add(text) }
    }

    /// Whether there are none.
    public var isEmpty: Bool { entries.isEmpty }

    /// Adds an entry behind the others, of which the first that is for a host and port counts.
    ///
    /// - Parameters:
    ///   - host: The name or the address in the URL. Default: nil, any.
    ///   - port: The port of the URL. Default: nil, any.
    ///   - newHost: The name or the address to connect to. Default: nil, that of the URL.
    ///   - newPort: The port to connect to. Default: nil, that of the URL.
    /// - Throws: ``NetworkingError/Code/invalidRequest`` for a host that is neither a name nor an
    ///   address, and for a port that is not between 1 and 65535.
    public mutating func add(
        host: String? = nil,
        port: Int? = nil,
        newHost: String? = nil,
        newPort: Int? = nil
    ) throws(NetworkingError) {
        for port in [port, newPort].compactMap(\.self) where !(1...65_535).contains(port) {
            throw NetworkingError(.invalidRequest, "The port \(port) is not between 1 and 65535.")
        }
        let (name, newName) = (try Self.checked(host), try Self.checked(newHost))
        // As in curl, an entry that changes nothing does not hide the others.
        guard newHost != nil || newPort != nil else { return }
        entries.append(Entry(host: name, port: port, newHost: newName, newPort: newPort))
    }

    /// A host as it is compared; nil for nil.
    private static func checked(_ text: String?) throws(NetworkingError) -> String? {
        guard let text else { return nil }
        guard let known = host(text) else {
            let shown = ASCII.escaped(text.utf8, limit: 80)
            throw NetworkingError(.invalidRequest, "“\(shown)” is neither the name of a host nor an IP address.")
        }
        return known
    }

    /// The host and port that are connected to for those of a URL.
    ///
    /// - Parameters:
    ///   - host: A name or an address.
    ///   - port: The port.
    /// - Returns: The host, an address of IPv6 without brackets, and the port: the same where there
    ///   is no entry for them.
    public func endpoint(of host: String, port: Int) -> (host: String, port: Int) {
        guard !entries.isEmpty else { return (host, port) }
        let name = AddressOverrides.normalized(host)
        let entry = entries.first { $0.host.map { $0 == name } ?? true && $0.port.map { $0 == port } ?? true }
        return (entry?.newHost ?? host, entry?.newPort ?? port)
    }

    func endpoint(for endpoint: Origin.Endpoint) -> Origin.Endpoint {
        guard !entries.isEmpty, case .host(let host, let port) = endpoint else { return endpoint }
        let new = self.endpoint(of: host, port: port)
        return .host(new.host, port: new.port)
    }

    // MARK: Texts

    private mutating func add(_ text: String) throws(NetworkingError) {
        let parts = Self.parts(of: text)
        guard (3...4).contains(parts.count) else { throw Self.fault(text, "it does not have four parts") }
        func host(_ part: Substring) -> String? { part.isEmpty ? nil : String(part) }
        func port(_ part: Substring) throws(NetworkingError) -> Int? {
            guard !part.isEmpty else { return nil }
            guard part.utf8.allSatisfy(ASCII.isDigit), let port = UInt16(part) else {
                throw Self.fault(text, "“\(part)” is not a port")
            }
            return Int(port)
        }
        let (old, new) = (try port(parts[1]), parts.count == 4 ? try port(parts[3]) : nil)
        do throws(NetworkingError) {
            try add(host: host(parts[0]), port: old, newHost: host(parts[2]), newPort: new)
        } catch {
            throw Self.fault(text, String(error.message.dropLast()))
        }
    }

    /// The parts between the colons that are not in brackets.
    private static func parts(of text: String) -> [Substring] {
        var (parts, start, isInBrackets) = ([Substring](), text.startIndex, false)
        for index in text.utf8.indices {
            switch text.utf8[index] {
            case UInt8(ascii: "["): isInBrackets = true
            case UInt8(ascii: "]"): isInBrackets = false
            case ASCII.colon where !isInBrackets:
                parts.append(text[start..<index])
                start = text.utf8.index(after: index)
            default: break
            }
        }
        return parts + [text[start...]]
    }

    /// A name in lower case or an address without brackets; nil for what is neither.
    private static func host(_ text: String) -> String? {
        if let address = IPAddress(text) { return address.description }
        guard !text.utf8.contains(ASCII.colon), let url = URL(string: "http://\(text)/"), url.path == "/",
            url.user == nil, let target = try? RequestTarget(url), case .host(let host, _) = target.origin.endpoint
        else { return nil }
        return host
    }

    private static func fault(_ text: String, _ reason: String) -> NetworkingError {
        NetworkingError(
            .invalidRequest,
            "“\(text)” does not say where to connect to: \(reason). It must be HOST1:PORT1:HOST2:PORT2."
        )
    }
}
