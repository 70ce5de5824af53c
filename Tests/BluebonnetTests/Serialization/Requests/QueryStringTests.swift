import Testing

@testable import Bluebonnet

@Suite struct QueryStringTests {
    @Test(
        arguments: [
            (["a": "1"], "a=1"),
            (["b": 2, "a": 1], "a=1&b=2"),
            (["b": 1, "B": 2, "a": 3, "A": 4], "A=4&B=2&a=3&b=1"),
            (["a10": 1, "a9": 2, "a": 3], "a=3&a10=1&a9=2"),
            // By UTF-16 units: the surrogates of the flower are before U+FFFD and after U+D7FF.
            (
                ["\u{FFFD}": 1, "🌸": 2, "\u{E000}": 3, "\u{D7FF}": 4, "🌸a": 5, "🌷": 6],
                "%ED%9F%BF=4&%F0%9F%8C%B7=6&%F0%9F%8C%B8=2&%F0%9F%8C%B8a=5&%EE%80%80=3&%EF%BF%BD=1"
            ),
            (["a": ["b": 1]], "a%5Bb%5D=1"),
            (["a": ["z": ["y": 1], "b": 2]], "a%5Bb%5D=2&a%5Bz%5D%5By%5D=1"),
            (["a": [3, 1, 2]], "a%5B%5D=3&a%5B%5D=1&a%5B%5D=2"),
            (["a": [["k": 1], ["k": 2, "j": 3]]], "a%5B%5D%5Bk%5D=1&a%5B%5D%5Bj%5D=3&a%5B%5D%5Bk%5D=2"),
            (["a": [[1], [2, 3]]], "a%5B%5D%5B%5D=1&a%5B%5D%5B%5D=2&a%5B%5D%5B%5D=3"),
            (["a": nil, "b": 1], "a&b=1"),
            (["a": ["b": nil]], "a%5Bb%5D"),
            (["a": [nil, 1]], "a%5B%5D&a%5B%5D=1"),
            (["t": true, "f": false], "f=0&t=1"),
            (["n": 1.5, "m": 1.0, "l": -0.25], "l=-0.25&m=1&n=1.5"),
            (["n": 9_007_199_254_740_993], "n=9007199254740993"),
            (["n": 1e300], "n=1e%2B300"),
            (["e": ""], "e="),
            (["": "x"], "=x"),
            (["": ["b": 1]], "%5Bb%5D=1"),
            (["a": [:], "b": [], "c": [[], [:]]], ""),
            (["a": ["": 1]], "a%5B%5D=1"),
            ([:], ""),
            (nil, ""),
            (["q": "a b+c&d=e#f"], "q=a%20b%2Bc%26d%3De%23f"),
            (["k&=": "v"], "k%26%3D=v"),
            (["a[b]": 1], "a%5Bb%5D=1"),
            (["path": "/x/y?z"], "path=/x/y?z"),
            (
                ["ü": "日本語 👨‍👩‍👧"],
                "%C3%BC=%E6%97%A5%E6%9C%AC%E8%AA%9E%20%F0%9F%91%A8%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7"
            ),
        ] as [(JSONValue, String)]
    )
    func `query parameters are written as AFNetworking writes them`(_ parameters: JSONValue, _ expected: String) throws
    {
        #expect(try QueryString().encode(parameters) == expected)
    }

    @Test func `every ASCII character of a query is escaped as AFNetworking escapes it`() throws {
        let allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/?"
        for byte in UInt8(0)..<128 {
            let character = String(UnicodeScalar(byte))
            let digits = String(byte, radix: 16, uppercase: true)
            let escaped = allowed.contains(character) ? character : "%\(digits.count < 2 ? "0" : "")\(digits)"
            #expect(QueryString().escape(character) == escaped)
            #expect(try QueryString().encode([character: .string(character)]) == "\(escaped)=\(escaped)")
        }
    }

    @Test func `a long query text is escaped as its parts are`() {
        let text = String(repeating: "ä👩🏽‍🚀 ", count: 500)
        let once = QueryString().escape("ä👩🏽‍🚀 ")
        #expect(QueryString().escape(text) == String(repeating: once, count: 500))
    }

    @Test(
        arguments: [
            ([1, 2], "an array"), ([], "an array"), ("text", "a single value"), (1, "a single value"),
            (true, "a single value"),
        ] as [(JSONValue, String)]
    )
    func `query parameters without keys are an error that says so`(_ parameters: JSONValue, _ what: String) {
        let error = #expect(throws: NetworkingError.self) { try QueryString().encode(parameters) }
        #expect(error?.code == .requestSerializationFailed)
        #expect(error?.message.hasPrefix("The parameters are \(what):") == true)
    }
}
