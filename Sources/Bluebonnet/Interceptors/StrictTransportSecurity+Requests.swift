import FoundationEssentials
import HTTPTypes

extension StrictTransportSecurity {
    /// The request as it may be sent.
    @inline(never)
    func secured(_ request: Request) throws(NetworkingError) -> Request {
        let url = try secured(request.url)
        guard url != request.url else { return request }
        var secured = request
        secured.url = url
        // A credential for the host by `http` is for the same host by `https`.
        if var access = request.access, let origin = access.origin, origin == (try? request.target.origin) {
            access.origin = try? secured.target.origin
            secured.access = access
        }
        return secured
    }

    /// Notes what the response of a server says, if it came by `https` from one whose certificate
    /// had to be valid (RFC 6797 §8.1).
    @inline(never)
    func receive(_ response: TransportResponse, _ context: ExchangeContext) {
        let url = response.request.url
        guard let field = response.head.values(for: .strictTransportSecurity).first,
            url.scheme?.lowercased() == "https", let host = url.host(percentEncoded: false),
            let policy = try? context.settings.configuration.policy(for: host, at: Date()),
            policy.requiresValidCertificate
        else { return }
        receive(field, from: host)
    }
}

extension SecurityPolicy {
    /// Whether no server is accepted whose certificate is invalid or for another host.
    fileprivate var requiresValidCertificate: Bool {
        !allowsInvalidCertificates && validatesDomainName && decision == nil
    }
}
