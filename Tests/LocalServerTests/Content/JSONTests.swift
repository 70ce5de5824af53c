import Testing

@testable import LocalServer

struct JSONTests {
    @Test func `the local server's JSON has sorted keys and an indent of two spaces`() {
        let json: JSON = ["b": [1, true], "a": ["x": nil], "c": [], "d": [:]]
        let expected = """
            {
              "a": {
                "x": null
              },
              "b": [
                1,
                true
              ],
              "c": [],
              "d": {}
            }

            """
        #expect(json.pretty == expected)
        #expect(json.compact == #"{"a": {"x": null}, "b": [1, true], "c": [], "d": {}}"#)
    }

    @Test func `the local server's JSON escapes the characters that JSON forbids`() {
        #expect(JSON.string("\"\\\n\r\t\u{1}ü💙").compact == #""\"\\\n\r\t\u0001ü💙""#)
    }

    @Test func `repeated names become an array in the local server's JSON`() {
        #expect(JSON(pairs: [("a", "1"), ("b", "2"), ("a", "3")]).compact == #"{"a": ["1", "3"], "b": "2"}"#)
    }
}
