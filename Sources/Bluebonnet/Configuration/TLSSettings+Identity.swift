extension TLSSettings {
    /// A certificate chain and its private key, shown to servers that ask for one.
    ///
    /// Counterpart of `credentialWithIdentity:certificates:persistence:` of `NSURLCredential`. What
    /// is printed of it does not show the password.
    public struct Identity: Sendable, Hashable {
        enum Source: Sendable, Hashable {
            case pem(certificate: String, key: String)
            case pkcs12(String)
        }

        let source: Source
        let password: String?

        /// An identity in two PEM files, or in one that has both.
        ///
        /// - Parameters:
        ///   - certificateFile: The path of the certificate chain, that of the client first.
        ///   - privateKeyFile: The path of the private key.
        ///   - password: The password of a key that is encrypted; ASCII only. Default: none.
        public init(certificateFile: String, privateKeyFile: String, password: String? = nil) {
            source = .pem(certificate: certificateFile, key: privateKeyFile)
            self.password = password
        }

        /// An identity in a PKCS #12 file (RFC 7292), as `.p12` and `.pfx` files are: one private
        /// key, and its certificates. The key must not be among what is encrypted as a whole; no
        /// program is known that puts it there.
        ///
        /// For a file with a password that is not ASCII, whether the certificates belong to the key
        /// cannot be checked; where none of them does, SwiftNIO's TLS ends the process.
        ///
        /// - Parameters:
        ///   - pkcs12File: The path of the file.
        ///   - password: Its password. Default: none.
        public init(pkcs12File: String, password: String? = nil) {
            source = .pkcs12(pkcs12File)
            self.password = password
        }
    }
}

extension TLSSettings.Identity: CustomStringConvertible, CustomReflectable {
    /// The files.
    public var description: String {
        switch source {
        case .pem(let certificate, let key): "\(certificate) with the key in \(key)"
        case .pkcs12(let file): file
        }
    }

    /// Nothing, so that a dump does not show the password.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
