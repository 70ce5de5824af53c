import Foundation
import Testing

@testable import Bluebonnet

/// The cost of a document, however it is made, is proportional to its size.
@Suite struct XMLCostTests {
    enum Hostile: String, CaseIterable {
        case scopes, prefixes, attributes, declarations, entities, references, comments, sections, interleaved, depth
        case namespace, canonical

        /// A document whose size grows with `count`.
        func document(_ count: Int) -> String {
            func times(_ text: String) -> String { String(repeating: text, count: count) }
            func each(_ text: (Int) -> String) -> String { (0..<count).map(text).joined() }
            switch self {
            case .scopes:
                let open = (0..<400).map { "<a xmlns:p\($0)='u'>" }.joined()
                return open + times("<a/>") + String(repeating: "</a>", count: 400)
            case .prefixes:
                let open = (0..<400).map { "<a xmlns:p\($0)='u'>" }.joined()
                return open + times("<p0:a p0:b='' p1:c=''/>") + String(repeating: "</a>", count: 400)
            case .attributes: return "<a \(each { "a\($0)='' " })/>"
            case .declarations: return "<a \(each { "xmlns:p\($0)='u\($0)' p\($0):x='' " })/>"
            case .entities: return "<!DOCTYPE a [\(each { "<!ENTITY e\($0) 'x'>" })]><a/>"
            case .references:
                return "<!DOCTYPE a [<!ENTITY e 'xyz'>]><a b='\(times("&e;&#65;"))'>\(times("&e;&amp;"))</a>"
            case .comments: return "<a>\(times("<!---->"))<?p \(times("? "))?></a>"
            case .sections: return "<a>\(times("<![CDATA[]]]]>"))</a>"
            case .interleaved: return "<a>\(times("x<![CDATA[y]]>&amp;<!--z-->"))</a>"
            case .depth:
                return "<r>" + times("<a xmlns='u'><b xmlns=''><c xmlns:p='v'/></b></a>") + "</r>"
            case .namespace:
                // A long namespace and many names in it.
                return "<a xmlns:p='\(times("u"))' \(each { "p:a\($0)='' " })/>"
            case .canonical:
                // Names that differ, and are all canonically equivalent.
                let marks = ["\u{301}", "\u{316}", "\u{31B}", "\u{345}", "\u{327}", "\u{334}", "\u{93C}", "\u{5B0}"]
                func name(_ number: Int) -> String {
                    var (rest, left, name) = (number, marks, "a")
                    while !left.isEmpty {
                        name += left.remove(at: rest % left.count)
                        rest /= left.count + 1
                    }
                    return name
                }
                return "<a \(each { "\(name($0))='' " })/>"
            }
        }
    }

    #if DEBUG
        @Test(arguments: Hostile.allCases)
        func `XML parsing work grows linearly with the document`(_ hostile: Hostile) throws {
            func steps(_ count: Int) throws -> Int {
                var reader = XMLEventReader(hostile.document(count))
                while try reader.next() != nil {}
                return reader.steps
            }
            let (one, two, four) = (try steps(500), try steps(1_000), try steps(2_000))
            #expect(two <= 2 * one + one / 4, "\(one) \(two)")
            #expect(four <= 2 * two + two / 4, "\(two) \(four)")
        }

        @Test func `an XML prefix is found in one step at every depth`() throws {
            var reader = XMLEventReader(Hostile.prefixes.document(1_000))
            while try reader.next() != nil {}
            // One step for each declaration, and three for each element: the prefixes of its three
            // names.
            let lookups = reader.steps - reader.input.position
            #expect(lookups == 400 + 3 * 1_000)
        }
    #endif

    @Test func `the place of each XML event is counted from the one before`() throws {
        for count in [500, 1_000, 2_000] {
            let document = "<r>\n" + String(repeating: "<a/>\n", count: count) + "</r>"
            var reader = XMLEventReader(document)
            var (counted, lines) = (0, 0)
            while try reader.next() != nil {
                counted += reader.input.position - reader.input.marked.position
                lines = reader.location.line
            }
            #expect(lines == count + 2)
            #expect(counted <= document.utf8.count)
        }
    }

    @Test func `the places of XML events are those that are counted from the beginning`() throws {
        var reader = XMLEventReader("<a>\nü\n<b\n c='1'/>\r\n<!-- ö\n --></a>\n")
        var places: [String] = []
        while try reader.next() != nil { places.append("\(reader.location.line):\(reader.location.column)") }
        #expect(places == ["1:4", "3:1", "4:9", "4:9", "5:1", "6:5", "6:9"])
    }
}
