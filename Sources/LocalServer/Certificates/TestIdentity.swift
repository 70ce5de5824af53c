import Crypto
import SwiftASN1
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A certificate with its private key and the intermediates that lead to its authority.
package struct TestIdentity: Sendable {
    /// The subject's common name.
    package let commonName: String

    /// The certificate in PEM.
    package let certificatePEM: String

    /// The certificate and then its intermediates in PEM, as a server sends them.
    package let chainPEM: String

    /// The private key in PEM (PKCS #8).
    package let privateKeyPEM: String

    /// The certificate in DER.
    package let certificateDER: [UInt8]

    /// The public key in DER (SubjectPublicKeyInfo, RFC 5280 §4.1.2.7), which is what a key pin
    /// hashes.
    package let publicKeyDER: [UInt8]

    /// The SHA-256 of the public key's SubjectPublicKeyInfo.
    package var publicKeySHA256: [UInt8] { Array(SHA256.hash(data: publicKeyDER)) }

    /// The SHA-256 of the public key's SubjectPublicKeyInfo in base64, as pins are written (RFC
    /// 7469 §2.4).
    package var publicKeyPin: String { Data(publicKeySHA256).base64EncodedString() }

    /// The SHA-256 of the certificate's DER.
    package var certificateSHA256: [UInt8] { Array(SHA256.hash(data: certificateDER)) }

    let certificate: Certificate
    let key: P256.Signing.PrivateKey

    init(certificate: Certificate, key: P256.Signing.PrivateKey, commonName: String, chain: [TestIdentity]) throws {
        self.certificate = certificate
        self.key = key
        self.commonName = commonName
        certificatePEM = try certificate.serializeAsPEM().pemString + "\n"
        chainPEM = chain.reduce(certificatePEM) { $0 + $1.certificatePEM }
        privateKeyPEM = key.pemRepresentation + "\n"
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        certificateDER = serializer.serializedBytes
        publicKeyDER = Array(key.publicKey.derRepresentation)
    }
}
