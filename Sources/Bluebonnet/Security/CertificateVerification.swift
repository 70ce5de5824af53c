import FoundationEssentials
import NIOCore
import NIOSSL
import SwiftASN1
import X509

/// The verification of a server's certificate on one connection, and the messages for a refusal.
///
/// BoringSSL decides about the chain; this remembers the certificate that it refused. Whether the
/// certificate is for the server that was meant is decided here when the handshake is over, before
/// the connection can be used: NIOSSL's own check accepts a certificate for the address of the
/// connection in place of the name (RFC 9110 §4.3.4 forbids it), wildcards as a part of a label and
/// common names.
final class CertificateVerification {
    private let origin: Origin
    private let identity: ServerIdentity?
    private let isRequired: Bool
    private var refused: NIOSSLCertificate?

    /// Without a requirement every server is accepted.
    init(origin: Origin, isRequired: Bool) {
        self.origin = origin
        self.isRequired = isRequired
        identity = ServerIdentity(host: origin.serverName)
    }

    /// Begins the handshake. The completion is called once: with the protocol that was agreed upon,
    /// when the server is known to be the one that was meant, or with the error, when it is
    /// refused.
    func start(
        on channel: any Channel,
        context: NIOSSLContext,
        completion: @escaping (Result<ApplicationProtocol, NetworkingError>) -> Void
    ) throws(NetworkingError) {
        if isRequired, identity == nil { throw unverifiableHost }
        do {
            let handler = try NIOSSLClientHandler(
                observing: context,
                serverHostname: identity?.serverName
            ) { result, certificate in
                if case .failed = result, self.refused == nil { self.refused = certificate }
                return result
            }
            let observer = TLSHandshakeObserver { result in
                completion(
                    result.mapError { self.error(for: $0) }.flatMap { agreed in
                        self.checkedIdentity(of: handler.peerCertificate).map { agreed }
                    }
                )
            }
            try channel.pipeline.syncOperations.addHandlers([handler, observer])
        } catch {
            throw .handshake(origin, error)
        }
    }

    // MARK: The identity of the server

    private func checkedIdentity(of leaf: NIOSSLCertificate?) -> Result<Void, NetworkingError> {
        guard isRequired else { return .success(()) }
        guard let identity, let leaf else {
            return .failure(
                NetworkingError(.certificateUntrusted, "\(origin.description) has shown no certificate.")
            )
        }
        let presented: PresentedIdentifiers
        do {
            presented = try PresentedIdentifiers(Certificate(derEncoded: leaf.toDERBytes()))
        } catch {
            return .failure(unreadable(error))
        }
        guard presented.contain(identity) else {
            return .failure(
                NetworkingError(
                    .certificateHostMismatch,
                    "The certificate of \(origin.description) \(presented.refusal(of: identity)). \(warning)"
                )
            )
        }
        return .success(())
    }

    /// BoringSSL has read and verified the certificate, but its names cannot be trusted to say what
    /// they seem to say.
    private func unreadable(_ error: any Error) -> NetworkingError {
        let isKey =
            switch error {
            case is ASN1Error: false
            case let error as CertificateError: error.code == .unsupportedPublicKeyAlgorithm
            default: true
            }
        let reason =
            isKey
            ? "has a key that is not accepted (RSA of 2048 bits or more, P-256, P-384, P-521 and Ed25519 are)"
            : "is not well-formed"
        return NetworkingError(
            .certificateUntrusted,
            "The certificate of \(origin.description) \(reason), so its names cannot be checked.",
            underlying: error
        )
    }

    private var unverifiableHost: NetworkingError {
        NetworkingError(
            .invalidURL,
            "“\(ASCII.escaped(origin.serverName.utf8, limit: 80))” is neither a host name nor a whole IP address, so "
                + "no certificate can be for it. Write an address in full, as 127.0.0.1, and a name in another script in its "
                + "form with “xn--”."
        )
    }

    private var warning: String {
        "You might be connecting to a server that is pretending to be “\(origin.serverName)”."
    }

    // MARK: The chain

    /// The error for a handshake that failed.
    private func error(for error: any Error) -> NetworkingError {
        guard let refused else { return .handshake(origin, error) }
        return refusal(of: refused, underlying: TLSFailure.wrapping(error))
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
            "The certificate of \(origin.description) \(reason). \(warning)",
            underlying: underlying
        )
    }

    private static func day(_ time: Int) -> String {
        Date(timeIntervalSince1970: Double(time)).formatted(.iso8601.year().month().day())
    }

    /// Whether issuer and subject are the same name (RFC 5280 §4.1: the third and fifth field of
    /// the certificate after its version).
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

/// NIOSSL's initializer with a callback beside BoringSSL's verification. NIOSSL deprecates it in
/// favour of callbacks that replace the verification, and it must not be replaced here. The
/// initializer is reached through this protocol, which the class conforms to already.
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
