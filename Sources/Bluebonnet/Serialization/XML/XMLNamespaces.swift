/// The namespaces that are valid at a place of a document (Namespaces in XML 1.0 §6).
///
/// The namespace of a prefix is found in constant time, however many elements around declare
/// others, and namespaces are compared by their number, however long their names are.
struct XMLNamespaces: Sendable {
    static let xml = "http://www.w3.org/XML/1998/namespace"
    static let xmlns = "http://www.w3.org/2000/xmlns/"

    private static let numberOfXML = 0
    private static let numberOfNone = 1

    /// Every namespace of the document so far, by its number.
    private var names = [Self.xml, ""]
    private var numbers = [XMLNameKey(Self.xml): Self.numberOfXML, XMLNameKey(""): Self.numberOfNone]
    /// The namespaces of each prefix, the innermost declaration last.
    private var prefixes: [XMLNameKey: [Int]] = [:]
    /// The default namespaces, which most names have, the innermost declaration last.
    private var defaults = [Self.numberOfNone]
    /// The prefixes that the open elements declare, only for elements that declare some.
    private var scopes: [(depth: Int, declared: [String])] = []

    #if DEBUG
        /// The number of declarations and lookups, for the tests of the cost of a document.
        private(set) var steps = 0
    #endif

    /// Adds the declarations of an element, which are valid until it ends.
    ///
    /// - Returns: The namespaces by their prefix.
    mutating func declare(_ declarations: [(prefix: String, namespace: String)], depth: Int) -> [String: String] {
        guard !declarations.isEmpty else { return [:] }
        #if DEBUG
            steps += declarations.count
        #endif
        var declared: [String: String] = [:]
        for (prefix, namespace) in declarations {
            let key = XMLNameKey(namespace)
            let number = numbers[key] ?? names.count
            if number == names.count {
                names.append(namespace)
                numbers[key] = number
            }
            declared[prefix] = names[number]
            if prefix.isEmpty {
                defaults.append(number)
            } else {
                prefixes[XMLNameKey(prefix), default: []].append(number)
            }
        }
        scopes.append((depth, declarations.map(\.prefix)))
        return declared
    }

    /// Removes the declarations of an element that ends.
    mutating func end(depth: Int) {
        guard let scope = scopes.last, scope.depth == depth else { return }
        scopes.removeLast()
        for prefix in scope.declared {
            if prefix.isEmpty {
                defaults.removeLast()
            } else {
                prefixes[XMLNameKey(prefix)]?.removeLast()
                if prefixes[XMLNameKey(prefix)]?.isEmpty == true { prefixes[XMLNameKey(prefix)] = nil }
            }
        }
    }

    /// The namespace of names without a prefix; empty for none.
    var byDefault: String { names[defaults[defaults.count - 1]] }

    /// The number and the name of the namespace of a prefix; nil for an undeclared one.
    mutating func namespace(of prefix: String) -> (number: Int, name: String)? {
        #if DEBUG
            steps += 1
        #endif
        if prefix == "xml" { return (Self.numberOfXML, Self.xml) }
        guard let number = prefixes[XMLNameKey(prefix)]?.last else { return nil }
        return (number, names[number])
    }
}
