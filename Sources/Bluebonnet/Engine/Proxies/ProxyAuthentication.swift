import HTTPTypes
import Synchronization

/// The authentication of a session to its HTTP proxies (RFC 9110 §11.7).
///
/// A credential belongs to its ``Proxy``, so that no other proxy and no server can get it.
final class ProxyAuthentication: Sendable {
    /// The answers of one request to the challenges of its proxy.
    struct Dialogue: Sendable {
        fileprivate var sent: ProxyLogin.Authorization?
        fileprivate var answers = 0

        /// Whether the last request had a credential.
        var hasSent: Bool { sent != nil }
    }

    /// The most answers to one request: one for the scheme, and others for nonces that are too old.
    static let mostAnswers = 4
    /// An async closure can name as many proxies as it likes.
    private static let mostProxies = 256

    private let logins = Mutex<[Proxy: ProxyLogin]>([:])

    /// The value of `Proxy-Authorization` for a request that is about to be sent; nil for none.
    ///
    /// - Throws: ``NetworkingError/Code/invalidProxy`` for a credential that cannot be sent.
    func authorization(
        for proxy: Proxy,
        _ method: HTTPRequest.Method,
        _ target: String,
        _ dialogue: inout Dialogue
    ) throws(NetworkingError) -> [UInt8]? {
        guard let credential = proxy.credential else { return nil }
        do throws(NetworkingError) {
            dialogue.sent = try login(of: proxy, credential) { login throws(NetworkingError) in
                try login.authorization(method.rawValue, target)
            }
        } catch {
            throw NetworkingError(
                .invalidProxy,
                "The credential for the proxy \(proxy) cannot be sent. \(error.message)"
            )
        }
        let value = dialogue.sent?.value
        if let value, let fault = HTTPField.fault(of: String(decoding: value, as: UTF8.self)) {
            throw NetworkingError(
                .invalidProxy,
                "The credential for the proxy \(proxy) \(fault), which no field can have."
            )
        }
        return value
    }

    /// Whether a request is to be sent again, because the proxy has refused it with 407 (RFC 9110
    /// §15.5.8) and there is an answer to that.
    func answer(_ head: ResponseHead, of proxy: Proxy, _ dialogue: inout Dialogue) -> Bool {
        guard let credential = proxy.credential else { return false }
        guard head.statusCode == 407 else {
            if let sent = dialogue.sent, sent.nonce != nil, let info = head[.proxyAuthenticationInfo] {
                login(of: proxy, credential) { $0.accepted(sent, info: info) }
            }
            return false
        }
        guard dialogue.answers < Self.mostAnswers else { return false }
        let challenges = HTTPChallenge.challenges(of: head, in: "proxy-authenticate")
        let (sent, wasKnown) = (dialogue.sent, dialogue.answers == 0)
        dialogue.answers += 1
        return login(of: proxy, credential) { $0.answer(challenges, to: sent, wasKnown: wasKnown) }
    }

    private func login<Result, Failure: Error>(
        of proxy: Proxy,
        _ credential: Credential,
        _ work: (inout ProxyLogin) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try logins.withLock { logins throws(Failure) in
            if logins[proxy] == nil, logins.count >= Self.mostProxies, let one = logins.keys.first {
                logins[one] = nil
            }
            return try work(&logins[proxy, default: ProxyLogin(credential)])
        }
    }
}
