/// Values by host: a name, an IP address, or `*.` and a domain, for the hosts directly below it. A
/// name is preferred to a pattern.
struct HostPatterns<Value: Sendable>: Sendable {
    private let values: [String: Value]

    /// Of keys that are the same host, one counts.
    init(_ values: [String: Value]) {
        self.values = Dictionary(values.map { (Self.key($0.key), $0.value) }) { first, _ in first }
    }

    /// Names differ neither by case nor by the dot of the root.
    private static func key(_ host: String) -> String {
        let name = host.utf8.last == UInt8(ascii: ".") ? host.dropLast() : host[...]
        return name.lowercased()
    }

    /// The value of a host; nil where it has none.
    func value(for host: String) -> Value? {
        guard !values.isEmpty else { return nil }
        let name = Self.key(host)
        if let value = values[name] { return value }
        guard let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        return values["*" + name[dot...]]
    }
}
