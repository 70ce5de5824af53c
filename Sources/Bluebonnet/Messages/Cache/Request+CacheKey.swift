import FoundationEssentials
import HTTPTypes

extension Request {
    /// The key under which responses to this request are stored (RFC 9111 §2): its URL with the
    /// port and without the fragment.
    ///
    /// A `Host` field of the request's own decides which site the server shows, and so is part of
    /// the key.
    ///
    /// - Throws: ``NetworkingError/Code/invalidURL`` or another error of a URL that is not one of
    ///   HTTP.
    var cacheKey: String {
        get throws(NetworkingError) {
            let target = try target
            let scheme = target.origin.isSecure ? "https" : "http"
            let authority =
                switch target.origin.endpoint {
                case .host: target.origin.description
                // The length says where the path of the socket ends.
                case .unixSocket(let path): "unix:\(path.text.utf8.count):\(path.text)"
                }
            let key = "\(scheme)://\(authority)\(target.path)"
            guard let host = HTTPField.Name.hostField.flatMap({ headerFields[$0] }),
                host.lowercased() != target.host.lowercased()
            else { return key }
            return "\(key) \(host.lowercased())"
        }
    }
}

extension HTTPField.Name {
    /// The name `Host` (RFC 9110 §7.2), which HTTPTypes keeps from its users.
    fileprivate static let hostField = HTTPField.Name("Host")
}
