import SwiftASN1

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A list of revoked certificates to be made, with any contents.
package struct RevocationListMint: Sendable {
    /// The authority whose name the list has, and whose key signs it.
    package var authority: MintedCertificate
    package var serialNumbers: [[UInt8]]
    package var thisUpdate: Date
    package var nextUpdate: Date?
    package var extensions: [CertificateMint.Extension] = []
    package var entryExtensions: [CertificateMint.Extension] = []
    package var breaksSignature = false

    /// A list with some certificates, valid from an hour ago until tomorrow.
    package init(_ serialNumbers: [[UInt8]] = [], by authority: MintedCertificate, at now: Date = Date()) {
        self.authority = authority
        self.serialNumbers = serialNumbers
        thisUpdate = now.addingTimeInterval(-3600)
        nextUpdate = now.addingTimeInterval(86_400)
    }

    /// Makes the list.
    ///
    /// - Returns: The list in DER.
    /// - Throws: An error of the key.
    package func made() throws -> [UInt8] {
        let algorithm = try authority.mint.key.algorithm(withSHA1: false)
        let entries = try serialNumbers.map { number in
            DERBytes.sequence(
                DERBytes.value(0x02, number),
                DERBytes.time(thisUpdate),
                entryExtensions.isEmpty ? [] : DERBytes.value(0x30, try entryExtensions.flatMap { try $0.encoded() })
            )
        }
        let body = DERBytes.sequence(
            DERBytes.integer(1),
            algorithm,
            authority.mint.subject,
            DERBytes.time(thisUpdate),
            nextUpdate.map(DERBytes.time) ?? [],
            // RFC 5280 §5.1.2.6: without entries, no list of them.
            entries.isEmpty ? [] : DERBytes.value(0x30, entries.flatMap { $0 }),
            extensions.isEmpty
                ? [] : DERBytes.value(0xA0, DERBytes.value(0x30, try extensions.flatMap { try $0.encoded() }))
        )
        var signature = try authority.mint.key.signature(of: body, withSHA1: false)
        if breaksSignature { signature[signature.count - 1] ^= 1 }
        return DERBytes.sequence(body, algorithm, DERBytes.bits(signature))
    }

    /// Makes the list in PEM.
    package func madePEM() throws -> String {
        PEMDocument(type: "X509 CRL", derBytes: try made()).pemString + "\n"
    }
}

extension CertificateMint.Extension {
    /// The scope of a list of revoked certificates: the tags of its limits (1 for the certificates
    /// of servers, 2 for those of authorities, 3 and more for others), and a place.
    package static func scope(_ limits: [UInt8] = [], point: String? = nil) -> Self {
        let place = point.map { DERBytes.value(0xA0, DERBytes.value(0xA0, DERBytes.value(0x86, Array($0.utf8)))) }
        let flags = limits.flatMap { DERBytes.value(0x80 | $0, [0xFF]) }
        return Self([2, 5, 29, 28], isCritical: true, DERBytes.value(0x30, (place ?? []) + flags))
    }

    /// The place of the list for a certificate.
    package static func point(_ url: String) -> Self {
        let place = DERBytes.value(0xA0, DERBytes.value(0xA0, DERBytes.value(0x86, Array(url.utf8))))
        return Self([2, 5, 29, 31], DERBytes.sequence(DERBytes.sequence(place)))
    }
}
