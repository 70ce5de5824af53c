import NIOCore
import NIOSSL

/// The reason why TLS failed. BoringSSL's own texts contain the place of the error in its source,
/// which is a path of the machine that built the program; this keeps only the names of its reasons,
/// such as `SSLV3_ALERT_HANDSHAKE_FAILURE`.
struct TLSFailure: Error, CustomStringConvertible {
    /// The reasons, the first one first.
    let reasons: [String]
    /// The message for an error that BoringSSL has not given a reason for.
    private let fallback: String

    init(reasons: [String]) {
        self.reasons = reasons
        fallback = ""
    }

    init(_ error: any Error) {
        reasons = Self.stack(of: error).compactMap { Self.reason(in: "\($0)") }
        fallback = Self.words(for: error)
    }

    /// The error as the reason of another: errors of NIOSSL and BoringSSL without the paths in
    /// their texts, others as they are.
    static func wrapping(_ error: any Error) -> any Error {
        error is NIOSSLError || error is BoringSSLError ? TLSFailure(error) : error
    }

    var description: String {
        reasons.isEmpty ? "TLS: \(fallback)" : "BoringSSL: " + reasons.joined(separator: ", ")
    }

    /// Whether the first bytes from the server were not TLS.
    var isOtherProtocol: Bool { reasons.contains { $0 == "WRONG_VERSION_NUMBER" || $0 == "HTTP_REQUEST" } }

    /// The end of a sentence, with its full stop.
    var sentence: String {
        if let known = reasons.lazy.compactMap({ Self.known[$0] }).first { return known + "." }
        guard let reason = reasons.first else { return fallback + "." }
        let words = reason.lowercased().replacing("_", with: " ")
        for prefix in ["tlsv1 alert ", "sslv3 alert "] where words.hasPrefix(prefix) {
            return "the server sent the alert “\(words.dropFirst(prefix.count))”."
        }
        return "BoringSSL reports “\(words)”."
    }

    private static let known = [
        "CERTIFICATE_VERIFY_FAILED": "the certificate of the server could not be verified",
        "EXCESSIVE_MESSAGE_SIZE": "a message of the server is too long, such as its certificates",
        "HANDSHAKE_FAILURE_ON_CLIENT_HELLO": refusal,
        "SSLV3_ALERT_BAD_CERTIFICATE": "the server refused the client's certificate",
        "SSLV3_ALERT_CERTIFICATE_EXPIRED": "the server refused the client's certificate because it has expired",
        "SSLV3_ALERT_CERTIFICATE_REVOKED": "the server refused the client's certificate because it has been revoked",
        "SSLV3_ALERT_CERTIFICATE_UNKNOWN": "the server refused the client's certificate",
        "SSLV3_ALERT_HANDSHAKE_FAILURE": refusal,
        "SSLV3_ALERT_NO_CERTIFICATE": "the server requires a client certificate",
        "SSLV3_ALERT_UNSUPPORTED_CERTIFICATE": "the server refused the kind of the client's certificate",
        "TLSV1_ALERT_ACCESS_DENIED": "the server denies this client access",
        "TLSV1_ALERT_CERTIFICATE_REQUIRED": "the server requires a client certificate",
        "TLSV1_ALERT_DECRYPT_ERROR": "the server could not verify what the client had signed",
        "TLSV1_ALERT_INSUFFICIENT_SECURITY": refusal,
        "TLSV1_ALERT_INTERNAL_ERROR": "the server reports an error of its own",
        "TLSV1_ALERT_NO_APPLICATION_PROTOCOL": "the server does not speak HTTP/1.1 here",
        "TLSV1_ALERT_PROTOCOL_VERSION": version,
        "TLSV1_ALERT_UNKNOWN_CA": "the server does not trust the authority of the client's certificate",
        "TLSV1_ALERT_UNRECOGNIZED_NAME": "the server knows no host of this name",
        "UNSUPPORTED_PROTOCOL": version,
        "WRONG_VERSION_NUMBER": "the bytes from the server are not TLS",
    ]

    private static let version = "the server speaks no version of TLS that is accepted here"
    private static let refusal =
        "the server accepts none of the versions and ciphers offered, or it requires a client certificate"

    private static func stack(of error: any Error) -> [BoringSSLInternalError] {
        switch error {
        case NIOSSLError.handshakeFailed(let error), NIOSSLError.shutdownFailed(let error): stack(of: error)
        case BoringSSLError.sslError(let stack), BoringSSLError.unknownError(let stack),
            BoringSSLError.invalidSNIName(let stack), BoringSSLError.failedToSetALPN(let stack):
            stack
        default: []
        }
    }

    /// The name in `Error: 1 error:2:SSL routines:OPENSSL_internal:NAME at /a/file.cc:3`, which is
    /// the only way to it.
    private static func reason(in text: String) -> String? {
        guard let mark = text.firstRange(of: "OPENSSL_internal:") else { return nil }
        let name = text[mark.upperBound...].prefix { $0 == "_" || $0.isASCII && ($0.isUppercase || $0.isNumber) }
        return name.isEmpty ? nil : String(name)
    }

    private static func words(for error: any Error) -> String {
        switch error {
        case NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])), ChannelError.eof:
            "the server closed the connection; it may not speak TLS, or not with this client"
        case NIOSSLError.uncleanShutdown: "the connection was cut without the closing alert of TLS"
        case NIOSSLError.failedToLoadCertificate: "a certificate cannot be read"
        case NIOSSLError.failedToLoadPrivateKey: "the private key cannot be read"
        case NIOSSLError.noSuchFilesystemObject: "a file does not exist"
        case is NIOSSLError, is BoringSSLError: "TLS ended with an error that has no name"
        case let error as IOError: error.errnoCode.reason
        default: "\(error)"
        }
    }
}

extension NetworkingError {
    /// TLS failed for another reason than the server's certificate.
    static func handshake(_ origin: Origin, _ error: any Error) -> NetworkingError {
        let failure = TLSFailure(error)
        let message =
            failure.isOtherProtocol
            ? "\(origin.description) does not speak TLS; it may be a plain HTTP server, whose URLs begin with http://."
            : "The TLS handshake with \(origin.description) failed: \(failure.sentence)"
        return NetworkingError(.tlsFailed, message, underlying: TLSFailure.wrapping(error))
    }
}
