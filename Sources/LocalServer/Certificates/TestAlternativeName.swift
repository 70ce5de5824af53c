import SwiftASN1
import X509

/// A subject alternative name of a test's certificate (RFC 5280 §4.2.1.6), with any bytes, also
/// those that no authority would sign.
package struct TestAlternativeName: Sendable, Hashable {
    let tag: UInt
    let bytes: [UInt8]

    /// A DNS name, written into the certificate as it is.
    package static func dns(_ name: String) -> Self { Self(tag: 2, bytes: Array(name.utf8)) }

    /// An IP address: four or sixteen bytes, if it must be valid.
    package static func address(_ bytes: [UInt8]) -> Self { Self(tag: 7, bytes: bytes) }

    /// An e-mail address.
    package static func email(_ address: String) -> Self { Self(tag: 1, bytes: Array(address.utf8)) }

    /// A URI.
    package static func uri(_ uri: String) -> Self { Self(tag: 6, bytes: Array(uri.utf8)) }

    /// A directory name, as the DER of the name; the tag is that of a constructed value.
    package static func directory(_ name: [UInt8]) -> Self { Self(tag: 0x24, bytes: name) }

    /// A name of another kind: an identifier.
    package static let registeredIdentifier = Self(tag: 8, bytes: [0x2A, 0x03])

    /// The name in DER, with its tag as a choice of GeneralName.
    package var der: [UInt8] { DERBytes.value(0x80 | UInt8(tag), bytes) }

    /// `localhost`, 127.0.0.1 and ::1.
    package static let local = [
        dns("localhost"), address([127, 0, 0, 1]), address([UInt8](repeating: 0, count: 15) + [1]),
    ]

    static func certificateExtension(_ names: [Self]) throws -> Certificate.Extension {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { serializer in
            for name in names {
                let identifier = ASN1Identifier(tagWithNumber: name.tag, tagClass: .contextSpecific)
                try ASN1OctetString(contentBytes: name.bytes[...]).serialize(
                    into: &serializer,
                    withIdentifier: identifier
                )
            }
        }
        return Certificate.Extension(
            oid: .X509ExtensionID.subjectAlternativeName,
            critical: false,
            value: serializer.serializedBytes[...]
        )
    }
}
