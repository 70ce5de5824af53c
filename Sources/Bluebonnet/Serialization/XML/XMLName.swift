/// The name of an element or attribute (Namespaces in XML 1.0).
public struct XMLName: Sendable, Hashable, CustomStringConvertible {
    /// The name as it is written, with its prefix: `atom:link`.
    public var qualified: String
    /// The namespace that the prefix, or the default namespace, stands for; empty without one.
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
