import Crypto
import SwiftASN1
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Certificates for tests, made when they are needed and never stored in the repository.
///
/// All keys are P-256. All are valid from an hour ago until tomorrow, except `expired` and
/// `notYetValid`.
package struct TestCertificates: Sendable {
    /// The root that a client must trust.
    package let authority: TestIdentity

    /// An authority signed by the root, which signs all the others below.
    package let intermediate: TestIdentity

    /// A good certificate for `localhost`, 127.0.0.1 and ::1.
    package let localhost: TestIdentity

    /// A certificate for the same names that expired a day ago.
    package let expired: TestIdentity

    /// A certificate for the same names that becomes valid tomorrow.
    package let notYetValid: TestIdentity

    /// A certificate for `wrong.example` only.
    package let wrongHost: TestIdentity

    /// A certificate for the same names as ``localhost``, signed with its own key.
    ///
    /// Like those of `openssl req -x509` it may sign, so that a client that trusts it accepts it.
    package let selfSigned: TestIdentity

    /// A certificate for the same names as ``localhost`` from an authority that no client trusts.
    package let untrusted: TestIdentity

    /// A certificate that a client shows to a server.
    package let client: TestIdentity

    private static let common = Result { try TestCertificates() }

    /// The set that all tests of this process share.
    package static func shared() throws -> TestCertificates {
        try common.get()
    }

    /// Makes a new set with new keys.
    package init() throws {
        let now = Date()
        let valid = now.addingTimeInterval(-3600)..<now.addingTimeInterval(86400)
        authority = try Request(name: "Bluebonnet Test Authority", validity: valid, isAuthority: true).issue(by: nil)
        intermediate = try Request(name: "Bluebonnet Test Intermediate", validity: valid, isAuthority: true)
            .issue(by: authority, chain: [])
        let chain = [intermediate]
        localhost = try Request(name: "localhost", validity: valid, names: TestAlternativeName.local).issue(
            by: intermediate,
            chain: chain
        )
        expired = try Request(
            name: "expired",
            validity: now.addingTimeInterval(-172_800)..<now.addingTimeInterval(-86400),
            names: TestAlternativeName.local
        )
        .issue(by: intermediate, chain: chain)
        notYetValid = try Request(
            name: "not yet valid",
            validity: now.addingTimeInterval(86400)..<now.addingTimeInterval(172_800),
            names: TestAlternativeName.local
        )
        .issue(by: intermediate, chain: chain)
        wrongHost = try Request(name: "wrong.example", validity: valid, names: [.dns("wrong.example")])
            .issue(by: intermediate, chain: chain)
        selfSigned = try Request(
            name: "self-signed",
            validity: valid,
            names: TestAlternativeName.local,
            isAuthority: true
        ).issue(by: nil)
        let stranger = try Request(name: "Unknown Authority", validity: valid, isAuthority: true).issue(by: nil)
        untrusted = try Request(name: "untrusted", validity: valid, names: TestAlternativeName.local).issue(
            by: stranger,
            chain: [stranger]
        )
        client = try Request(name: "client", validity: valid, isClient: true).issue(by: intermediate, chain: chain)
    }
}

extension TestCertificates {
    /// A certificate like ``localhost`` with a new key, for other names; nil leaves the names out.
    package func issue(for names: [TestAlternativeName]?, commonName: String = "issued") throws -> TestIdentity {
        let validity = localhost.certificate.notValidBefore..<localhost.certificate.notValidAfter
        return try Request(name: commonName, validity: validity, names: names)
            .issue(by: intermediate, chain: [intermediate])
    }

    /// A certificate to be signed.
    fileprivate struct Request {
        var name: String
        var validity: Range<Date>
        var names: [TestAlternativeName]?
        var isAuthority = false
        var isClient = false

        /// Signs with the issuer's key, or with its own when there is no issuer.
        func issue(by issuer: TestIdentity?, chain: [TestIdentity] = []) throws -> TestIdentity {
            let key = P256.Signing.PrivateKey()
            let subject = try DistinguishedName {
                OrganizationName("Bluebonnet Tests")
                CommonName(name)
            }
            let publicKey = Certificate.PublicKey(key.publicKey)
            let certificate = try Certificate(
                version: .v3,
                serialNumber: Certificate.SerialNumber(),
                publicKey: publicKey,
                notValidBefore: validity.lowerBound,
                notValidAfter: validity.upperBound,
                issuer: issuer?.certificate.subject ?? subject,
                subject: subject,
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: extensions(of: publicKey, issuer: issuer),
                issuerPrivateKey: Certificate.PrivateKey(issuer?.key ?? key)
            )
            return try TestIdentity(certificate: certificate, key: key, commonName: name, chain: chain)
        }

        private func extensions(
            of key: Certificate.PublicKey,
            issuer: TestIdentity?
        ) throws -> Certificate.Extensions {
            let authorityKey = SubjectKeyIdentifier(hash: issuer?.certificate.publicKey ?? key).keyIdentifier
            return try Certificate.Extensions {
                Critical(
                    isAuthority
                        ? BasicConstraints.isCertificateAuthority(maxPathLength: nil)
                        : BasicConstraints.notCertificateAuthority
                )
                Critical(
                    isAuthority
                        ? KeyUsage(digitalSignature: true, keyCertSign: true, cRLSign: true)
                        : KeyUsage(digitalSignature: true)
                )
                if !isAuthority {
                    try ExtendedKeyUsage([isClient ? .clientAuth : .serverAuth])
                }
                SubjectKeyIdentifier(hash: key)
                AuthorityKeyIdentifier(keyIdentifier: authorityKey)
                if let names {
                    try TestAlternativeName.certificateExtension(names)
                }
            }
        }
    }
}
