/// A start tag: its name and what stands in it.
public struct XMLStartElement: Sendable, Hashable {
    /// The name.
    public var name: XMLName
    /// The attributes in their order, without the declarations of namespaces.
    public var attributes: [XMLAttribute]
    /// The namespaces that are declared here, by their prefix; the default one has the empty prefix.
    public var namespaces: [String: String]

    /// Makes a start tag.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - attributes: The attributes. Default: none.
    ///   - namespaces: The namespaces that are declared here. Default: none.
    public init(name: XMLName, attributes: [XMLAttribute] = [], namespaces: [String: String] = [:]) {
        self.name = name
        self.attributes = attributes
        self.namespaces = namespaces
    }

    /// The value of the attribute with a qualified name, `href` or `xlink:href`; nil without one.
    public subscript(qualifiedName: String) -> String? {
        attributes.first { $0.name.qualified.isSameName(as: qualifiedName) }?.value
    }
}
