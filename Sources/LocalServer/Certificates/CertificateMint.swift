import SwiftASN1

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A certificate to be made, with any contents, also those that no authority would sign.
package struct CertificateMint: Sendable {
    /// An extension of a certificate.
    package struct Extension: Sendable {
        package var identifier: [UInt]
        package var isCritical: Bool
        package var value: [UInt8]

        package init(_ identifier: [UInt], isCritical: Bool = false, _ value: [UInt8]) {
            self.identifier = identifier
            self.isCritical = isCritical
            self.value = value
        }
    }

    /// The name of the holder in DER.
    package var subject: [UInt8]
    /// The name of the issuer in DER; nil for that of the certificate that signs it.
    package var issuer: [UInt8]?
    package var key: CertificateKey
    /// The public key in DER (SubjectPublicKeyInfo), also one that nobody has; nil for that of
    /// ``key``.
    package var publicKeyInfo: [UInt8]?
    package var notBefore: Date
    package var notAfter: Date
    package var extensions: [Extension] = []
    /// The version minus one; nil leaves it out, which means version 1.
    package var version: UInt8? = 2
    package var serialNumber: [UInt8] = [1]
    package var hasSHA1 = false
    /// The algorithm outside of the signed part, in DER; nil for the right one.
    package var outerAlgorithm: [UInt8]?
    /// The algorithm in both places, in DER; nil for the right one.
    package var algorithm: [UInt8]?
    package var breaksSignature = false

    /// A certificate with a common name, valid from an hour ago until tomorrow.
    package init(_ name: String, key: CertificateKey, at now: Date = Date()) throws {
        subject = try Self.name([([2, 5, 4, 10], "Bluebonnet Tests"), ([2, 5, 4, 3], name)])
        self.key = key
        notBefore = now.addingTimeInterval(-3600)
        notAfter = now.addingTimeInterval(86_400)
    }

    /// A name of attributes, each with its number.
    package static func name(_ attributes: [(type: [UInt], value: String)], tag: UInt8 = 0x0C) throws -> [UInt8] {
        let names = try attributes.map { attribute in
            DERBytes.set(
                DERBytes.sequence(
                    try DERBytes.identifier(attribute.type),
                    DERBytes.value(tag, Array(attribute.value.utf8))
                )
            )
        }
        return DERBytes.value(0x30, names.flatMap { $0 })
    }

    /// Makes the certificate.
    ///
    /// - Parameter issuer: The certificate whose key signs; nil for its own key.
    /// - Returns: The certificate.
    /// - Throws: An error of the key.
    package func made(by issuer: MintedCertificate? = nil) throws -> MintedCertificate {
        let signer = issuer?.mint.key ?? key
        let algorithm = try self.algorithm ?? signer.algorithm(withSHA1: hasSHA1)
        let body = DERBytes.sequence(
            version.map { DERBytes.value(0xA0, DERBytes.integer($0)) } ?? [],
            DERBytes.value(0x02, serialNumber),
            algorithm,
            self.issuer ?? issuer?.mint.subject ?? subject,
            DERBytes.sequence(DERBytes.time(notBefore), DERBytes.time(notAfter)),
            subject,
            try publicKeyInfo ?? key.publicKeyInfo,
            extensions.isEmpty
                ? [] : DERBytes.value(0xA3, DERBytes.value(0x30, try extensions.flatMap { try $0.encoded() }))
        )
        var signature = try signer.signature(of: body, withSHA1: hasSHA1)
        if breaksSignature { signature[signature.count - 1] ^= 1 }
        let bytes = DERBytes.sequence(body, outerAlgorithm ?? algorithm, DERBytes.bits(signature))
        return MintedCertificate(mint: self, der: bytes, body: body)
    }
}

extension CertificateMint.Extension {
    /// The extension in DER.
    func encoded() throws -> [UInt8] {
        DERBytes.sequence(
            try DERBytes.identifier(identifier),
            isCritical ? DERBytes.yes : [],
            DERBytes.octets(value)
        )
    }

    /// Basic constraints: whether the holder is an authority, and how many may be below it.
    package static func authority(_ isAuthority: Bool = true, most: UInt8? = nil) -> Self {
        Self(
            [2, 5, 29, 19],
            isCritical: true,
            DERBytes.sequence(isAuthority ? DERBytes.yes : [], most.map { DERBytes.integer($0) } ?? [])
        )
    }

    /// The use of the key, as the bits of the first byte: 0x80 for signatures, 0x20 for keys, 0x04
    /// for certificates, 0x02 for revocation lists.
    package static func keyUsage(_ bits: UInt8) -> Self {
        let unused = UInt8(bits.trailingZeroBitCount % 8)
        return Self([2, 5, 29, 15], isCritical: true, DERBytes.value(0x03, [unused, bits]))
    }

    /// The purposes by their last number below 1.3.6.1.5.5.7.3: 1 for servers, 2 for clients; 0 is
    /// any purpose.
    package static func purposes(_ numbers: [UInt], isCritical: Bool = false) throws -> Self {
        let values = try numbers.map { number in
            try DERBytes.identifier(number == 0 ? [2, 5, 29, 37, 0] : [1, 3, 6, 1, 5, 5, 7, 3, number])
        }
        return Self([2, 5, 29, 37], isCritical: isCritical, DERBytes.value(0x30, values.flatMap { $0 }))
    }

    /// The alternative names.
    package static func names(_ names: [TestAlternativeName], isCritical: Bool = false) -> Self {
        Self([2, 5, 29, 17], isCritical: isCritical, DERBytes.value(0x30, names.flatMap(\.der)))
    }

    /// Name constraints.
    package static func nameConstraints(
        permitted: [TestAlternativeName] = [],
        excluded: [TestAlternativeName] = []
    ) -> Self {
        func trees(_ tag: UInt8, _ names: [TestAlternativeName]) -> [UInt8] {
            names.isEmpty ? [] : DERBytes.value(tag, names.flatMap { DERBytes.sequence($0.der) })
        }
        return Self([2, 5, 29, 30], isCritical: true, DERBytes.sequence(trees(0xA0, permitted), trees(0xA1, excluded)))
    }

    /// The identifier of the holder's key.
    package static func subjectKey(_ identifier: [UInt8]) -> Self {
        Self([2, 5, 29, 14], DERBytes.octets(identifier))
    }

    /// The identifier of the issuer's key.
    package static func authorityKey(_ identifier: [UInt8]) -> Self {
        Self([2, 5, 29, 35], DERBytes.sequence(DERBytes.value(0x80, identifier)))
    }

    /// An extension that no program knows.
    package static func unknown(isCritical: Bool) -> Self {
        Self([1, 3, 6, 1, 4, 1, 99_999, 1], isCritical: isCritical, [5, 0])
    }
}

/// A certificate that was made, with its key.
package struct MintedCertificate: Sendable {
    package var mint: CertificateMint
    package var der: [UInt8]
    /// The part that is signed.
    package let body: [UInt8]

    /// The certificate in PEM.
    package var pem: String { PEMDocument(type: "CERTIFICATE", derBytes: der).pemString + "\n" }
}
