import Bluebonnet
import Testing

@testable import BluebonnetCommand

@Suite struct JSONTextTests {
    private static let json = #"{"b":[1,{"x":null}],"a":"é\"\n","e":[],"o":{},"n":1.50,"big":12345678901234567890123}"#

    @Test func `formatted JSON has a line for each value, and keeps the order of keys and the digits of numbers`()
        throws
    {
        let style = OutputStyle(.format, isTerminal: false, wantsColors: false)
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
              "n": 1.5,
              "big": 12345678901234567890123
            }
            """
        #expect(JSONText.render(try JSONValue(parsing: Self.json), style: style) == expected)
    }

    @Test func `JSON that is not formatted is compact`() throws {
        let style = OutputStyle(.none, isTerminal: true, wantsColors: false)
        let value = try JSONValue(parsing: Self.json)
        #expect(JSONText.render(value, style: style) == value.description)
    }

    @Test func `the colours of JSON wrap the tokens and nothing else`() throws {
        let style = OutputStyle(.colors, isTerminal: false, wantsColors: false)
        let text = JSONText.render(["a": [1, "x", true]], style: style)
        #expect(
            text == "{\u{1B}[34m\"a\"\u{1B}[0m:[\u{1B}[33m1\u{1B}[0m,\u{1B}[32m\"x\"\u{1B}[0m,\u{1B}[35mtrue\u{1B}[0m]}"
        )
    }
}
