import HTTPTypes

extension RequestTarget {
    /// The target of CONNECT, which is sent to a proxy (RFC 9112 §3.2.3, RFC 9113 §8.5).
    init(tunnelTo authority: String, through proxy: Proxy) {
        origin = proxy.origin
        host = authority
        path = authority
    }

    /// The request target for the receiver: for a proxy that forwards the request the absolute form
    /// (RFC 9112 §3.2.2), for everybody else the origin form (§3.2.1).
    func form(through passage: Route.Passage?) -> String {
        // Only requests without TLS are forwarded.
        if case .forwarding = passage { "http://\(host)\(path)" } else { path }
    }
}

extension Request {
    /// The fields that go through a proxy, or to the server. Behind a tunnel is no proxy that a
    /// `Proxy-Authorization` of the user's could be for, and servers must not learn it (RFC 9110
    /// §11.7.2).
    func fields(through passage: Route.Passage?) -> HTTPFields {
        guard case .tunnel = passage, headerFields.contains(.proxyAuthorization) else { return headerFields }
        var fields = headerFields
        fields[.proxyAuthorization] = nil
        return fields
    }
}
