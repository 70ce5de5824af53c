/// An attribute of an element.
public struct XMLAttribute: Sendable, Hashable {
    /// The name.
    public var name: XMLName
    /// The value, references resolved, each line end and tab a space (XML 1.0 §3.3.3).
    public var value: String

    /// Makes an attribute.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value.
    public init(name: XMLName, value: String) {
        self.name = name
        self.value = value
    }
}
