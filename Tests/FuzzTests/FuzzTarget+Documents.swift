import Bluebonnet
import BluebonnetFoundation
import Foundation

extension FuzzTarget {
    // MARK: XML

    /// The elements of a valid document are nested. The events and the tree accept the same
    /// documents, and a tree that is written is read as the same tree.
    static func xml(_ input: [UInt8]) throws(Violation) -> String {
        let data = Data(input)
        let read: (elements: Int, deepest: Int, open: Int)
        do throws(XMLParsingError) {
            read = try elements(of: data)
        } catch {
            guard error.line >= 1, error.column >= 1 else { throw Violation(description: "no position: \(error)") }
            guard (try? XMLTree(data)) == nil else { throw Violation(description: "a tree, but: \(error)") }
            return "\(error.code) \(error.message.prefix(40))"
        }
        let (elements, deepest, open) = read
        guard open == 0, elements > 0 else { throw Violation(description: "\(elements) elements, \(open) open") }
        do {
            let tree = try XMLTree(data)
            let counted = try tree.value(ofXPath: "count(//*)").number
            guard counted == Double(elements) else { throw Violation(description: "\(counted) of \(elements)") }
            let written = tree.document.description
            let again = try XMLTree(written).document.description
            guard again == written else { throw Violation(description: "written “\(written)”, then “\(again)”") }
            return "\(bucket(elements)) elements, \(bucket(deepest)) deep, \(bucket(written.utf8.count)) bytes"
        } catch {
            throw error as? Violation ?? Violation(description: "events, but no tree: \(error)")
        }
    }

    /// The number of elements that a document starts, their greatest depth, and the number of those
    /// that it does not end.
    private static func elements(
        of document: Data
    ) throws(XMLParsingError) -> (elements: Int, deepest: Int, open: Int) {
        var reader = XMLEventReader(document)
        var (elements, deepest, open) = (0, 0, 0)
        while let event = try reader.next() {
            switch event {
            case .startElement:
                open += 1
                elements += 1
                deepest = max(deepest, open)
            case .endElement: open -= 1
            default: break
            }
        }
        return (elements, deepest, open)
    }

    /// Every expression has a value or an error.
    static func xpath(_ input: [UInt8]) throws(Violation) -> String {
        do throws(XPathError) {
            switch try document.value(ofXPath: String(decoding: input, as: UTF8.self)) {
            case .nodes(let nodes): return "\(bucket(nodes.count)) nodes, \(nodes.first?.kind ?? .document)"
            case .string(let text): return "text of \(bucket(text.utf8.count))"
            case .number(let number): return "number \(number.isFinite) \(number == 0) \(number < 0)"
            case .boolean(let flag): return "\(flag)"
            }
        } catch {
            // The message quotes the input, which would make every outcome a new kind.
            return "refused, \(bucket(input.count)) bytes"
        }
    }

    private static let document: XMLTree = {
        let text = """
            <r xmlns:p="urn:p" lang="en"><a x="1" y="two">1<b>2.5</b><p:b p:x="3">t&#252;</p:b></a><!--c--><?pi d?>\
            <a id="i"><a><b/>é🦊</a> tail</a></r>
            """
        guard let tree = try? XMLTree(text) else { preconditionFailure("the fuzzer's document is not well-formed") }
        return tree
    }()

    // MARK: Property lists

    /// A list that can be parsed can also be decoded as a value. As another type it is decoded or
    /// is an error, also by Foundation.
    static func propertyList(_ input: [UInt8]) throws(Violation) -> String {
        let data = Data(input)
        let value: PropertyListValue
        do throws(PropertyListParsingError) {
            value = try PropertyListValue(parsing: data)
        } catch {
            return "\(error)".filter { !$0.isNumber }.prefix(50).description
        }
        guard (try? PropertyListBodyDecoder().decode(PropertyListValue.self, from: data)) != nil else {
            throw Violation(description: "parsed, but not decoded: \(value)")
        }
        let own = (try? PropertyListBodyDecoder().decode([Item].self, from: data)) != nil
        let foundation = (try? PropertyListDecoder().decode([Item].self, from: data)) != nil
        return "\(own) \(foundation) \(bucket("\(value)".utf8.count))"
    }

    private struct Item: Decodable {
        var name: String?
        var count: Int?
        var ratio: Double?
        var flag: Bool?
        var date: Date?
        var data: Data?
        var items: [String: Int]?
    }

    // MARK: Charsets

    private static let charsets = [
        "utf-8", "utf-16", "utf-16le", "utf-32", "gbk", "gb18030", "big5", "shift_jis", "euc-jp", "iso-2022-jp",
        "euc-kr", "iso-8859-1", "windows-1252", "koi8-r", "ibm866", "windows-1251", "iso-8859-7", "windows-874",
        "macintosh",
    ]

    /// The first byte chooses the charset. Bytes that can be decoded strictly are decoded leniently
    /// to the same text, and this text can be encoded and decoded again.
    static func charset(_ input: [UInt8]) throws(Violation) -> String {
        guard let first = input.first else { return "nothing" }
        let label = charsets[Int(first) % charsets.count]
        guard let charset = Charset(label) else { return "no \(label)" }
        let bytes = Data(input.dropFirst())
        do {
            let lenient = try charset.decode(bytes, fallback: .replace)
            guard let strict = try? charset.decode(bytes) else {
                return "\(label) replaced \(bucket(lenient.utf8.count))"
            }
            guard strict == lenient else { throw Violation(description: "“\(strict)”, with leniency “\(lenient)”") }
            // Where the charset fixes the byte order, a byte order mark that begins the text itself
            // is read as that of the charset.
            let isOpen = charset == .utf16 || charset == .utf32
            guard isOpen || strict.unicodeScalars.first != "\u{FEFF}" else { return "\(label) with two marks" }
            guard let written = try? charset.encode(strict) else { return "\(label) one-way" }
            let again = try charset.decode(written)
            guard again == strict else { throw Violation(description: "\(label): “\(strict)”, written, is “\(again)”") }
            return "\(label) \(bucket(strict.utf8.count)) \(written == bytes)"
        } catch {
            throw error as? Violation ?? Violation(description: "\(label): \(error)")
        }
    }
}
