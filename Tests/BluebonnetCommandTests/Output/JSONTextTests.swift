import Testing

@testable import BluebonnetCommand

@Suite struct JSONTextTests {
    private static let json =
        #"{"b":[1,{"x":null}],"a":"é\"\n","e":[],"o":{ },"n":1.50,"n":1e2,"big":12345678901234567890123}"#

    private func render(_ json: String, _ layout: JSONText.Layout, colors: Bool = false) -> String {
        JSONText.render(json.utf8, layout: layout, paint: Paint(isOn: colors))
    }

    @Test func `formatted JSON has a line for each value, and keeps names, order and the text of numbers`() {
        let expected = """
            {
              "b": [
                1,
                {
                  "x": null
                }
              ],
              "a": "é\\"\\n",
              "e": [],
              "o": {},
              "n": 1.50,
              "n": 1e2,
              "big": 12345678901234567890123
            }
            """
        #expect(render(Self.json, .formatted) == expected)
    }

    @Test func `a deep value does not cost its depth for every line in it`() {
        let json = String(repeating: "[", count: 500) + String(repeating: "0,", count: 100_000) + "0"
        let text = render(json + String(repeating: "]", count: 500), .formatted)
        #expect(text.utf8.count < JSONText.mostFormatted + 1_000_000)
        #expect(text.hasPrefix("[\n  ["))
    }

    @Test func `compact JSON has no white space between its tokens`() {
        #expect(render(#" { "a b" : [ 1 , -0 ] } "#, .compact) == #"{"a b":[1,-0]}"#)
    }

    @Test func `the colours of JSON wrap the tokens and leave the white space as it is`() {
        let text = render("{ \"a\" :\n[1, \"x\",true]}", .asWritten, colors: true)
        #expect(
            text
                == "{ \u{1B}[1;34m\"a\"\u{1B}[0m :\n[\u{1B}[33m1\u{1B}[0m, \u{1B}[32m\"x\"\u{1B}[0m,"
                + "\u{1B}[35mtrue\u{1B}[0m]}"
        )
    }

    @Test func `characters that steer a terminal are escapes in JSON`() {
        #expect(
            render("[\"a\u{9B}2J\u{202E}\u{7F}\u{E0001}é\"]", .compact)
                == #"["a\u009b2J\u202e\u007f\udb40\udc01é"]"#
        )
        #expect(!render("[1,\r2]", .asWritten).contains("\r"))
    }
}
