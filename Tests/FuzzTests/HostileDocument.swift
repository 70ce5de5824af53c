import BluebonnetFoundation
import Foundation
import NIOCore

@testable import Bluebonnet

/// The most costly documents that are known for each parser, in any size.
enum HostileDocument {
    private typealias Binary = BinaryPropertyList
    /// The size of a document in bytes, and the function that reads it.
    typealias Document = (size: Int, run: () throws -> String)

    private static func repeated(_ text: String, upTo size: Int) -> String {
        String(repeating: text, count: max(1, size / text.utf8.count))
    }

    /// As many pieces as needed for a size, each with its number.
    private static func numbered(upTo size: Int, _ piece: (Int) -> String) -> String {
        var (text, number) = ("", 0)
        while text.utf8.count < size {
            text += piece(number)
            number += 1
        }
        return text
    }

    private static func xml(_ document: @escaping (Int) -> String) -> (Int) -> Document {
        { size in
            let data = Data(document(size).utf8)
            return (
                data.count,
                {
                    var reader = XMLEventReader(data)
                    while try reader.next() != nil {}
                    return "read"
                }
            )
        }
    }

    private static func tree(_ document: @escaping (Int) -> String) -> (Int) -> Document {
        { size in
            let data = Data(document(size).utf8)
            return (data.count, { "\(try XMLTree(data).root.children.count) children" })
        }
    }

    private static func xpath(_ expression: String, _ document: @escaping (Int) -> String) -> (Int) -> Document {
        { size in
            let data = Data(document(size).utf8)
            return (
                data.count,
                {
                    let tree = try XMLTree(data)
                    return "\(try tree.value(ofXPath: expression).boolean)"
                }
            )
        }
    }

    private static func list(_ document: @escaping (Int) -> Data) -> (Int) -> Document {
        { size in
            let data = document(size)
            return (
                data.count,
                {
                    let value = try PropertyListValue(parsing: data)
                    return "\(value.array?.count ?? value.dictionary?.count ?? 0) inside"
                }
            )
        }
    }

    private static func wide(_ size: Int) -> String {
        "<r><t>\(repeated("text ", upTo: size / 2))</t>\(repeated("<i/>", upTo: size / 2))</r>"
    }

    private static func deep(_ size: Int) -> String {
        let open = repeated("<d>", upTo: 500 * 3)
        return open + repeated("<i>1</i>", upTo: size - 3_500) + repeated("</d>", upTo: 500 * 4)
    }

    private static func scopes(_ size: Int) -> String {
        let open = (0..<500).map { "<a xmlns:p\($0)='u'>" }.joined()
        return open + repeated("<p0:a p0:b='' p1:c=''/>", upTo: size) + String(repeating: "</a>", count: 500)
    }

    /// An array of dictionaries that all have the same key.
    private static func dictionaries(_ count: Int, key: [UInt8]) -> Data {
        let dictionary = [0xD1] + Binary.references([count + 1, count + 2])
        let dictionaries = [[UInt8]](repeating: dictionary, count: count)
        return Binary.list([Binary.array(1...count)] + dictionaries + [key, [9]])
    }

    private static func body(_ body: HostileBody) -> (Int) -> Document {
        { size in
            let bytes = body.bytes(size * 100 / body.bytes(100).count)
            return decoded(body.coding, bytes, piece: .max)
        }
    }

    private static func decoded(_ coding: String, _ bytes: [UInt8], piece: Int) -> Document {
        (
            bytes.count,
            {
                guard let coding = try ContentCoding(contentEncoding: coding) else { return "?" }
                let decoder = ContentDecoder(coding, limits: Limits())
                var (body, count) = (ByteBuffer(bytes: bytes), 0)
                while body.readableBytes > 0, let next = body.readSlice(length: min(piece, body.readableBytes)) {
                    decoder.push(next)
                    while let block = try decoder.nextBlock() { count += block.readableBytes }
                }
                try decoder.finish()
                return "\(count) bytes"
            }
        )
    }

    /// A response that the parser receives in pieces of `piece` bytes.
    private static func response(piece: Int, _ document: @escaping (Int) -> String) -> (Int) -> Document {
        { size in
            let text = document(size)
            return (
                text.utf8.count,
                {
                    var parser = HTTP1ResponseParser()
                    parser.begin(.ordinary)
                    var (bytes, events) = (ByteBuffer(string: text), 0)
                    while bytes.readableBytes > 0, var next = bytes.readSlice(length: min(piece, bytes.readableBytes)) {
                        while try parser.next(&next) != nil { events += 1 }
                    }
                    return "\(events) events"
                }
            )
        }
    }

    private static func decodable<Value: Decodable>(
        _ type: Value.Type,
        keys: JSONDecoder.KeyDecodingStrategy = .useDefaultKeys,
        _ document: @escaping (Int) -> String
    ) -> (Int) -> Document {
        { size in
            let data = Data(document(size).utf8)
            return (
                data.count,
                {
                    var decoder = JSONBodyDecoder()
                    decoder.keyDecodingStrategy = keys
                    let value = try decoder.decode(Value.self, from: data)
                    return "\((value as? any Collection)?.count ?? 1) values"
                }
            )
        }
    }

    private static func nested(_ depth: Int, _ content: String) -> String {
        String(repeating: "[", count: depth) + content + String(repeating: "]", count: depth)
    }

    private static func elements(_ element: String, upTo size: Int) -> String {
        String(repeated(element + ",", upTo: size).dropLast())
    }

    /// Forty properties, none of which an empty object has.
    private struct Optionals: Decodable {
        var a0: Int?, a1: Int?, a2: Int?, a3: Int?, a4: Int?, a5: Int?, a6: Int?, a7: Int?, a8: Int?, a9: Int?
        var b0: Int?, b1: Int?, b2: Int?, b3: Int?, b4: Int?, b5: Int?, b6: Int?, b7: Int?, b8: Int?, b9: Int?
        var c0: Int?, c1: Int?, c2: Int?, c3: Int?, c4: Int?, c5: Int?, c6: Int?, c7: Int?, c8: Int?, c9: Int?
        var d0: Int?, d1: Int?, d2: Int?, d3: Int?, d4: Int?, d5: Int?, d6: Int?, d7: Int?, d8: Int?, d9: Int?
    }

    /// Reads objects in an array deep inside of others.
    private struct DeepRecords: Decodable {
        struct Record: Decodable {
            var a: Int
        }

        init(from decoder: any Decoder) throws {
            var array = try decoder.unkeyedContainer()
            for _ in 1..<PassedOverErrors.depth {
                let inner = try array.nestedUnkeyedContainer()
                array = inner
            }
            while !array.isAtEnd { _ = try array.decode(Record.self) }
        }
    }

    /// All documents: a name, and a function that makes the document with about a given size.
    static var all: [(String, (Int) -> Document)] {
        var documents: [(String, (Int) -> Document)] = []
        func add(_ name: String, _ make: @escaping (Int) -> Document) { documents.append((name, make)) }
        add("XML: empty elements", xml { "<r>\(repeated("<a/>", upTo: $0))</r>" })
        add("XML: 500 scopes, prefixed names", xml(scopes))
        add(
            "XML: attributes, 10,000 an element",
            xml { size in
                let tags = numbered(upTo: min(size, 80_000)) { "a\($0)='' " }
                return "<r>\(repeated("<a \(tags)/>", upTo: size))</r>"
            }
        )
        add(
            "XML: declarations of namespaces",
            xml { size in
                let tags = numbered(upTo: min(size, 150_000)) { "xmlns:p\($0)='\($0)' " }
                return "<r>\(repeated("<a \(tags)/>", upTo: size))</r>"
            }
        )
        add(
            "XML: one long namespace, 10,000 names in it",
            xml { size in
                let names = numbered(upTo: min(size / 2, 80_000)) { "p:a\($0)='' " }
                return "<a xmlns:p='\(repeated("u", upTo: size / 2))' \(names)/>"
            }
        )
        add("XML: 100,000 entities", xml { "<!DOCTYPE a [\(numbered(upTo: $0) { "<!ENTITY e\($0) ''>" })]><a/>" })
        add("XML: references in an attribute", xml { "<a b='\(repeated("&#65;&amp;", upTo: $0))'/>" })
        add("XML: comments", xml { "<a>\(repeated("<!---->", upTo: $0))</a>" })
        add("tree: empty elements", tree { "<r>\(repeated("<a/>", upTo: $0))</r>" })
        add("tree: nested elements", tree { "<r>\(repeated("<a><a/></a>", upTo: $0))</r>" })
        add("tree: attributes", tree { "<r>\(repeated("<a b=''/>", upTo: $0))</r>" })
        add("tree: CDATA sections", tree { "<r>\(repeated("<![CDATA[x]]>", upTo: $0))</r>" })
        add("tree: text, CDATA, entity, comment", tree { "<r>\(repeated("x<![CDATA[y]]>&lt;<!---->", upTo: $0))</r>" })
        add("XPath: //*[contains(., 'z')] in 500 levels", xpath("//*[contains(., 'z')]", deep))
        add("XPath: //i[normalize-space(../t) = 'z']", xpath("//i[normalize-space(../t) = 'z']", wide))
        add("XPath: //i[contains(../t, 'z')]", xpath("//i[contains(../t, 'z')]", wide))
        add("XPath: //i[translate(../t, 'et', 'z') = 'z']", xpath("//i[translate(../t, 'et', 'z') = 'z']", wide))
        add("XPath: //i[substring(../t, 2) = 'z']", xpath("//i[substring(../t, 2) = 'z']", wide))
        add("XPath: //i[string-length(../t) = 1]", xpath("//i[string-length(../t) = 1]", wide))
        add("XPath: //i[number(/) > 1]", xpath("//i[number(/) > 1]", wide))
        add("XPath: //*//*//*", xpath("//*//*//*", deep))
        add("XPath: //i/following::i", xpath("//i/following::i", wide))
        add("XPath: //i/preceding::i", xpath("//i/preceding::i", wide))
        add("XPath: //i/ancestor::*", xpath("//i/ancestor::*", deep))
        add("XPath: //*[position() = last()]", xpath("//*[position() = last()]", wide))
        add("XPath: string-length(//*)", xpath("string-length(//*)", wide))
        add("XPath: //* = //i[. = 'z']", xpath("//* = //i[. = 'z']", wide))
        add(
            "XPath: contains(//t, //u)",
            xpath("contains(//t, //u)") { size in
                "<r><t>\(repeated("a", upTo: size / 2))</t><u>\(repeated("a", upTo: size / 3))b</u></r>"
            }
        )
        add("XPath: number(a million digits)", xpath("number(/)") { "<r>\(repeated("1", upTo: $0))</r>" })
        add(
            "XPath: //i[lang('en')]",
            xpath("//i[lang('en')]") { size in
                "<r \(numbered(upTo: min(size / 2, 80_000)) { "a\($0)='' " })>\(repeated("<i/>", upTo: size / 2))</r>"
            }
        )
        add("XML list: empty arrays", list { Data("<array>\(repeated("<array/>", upTo: $0))</array>".utf8) })
        add(
            "XML list: a dictionary",
            list { size in
                Data("<dict>\(numbered(upTo: size) { "<key>\($0)</key><true/>" })</dict>".utf8)
            }
        )
        add("XML list: a real of a million digits", list { Data("<real>\(repeated("1", upTo: $0))</real>".utf8) })
        add(
            "binary list: one text, many entries",
            list { size in
                let count = size / 2 / 8
                return Binary.list(
                    [Binary.array(1...count), Binary.text(size / 2)],
                    entries: [0] + [Int](repeating: 1, count: count)
                )
            }
        )
        add(
            "binary list: one key, repeated",
            list { size in
                let count = size / 2 / 8
                return Binary.list([
                    Binary.dictionary(repeatElement(1, count: count), repeatElement(2, count: count)),
                    Binary.text(size / 2), [9],
                ])
            }
        )
        add("binary list: a long key, many dictionaries", list { dictionaries($0 / 17, key: Binary.text(200)) })
        add("binary list: small dictionaries", list { dictionaries($0 / 17, key: [0x51, 0x61]) })
        add(
            "binary list: [x, x] in [x, x], 60 times",
            list { _ in
                Binary.list((1...60).map { Binary.array([$0, $0]) } + [[9]])
            }
        )
        add(
            "binary list: references to one value",
            list { size in
                Binary.list([Binary.array(repeatElement(1, count: size / 4)), [9]])
            }
        )
        add(
            "charset: UTF-16 XML",
            { size in
                let bytes =
                    (try? Charset.utf16BigEndian.encode("\u{FEFF}<r>\(repeated("<a/>", upTo: size / 2))</r>")) ?? Data()
                return (
                    bytes.count,
                    {
                        var reader = XMLEventReader(bytes)
                        while try reader.next() != nil {}
                        return "read"
                    }
                )
            }
        )
        add(
            "charset: Big5, symbols between characters",
            { size in
                let bytes = Data((0..<size / 4).flatMap { _ in [0xA4, 0xA4, 0xA1, 0x45] as [UInt8] })
                return (bytes.count, { "\(try (Charset("big5") ?? .utf8).decode(bytes).utf8.count) bytes" })
            }
        )
        add(
            "charset: GB18030, nothing valid",
            { size in
                let bytes = Data(repeating: 0xFF, count: size)
                return (
                    bytes.count,
                    { "\(try (Charset("gb18030") ?? .utf8).decode(bytes, fallback: .replace).utf8.count) bytes" }
                )
            }
        )
        return documents + others()
    }

    private static func others() -> [(String, (Int) -> Document)] {
        var documents: [(String, (Int) -> Document)] = []
        func add(_ name: String, _ make: @escaping (Int) -> Document) { documents.append((name, make)) }
        for name in ["gb18030", "big5", "euc-jp", "shift_jis", "iso-2022-jp", "euc-kr", "windows-1252"] {
            add("charset: \(name), a byte that is not valid between others") { size in
                let bytes = Data((0..<size).map { $0 % 2 == 0 ? 0xFF : 0x61 })
                return (
                    bytes.count,
                    { "\(try (Charset(name) ?? .utf8).decode(bytes, fallback: .replace).utf8.count) bytes" }
                )
            }
        }
        let arrays = { (size: Int) in "[\(elements("[0]", upTo: size))]" }
        let objects = { (size: Int) in "[\(elements("{}", upTo: size))]" }
        let named = { (size: Int) in "[\(elements(#"{"":0}"#, upTo: size))]" }
        let depth = PassedOverErrors.depth
        add("JSON: arrays of one number", decodable(JSONValue.self, arrays))
        add("JSON: objects of one key", decodable(JSONValue.self, named))
        add("JSON: one key, repeated", decodable(JSONValue.self) { "{\(elements("\"\":0", upTo: $0))}" })
        add("JSON: escapes", decodable(JSONValue.self) { "[\"\(repeated("\\u0041\\n", upTo: $0))\"]" })
        add("JSON: depth 510, 200 times", decodable(JSONValue.self) { "[\(elements(nested(510, ""), upTo: $0))]" })
        add("JSON: a double of a million digits", decodable([Double].self) { "[1.\(repeated("1", upTo: $0))]" })
        add("JSON: an integer of a million digits", decodable([JSONValue].self) { "[\(repeated("1", upTo: $0))]" })
        add("JSON: {} into dictionaries", decodable([[String: Int]].self, objects))
        add("JSON: {} into structures of 40 optionals", decodable([Optionals].self, objects))
        add("JSON: a missing key at each object", decodable([Optionals].self, named))
        add(
            "JSON: errors passed over at depth 510",
            decodable(PassedOverErrors.self) { nested(depth, elements(#""""#, upTo: $0)) }
        )
        add(
            "JSON: snake case, objects at depth 510",
            decodable(DeepRecords.self, keys: .convertFromSnakeCase) { nested(depth, elements(#"{"a":1}"#, upTo: $0)) }
        )
        add(
            "JSON: keys of a closure, objects at depth 510",
            decodable(DeepRecords.self, keys: .custom { $0[$0.count - 1] }) {
                nested(depth, elements(#"{"a":1}"#, upTo: $0))
            }
        )
        add(
            "list: errors passed over at depth 510",
            { size in
                let count = size / 4
                let inner = Binary.array(repeatElement(depth, count: count))
                let data = Binary.list((1..<depth).map { Binary.array([$0]) } + [inner, [0x51, 0x61]])
                return (
                    data.count,
                    { "\(try PropertyListBodyDecoder().decode(PassedOverErrors.self, from: data).count) errors" }
                )
            }
        )
        for hostile in HostileBody.allCases { add("\(hostile.coding): \(hostile)", body(hostile)) }
        for format in [Deflater.Format.gzip, .deflate] {
            for piece in [Int.max, 1] {
                add("\(format): a bomb\(piece == 1 ? ", byte by byte" : "")") { size in
                    let deflater = try? Deflater(format, level: 9)
                    let zeros = ByteBuffer(repeating: 0, count: size * 100)
                    let bytes = (try? deflater?.compress(zeros)).map { Array($0.readableBytesView) } ?? []
                    let rest = (try? deflater?.finish()).map { Array($0.readableBytesView) } ?? []
                    return decoded(format.rawValue, bytes + rest, piece: piece)
                }
            }
        }
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        add("chunks of one byte, byte by byte", response(piece: 1) { head + repeated("1\r\na\r\n", upTo: $0) })
        add("chunks of one byte", response(piece: .max) { head + repeated("1\r\na\r\n", upTo: $0) })
        add(
            "chunks with extensions of 4,000 bytes",
            response(piece: 1) { head + repeated("1;\(repeated("x", upTo: 4_000))\r\na\r\n", upTo: $0) }
        )
        add(
            "a head of short fields, byte by byte",
            response(piece: 1) { "HTTP/1.1 200 OK\r\n" + repeated("a:\r\n", upTo: $0) }
        )
        add(
            "events: data without text",
            { size in
                let bytes = ByteBuffer(string: repeated("data\n", upTo: size))
                return (
                    bytes.readableBytes,
                    {
                        var (parser, events) = (ServerSentEventParser(limit: .max), 0)
                        parser.push(bytes)
                        while try parser.next() != nil { events += 1 }
                        return "\(events) events"
                    }
                )
            }
        )
        return documents
    }
}
