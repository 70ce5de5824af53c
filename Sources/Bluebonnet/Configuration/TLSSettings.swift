/// The authorities that a session trusts, and its client certificate.
///
/// Counterpart of `AFSecurityPolicy` without its pinning, and of `ServerTrustManager` in Alamofire.
/// In both, a client certificate is a credential of the authentication challenge.
public struct TLSSettings: Sendable, Hashable {
    /// The certificate authorities that are trusted.
    public struct TrustRoots: Sendable, Hashable {
        enum Source: Sendable, Hashable {
            case system
            case file(String)
            case pem(String)
        }

        let source: Source

        /// The system's, found as OpenSSL and curl find them: `SSL_CERT_FILE` and `SSL_CERT_DIR`
        /// first, then the system's places.
        public static let system = TrustRoots(source: .system)

        /// The PEM file or directory at a path, instead of the system's.
        ///
        /// - Parameter path: The path.
        /// - Returns: The authorities.
        public static func file(_ path: String) -> TrustRoots { TrustRoots(source: .file(path)) }

        /// PEM text, instead of the system's.
        ///
        /// - Parameter text: The certificates.
        /// - Returns: The authorities.
        public static func pem(_ text: String) -> TrustRoots { TrustRoots(source: .pem(text)) }
    }

    /// A certificate chain and its key, shown to servers that ask for one.
    public struct Identity: Sendable, Hashable {
        /// The path of the PEM file with the certificate chain, leaf first.
        public var certificateFile: String
        /// The path of the PEM file with the private key.
        public var privateKeyFile: String

        /// Makes an identity from two PEM files.
        ///
        /// - Parameters:
        ///   - certificateFile: The path of the certificate chain, leaf first.
        ///   - privateKeyFile: The path of the private key.
        public init(certificateFile: String, privateKeyFile: String) {
            self.certificateFile = certificateFile
            self.privateKeyFile = privateKeyFile
        }
    }

    /// The certificate authorities that are trusted. Default: the system's.
    public var trustRoots = TrustRoots.system

    /// The client certificate. Default: none.
    public var identity: Identity?

    /// Whether the server's certificate is checked, and that it is for the host of the URL (over a
    /// Unix-domain socket, for `localhost`). Default: true. False is for tests: anyone can then
    /// listen in.
    public var verifiesCertificates = true

    /// The time a server has to send its closing alert in return (RFC 8446 §6.1), before the
    /// connection is closed without it.
    var closingTime = Duration.milliseconds(250)

    /// Makes the default settings.
    public init() {}
}
