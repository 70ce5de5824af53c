import Testing

@testable import BluebonnetCommand

@Suite struct MarkupTextTests {
    private func xml(_ text: String, colors: Bool = false) -> String {
        MarkupText.render(text, isHTML: false, formats: true, paint: Paint(isOn: colors))
    }

    @Test func `XML has a line for each element without text of its own`() {
        #expect(
            xml(#"<?xml version="1.0"?><!-- c --><a x="1>2"> <b>t <i>u</i></b><c/>  <d></d><e><f/></e></a>"#)
                == """
                <?xml version="1.0"?>
                <!-- c -->
                <a x="1>2">
                  <b>t <i>u</i></b>
                  <c/>
                  <d></d>
                  <e>
                    <f/>
                  </e>
                </a>
                """
        )
    }

    @Test(arguments: [
        "", "<", "<a", "<a x=\"1", "<a><b></a></b>", "<a>", "</a>", "a < b", "<!-- x", "<![CDATA[x", "<?x",
        "<a>1<2</a>",
    ])
    func `text that is not well-formed is not changed`(text: String) {
        #expect(xml(text) == text)
    }

    @Test func `deep XML does not cost its depth for every line in it`() {
        let count = 20_000
        let text = xml(String(repeating: "<a>", count: count) + "<b/>" + String(repeating: "</a>", count: count))
        #expect(text.hasPrefix("<a>\n  <a>\n"))
        #expect(text.utf8.count < MarkupText.mostIndented + 1_000_000)
    }

    @Test func `colours wrap tags, attributes, values and comments`() {
        let text = MarkupText.render("<a b='c'/>x<!--d-->", isHTML: true, formats: true, paint: Paint(isOn: true))
        #expect(
            text
                == "\u{1B}[1;34m<a\u{1B}[0m \u{1B}[36mb\u{1B}[0m=\u{1B}[32m'c'\u{1B}[0m\u{1B}[1;34m/\u{1B}[0m"
                + "\u{1B}[1;34m>\u{1B}[0mx\u{1B}[2m<!--d-->\u{1B}[0m"
        )
    }

    @Test func `HTML is not formatted, and a script is not markup`() {
        let text = "<p>a<br>b<script>if (a<b) x('</p>')</SCRIPT></p>"
        #expect(MarkupText.render(text, isHTML: true, formats: true, paint: Paint(isOn: false)) == text)
        let painted = MarkupText.render(text, isHTML: true, formats: false, paint: Paint(isOn: true))
        #expect(painted.contains("if (a<b) x('</p>')"))
    }
}
