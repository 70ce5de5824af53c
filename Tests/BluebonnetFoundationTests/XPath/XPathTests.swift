import Bluebonnet
import BluebonnetFoundation
import Testing

@Suite struct XPathTests {
    private static let document = """
        <lib xmlns:d="urn:d" xml:lang="en-GB"><book id="1" year="1999"><title>One</title><price>10</price></book>\
        <book id="2" year="2005"><title>Two</title><price>20.5</price><d:note>n</d:note></book>\
        <box><book id="3"><title>Three</title></book></box><!--c--><?pi data?></lib>
        """

    @Test(arguments: [
        ("/lib/book/title", "One|Two"), ("//title", "One|Two|Three"), ("//book[@id='2']/title", "Two"),
        ("//book[2]/title", "Two"), ("(//book)[3]/title", "Three"), ("//book[last()]/@id", "2|3"),
        ("//@year", "1999|2005"),
        ("//book[price > 15]/title", "Two"), ("//book[not(price)]/title", "Three"), ("/lib/*/title", "One|Two"),
        ("//title/text()", "One|Two|Three"), ("//comment()", "c"), ("//processing-instruction('pi')", "data"),
        ("//d:note", "n"), ("//d:*", "n"), ("//*[local-name() = 'note']/../@id", "2"), ("//note", ""),
        ("//price/ancestor::book/@id", "1|2"), ("//book[@id=3]/ancestor::*[1]/@x | //title[.='One']", "One"),
        ("//title[. = 'Two']/following-sibling::*", "20.5|n"), ("//price[2]", ""), ("//price[1]", "10|20.5"),
        ("//d:note/preceding-sibling::*[1]", "20.5"), ("//title[.='Two']/preceding::title", "One"),
        ("//title[.='Two']/following::title", "Three"), ("//book[position() = 1 or position() = 2][2]/title", "Two"),
        ("/lib/book[@year mod 2 = 1]/@id", "1|2"), ("descendant-or-self::book[1]/@id", "1"),
        ("//book/self::book/@id", "1|2|3"),
        ("//title[starts-with(., 'T')]", "Two|Three"), ("//title[contains(., 'hre')]", "Three"),
        ("/", "One10Two20.5nThree"),
        ("//title[string-length() = 3]", "One|Two"), ("/lib/book/..//@id", "1|2|3"),
        ("//book[lang('en')]/@id", "1|2|3"),
        ("//book[@id = //box/book/@id]/title", "Three"), ("//book[@div or @id][@id<2]/title", "One"),
        ("child::lib/child::node()[3]/book/@id", "3"), ("//@id/descendant-or-self::node()", "1|2|3"),
        ("//*//*//title", "One|Two|Three"), ("/lib/box//node()[last()]", "Three|Three|Three"),
        ("/lib/descendant::book/descendant::title[1]", "One|Two|Three"), ("//note | //d:note | //d:note", "n"),
        ("//book[2]/preceding-sibling::*[1]/@id", "1"), ("//book[1]/following-sibling::*[2]/book/@id", "3"),
    ])
    func `XPath finds nodes`(_ xpath: String, _ strings: String) throws {
        let found = try XMLTree(Self.document).nodes(atXPath: xpath).map(\.stringValue).joined(separator: "|")
        #expect(found == strings)
    }

    private static let large = "1" + String(repeating: "0", count: 133)

    @Test(arguments: [
        ("count(//book)", "3"), ("sum(//price)", "30.5"), ("1 + 2 * 3", "7"), ("-(1 - 4)", "3"), ("7 mod 4", "3"),
        ("-7 mod 4", "-3"),
        ("1 div 0", "Infinity"), ("0 div 0", "NaN"), ("1 div 3", "0.3333333333333333"), ("10 div 4", "2.5"),
        ("1 = 1.0", "true"),
        ("'a' = 'b'", "false"), ("//price = 10", "true"), ("//price != 10", "true"), ("//nothing = //nothing", "false"),
        ("//price > 20 and //price < 11", "true"), ("true() or 1 = //x", "true"), ("concat('a', 1, true())", "a1true"),
        ("substring('12345', 2, 3)", "234"), ("substring('12345', 1.5, 2.6)", "234"),
        ("substring('12345', 0 div 0, 3)", ""),
        ("substring('12345', -1 div 0)", "12345"), ("substring('12345', 0, 3)", "12"),
        ("substring-before('1999/04', '/')", "1999"),
        ("substring-after('1999/04', '/')", "04"), ("normalize-space('  a \n b ')", "a b"),
        ("translate('bar','abc','AB')", "BAr"),
        ("translate('--aaa--','abc-','ABC')", "AAA"), ("round(2.5)", "3"), ("round(-2.5)", "-2"), ("floor(-1.5)", "-2"),
        ("ceiling(1.2)", "2"), ("number('x')", "NaN"), ("number(' -1.5 ')", "-1.5"), ("string(//title)", "One"),
        ("boolean(//none)", "false"),
        ("name(//d:note)", "d:note"), ("namespace-uri(//d:note)", "urn:d"), ("string-length('ü🦊')", "2"),
        ("not(1 = 2)", "true"),
        ("count(//book | //title)", "6"), ("2 > 1 > 0", "true"), ("string(.5)", "0.5"),
        ("100000000000000000000 * 10", "1000000000000000000000"),
        (large, large),
        ("string(0.0000000125)", "0.0000000125"), ("string(-0.5)", "-0.5"), ("string(-0)", "0"),
        ("12345678901234567890123", "12345678901234568000000"), ("1234567.125", "1234567.125"),
        ("round(0.49999999999999994)", "0"), ("round(4503599627370497)", "4503599627370497"),
        ("1 div round(-0.2)", "-Infinity"), ("1 div round(0.2)", "Infinity"), ("round(-0.5)", "0"),
        ("round(1.5)", "2"), ("round(-1.5)", "-1"), ("round(-1.6)", "-2"), ("round(1 div 0)", "Infinity"),
        ("round('x')", "NaN"), ("--'5'", "5"), ("--'x'", "NaN"), ("count(//book[--'1'])", "2"), ("---'5'", "-5"),
        // The first text is composed, the second one decomposed.
        ("'\u{E9}' = 'e\u{301}'", "false"), ("count(//title[. = 'One'])", "1"),
        ("//price != //price", "true"), ("//price <= //price", "true"), ("'1' < //price", "true"),
        ("//title = //nothing or //nothing != //title", "false"), ("//book = true()", "true"),
        ("false() = //none", "true"),
        ("'a' < 'b'", "false"), ("contains('abc', '')", "true"), ("count(/lib/attribute::*)", "1"), ("position()", "1"),
    ])
    func `XPath computes values`(_ xpath: String, _ string: String) throws {
        #expect(try XMLTree(Self.document).value(ofXPath: xpath).string == string)
    }

    @Test(arguments: [
        "", "//", "//[", "//a[", "a b", "1 +", "count()", "count(1)", "nothing()", "//p:a", "ancestors::a", "'x", "$x",
        "a/", "@", "(", "//a]",
        "id('x')", "!", "sum('x')", "concat('a')", "p:f()", "a::", "::a", "text(", "1/a", "'x'[1]",
    ])
    func `a text that is not an XPath expression is an error`(_ xpath: String) throws {
        let tree = try XMLTree(Self.document)
        #expect(throws: XPathError.self) { try tree.nodes(atXPath: xpath) }
    }

    @Test func `XPath finds elements of a default namespace only by a given prefix`() throws {
        let tree = try XMLTree("<feed xmlns='urn:atom'><entry/></feed>")
        #expect(try tree.nodes(atXPath: "//entry").isEmpty)
        #expect(try tree.nodes(atXPath: "//a:entry", namespaces: ["a": "urn:atom"]).count == 1)
    }

    @Test func `an XPath expression can begin at a node`() throws {
        let book = try #require(try XMLTree(Self.document).nodes(atXPath: "//book[@id=2]").first)
        #expect(try book.nodes(atXPath: "title").map(\.stringValue) == ["Two"])
        #expect(try book.value(ofXPath: "../book[1]/@id").string == "1")
        #expect(try book.nodes(atXPath: "@id")[0].nodes(atXPath: "..") == [book])
    }

    @Test func `an XPath expression that needs too many steps is an error`() throws {
        let many = try XMLTree("<a>" + String(repeating: "<b/>", count: 3_000) + "</a>")
        let error = #expect(throws: XPathError.self) { try many.nodes(atXPath: "//b[count(//b[count(//b) > 1]) > 1]") }
        #expect(error?.description.contains("needs too many steps") == true)
    }

    /// An expression that stands inside of others so many times, and is valid XPath.
    struct Nesting: Sendable {
        var open = ""
        var inner = "1"
        var close = ""
        /// How often it may be repeated.
        var most: Int

        func repeated(_ count: Int) -> String {
            String(repeating: open, count: count) + inner + String(repeating: close, count: count)
        }
    }

    @Test(arguments: [
        Nesting(open: "(", close: ")", most: 31), Nesting(open: "b[", inner: "b", close: "]", most: 31),
        Nesting(open: "(b)[", inner: "b", close: "]", most: 31), Nesting(open: "not(", close: ")", most: 31),
        Nesting(open: "concat('', ", close: ")", most: 31), Nesting(close: "+1", most: 63),
        Nesting(close: " or 0", most: 63), Nesting(inner: "b", close: "|b", most: 63),
        // Chains in parentheses: four levels each, and one for the number.
        Nesting(open: "(", close: "+1+1+1+1)", most: 23),
    ])
    func `an XPath expression that is nested too deeply is an error`(_ nesting: Nesting) throws {
        let tree = try XMLTree(Self.document)
        _ = try tree.value(ofXPath: nesting.repeated(nesting.most))
        let error = #expect(throws: XPathError.self) { try tree.value(ofXPath: nesting.repeated(nesting.most + 1)) }
        #expect(error?.description.contains("nested too deeply") == true)
    }

    @Test func `an XPath expression of more than 4096 bytes is an error`() throws {
        let tree = try XMLTree(Self.document)
        let signs = Nesting(open: "-", most: 4_095)
        #expect(try tree.value(ofXPath: signs.repeated(4_095)).number == -1)
        let error = #expect(throws: XPathError.self) { try tree.value(ofXPath: signs.repeated(4_096)) }
        #expect(error?.description.contains("longer than 4096 bytes") == true)
    }
}
