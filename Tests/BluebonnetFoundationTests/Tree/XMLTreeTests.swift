import Bluebonnet
import BluebonnetFoundation
import Foundation
import Testing

@Suite struct XMLTreeTests {
    private static let text = "<r a=\"1\" b=\"&quot;\"><x>one<![CDATA[<two>]]></x><!--c--><?p d?><y/>&amp;</r>"

    @Test func `a tree shows what the document has`() throws {
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

    @Test func `a tree is written as XML that makes the same tree`() throws {
        let tree = try XMLTree("<p:r xmlns:p='u' xmlns='v' p:a='&#10;x'>\u{A0}<b>&lt;]]&gt;</b></p:r>")
        let text = tree.document.description
        #expect(text == "<p:r xmlns=\"v\" xmlns:p=\"u\" p:a=\"&#10;x\">\u{A0}<b>&lt;]]&gt;</b></p:r>")
        #expect(try XMLTree(text).document.description == text)
    }

    @Test func `a broken document is an error`() {
        #expect(throws: XMLParsingError.self) { try XMLTree("<a><b></a>") }
        #expect(throws: XMLParsingError.self) { try XMLTree("") }
    }

    @Test func `a tree goes to other tasks`() async throws {
        let tree = try XMLTree("<a>" + String(repeating: "<b>1</b>", count: 100) + "</a>")
        try await withThrowingTaskGroup(of: Double.self) { group in
            for _ in 0..<20 { group.addTask { try tree.value(ofXPath: "sum(//b)").number } }
            for try await sum in group { #expect(sum == 100) }
        }
    }
}
