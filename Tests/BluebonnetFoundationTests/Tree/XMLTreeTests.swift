import Bluebonnet
import Foundation
import Testing

@testable import BluebonnetFoundation

@Suite struct XMLTreeTests {
    private static let text = "<r a=\"1\" b=\"&quot;\"><x>one<![CDATA[<two>]]></x><!--c--><?p d?><y/>&amp;</r>"

    @Test func `an XML tree has every node and attribute of its document`() throws {
        let tree = try XMLTree(Self.text)
        let root = tree.root
        #expect(root.kind == .element && root.name?.qualified == "r")
        #expect(root.attributes.map(\.stringValue) == ["1", "\""])
        #expect(root[attribute: "a"] == "1" && root[attribute: "z"] == nil)
        #expect(root.children.map(\.kind) == [.element, .comment, .processingInstruction, .element, .text])
        #expect(root.elements(named: "x").map(\.stringValue) == ["one<two>"])
        #expect(root.elements.count == 2)
        #expect(root.children[0].children.count == 1)
        #expect(root.children[0].parent == root && root.parent == tree.document && tree.document.parent == nil)
        #expect(root.attributes[0].parent == root)
        #expect(root.stringValue == "one<two>&")
    }

    @Test func `an XML tree is written as XML that parses to the same tree`() throws {
        let tree = try XMLTree("<p:r xmlns:p='u' xmlns='v' p:a='&#10;x'>\u{A0}<b>&lt;]]&gt;</b></p:r>")
        let text = tree.document.description
        #expect(text == "<p:r xmlns=\"v\" xmlns:p=\"u\" p:a=\"&#10;x\">\u{A0}<b>&lt;]]&gt;</b></p:r>")
        #expect(try XMLTree(text).document.description == text)
    }

    @Test func `adjacent text and CDATA sections are one text node`() throws {
        let sections = "x" + String(repeating: "<![CDATA[ab]]>&amp;", count: 2_000) + "y"
        let tree = try XMLTree("<r>\(sections)<!---->z<b/><![CDATA[]]></r>")
        #expect(tree.root.children.map(\.kind) == [.text, .comment, .text, .element])
        #expect(tree.root.children[0].stringValue.utf8.count == 2 + 3 * 2_000)
        #expect(tree.root.elements.count == 1 && tree.root.elements.first?.name?.local == "b")
        #expect(tree.document.elements.first == tree.root)
    }

    #if DEBUG
        @Test func `the cost of collecting an XML node's text grows linearly with its length`() throws {
            func gathered(_ count: Int) throws -> Int {
                let sections = String(repeating: "<![CDATA[12345678]]>", count: count)
                return try XMLTree("<r>\(sections)<a>\(sections)</a></r>").storage.gathered
            }
            let (one, two, four) = (try gathered(500), try gathered(1_000), try gathered(2_000))
            // Two texts of 500 sections, each with eight bytes that are added to the first section.
            #expect(one >= 2 * 499 * 8)
            #expect(two <= 2 * one + 100 && four <= 2 * two + 100, "\(one) \(two) \(four)")
        }
    #endif

    @Test func `the children of an XML node are a collection that is not copied`() throws {
        let tree = try XMLTree("<r>" + String(repeating: "<a/><b/>", count: 1_000) + "</r>")
        let children = tree.root.children
        // The places of the nodes are those in the tree, at the same address.
        let record = tree.storage.records[tree.root.index]
        #expect(Self.address(of: children.places) == Self.address(of: record.children))
        #expect(Self.address(of: tree.root.elements.places) == Self.address(of: record.elements))
        #expect(children.count == 2_000 && children.indices == 0..<2_000)
        #expect((0..<2_000).allSatisfy { tree.root.children[$0].name?.local == ($0 % 2 == 0 ? "a" : "b") })
        #expect(Array(tree.root.elements) == Array(children))
        #expect(tree.root.elements(named: "a").count == 1_000)
        #expect(tree.root.elements(named: "a", namespace: "u").isEmpty)
    }

    /// Where the elements of an array are. Nothing is read there.
    private static func address(of array: [Int]) -> Int {
        unsafe array.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
    }

    @Test func `a malformed XML document is an error`() {
        #expect(throws: XMLParsingError.self) { try XMLTree("<a><b></a>") }
        #expect(throws: XMLParsingError.self) { try XMLTree("") }
    }

    @Test func `an XML tree can be sent to other tasks`() async throws {
        let tree = try XMLTree("<a>" + String(repeating: "<b>1</b>", count: 100) + "</a>")
        try await withThrowingTaskGroup(of: Double.self) { group in
            for _ in 0..<20 { group.addTask { try tree.value(ofXPath: "sum(//b)").number } }
            for try await sum in group { #expect(sum == 100) }
        }
    }
}
