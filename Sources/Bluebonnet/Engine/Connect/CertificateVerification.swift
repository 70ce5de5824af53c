import FoundationEssentials
import NIOCore
import NIOSSL
import SwiftASN1

/// Watches the verification of a server's certificate, so that a refusal can say why.
///
/// BoringSSL decides; this only remembers the certificate at which it said no.
final class CertificateVerification {
    private let origin: Origin
    private var refused: NIOSSLCertificate?

    init(origin: Origin) {
        self.origin = origin
    }

    /// The TLS handler for one connection to the origin.
    func makeHandler(context: NIOSSLContext) throws -> any ChannelHandler {
        let name = origin.serverName
        // RFC 6066 §3: literal addresses are not sent as server names; NIOSSL then checks the peer's address.
        let isAddress = (try? SocketAddress(ipAddress: name, port: 0)) != nil
        return try NIOSSLClientHandler(
            observing: context,
            serverHostname: isAddress ? nil : name
        ) { result, certificate in
            if case .failed = result, self.refused == nil { self.refused = certificate }
            return result
        }
    }

    /// The handshake failed: the reason, in words.
    func error(for error: any Error) -> NetworkingError {
        if let extra = error as? NIOSSLExtraError, extra == .failedToValidateHostname {
            return NetworkingError(
                .certificateHostMismatch,
                "The certificate of \(origin.description) is for another name. "
                    + "You might be connecting to a server that is pretending to be “\(origin.serverName)”.",
                underlying: error
            )
        }
        guard let refused else { return .handshake(origin, error) }
        return refusal(of: refused, underlying: error)
    }

    private func refusal(of certificate: NIOSSLCertificate, underlying: any Error) -> NetworkingError {
        let now = Date().timeIntervalSince1970
        if now > Double(certificate.notValidAfter) {
            return NetworkingError(
                .certificateExpired,
                "The certificate of \(origin.description) expired on \(Self.day(certificate.notValidAfter)).",
                underlying: underlying
            )
        }
        if now < Double(certificate.notValidBefore) {
            return NetworkingError(
                .certificateNotYetValid,
                "The certificate of \(origin.description) is not valid before \(Self.day(certificate.notValidBefore)).",
                underlying: underlying
            )
        }
        let reason =
            Self.isSelfSigned(certificate)
            ? "is self-signed and not among the trusted ones"
            : "is issued by an authority that is not trusted"
        return NetworkingError(
            .certificateUntrusted,
            "The certificate of \(origin.description) \(reason). "
                + "You might be connecting to a server that is pretending to be “\(origin.serverName)”.",
            underlying: underlying
        )
    }

    private static func day(_ time: Int) -> String {
        Date(timeIntervalSince1970: Double(time)).formatted(.iso8601.year().month().day())
    }

    /// Issuer and subject are the same name (RFC 5280 §4.1: the third and fifth field of the certificate after its version).
    private static func isSelfSigned(_ certificate: NIOSSLCertificate) -> Bool {
        guard let bytes = try? certificate.toDERBytes(), let root = try? DER.parse(bytes),
            case .constructed(let parts) = root.content,
            let body = parts.first(where: { _ in true }), case .constructed(let fields) = body.content
        else { return false }
        let version = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
        let names = fields.filter { $0.identifier != version }.dropFirst(2)
        guard let issuer = names.first, let subject = names.dropFirst(2).first else { return false }
        return issuer.encodedBytes == subject.encodedBytes
    }
}

/// NIOSSL's initializer with a callback beside BoringSSL's verification. NIOSSL deprecates it in favour of callbacks that replace
/// the verification, and replacing it is what is not wanted here; a protocol that the class already meets reaches it.
private protocol ObservingHandler: ChannelHandler {
    init(context: NIOSSLContext, serverHostname: String?, verificationCallback: NIOSSLVerificationCallback?) throws
}

extension NIOSSLClientHandler: ObservingHandler {}

extension ObservingHandler {
    fileprivate init(
        observing context: NIOSSLContext,
        serverHostname: String?,
        callback: @escaping NIOSSLVerificationCallback
    ) throws {
        try self.init(context: context, serverHostname: serverHostname, verificationCallback: callback)
    }
}
