import Bluebonnet
import Foundation
import Testing

@testable import BluebonnetFoundation

/// Tests of the cost of expressions. The developer writes the expression, but the document can come
/// from a hostile server.
@Suite struct XPathCostTests {
    /// The cost of an expression in steps; nil when the expression was refused.
    private static func spent(_ xpath: String, in document: String, budget: Int? = nil) throws -> Int? {
        let tree = try XMLTree(document)
        var parser = try XPathParser(xpath)
        let expression = try parser.parse()
        var evaluator = XPathEvaluator(storage: tree.storage, namespaces: ["p": "urn:p"], budget: budget)
        guard (try? evaluator.value(expression, XPathContext(node: 0))) != nil else { return nil }
        return evaluator.spent
    }

    private static func wide(_ count: Int) -> String {
        let text = String(repeating: "text ", count: count)
        return "<r><t>\(text)</t>" + String(repeating: "<i a='1'>1</i>", count: count) + "</r>"
    }

    private static func deep(_ count: Int) -> String {
        let open = String(repeating: "<d>", count: 50)
        return open + String(repeating: "<i a='1'>1</i>", count: count) + String(repeating: "</d>", count: 50)
    }

    @Test(arguments: [
        "//*[contains(., 'z')]", "//i[. = '1']", "//i[number(.) > 0]", "count(//*//*//*)", "count(//d//i//text())",
        "string-length(//*)", "sum(//i)", "count(//i | //t | //i)", "//i[position() mod 2 = 1]", "//i[@a = /r/@a]",
        "normalize-space(/)", "translate(/, 'abcdefghijklmnopqrstuvwxyz', //t)", "//i[lang('en')]", "//i[last()]",
        "count(//i/ancestor::*)", "//p:i", "//i[name() = 'i' and namespace-uri() = '' and local-name() != 'x']",
        "concat(/, /, /)", "substring-after(/, 'q')", "//i[1 < 2]", "count(//i/..)",
    ])
    func `the cost of an XPath expression grows linearly with the document`(_ xpath: String) throws {
        for document in [Self.wide, Self.deep] {
            let one = try #require(try Self.spent(xpath, in: document(200)))
            let two = try #require(try Self.spent(xpath, in: document(400)))
            let four = try #require(try Self.spent(xpath, in: document(800)))
            #expect(two <= 2 * one + one / 4, "\(one) \(two)")
            #expect(four <= 2 * two + two / 4, "\(two) \(four)")
        }
    }

    /// Each of these expressions reads a long text, or all nodes, for each node.
    @Test(arguments: [
        "//i[number(/) > 1]", "//i[/ > 1]", "//i[1 < /]", "//i[-/ > 1]", "//i[/ + 1]", "//i[sum(/) > 1]",
        "//i[floor(/)]", "//i[contains(/, 'z')]", "//i[normalize-space(../t) = 'z']", "//i[string-length(../t) = 1]",
        "//i[translate(../t, 'a', 'b')]", "//i[substring(../t, 2)]", "//i[starts-with(../t, 'z')]",
        "//i[substring-before(/, 'z')]", "//i[concat(/, /)]", "//i[string(/)]", "//i[. = //i[. = 'z']]",
        "//i[../t = /]",
        "//i[count(//i) = 1]", "//i[count(preceding::*) = 1]", "//i[count(following::*) = 1]",
        "//i[count(following-sibling::*) = -1]", "//i[count(preceding-sibling::*) = -1]", "//i[count(//i | //i) = 0]",
        "//i[/ = ../../r]",
    ])
    func `an XPath expression of quadratic cost is refused`(_ xpath: String) throws {
        let document = Self.wide(1_000)
        let tree = try XMLTree(document)
        // A text of 5 KB and 1,000 nodes: each node costs 300 for the text, or 1,000 for the nodes.
        let (nodes, text) = (tree.storage.records.count, tree.storage.textSize)
        #expect(try Self.spent(xpath, in: document, budget: 20 * nodes + text) == nil)
    }

    @Test func `the arguments of nested XPath functions are evaluated once`() throws {
        func nested(_ depth: Int) -> String {
            depth == 0 ? "string-length(//t)" : "substring('1234', \(nested(depth - 1)), 1)"
        }
        let document = Self.wide(100)
        let one = try #require(try Self.spent(nested(1), in: document))
        let many = try #require(try Self.spent(nested(20), in: document))
        #expect(many < 3 * one)
    }

    @Test func `the cost of XPath lang() grows with the attributes that it reads`() throws {
        let attributes = (0..<300).map { "a\($0)='' " }.joined()
        let document = "<r \(attributes)>" + String(repeating: "<i/>", count: 300) + "</r>"
        let spent = try #require(try Self.spent("//i[lang('en')]", in: document))
        #expect(spent > 300 * 300)
    }

    @Test func `the cost of comparing namespaces in XPath grows with their length`() throws {
        let space = String(repeating: "u", count: 10_000)
        let items = String(repeating: "<p:i/>", count: 200)
        let document = "<r xmlns:p='\(space)1'>\(items)</r>"
        let tree = try XMLTree(document)
        var parser = try XPathParser("//q:i")
        let expression = try parser.parse()
        var evaluator = XPathEvaluator(storage: tree.storage, namespaces: ["q": space + "2"])
        _ = try evaluator.value(expression, XPathContext(node: 0))
        #expect(evaluator.spent > 200 * 10_000 / 16)
    }

    @Test func `the XPath budget of a large document grows linearly with its nodes`() throws {
        func budget(_ count: Int) throws -> Int {
            XPathEvaluator.budget(for: try XMLTree(Self.wide(count)).storage)
        }
        let (one, two) = (try budget(20_000), try budget(40_000))
        #expect(two > one + one / 2 && two <= 2 * one, "\(one) \(two)")
    }

    @Test func `the XPath budget grows with the texts of a document, even if it has few nodes`() throws {
        func document(_ size: Int) throws -> XMLTree {
            try XMLTree("<r><t>" + String(repeating: "x", count: size) + "</t></r>")
        }
        let (small, large) = (try document(1_000), try document(1_000_000))
        #expect(XPathEvaluator.budget(for: large.storage) - XPathEvaluator.budget(for: small.storage) == 999_000)
        // An expression may read all texts some times, and not any number of times.
        func readings(_ count: Int) -> String {
            Array(repeating: "string(/)", count: count).joined(separator: " and ")
        }
        #expect(try large.value(ofXPath: readings(20)).boolean)
        let error = #expect(throws: XPathError.self) { try large.value(ofXPath: readings(30)) }
        #expect(error?.description.contains("needs too many steps") == true)
    }

    @Test func `XPath finds a text at every position`() throws {
        func found(_ word: String, in text: String) throws -> String {
            let tree = try XMLTree("<r><t>\(text)</t><w>\(word)</w></r>")
            #expect(
                try tree.value(ofXPath: "contains(//t, //w)").boolean
                    == text.utf8.indices.contains { index in
                        text.utf8[index...].starts(with: word.utf8)
                    }
            )
            return try tree.value(ofXPath: "concat(substring-before(//t, //w), '|', substring-after(//t, //w))").string
        }
        #expect(try found("aab", in: "aaaaabaab") == "aaa|aab")
        #expect(try found("abab", in: "abacababab") == "abac|ab")
        #expect(try found("ü", in: "uü\u{308}") == "u|\u{308}")
        #expect(try found("x", in: "aaa") == "|")
        #expect(try found("aaaa", in: "aaa") == "|")
        // Code points are compared: canonically equivalent texts are different.
        #expect(try found("e\u{301}", in: "\u{E9}") == "|")
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let letters = { (count: Int) in
                String((0..<count).map { _ in "ab".randomElement(using: &generator) ?? "a" })
            }
            let (text, word) = (letters(30), letters(Int.random(in: 1...5, using: &generator)))
            let range = text.range(of: word, options: .literal)
            let expected = range.map { "\(text[..<$0.lowerBound])|\(text[$0.upperBound...])" } ?? "|"
            #expect(try found(word, in: text) == expected, "\(word) in \(text)")
        }
    }

    // MARK: Stack

    /// Runs on a thread with a stack of 512 KB, as those of macOS have.
    private static func onSmallStack<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: body()) }
            thread.stackSize = 512 << 10
            thread.start()
        }
    }

    private static func around(_ inner: String, _ open: String, _ close: String, _ count: Int) -> String {
        [String(repeating: open, count: count), inner, String(repeating: close, count: count)].joined()
    }

    @Test(arguments: [
        around("1", "(", ")", 63), around("b", "b[", "]", 60), around("1", "not(", ")", 62), around("1", "", "+1", 63),
        around("1", "-", "", 4_000), around("1", "(1 or 1 and 1=1<1+1*", ")", 20),
        around("b", "//b[count(", ") > 0]", 20),
        around("1", "(1 or 1 and 1=1<1+1*", ")", 60), around("1", "(", around(")", "+1", "", 60), 30),
        around("1", "(", "", 4_000), around("b", "b[", "", 1_500),
    ])
    func `a deeply nested XPath expression needs little stack`(_ xpath: String) async throws {
        let tree = try XMLTree("<a><b/><b/></a>")
        await Self.onSmallStack { _ = try? tree.value(ofXPath: xpath) }
    }

    @Test func `an XML tree of a deep document needs little stack`() async throws {
        var limits = XMLLimits()
        limits.depth = 20_000
        let document = Self.around("x", "<a>", "</a>", 20_000)
        let read = await Self.onSmallStack { [limits] in
            guard let tree = try? XMLTree(document, limits: limits) else { return false }
            return tree.document.description == document && tree.root.stringValue == "x"
        }
        #expect(read)
    }
}
