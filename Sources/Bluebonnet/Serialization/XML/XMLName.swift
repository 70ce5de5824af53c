/// The name of an element or attribute (Namespaces in XML 1.0).
///
/// Counterpart of the element name, namespace URI and qualified name that a delegate of
/// `NSXMLParser` gets.
public struct XMLName: Sendable, Hashable, CustomStringConvertible {
    /// The name as it is written, with its prefix: `atom:link`.
    public var qualified: String
    /// The namespace of the prefix, or the default namespace; empty without one.
    public var namespace: String

    /// Makes a name.
    ///
    /// - Parameters:
    ///   - qualified: The name as it is written.
    ///   - namespace: The namespace. Default: none.
    public init(_ qualified: String, namespace: String = "") {
        self.qualified = qualified
        self.namespace = namespace
    }

    /// The name without its prefix: `link`.
    public var local: String {
        let bytes = qualified.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return qualified }
        return String(qualified[bytes.index(after: colon)...])
    }

    /// The prefix, empty without one: `atom`.
    public var prefix: String {
        guard let colon = qualified.utf8.firstIndex(of: UInt8(ascii: ":")) else { return "" }
        return String(qualified[..<colon])
    }

    /// The qualified name.
    public var description: String { qualified }
}

/// A text as XML compares names: by its code points, where `String` compares up to canonical
/// equivalence (XML 1.0 §1.2, “match”).
struct XMLNameKey: Hashable, Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (left: XMLNameKey, right: XMLNameKey) -> Bool { left.text.isSameName(as: right.text) }

    func hash(into hasher: inout Hasher) {
        // The hash of `String` is the same for canonically equivalent names, which would all be in
        // one place of a set.
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

extension String {
    /// Whether the code points are the same.
    package func isSameName(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}

extension XMLName {
    /// Whether ``local`` is equal to a name; makes no new string.
    package func hasLocal(_ name: String) -> Bool {
        let bytes = qualified.utf8
        let before = bytes.count - name.utf8.count
        guard before >= 0 else { return false }
        let start = bytes.index(bytes.startIndex, offsetBy: before)
        guard before == 0 || bytes[bytes.index(before: start)] == UInt8(ascii: ":") else { return false }
        return bytes[start...].elementsEqual(name.utf8)
    }
}
