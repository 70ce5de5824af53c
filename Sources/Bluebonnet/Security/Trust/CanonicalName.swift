import SwiftASN1

/// The name of a subject or an issuer in a form in which equal names have equal bytes (RFC 5280
/// §7.1): text is compared without regard to its type, to the case of ASCII letters and to the
/// number of spaces.
struct CanonicalName: Hashable, Sendable {
    /// One element for each relative name: the attributes, sorted.
    let relativeNames: [[UInt8]]

    private struct Malformed: Error {}

    /// Reads a name from its bytes: a session has a hundred and forty authorities to read.
    ///
    /// - Throws: An error when the node is not a name.
    init(_ name: ASN1Node) throws {
        guard case .constructed(let names) = name.content else { throw Malformed() }
        relativeNames = try names.map { name in
            guard case .constructed(let attributes) = name.content else { throw Malformed() }
            let encoded = try attributes.map(Self.bytes)
            return encoded.count == 1 ? encoded[0] : encoded.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 }
        }
    }

    var isEmpty: Bool { relativeNames.isEmpty }

    /// Whether the name is the other one or below it.
    func isWithin(_ other: CanonicalName) -> Bool {
        relativeNames.starts(with: other.relativeNames)
    }

    private static func bytes(_ attribute: ASN1Node) throws -> [UInt8] {
        guard case .constructed(let parts) = attribute.content else { throw Malformed() }
        var iterator = parts.makeIterator()
        guard let type = iterator.next(), case .primitive(let number) = type.content, let value = iterator.next(),
            iterator.next() == nil
        else { throw Malformed() }
        let text = foldedText(value)
        let content = text ?? Array(value.encodedBytes)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(number.count + content.count + 9)
        // The lengths make it impossible that two attributes look like another one.
        append(number.count, to: &bytes)
        bytes += number
        bytes.append(text == nil ? 0 : 1)
        append(content.count, to: &bytes)
        return bytes + content
    }

    private static func append(_ count: Int, to bytes: inout [UInt8]) {
        for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: count >> shift)) }
    }

    /// The text of a value; nil where it is of another type.
    private static func foldedText(_ value: ASN1Node) -> [UInt8]? {
        if case .primitive(let bytes) = value.content,
            value.identifier == .utf8String || value.identifier == .printableString,
            bytes.allSatisfy({ $0 < 0x80 })
        {
            return folded(bytes)
        }
        return NameAttributes.text(value).map { folded($0.utf8) }
    }

    private static func folded(_ text: some Collection<UInt8>) -> [UInt8] {
        var folded: [UInt8] = []
        folded.reserveCapacity(text.count)
        for byte in text {
            switch byte {
            case 0x20, 0x09...0x0D:
                if folded.last != 0x20, !folded.isEmpty { folded.append(0x20) }
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): folded.append(byte | 0x20)
            default: folded.append(byte)
            }
        }
        if folded.last == 0x20 { folded.removeLast() }
        return folded
    }
}
