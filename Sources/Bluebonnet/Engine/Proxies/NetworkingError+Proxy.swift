import FoundationEssentials
import HTTPTypes
import NIOCore
import NIOPosix

/// The errors of proxies. Each says that the proxy has failed, and not the server.
extension NetworkingError {
    /// The proxy could not be reached.
    static func dialing(_ proxy: Proxy, _ failure: Dial.Failure) -> NetworkingError {
        let cause = NetworkingError.dialing(proxy.origin, failure)
        let message =
            switch failure {
            case .lookup: "The proxy \(proxy) was not found. \(cause.message)"
            case .connect, .unusable: "The proxy \(proxy) could not be reached: \(failure.reason)"
            }
        return NetworkingError(.proxyConnectFailed, message, underlying: cause.underlying)
    }

    /// The TLS handshake with the proxy failed.
    static func securing(_ proxy: Proxy, _ error: NetworkingError) -> NetworkingError {
        NetworkingError(
            error.code.family == .trust ? .proxyUntrusted : .proxyTLSFailed,
            "There is no TLS connection to the proxy \(proxy). \(error.message)",
            underlying: error.underlying
        )
    }

    /// The proxy was to carry many streams, and has agreed to HTTP/1.1 this time. Not for users:
    /// what was to be sent goes on over HTTP/1.1.
    static func speaksHTTP1(_ proxy: Proxy) -> NetworkingError {
        NetworkingError(.proxyConnectFailed, "The proxy \(proxy) speaks HTTP/1.1.", underlying: HTTP1Proxy())
    }

    /// Whether the proxy has to be connected to anew, for HTTP/1.1.
    var isOfHTTP1Proxy: Bool { underlying is HTTP1Proxy }

    private struct HTTP1Proxy: Error {}

    /// The proxy has closed the connection before it was ready.
    static func closed(by proxy: Proxy, _ error: any Error) -> NetworkingError {
        NetworkingError(
            .proxyConnectFailed,
            "The proxy \(proxy) closed the connection before it was ready.",
            underlying: error
        )
    }

    /// No connection along a route was ready in time. As long as the proxy is not passed, it is the
    /// one that was waited for; except for the name of the server, where the session looks it up.
    /// What all addresses were refused for that were found is the fault, and not the time.
    static func connectTimedOut(
        _ route: Route,
        _ timeout: Duration?,
        _ times: ConnectionTimes
    ) -> NetworkingError {
        guard let proxy = route.proxy, times.proxy?.end == nil else {
            return connectTimedOut(route.origin, route.endpoint, timeout, times)
        }
        if let name = times.awaitedName {
            let missing = name.missingAddresses(timeout)
            if name.isForProxy {
                guard let refusal = times.proxyRefusal else { return lookupTimedOut(name, timeout) }
                return NetworkingError(.proxyRefused, "\(refusal) \(missing)")
            }
            if let reasons = times.failureReasons {
                return NetworkingError(
                    .proxyConnectFailed,
                    "The proxy \(proxy) could not be reached: \(reasons). \(missing)"
                )
            }
        }
        let reason = times.awaitedName == nil ? "" : " Its host name was not resolved: no name server has responded."
        let aim = route.isShared ? "" : " to reach \(route.origin.description)"
        return NetworkingError(
            .proxyTimeout,
            "The proxy \(proxy) was not ready\(aim) within \(timeout.sentence).\(reason)"
        )
    }

    /// The proxy has refused CONNECT, sent with a credential or without one.
    static func refused(
        by proxy: Proxy,
        _ origin: Origin,
        _ refusal: ConnectRequestStateMachine.Refusal,
        hasSent: Bool
    ) -> NetworkingError {
        let status = refusal.head.status
        let words = ASCII.escaped(status.reasonPhrase.utf8, limit: 60)
        let shown = words.isEmpty ? "\(status.code)" : "\(status.code) \(words)"
        let body = refusal.body.readableBytes == 0 ? nil : Data(refusal.body.readableBytesView)
        // 401 is what tinyproxy says to a wrong password.
        if status.code == 407 || status.code == 401 {
            let reason =
                switch (proxy.credential, hasSent) {
                case (nil, _): "wants a credential, and has none"
                case (_, true): "does not accept the credential that it was given"
                default: "was sent no credential, since it \(wish(of: refusal.head))"
                }
            return NetworkingError(
                .proxyAuthenticationFailed,
                "The proxy \(proxy) opens no tunnel to \(origin.description): it \(reason) (\(shown)).",
                response: refusal.head,
                body: body
            )
        }
        return NetworkingError(
            .proxyRefused,
            "The proxy \(proxy) refused to open a tunnel to \(origin.description): \(shown).",
            response: refusal.head,
            body: body
        )
    }

    /// The schemes that a proxy wants, none of which fits the credential.
    private static func wish(of head: ResponseHead) -> String {
        let schemes = HTTPChallenge.challenges(of: head, in: "proxy-authenticate").prefix(4).map {
            ASCII.escaped("\($0.scheme)".utf8, limit: 20)
        }
        return schemes.isEmpty ? "names no scheme" : "wants it by \(schemes.joined(separator: ", "))"
    }

    /// The proxy has opened no tunnel.
    static func negotiating(_ proxy: Proxy, _ origin: Origin, _ fault: ProxyFault) -> NetworkingError {
        func invalid(_ reason: String) -> NetworkingError {
            NetworkingError(
                .proxyResponseInvalid,
                "The response of the proxy \(proxy) to the request for a tunnel cannot be read: \(reason)"
            )
        }
        switch fault {
        case .lost(let error): return closed(by: proxy, TLSFailure.wrapping(error))
        case .credential(let error): return error
        case .connect(.closed): return closed(by: proxy, ChannelError.eof)
        case .connect(.malformed(let error)): return invalid(error.description)
        case .socks(.malformed(let bytes)): return invalid("it is not SOCKS: “\(ASCII.escaped(bytes))”.")
        case .socks(.unsendable(let reason)):
            return NetworkingError(
                .invalidProxy,
                "The proxy \(proxy) cannot be asked for a tunnel to \(origin.description): \(reason)."
            )
        case .socks(.noMethod):
            let reason =
                switch proxy.credential {
                case nil: "it wants a user and a password"
                case let credential? where credential.user != nil && !credential.fits(.basic):
                    "it wants user and password readably, which the schemes of the credential do not allow"
                default: "it wants another kind of credential"
                }
            return NetworkingError(
                .proxyAuthenticationFailed,
                "The proxy \(proxy) opens no tunnel to \(origin.description): \(reason)."
            )
        case .socks(.credentialRefused):
            return NetworkingError(
                .proxyAuthenticationFailed,
                "The proxy \(proxy) opens no tunnel to \(origin.description): it does not accept the credential that "
                    + "it was given."
            )
        case .socks(.refused(let code, let reason)):
            let words = reason.isEmpty ? "error \(code) of SOCKS" : reason
            return NetworkingError(
                .proxyRefused,
                "The proxy \(proxy) refused to open a tunnel to \(origin.description): \(words)."
            )
        }
    }

    /// An error of a connection that went through a proxy, which the message names, unless it does
    /// already.
    func naming(_ proxy: Proxy) -> NetworkingError {
        let families: [Code.Family] = [.transport, .timeout, .trust, .framing]
        let name = proxy.description
        guard families.contains(code.family), !message.contains(name) else { return self }
        var error = self
        error.message += " The connection went through the proxy \(name)."
        return error
    }
}
