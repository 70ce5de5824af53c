public import FoundationEssentials
import NIOCore
import Synchronization

/// The hosts that have asked for `https` only (HTTP Strict Transport Security, RFC 6797): a request
/// for one of them by `http` is sent by `https` instead, redirects included, so that nobody on the
/// way can keep a program on `http`.
///
/// ```swift
/// var configuration = SessionConfiguration()
/// let file = URL(filePath: "/var/lib/reports/hsts.txt")
/// configuration.strictTransportSecurity = try StrictTransportSecurity(file: file)
/// ```
///
/// A host is noted when a response of it by `https` has a `Strict-Transport-Security` field, and
/// its policy accepts no invalid certificates and has no ``SecurityPolicy/decision``. IP addresses
/// are never noted (§8.1.1), nor names that are too long for DNS. One object may serve any number
/// of sessions.
///
/// At most 10,000 hosts are kept; beyond that, the ones that expire first are forgotten.
///
/// Counterpart of what `NSURLSession` does by itself, with a store that no program sees.
public final class StrictTransportSecurity: Sendable {
    /// A host that is reached by `https` only.
    public struct Host: Sendable, Hashable {
        /// The name, in lower case and without a dot at its end.
        public let name: String
        /// Whether all names below it are, too.
        public var includesSubdomains: Bool
        /// The time from which it is not known any more.
        public var expires: Date

        /// Makes a host, for a list of your own.
        ///
        /// - Parameters:
        ///   - name: The name.
        ///   - includesSubdomains: Whether all names below it are reached by `https` only, too.
        ///     Default: false.
        ///   - expires: The time from which it is not known any more. Default: never.
        public init(_ name: String, includesSubdomains: Bool = false, expires: Date = .distantFuture) {
            self.name = StrictTransportSecurity.key(name)
            self.includesSubdomains = includesSubdomains
            self.expires = expires
        }
    }

    /// A host that is known.
    struct Entry {
        var host: Host
        /// The end of its time that the file has.
        var written: Date
    }

    struct State {
        var entries: [String: Entry] = [:]
        /// Whether there are changes that the file does not have.
        var isChanged = false
        var isWriting = false
        /// Those who wait for the end of the writing.
        var waiters: [@Sendable (NetworkingError?) -> Void] = []

        /// The hosts, by name.
        var hosts: [Host] { entries.values.map(\.host).sorted { $0.name < $1.name } }

        /// Removes of too many those whose time is over, and then those that expire first: a tenth
        /// of all at least, so that this is seldom done.
        mutating func limit(at now: Date) {
            guard entries.count > mostKept else { return }
            entries = entries.filter { $0.value.host.expires > now }
            guard entries.count > mostKept else { return }
            let count = max(entries.count - mostKept, mostKept / 10)
            for host in hosts.sorted(by: { $0.expires < $1.expires }).prefix(count) { entries[host.name] = nil }
        }
    }

    static let mostKept = 10_000
    /// The most bytes of a name in DNS (RFC 1035 §2.3.4), written without its root.
    static let longestName = 253
    /// The change of the end of a host's time from which the file is written: each response moves
    /// it by seconds, so that it is compared with the end that the file has.
    private static let writtenChange: TimeInterval = 24 * 60 * 60

    /// The path of the file; nil for none.
    let path: String?
    let state: Mutex<State>
    private let now: @Sendable () -> Date

    init(path: String?, hosts: [Host], now: @escaping @Sendable () -> Date = { Date() }) {
        self.path = path
        self.now = now
        var state = State()
        for host in hosts where Self.isName(host.name) {
            state.entries[host.name] = Entry(host: host, written: host.expires)
        }
        state.limit(at: now())
        self.state = Mutex(state)
    }

    /// Makes an object that keeps what it knows in memory.
    public convenience init() {
        self.init(path: nil, hosts: [])
    }

    // MARK: The hosts

    /// The hosts that are known, by name.
    public var hosts: [Host] {
        let now = now()
        return state.withLock { $0.hosts }.filter { $0.expires > now }
    }

    /// Whether a host is to be reached by `https` only: itself, or a name above it with its
    /// subdomains (§8.2).
    ///
    /// - Parameter host: The name of a host.
    /// - Returns: Whether it is.
    public func requiresTLS(_ host: String) -> Bool {
        let now = now()
        return state.withLock { state in
            guard !state.entries.isEmpty else { return false }
            for name in Self.names(of: host) {
                guard let known = state.entries[String(name.text)]?.host, known.expires > now else { continue }
                if name.isHost || known.includesSubdomains { return true }
            }
            return false
        }
    }

    /// The name of a host and those above it, as far as they are short enough to be known. A longer
    /// one, with as many dots as it likes, would be read for each of them.
    static func names(of host: String) -> [(text: Substring, isHost: Bool)] {
        let key = key(host)
        var names: [(Substring, Bool)] = []
        var start = key.utf8.startIndex
        if key.utf8.count > longestName {
            let end = key.utf8.index(key.utf8.endIndex, offsetBy: -longestName - 1)
            guard let dot = key.utf8[end...].firstIndex(of: UInt8(ascii: ".")) else { return [] }
            start = key.utf8.index(after: dot)
        }
        while true {
            names.append((key[start...], start == key.utf8.startIndex))
            guard let dot = key.utf8[start...].firstIndex(of: UInt8(ascii: ".")) else { return names }
            start = key.utf8.index(after: dot)
        }
    }

    /// Adds a host, or changes one: for hosts that are known to the program beforehand.
    ///
    /// - Parameter host: The host. One that is an IP address, or longer than 253 bytes, is not
    ///   added.
    public func add(_ host: Host) {
        guard Self.isName(host.name) else { return }
        note(host.name, host)
    }

    /// Forgets all hosts.
    public func removeAll() {
        change { state in
            defer { state.entries = [:] }
            return !state.entries.isEmpty
        }
    }

    /// Takes in the field of a response by `https` (§8.1). Where there are several, only the first
    /// counts.
    func receive(_ field: String, from host: String) {
        let name = Self.key(host)
        guard let field = StrictTransportSecurityField(field), Self.isName(name) else { return }
        guard field.maxAge > 0 else { return note(name, nil) }
        let expires = now().addingTimeInterval(TimeInterval(field.maxAge))
        note(name, Host(name, includesSubdomains: field.includesSubdomains, expires: expires))
    }

    private func note(_ name: String, _ host: Host?) {
        change { state in
            let known = state.entries[name]
            state.entries[name] = host.map { Entry(host: $0, written: known?.written ?? $0.expires) }
            state.limit(at: now())
            guard let known, let host else { return known != nil || host != nil }
            return known.host.includesSubdomains != host.includesSubdomains
                || abs(known.written.timeIntervalSince(host.expires)) >= Self.writtenChange
        }
    }

    /// Changes the hosts, and has the file written where the change says that it has to be, or it
    /// could not be written before.
    private func change(_ change: (inout State) -> Bool) {
        let begins = state.withLock { state in
            guard change(&state) || state.isChanged, path != nil else { return false }
            state.isChanged = true
            guard !state.isWriting else { return false }
            state.isWriting = true
            return true
        }
        if begins { beginWriting() }
    }

    // MARK: Names and URLs

    /// The name by which a host is known: in lower case (§8.2), without the dot of a name that is
    /// written with its root.
    static func key(_ host: String) -> String {
        let name = host.utf8.contains { (65...90).contains($0) } ? host.lowercased() : host
        return name.utf8.last == UInt8(ascii: ".") ? String(name.dropLast()) : name
    }

    /// Whether a host is a name that DNS can have, and not an address (§8.1.1).
    private static func isName(_ host: String) -> Bool {
        guard !host.isEmpty, host.utf8.count <= longestName, !host.utf8.contains(UInt8(ascii: ":")) else {
            return false
        }
        return (try? SocketAddress(ipAddress: host, port: 0)) == nil
    }

    /// The URL to send a request for this one to (§8.3): `https` in place of `http`, and the port
    /// 443 in place of 80; another port stays.
    ///
    /// - Throws: ``NetworkingError/Code/invalidURL`` for one that cannot be taken apart, and so not
    ///   be sent by `https`.
    func secured(_ url: URL) throws(NetworkingError) -> URL {
        guard url.scheme?.lowercased() == "http", let host = url.host(percentEncoded: false), requiresTLS(host) else {
            return url
        }
        return try Self.secured(URLComponents(url: url, resolvingAgainstBaseURL: true), url)
    }

    static func secured(_ components: URLComponents?, _ url: URL) throws(NetworkingError) -> URL {
        var components = components
        components?.scheme = "https"
        if components?.port == 80 { components?.port = nil }
        guard let secured = components?.url else {
            throw NetworkingError(
                .invalidURL,
                "\(url.redactedDescription) is to be reached by https only, and cannot be written so."
            )
        }
        return secured
    }
}
