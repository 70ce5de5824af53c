public import FoundationEssentials

/// The parts of a certificate by which a person recognises it. No counterpart in AFNetworking or
/// Alamofire.
public struct CertificateSummary: Sendable, Hashable, CustomStringConvertible {
    /// The whole certificate in DER.
    public let derRepresentation: Data
    /// The name of the holder, the last part first: `CN=example.com, O=Example`.
    public let subject: String
    /// The name of the authority that has signed it.
    public let issuer: String
    /// The serial number in hexadecimal digits.
    public let serialNumber: String
    /// The time from which it is valid.
    public let notBefore: Date
    /// The last time at which it is valid.
    public let notAfter: Date
    /// The kind of its public key: `RSA of 2048 bits`, `P-256`.
    public let keyDescription: String
    /// The pin of its public key.
    public let publicKeyPin: PublicKeyPin

    /// Reads a certificate; nil where the bytes are not one.
    ///
    /// - Parameter derRepresentation: The certificate in DER.
    public init?(derRepresentation: Data) {
        guard let fields = try? CertificateFields(Array(derRepresentation)) else { return nil }
        self.init(fields)
    }

    init(_ fields: CertificateFields) {
        derRepresentation = Data(fields.bytes)
        subject = Self.text(try? NameAttributes(fields.subject))
        issuer = Self.text(try? NameAttributes(fields.issuer))
        serialNumber = fields.serialNumber.map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
        notBefore = fields.notBefore
        notAfter = fields.notAfter
        keyDescription = fields.key?.text ?? "a key that cannot be read"
        publicKeyPin = PublicKeyPin(hash: fields.publicKeyHash)
    }

    private static func text(_ name: NameAttributes?) -> String { name?.description ?? "(a name that cannot be read)" }

    /// The subject, issuer, validity, key and pin in one line.
    public var description: String {
        "\(subject); issued by \(issuer); valid from \(Self.day(notBefore)) to \(Self.day(notAfter)); "
            + "\(keyDescription); \(publicKeyPin)"
    }

    package static func day(_ date: Date) -> String { date.formatted(.iso8601.year().month().day()) }
}

/// The SHA-256 of a public key, as curl, OkHttp and RFC 7469 write it: `sha256/BASE64`, where the
/// 32 bytes are those of the DER of the SubjectPublicKeyInfo.
///
/// A pin of this kind outlives a certificate: a renewed one may have the same key. AFNetworking has
/// no counterpart.
public struct PublicKeyPin: Sendable, Hashable, CustomStringConvertible {
    /// The 32 bytes of the hash.
    public let hash: Data

    /// Reads a pin.
    ///
    /// - Parameter text: A text such as `sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=`.
    /// - Throws: ``NetworkingError/Code/invalidTrustConfiguration`` when it is another text.
    public init(_ text: String) throws(NetworkingError) {
        // curl writes two slashes; but the second one may also be the first digit of the Base64.
        let hash = ["sha256/", "sha256//"].lazy.compactMap { prefix in
            text.hasPrefix(prefix) ? Data(base64Encoded: String(text.dropFirst(prefix.count))) : nil
        }.first { $0.count == 32 }
        guard let hash else {
            throw NetworkingError(
                .invalidTrustConfiguration,
                "“\(ASCII.escaped(text.utf8, limit: 80))” is not a pin: a pin is “sha256/” and the 44 characters of a "
                    + "SHA-256 in Base64."
            )
        }
        self.hash = hash
    }

    /// The pin of a certificate's key.
    ///
    /// - Parameter certificate: The certificate.
    public init(_ certificate: PinnedCertificate) {
        self = certificate.publicKeyPin
    }

    init(hash: [UInt8]) {
        self.hash = Data(hash)
    }

    /// The pin as text: `sha256/BASE64`.
    public var description: String { "sha256/" + hash.base64EncodedString() }
}
