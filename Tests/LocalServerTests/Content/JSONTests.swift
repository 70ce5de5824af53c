import Testing

@testable import LocalServer

struct JSONTests {
    @Test func `keys are sorted and members indented by two spaces`() {
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

    @Test func `characters that JSON forbids are escaped`() {
        #expect(JSON.string("\"\\\n\r\t\u{1}ü💙").compact == #""\"\\\n\r\t\u0001ü💙""#)
    }

    @Test func `repeated names become an array`() {
        #expect(JSON(pairs: [("a", "1"), ("b", "2"), ("a", "3")]).compact == #"{"a": ["1", "3"], "b": "2"}"#)
    }
}
