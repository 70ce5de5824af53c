/// An attribute of an element.
public struct XMLAttribute: Sendable, Hashable {
    /// The name.
    public var name: XMLName
    /// The value, references resolved, each line end and tab a space (XML 1.0 §3.3.3). Types that a DTD declares are not
    /// looked at: every value is treated as one of the type CDATA, so that blanks at its ends and double ones stay.
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
