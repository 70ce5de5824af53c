import SwiftASN1

/// The attributes of the name of a subject or an issuer (RFC 5280 §4.1.2.4).
struct NameAttributes: Sendable {
    struct Attribute: Sendable {
        var type: ASN1ObjectIdentifier
        /// The value in DER.
        var value: ASN1Node
    }

    /// The relative names, each with its attributes.
    let relativeNames: [[Attribute]]

    private struct Malformed: Error {}

    /// - Throws: An error of SwiftASN1 or a private one, where the node is not a name.
    init(_ name: ASN1Node) throws {
        guard case .constructed(let names) = name.content else { throw Malformed() }
        relativeNames = try names.map { name in
            guard case .constructed(let attributes) = name.content else { throw Malformed() }
            return try attributes.map { attribute in
                guard case .constructed(let parts) = attribute.content else { throw Malformed() }
                var iterator = parts.makeIterator()
                guard let type = iterator.next(), let value = iterator.next(), iterator.next() == nil else {
                    throw Malformed()
                }
                return Attribute(type: try ASN1ObjectIdentifier(derEncoded: type), value: value)
            }
        }
    }

    /// The text of a value; nil where it is of another type.
    static func text(_ value: ASN1Node) -> String? {
        guard case .primitive(let bytes) = value.content else { return nil }
        switch value.identifier {
        case .utf8String, .printableString, .ia5String, .visibleString, .numericString:
            return String(validating: bytes, as: UTF8.self)
        // In practice TeletexString holds Latin-1.
        case .teletexString: return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        case .bmpString:
            guard bytes.count.isMultiple(of: 2) else { return nil }
            let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2)
                .map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
            return String(validating: units, as: UTF16.self)
        default: return nil
        }
    }

    /// The name as people read it: `CN=example.com, O=Example`, the last attribute first (RFC 4514
    /// §2.1), without control characters.
    var description: String {
        let parts = relativeNames.reversed().flatMap { $0 }.map { attribute in
            let name = Self.names.first { $0.type == attribute.type }?.name ?? "\(attribute.type)"
            return name + "=" + Self.shown(attribute.value)
        }
        return parts.isEmpty ? "(no name)" : parts.joined(separator: ", ")
    }

    /// The common name, or the organization; nil where there is neither.
    var shortName: String? {
        let attributes = relativeNames.flatMap { $0 }
        for type in Self.names.prefix(3).map(\.type) {
            if let attribute = attributes.last(where: { $0.type == type }) { return Self.shown(attribute.value) }
        }
        return nil
    }

    private static func shown(_ value: ASN1Node) -> String {
        text(value).map { ASCII.escaped($0.utf8, limit: 80) } ?? "(\(value.encodedBytes.count) bytes)"
    }

    static let commonName: ASN1ObjectIdentifier = [2, 5, 4, 3]
    static let emailAddress: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 1]

    private static let names: [(type: ASN1ObjectIdentifier, name: String)] = [
        (commonName, "CN"), ([2, 5, 4, 11], "OU"), ([2, 5, 4, 10], "O"), ([2, 5, 4, 6], "C"), ([2, 5, 4, 7], "L"),
        ([2, 5, 4, 8], "ST"), ([2, 5, 4, 5], "serialNumber"), (emailAddress, "emailAddress"),
        ([0, 9, 2342, 19_200_300, 100, 1, 25], "DC"), ([0, 9, 2342, 19_200_300, 100, 1, 1], "UID"),
    ]
}
