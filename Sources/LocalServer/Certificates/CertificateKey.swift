package import Crypto
import SwiftASN1
package import _CryptoExtras

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A private key that certificates are made with, also one that no authority would use.
package enum CertificateKey: Sendable {
    /// A kind of key.
    package enum Kind: String, Sendable, CaseIterable {
        /// The curve P-256.
        case p256
        /// The curve P-384.
        case p384
        /// The curve P-521.
        case p521
        /// Ed25519.
        case ed25519
        /// RSA with 2048 bits.
        case rsa2048
        /// RSA with 1024 bits, which is too short.
        case rsa1024
    }

    case p256(P256.Signing.PrivateKey)
    case p384(P384.Signing.PrivateKey)
    case p521(P521.Signing.PrivateKey)
    case ed25519(Curve25519.Signing.PrivateKey)
    case rsa(_RSA.Signing.PrivateKey)

    /// Makes a new key.
    package init(_ kind: Kind = .p256) throws {
        switch kind {
        case .p256: self = .p256(.init())
        case .p384: self = .p384(.init())
        case .p521: self = .p521(.init())
        case .ed25519: self = .ed25519(.init())
        case .rsa2048: self = .rsa(try .init(keySize: .bits2048))
        case .rsa1024: self = .rsa(try .init(unsafeKeySize: .init(bitCount: 1024)))
        }
    }

    /// The key in PEM.
    package var pem: String {
        switch self {
        case .p256(let key): key.pemRepresentation
        case .p384(let key): key.pemRepresentation
        case .p521(let key): key.pemRepresentation
        case .rsa(let key): key.pemRepresentation
        case .ed25519(let key):
            // RFC 8410 §7.
            PEMDocument(
                type: "PRIVATE KEY",
                derBytes: DERBytes.sequence(
                    DERBytes.integer(0),
                    DERBytes.sequence([0x06, 0x03, 0x2B, 0x65, 0x70]),
                    DERBytes.octets(DERBytes.octets(Array(key.rawRepresentation)))
                )
            ).pemString
        }
    }

    /// The public key in DER (SubjectPublicKeyInfo).
    package var publicKeyInfo: [UInt8] {
        get throws {
            switch self {
            case .p256(let key): Array(key.publicKey.derRepresentation)
            case .p384(let key): Array(key.publicKey.derRepresentation)
            case .p521(let key): Array(key.publicKey.derRepresentation)
            case .rsa(let key): Array(key.publicKey.derRepresentation)
            case .ed25519(let key):
                try DERBytes.sequence(
                    DERBytes.sequence(DERBytes.identifier([1, 3, 101, 112])),
                    DERBytes.bits(Array(key.publicKey.rawRepresentation))
                )
            }
        }
    }

    /// The algorithm of ``signature(of:withSHA1:)`` in DER.
    package func algorithm(withSHA1: Bool) throws -> [UInt8] {
        switch self {
        case .p256:
            try DERBytes.sequence(DERBytes.identifier([1, 2, 840, 10045, 4, withSHA1 ? 1 : 3] + (withSHA1 ? [] : [2])))
        case .p384: try DERBytes.sequence(DERBytes.identifier([1, 2, 840, 10045, 4, 3, 3]))
        case .p521: try DERBytes.sequence(DERBytes.identifier([1, 2, 840, 10045, 4, 3, 4]))
        case .ed25519: try DERBytes.sequence(DERBytes.identifier([1, 3, 101, 112]))
        case .rsa: try DERBytes.sequence(DERBytes.identifier([1, 2, 840, 113549, 1, 1, withSHA1 ? 5 : 11]), [5, 0])
        }
    }

    /// The signature of some bytes, with SHA-256 or longer, or with SHA-1.
    package func signature(of bytes: [UInt8], withSHA1: Bool) throws -> [UInt8] {
        switch self {
        case .p256(let key):
            withSHA1
                ? Array(try key.signature(for: Insecure.SHA1.hash(data: bytes)).derRepresentation)
                : Array(try key.signature(for: bytes).derRepresentation)
        case .p384(let key): Array(try key.signature(for: bytes).derRepresentation)
        case .p521(let key): Array(try key.signature(for: bytes).derRepresentation)
        case .ed25519(let key): Array(try key.signature(for: bytes))
        case .rsa(let key):
            withSHA1
                ? Array(
                    try key.signature(for: Insecure.SHA1.hash(data: bytes), padding: .insecurePKCS1v1_5)
                        .rawRepresentation
                )
                : Array(try key.signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5).rawRepresentation)
        }
    }
}

/// Pieces of DER.
package enum DERBytes {
    /// A value with a tag.
    package static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var length = [UInt8(truncatingIfNeeded: content.count)]
        if content.count >= 0x80 {
            length = []
            var rest = content.count
            while rest > 0 {
                length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
                rest >>= 8
            }
            length.insert(0x80 | UInt8(length.count), at: 0)
        }
        return [tag] + length + content
    }

    /// A sequence of values.
    package static func sequence(_ values: [UInt8]...) -> [UInt8] { value(0x30, values.flatMap { $0 }) }

    /// A set of one value.
    package static func set(_ element: [UInt8]) -> [UInt8] { value(0x31, element) }

    /// A bit string without unused bits.
    package static func bits(_ bytes: [UInt8]) -> [UInt8] { value(0x03, [0] + bytes) }

    /// A string of bytes.
    package static func octets(_ bytes: [UInt8]) -> [UInt8] { value(0x04, bytes) }

    /// A small number.
    package static func integer(_ number: UInt8) -> [UInt8] { value(0x02, number >= 0x80 ? [0, number] : [number]) }

    /// A boolean that is true.
    package static let yes: [UInt8] = [1, 1, 0xFF]

    /// Text in UTF-8.
    package static func text(_ text: String) -> [UInt8] { value(0x0C, Array(text.utf8)) }

    /// An object identifier.
    package static func identifier(_ parts: [UInt]) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(
            try ASN1ObjectIdentifier(dotRepresentation: Substring(parts.map(String.init).joined(separator: ".")))
        )
        return serializer.serializedBytes
    }

    /// A time from 1950 on: UTCTime until 2049 (RFC 5280 §4.1.2.5).
    package static func time(_ date: Date) -> [UInt8] {
        let text = date.formatted(.iso8601.year().month().day().dateSeparator(.omitted))
        let time = date.formatted(.iso8601.time(includingFractionalSeconds: false).timeSeparator(.omitted))
        let year = Int(text.prefix(4)) ?? 0
        return year < 2050
            ? value(0x17, Array((text.dropFirst(2) + time + "Z").utf8)) : value(0x18, Array((text + time + "Z").utf8))
    }
}
