/// Values by host: a name, an IP address, or `*.` and a domain, for the hosts directly below it. A
/// name is preferred to a pattern.
///
/// A key that is no host would never be found, and what it was to protect would be without
/// protection. So with one such key there is no value for any host, but an error.
struct HostPatterns<Value: Sendable>: Sendable {
    private enum Key: Hashable {
        case host(ServerIdentity)
        /// The hosts directly below a domain.
        case below(ServerIdentity)

        init?(_ text: String) {
            let isPattern = text.utf8.starts(with: "*.".utf8)
            var host = isPattern ? text.dropFirst(2) : text[...]
            // As in a URL (RFC 3986 §3.2.2).
            if !isPattern, host.first == "[", host.last == "]", host.utf8.contains(UInt8(ascii: ":")) {
                host = host.dropFirst().dropLast()
            }
            switch ServerIdentity(host: String(host)) {
            case .name(let name)?: self = isPattern ? .below(.name(name)) : .host(.name(name))
            case .address(let address)? where !isPattern: self = .host(.address(address))
            default: return nil
            }
        }
    }

    private let values: [Key: Value]
    /// The error of every look-up, where a key is no host, or two keys are the same one.
    let fault: NetworkingError?

    /// - Parameters:
    ///   - values: The values by host.
    ///   - place: The place of the keys, for the message of an error: `hostSecurityPolicies`.
    ///   - code: The code of that error. Default: that of settings of trust.
    init(
        _ values: [String: Value],
        in place: String,
        code: NetworkingError.Code = .invalidTrustConfiguration
    ) {
        var hosts: [Key: String] = [:]
        var kept: [Key: Value] = [:]
        var fault: NetworkingError?
        // In their order, so that it is always the same key that is named.
        for (text, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let key = Key(text) else {
                fault = fault ?? Self.noHost(text, place, code)
                continue
            }
            if let other = hosts.updateValue(text, forKey: key) {
                fault = fault ?? Self.sameHost(other, text, place, code)
            }
            kept[key] = value
        }
        self.values = kept
        self.fault = fault
    }

    /// The value of a host; nil where it has none.
    ///
    /// - Throws: ``fault`` for every host, when a key is no host, or two keys are the same one.
    func value(for host: String) throws(NetworkingError) -> Value? {
        if let fault { throw fault }
        guard !values.isEmpty, let identity = ServerIdentity(host: host) else { return nil }
        if let value = values[.host(identity)] { return value }
        guard let domain = identity.domain else { return nil }
        return values[.below(domain)]
    }

    // MARK: Errors

    private static func noHost(_ text: String, _ place: String, _ code: NetworkingError.Code) -> NetworkingError {
        NetworkingError(
            code,
            "“\(ASCII.escaped(text.utf8, limit: 80))” in \(place) is not a host. Write a name, an IP address, or “*.” and "
                + "a domain, without a scheme and a port, and a name in another script in its form with “xn--”."
        )
    }

    private static func sameHost(
        _ one: String,
        _ other: String,
        _ place: String,
        _ code: NetworkingError.Code
    ) -> NetworkingError {
        NetworkingError(
            code,
            "“\(ASCII.escaped(one.utf8, limit: 80))” and “\(ASCII.escaped(other.utf8, limit: 80))” in \(place) are the "
                + "same host."
        )
    }
}
