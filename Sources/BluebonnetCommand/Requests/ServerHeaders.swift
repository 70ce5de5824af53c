import Bluebonnet
import FoundationEssentials
import HTTPTypes

/// Headers that settings or a session have for one server. A redirect to another origin leaves them
/// out, which the library does for secrets alone.
struct ServerHeaders: Equatable, Sendable {
    private let names: Set<String>
    private let url: URL

    /// Nil where no name is for one server.
    ///
    /// - Parameters:
    ///   - names: The names, in any case of their letters. Those that say only what the client can
    ///     read, or what it is, are for every server.
    ///   - url: The URL of the first request.
    init?(_ names: some Sequence<String>, of url: URL) {
        self.names = Set(names.map { $0.lowercased() }.filter { !$0.hasPrefix("accept") && $0 != "user-agent" })
        self.url = url
        if self.names.isEmpty { return nil }
    }

    /// The request of a redirect, without the headers where it goes to another server. The same
    /// host by `https` in place of `http`, on their default ports, is the same server.
    func request(_ proposed: Request) -> Request {
        let (from, to) = (NamedSession.origin(of: url), NamedSession.origin(of: proposed.url))
        let host = url.host(percentEncoded: false)?.lowercased() ?? ""
        guard from != to, (from, to) != ("http://\(host):80", "https://\(host):443") else { return proposed }
        var request = proposed
        request.headerFields = request.headerFields.filter { !names.contains($0.name.canonicalName) }
        return request
    }
}
