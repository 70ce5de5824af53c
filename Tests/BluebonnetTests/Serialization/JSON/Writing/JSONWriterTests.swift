import Foundation
import Testing

@testable import Bluebonnet

struct JSONWriterTests {
    @Test func `JSON is written compact by default, with slashes as they are`() throws {
        let value: JSONValue = ["u": "http://a/b", "l": [1, 2.5, -3, nil, true], "e": [:], "n": []]
        #expect(try value.string() == #"{"u":"http://a/b","l":[1,2.5,-3,null,true],"e":{},"n":[]}"#)
        #expect(try value.string(options: .escapingSlashes).hasPrefix(#"{"u":"http:\/\/a\/b""#))
        #expect(try value.data(options: .withoutEscapingSlashes) == value.data())
    }

    @Test func `pretty-printed JSON has every element on its line`() throws {
        let value: JSONValue = ["b": [1, ["c": 2]], "a": [], "d": [:]]
        #expect(
            try value.string(options: [.prettyPrinted, .sortedKeys]) == """
                {
                  "a": [],
                  "b": [
                    1,
                    {
                      "c": 2
                    }
                  ],
                  "d": {}
                }
                """
        )
    }

    @Test func `JSON writing escapes only what has to be escaped`() throws {
        #expect(
            try JSONValue("\"\\/\u{8}\u{C}\n\r\t\u{0}\u{1F}\u{7F}é😀\u{2028}").string()
                == "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u{7F}é😀\u{2028}\""
        )
    }

    @Test(arguments: [
        (0.1, "0.1"), (1.0, "1.0"), (-0.0, "-0.0"), (1e300, "1e+300"), (.leastNonzeroMagnitude, "5e-324"),
        (123456.789, "123456.789"),
        (1.7976931348623157e308, "1.7976931348623157e+308"), (0.30000000000000004, "0.30000000000000004"),
    ])
    func `JSON doubles are written in their shortest form`(value: Double, text: String) throws {
        #expect(try JSONValue(value).string() == text)
        #expect(try JSONValue(parsing: text).double?.bitPattern == value.bitPattern)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `infinity and NaN in JSON are an error with their place`(value: Double) throws {
        let tree: JSONValue = ["prices": [1, ["low": JSONValue(value)]]]
        let error = try #require(throws: JSONWritingError.self) { try tree.data() }
        #expect(error.path == "prices[1].low")
        #expect(error.description == "JSON has no number for \(value) (at prices[1].low).")
    }

    @Test func `the path of a JSON writing error is short however deep and long the keys are`() throws {
        var value: JSONValue = .number(JSONNumber(Double.nan))
        for _ in 0..<1000 { value = .object([String(repeating: "k", count: 5000): value]) }
        let error = try #require(throws: JSONWritingError.self) { try value.data() }
        #expect(error.path.unicodeScalars.count <= 20 * 62 + 1)
    }

    @Test func `writing JSON that is nested too deeply for any reader is an error`() {
        var value: JSONValue = []
        for _ in 0..<2048 { value = [value] }
        #expect(throws: JSONWritingError.self) { try value.data() }
    }

    @Test(arguments: [[], .prettyPrinted, .sortedKeys, .escapingSlashes] as [JSONWritingOptions])
    func `written JSON is read as the same value by us and by Foundation`(options: JSONWritingOptions) throws {
        var generator = JSONGenerator(seed: 5)
        var compared = 0
        for _ in 0..<200 {
            let value = try JSONValue(parsing: generator.document())
            let data = try value.data(options: options)
            #expect(try JSONValue(parsing: data) == value)
            // Foundation refuses the few numbers that no type of the standard library holds.
            guard let other = try? JSONDecoder().decode(JSONValue.self, from: data) else { continue }
            #expect(other == value)
            compared += 1
        }
        #expect(compared > 180, "\(compared)")
    }
}
