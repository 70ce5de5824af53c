import BluebonnetFoundation
import Foundation
import Testing

@testable import Bluebonnet

/// The worst documents that are known, in three sizes, with what they cost: a table, printed when it is asked for.
///
///     BLUEBONNET_HOSTILE=1000000 swift test --filter HostileDocument
///
/// The number is the size of the largest in bytes; half and a quarter of it are measured before. Processor time is that of
/// the thread, memory the peak of the process above what it had before.
@Suite(.serialized)
struct HostileDocumentTests {
    static let size = ProcessInfo.processInfo.environment["BLUEBONNET_HOSTILE"].flatMap { Int($0) }

    private struct Measured {
        var bytes = 0
        var seconds = 0.0
        var memory = 0
        var outcome = ""
    }

    @Test(.enabled(if: size != nil)) func `a table of documents and costs`() throws {
        print("| document | bytes | CPU ms | peak MB above | outcome |\n|---|---|---|---|---|")
        for (name, make) in Self.documents() {
            for part in [4, 2, 1] {
                let count = (Self.size ?? 0) / part
                let (size, run) = make(count)
                let measured = Self.measure(size, run)
                print(
                    "| \(name) | \(measured.bytes) | \(Int(measured.seconds * 1_000)) | "
                        + "\(measured.memory / 1_024) | \(measured.outcome) |"
                )
            }
        }
    }

    // MARK: Documents

    private typealias Document = (size: Int, run: () throws -> String)

    private static func repeated(_ text: String, upTo size: Int) -> String {
        String(repeating: text, count: max(1, size / text.utf8.count))
    }

    /// As many pieces as fit, each with its number.
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

    private static func binary(_ objects: [[UInt8]], entries: [Int]) -> Data {
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        for entry in entries { bytes += number(offsets[entry], 3) }
        bytes += [0, 0, 0, 0, 0, 0, 3, 3]
        for trailer in [entries.count, 0, table] { bytes += number(trailer, 8) }
        return Data(bytes)
    }

    private static func number(_ number: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private static func counted(_ kind: UInt8, _ references: [Int]) -> [UInt8] {
        var object: [UInt8] = [kind << 4 | 0xF, 0x12]
        object += number(kind == 0xD ? references.count / 2 : references.count, 4)
        for reference in references { object += number(reference, 3) }
        return object
    }

    /// An array of dictionaries, all with the same key.
    private static func dictionaries(_ count: Int, key: [UInt8]) -> Data {
        var dictionary: [UInt8] = [0xD1]
        dictionary += number(count + 1, 3)
        dictionary += number(count + 2, 3)
        var objects = [counted(0xA, Array(1...count))]
        objects += [[UInt8]](repeating: dictionary, count: count)
        objects.append(key)
        objects.append([9])
        return binary(objects, entries: Array(0..<count + 3))
    }

    private static func text(_ count: Int) -> [UInt8] {
        var object: [UInt8] = [0x5F, 0x12]
        object += number(count, 4)
        object += [UInt8](repeating: 0x61, count: count)
        return object
    }

    private static func documents() -> [(String, (Int) -> Document)] {
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
                let count = size / 2 / 6
                return binary(
                    [counted(0xA, Array(1...count)), text(size / 2)],
                    entries: [0] + [Int](repeating: 1, count: count)
                )
            }
        )
        add(
            "binary list: one key, repeated",
            list { size in
                let count = size / 2 / 6
                let references = [Int](repeating: 1, count: count) + [Int](repeating: 2, count: count)
                return binary(
                    [counted(0xD, references), text(size / 2), [9]],
                    entries: [0, 1, 2] + [Int](repeating: 2, count: count)
                )
            }
        )
        add("binary list: a long key, many dictionaries", list { dictionaries($0 / 16, key: text(200)) })
        add("binary list: small dictionaries", list { dictionaries($0 / 16, key: [0x51, 0x61]) })
        add(
            "binary list: [x, x] in [x, x], 60 times",
            list { _ in
                binary((1...60).map { counted(0xA, [$0, $0]) } + [[9]], entries: Array(0...60))
            }
        )
        add(
            "binary list: references to one value",
            list { size in
                binary([counted(0xA, [Int](repeating: 1, count: size / 3)), [9]], entries: [0, 1])
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
        return documents
    }

    // MARK: Measuring

    private static func measure(_ size: Int, _ run: () throws -> String) -> Measured {
        var measured = Measured(bytes: size)
        // Linux: the peak becomes what is used now.
        try? Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
        let before = status("VmRSS")
        let start = threadTime()
        do {
            measured.outcome = try run()
        } catch {
            measured.outcome = "refused: \("\(error)".prefix(70))"
        }
        measured.seconds = threadTime() - start
        measured.memory = max(0, status("VmHWM") - before)
        return measured
    }

    private static func threadTime() -> Double {
        var time = timespec()
        // The place is a variable of this function.
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// A number of the kernel about this process, in KB.
    private static func status(_ name: String) -> Int {
        let text = (try? String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }
}
