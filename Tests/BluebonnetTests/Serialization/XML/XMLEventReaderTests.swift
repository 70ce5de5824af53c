import Foundation
import Testing

@testable import Bluebonnet

@Suite struct XMLEventReaderTests {
    /// The events in short: `<a b=c>`, `</a>`, text in quotes.
    private static func events(_ document: String, limits: XMLLimits = XMLLimits()) throws(XMLParsingError) -> String {
        var reader = XMLEventReader(document, limits: limits)
        return try reader.remainingEvents().map(short).joined(separator: " ")
    }

    private static func short(_ event: XMLEvent) -> String {
        switch event {
        case .startElement(let element):
            let namespaces = element.namespaces.sorted { $0.key < $1.key }.map { " xmlns:\($0.key)=\($0.value)" }
            let attributes = element.attributes.map { " \(name($0.name))=\($0.value)" }
            return "<\(name(element.name))\((namespaces + attributes).joined())>"
        case .endElement(let it): return "</\(name(it))>"
        case .characters(let text): return "'\(text)'"
        case .cdata(let text): return "[\(text)]"
        case .comment(let text): return "!\(text)!"
        case .processingInstruction(let target, let data): return "?\(target):\(data)?"
        }
    }

    private static func name(_ name: XMLName) -> String {
        name.namespace.isEmpty ? name.qualified : "{\(name.namespace)}\(name.qualified)"
    }

    @Test(arguments: [
        ("<a/>", "<a> </a>"),
        ("<a></a >", "<a> </a>"),
        ("<?xml version='1.0' encoding='x' standalone=\"yes\"?>\n<a>t</a>\n", "<a> 't' </a>"),
        ("<a>&lt;&#65;&#x1F98A;&amp;</a>", "<a> '<A🦊&' </a>"),
        ("<a b='1' c=\"&quot;\t\n'\"/>", "<a b=1 c=\"  '> </a>"),
        ("<a><![CDATA[<b>&]] ]]></a>", "<a> [<b>&]] ] </a>"),
        ("<!--x--><a><!-- y - z --></a><?p?><?q r?>", "!x! <a> ! y - z ! </a> ?p:? ?q:r?"),
        ("<a>1\r\n2\r3</a>", "<a> '1\n2\n3' </a>"),
        ("<a>x<b>y</b>z</a>", "<a> 'x' <b> 'y' </b> 'z' </a>"),
        ("<ü b.-1='x'/>", "<ü b.-1=x> </ü>"),
        ("<!DOCTYPE a><a/>", "<a> </a>"),
        ("<!DOCTYPE a PUBLIC 'p' \"s\" [<!ELEMENT a ANY><!ATTLIST a b CDATA '>'><?x y?><!--c-->]><a/>", "<a> </a>"),
        ("<!DOCTYPE a [<!ENTITY e 'h&#105;'><!ENTITY f '&e;&e;'>]><a b='&f;'>&f;!</a>", "<a b=hihi> 'hihi!' </a>"),
        ("<!DOCTYPE a [<!ENTITY l '&#38;#60;b/>'>]><a>&l;</a>", "<a> '<b/>' </a>"),
        ("<!DOCTYPE a [<!ENTITY t 'T'><!ENTITY l 'A&#038;t;'>]><a>&l;</a>", "<a> 'AT' </a>"),
        ("<!DOCTYPE a SYSTEM 's' [<!ENTITY e PUBLIC \"p'\" 's' NDATA n><!ENTITY % p SYSTEM 's'>]><a/>", "<a> </a>"),
        ("<?xml version='1.0' standalone='no'?><a/>", "<a> </a>"),
        // One name composed, one decomposed: two names.
        ("<a \u{E9}='1' e\u{301}='2'/>", "<a \u{E9}=1 e\u{301}=2> </a>"),
        ("<!DOCTYPE a [<!ENTITY e 'first'><!ENTITY e 'second'>]><a>&e;</a>", "<a> 'first' </a>"),
    ])
    func `an XML document is read event by event`(_ document: String, _ events: String) throws {
        #expect(try Self.events(document) == events)
    }

    @Test(arguments: [
        ("<a xmlns='u' b='1'><c/></a>", "<{u}a xmlns:=u b=1> <{u}c> </{u}c> </{u}a>"),
        ("<p:a xmlns:p='u' p:b='1'/>", "<{u}p:a xmlns:p=u {u}p:b=1> </{u}p:a>"),
        ("<a xmlns='u'><b xmlns=''/><c/></a>", "<{u}a xmlns:=u> <b xmlns:=> </b> <{u}c> </{u}c> </{u}a>"),
        (
            "<a xml:lang='de'/>", "<a {http://www.w3.org/XML/1998/namespace}xml:lang=de> </a>"
        ),
    ])
    func `XML names have their namespaces`(_ document: String, _ events: String) throws {
        #expect(try Self.events(document) == events)
    }

    @Test(
        arguments: [
            ("", .malformed, 1, 1), ("oops", .malformed, 1, 1), ("<a>", .mismatchedTag, 1, 4),
            ("<a><b></a>", .mismatchedTag, 1, 9),
            ("<a/><b/>", .malformed, 1, 5), ("<a/>x", .malformed, 1, 5), ("<a\n b='1' b='2'/>", .malformed, 2, 8),
            ("<a>&nbsp;</a>", .undefinedEntity, 1, 4), ("<a>&#0;</a>", .malformed, 1, 4),
            ("<a>&#xD800;</a>", .malformed, 1, 4),
            ("<a>& </a>", .malformed, 1, 5), ("<a>\u{1}</a>", .malformed, 1, 4), ("<a>\u{FFFE}</a>", .malformed, 1, 4),
            ("<a b=1/>", .malformed, 1, 6), ("<a b='<'/>", .malformed, 1, 7), ("<a b='1'c='2'/>", .malformed, 1, 9),
            ("<a>]]></a>", .malformed, 1, 4), ("<a><!-- -- --></a>", .malformed, 1, 11),
            ("<a><![CDATA[x</a>", .malformed, 1, 13),
            ("<p:a/>", .undeclaredPrefix, 1, 2), ("<a p:b='1'/>", .undeclaredPrefix, 1, 4),
            ("<a:b:c xmlns:a='u'/>", .malformed, 1, 2),
            ("<a xmlns:p='u' xmlns:q='u' p:x='1' q:x='2'/>", .malformed, 1, 36), ("<a xmlns:p=''/>", .malformed, 1, 4),
            ("<1/>", .malformed, 1, 2), (" <?xml version='1.0'?><a/>", .malformed, 1, 4),
            ("<?xml version='2.0'?><a/>", .malformed, 1, 7),
            ("<?xml encoding='x'?><a/>", .malformed, 1, 7), ("<!DOCTYPE a><!DOCTYPE a><a/>", .malformed, 1, 22),
            ("<ü>\n ü &x;</ü>", .undefinedEntity, 2, 4), ("<a>&#+65;</a>", .malformed, 1, 4),
            ("</a>", .malformed, 1, 2),
            ("<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/hostname'>]><a>&e;</a>", .externalEntity, 1, 60),
            ("<!DOCTYPE a [<!ENTITY e '<b/>'>]><a>&e;</a>", .externalEntity, 1, 37),
            ("<!DOCTYPE a [<!ENTITY % e 'x'> %e; ]><a/>", .externalEntity, 1, 32),
            ("<!DOCTYPE a [<!ENTITY e '&f;'><!ENTITY f '&e;'>]><a>&e;</a>", .limitExceeded, 1, 53),
            // Markup in an entity, however it is written (XML 1.0 §4.4).
            ("<!DOCTYPE a [<!ENTITY e '&#60;b/>'>]><a>&e;</a>", .externalEntity, 1, 41),
            ("<!DOCTYPE a [<!ENTITY e '&#060;b/>'>]><a>&e;</a>", .externalEntity, 1, 42),
            ("<!DOCTYPE a [<!ENTITY e '&#x3c;b/>'>]><a>&e;</a>", .externalEntity, 1, 42),
            ("<!DOCTYPE a [<!ENTITY e '& f;'>]><a/>", .malformed, 1, 25),
            ("<!DOCTYPE a [<!ENTITY e '&;'>]><a/>", .malformed, 1, 25),
            ("<!DOCTYPE a [<!ENTITY p:e 'x'>]><a/>", .malformed, 1, 23),
            ("<!DOCTYPE a [<!ENTITY %e 'x'>]><a/>", .malformed, 1, 24),
            ("<!DOCTYPE a [<!ENTITY e SYSTEM 's'NDATA n>]><a/>", .malformed, 1, 35),
            ("<!DOCTYPE a PUBLIC 'p'><a/>", .malformed, 1, 23), ("<!DOCTYPE a SYSTEM's'><a/>", .malformed, 1, 19),
            ("<!DOCTYPE a PUBLIC 'p''s'><a/>", .malformed, 1, 23),
            ("<!DOCTYPE a PUBLIC '{' 's'><a/>", .malformed, 1, 20),
            ("<?xml version='1.0' standalone='maybe'?><a/>", .malformed, 1, 21),
            ("<?xml version='1.0' encoding='utf 8'?><a/>", .malformed, 1, 21),
            ("<?xml version='1.'?><a/>", .malformed, 1, 7),
            ("<a><?p:q x?></a>", .malformed, 1, 6), ("<x:1b xmlns:x='u'/>", .malformed, 1, 2),
            ("<a xmlns='http://www.w3.org/XML/1998/namespace'/>", .malformed, 1, 4),
            ("<a xmlns='http://www.w3.org/2000/xmlns/'/>", .malformed, 1, 4),
            ("<a xmlns:p='http://www.w3.org/2000/xmlns/'/>", .malformed, 1, 4), ("<a xmlns:='u'/>", .malformed, 1, 4),
            ("<a xmlns:1='u'/>", .malformed, 1, 4), ("<a xmlns:b:c='u'/>", .malformed, 1, 4),
            ("<\u{E9}></e\u{301}>", .mismatchedTag, 1, 6),
        ] as [(String, XMLParsingError.Code, Int, Int)]
    )
    func `XML that is not well-formed is an error with its place`(
        _ document: String,
        _ code: XMLParsingError.Code,
        _ line: Int,
        _ column: Int
    ) {
        let error = #expect(throws: XMLParsingError.self) { try Self.events(document) }
        #expect(error?.code == code, "\(error?.description ?? "")")
        #expect(error?.line == line, "\(error?.description ?? "")")
        #expect(error?.column == column, "\(error?.description ?? "")")
    }

    @Test func `XML entities that grow are stopped`() {
        var document = "<!DOCTYPE a [<!ENTITY e0 'aaaaaaaaaa'>"
        for level in 1...12 {
            document += "<!ENTITY e\(level) '\(String(repeating: "&e\(level - 1);", count: 10))'>"
        }
        document += "]><a>&e12;</a>"
        #expect(throws: XMLParsingError.self) { try Self.events(document) }
        let wide = "<!DOCTYPE a [<!ENTITY e '\(String(repeating: "x", count: 1000))'>]><a>"
        let error = #expect(throws: XMLParsingError.self) {
            try Self.events(wide + String(repeating: "&e;", count: 2000) + "</a>")
        }
        #expect(error?.code == .limitExceeded)
        var limits = XMLLimits()
        limits.entityExpansion = 0
        #expect(throws: XMLParsingError.self) { try Self.events(wide + "&e;</a>", limits: limits) }
        #expect((try? Self.events(wide + "&amp;</a>", limits: limits)) != nil)
    }

    @Test func `the depth and the attributes of XML are limited`() {
        let deep = { String(repeating: "<a>", count: $0) + String(repeating: "</a>", count: $0) }
        #expect((try? Self.events(deep(512))) != nil)
        let error = #expect(throws: XMLParsingError.self) { try Self.events(deep(513)) }
        #expect(error?.code == .limitExceeded)
        #expect(throws: XMLParsingError.self) { try Self.events(String(repeating: "<a>", count: 200_000)) }
        var limits = XMLLimits()
        limits.attributes = 2
        #expect((try? Self.events("<a b='' c=''/>", limits: limits)) != nil)
        #expect(throws: XMLParsingError.self) { try Self.events("<a b='' c='' d=''/>", limits: limits) }
    }

    @Test(
        arguments: [
            ("", .utf8), ("<?xml version='1.0' encoding='UTF-8'?>", .utf8),
            ("\u{FEFF}<?xml version='1.0'?>", .utf16BigEndian),
            ("\u{FEFF}", .utf16LittleEndian), ("<?xml version='1.0'?>", .utf16BigEndian),
            ("<?xml version='1.0'?>", .utf16LittleEndian),
            ("<?xml version='1.0' encoding='iso-8859-1'?>", .latin1),
            ("\u{FEFF}<?xml version='1.0' encoding='latin1'?>", .utf8),
            ("<?xml version='1.0' encoding='utf-16'?>", .utf8),
        ] as [(String, Charset)]
    )
    func `the encoding of XML is decided by byte-order mark, declaration or neither`(
        _ prolog: String,
        _ charset: Charset
    ) throws {
        var reader = XMLEventReader(try charset.encode(prolog + "<ü/>"))
        guard case .startElement(let element) = try reader.next() else {
            Issue.record("no element")
            return
        }
        #expect(element.name.qualified == "ü")
    }

    @Test func `a charset that the caller gives wins over the XML declaration`() throws {
        let gbk = try #require(Charset("gbk"))
        let text = "<?xml version='1.0' encoding='utf-8'?><a>你</a>"
        var reader = XMLEventReader(try gbk.encode(text), charset: gbk)
        #expect(try reader.remainingEvents().contains(.characters("你")))
        var wrong = XMLEventReader(Data("<a>\n".utf8) + [0xFF])
        let error = #expect(throws: XMLParsingError.self) { try wrong.next() }
        #expect(error?.code == .encoding && error?.line == 2 && error?.column == 1)
        var unknown = XMLEventReader(Data("<?xml version='1.0' encoding='nonsense'?><a/>".utf8))
        #expect(throws: XMLParsingError.self) { try unknown.next() }
    }

    @Test func `an XML reader is a value that can stop anywhere and knows its place`() throws {
        var reader = XMLEventReader("<a>\n<b/></a>")
        _ = try reader.next()
        _ = try reader.next()
        #expect(reader.location == (2, 1))
        #expect(reader.depth == 1)
        var copy = reader
        #expect(try copy.remainingEvents().count == 3)
        #expect(try reader.remainingEvents().count == 3)
        #expect(try reader.next() == nil)
    }

    @Test func `an XML parsing error is final`() {
        var reader = XMLEventReader("<a>&x;</a>")
        #expect((try? reader.next()) != nil)
        let first = #expect(throws: XMLParsingError.self) { try reader.next() }
        let second = #expect(throws: XMLParsingError.self) { try reader.next() }
        #expect(first == second)
    }

    @Test func `an XML response is read in its charset`() throws {
        let example = ResponseExample(
            200,
            "text/xml; charset=iso-8859-1",
            Data([0x3C, 0x61, 0x3E, 0xFC, 0x3C, 0x2F, 0x61, 0x3E])
        )
        var reader = try example.serialized(as: .xmlEvents)
        #expect(try reader.remainingEvents().contains(.characters("ü")))
        #expect(ResponseExample(200, "text/html", "<a/>").error(as: .xmlEvents)?.code == .unacceptableContentType)
        #expect(
            ResponseExample(500, "text/xml", "<a/>").error(as: .xmlEvents)?.parsedBody(as: XMLEventReader.self) != nil
        )
    }
}
