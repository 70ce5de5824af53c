import SwiftASN1

/// The name of a subject or an issuer in a form in which equal names have equal bytes (RFC 5280
/// §7.1): text is compared without regard to its type, to the case of ASCII letters and to the
/// number of spaces.
struct CanonicalName: Hashable, Sendable {
    /// One element for each relative name: the attributes, sorted.
    let relativeNames: [[UInt8]]
    /// The places of relative names that may be equal to others than those of the same bytes: their
    /// text is not ASCII, whose cases and forms are not compared here, or they are not text.
    private let unclear: [Int]

    private struct Malformed: Error {}

    /// Reads a name from its bytes: a session has a hundred and forty authorities to read.
    ///
    /// - Throws: An error when the node is not a name.
    init(_ name: ASN1Node) throws {
        guard case .constructed(let names) = name.content else { throw Malformed() }
        var unclear: [Int] = []
        relativeNames = try names.enumerated().map { place, name in
            guard case .constructed(let attributes) = name.content else { throw Malformed() }
            var isClear = true
            let encoded = try attributes.map { try Self.bytes($0, &isClear) }
            if !isClear { unclear.append(place) }
            return encoded.count == 1 ? encoded[0] : encoded.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 }
        }
        self.unclear = unclear
    }

    var isEmpty: Bool { relativeNames.isEmpty }

    /// Whether the name is the other one or below it.
    func isWithin(_ other: CanonicalName) -> Bool {
        relativeNames.starts(with: other.relativeNames)
    }

    /// The same for a name that must not be below the other one: nil where it may be, by rules that
    /// are not those of this type.
    func isSurelyWithin(_ other: CanonicalName) -> Bool? {
        guard relativeNames.count >= other.relativeNames.count else { return false }
        var isSure = true
        for place in other.relativeNames.indices where relativeNames[place] != other.relativeNames[place] {
            guard unclear.contains(place) || other.unclear.contains(place) else { return false }
            isSure = false
        }
        return isSure ? true : nil
    }

    private static func bytes(_ attribute: ASN1Node, _ isClear: inout Bool) throws -> [UInt8] {
        guard case .constructed(let parts) = attribute.content else { throw Malformed() }
        var iterator = parts.makeIterator()
        guard let type = iterator.next(), case .primitive(let number) = type.content, let value = iterator.next(),
            iterator.next() == nil
        else { throw Malformed() }
        let text = foldedText(value)
        let content = text ?? Array(value.encodedBytes)
        if text == nil || !content.allSatisfy({ (0x20...0x7E).contains($0) }) { isClear = false }
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
