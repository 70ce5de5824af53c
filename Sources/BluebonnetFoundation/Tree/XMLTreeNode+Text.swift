import Bluebonnet

extension XMLTreeNode: CustomStringConvertible {
    /// The node as XML, with the namespaces that it declares itself.
    public var description: String {
        var text = ""
        write(into: &text)
        return text
    }

    /// Writes the node. It is a loop over the nodes in their order and not a recursion: the stack
    /// must not depend on the depth of the document.
    private func write(into text: inout String) {
        if case .attribute(let attribute) = storage.records[index].content { return Self.write(attribute, into: &text) }
        var open: [(name: XMLName, end: Int)] = []
        var place = index
        let end = storage.records[index].end
        while place < end {
            let record = storage.records[place]
            switch record.content {
            // Attributes are written with their element.
            case .document, .attribute: break
            case .element(let element):
                Self.writeTag(element, into: &text)
                text += record.children.isEmpty ? "/>" : ">"
                if !record.children.isEmpty { open.append((element.name, record.end)) }
            case .text(let string): text += Self.escaped(string, isAttribute: false)
            case .comment(let string): text += "<!--\(string)-->"
            case .instruction(let target, let data): text += data.isEmpty ? "<?\(target)?>" : "<?\(target) \(data)?>"
            }
            place += 1
            while let last = open.last, last.end == place {
                text += "</\(last.name)>"
                open.removeLast()
            }
        }
    }

    private static func writeTag(_ element: XMLStartElement, into text: inout String) {
        text += "<\(element.name)"
        for (prefix, namespace) in element.namespaces.sorted(by: { $0.key < $1.key }) {
            text += prefix.isEmpty ? " xmlns=" : " xmlns:\(prefix)="
            text += "\"\(escaped(namespace, isAttribute: true))\""
        }
        for attribute in element.attributes {
            text += " "
            write(attribute, into: &text)
        }
    }

    private static func write(_ attribute: XMLAttribute, into text: inout String) {
        text += "\(attribute.name)=\"\(escaped(attribute.value, isAttribute: true))\""
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
