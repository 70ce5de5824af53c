import Bluebonnet

extension XMLTreeNode: CustomStringConvertible {
    /// The node as XML, with the namespaces that it declares itself.
    public var description: String {
        var text = ""
        write(into: &text)
        return text
    }

    private func write(into text: inout String) {
        switch storage.records[index].content {
        case .document:
            for child in children { child.write(into: &text) }
        case .element(let element):
            text += "<\(element.name)"
            for (prefix, namespace) in element.namespaces.sorted(by: { $0.key < $1.key }) {
                text += prefix.isEmpty ? " xmlns=" : " xmlns:\(prefix)="
                text += "\"\(Self.escaped(namespace, isAttribute: true))\""
            }
            for attribute in element.attributes {
                text += " \(attribute.name)=\"\(Self.escaped(attribute.value, isAttribute: true))\""
            }
            let children = children
            guard !children.isEmpty else {
                text += "/>"
                return
            }
            text += ">"
            for child in children { child.write(into: &text) }
            text += "</\(element.name)>"
        case .attribute(let attribute):
            text += "\(attribute.name)=\"\(Self.escaped(attribute.value, isAttribute: true))\""
        case .text(let string): text += Self.escaped(string, isAttribute: false)
        case .comment(let string): text += "<!--\(string)-->"
        case .instruction(let target, let data): text += data.isEmpty ? "<?\(target)?>" : "<?\(target) \(data)?>"
        }
    }

    private static func escaped(_ text: String, isAttribute: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"" where isAttribute: escaped += "&quot;"
            case "\n" where isAttribute: escaped += "&#10;"
            case "\t" where isAttribute: escaped += "&#9;"
            case "\r": escaped += "&#13;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
