import Bluebonnet
import Testing

@testable import BluebonnetCommand

struct JSONFilterTests {
    private static let document: JSONValue = [
        "users": [["name": "Ada", "tags": ["a", "b"]], ["name": "Bob", "tags": []]],
        "a/b": 1, "m~n": 2, "a.b": 3, "": 4, "0": "zero", "empty": nil,
    ]

    private static let picked: [(String, [JSONValue])] = [
        ("/users/0/name", ["Ada"]),
        ("/users/1/name", ["Bob"]),
        ("/users/01/name", []),
        ("/users/2", []),
        ("/a~1b", [1]),
        ("/m~0n", [2]),
        ("/", [4]),
        ("/0", ["zero"]),
        ("/empty", [nil]),
        ("/nothing/below", []),
        (".", [document]),
        ("", [document]),
        ("users[0].name", ["Ada"]),
        (".users[-1].name", ["Bob"]),
        ("users[].name", ["Ada", "Bob"]),
        ("users[*].tags[]", ["a", "b"]),
        ("users[-3]", []),
        ("[\"a.b\"]", [3]),
        ("users.name", []),
        ("empty", [nil]),
    ]

    private func values(_ filter: String, in value: JSONValue) throws -> [JSONValue] {
        let document = try JSONDocument(parsing: Array(value.data()))
        return try JSONFilter(filter).values(in: document).map { try JSONValue(parsing: document.text(of: $0)) }
    }

    @Test(arguments: picked)
    func `a JSON filter finds the values at its path`(text: String, expected: [JSONValue]) throws {
        #expect(try values(text, in: Self.document) == expected)
    }

    @Test(arguments: ["/\u{301}/\u{200D}", "\u{301}.\u{200D}", "[\"\u{301}\"].\u{200D}", "\u{301}[\"\u{200D}\"]"])
    func `names in a JSON filter may begin with a combining character`(text: String) throws {
        #expect(try values(text, in: ["\u{301}": ["\u{200D}": 1]]) == [1])
    }

    @Test(arguments: ["a..b", "a.", "a[", "a[x]", "[\"a", "/a~2", "a[\"b\"x]"])
    func `a text that is not a JSON filter is bad usage`(text: String) {
        let failure = #expect(throws: CommandFailure.self) { try JSONFilter(text) }
        #expect(failure?.status == .usage)
        #expect(failure?.message.isEmpty == false)
    }

    @Test func `a JSON filter finds every value of an object in its order`() throws {
        #expect(try values("[]", in: ["b": 1, "a": 2]) == [1, 2])
    }

    @Test func `a JSON filter keeps the text of what it picks, and takes the last of repeated members`() throws {
        let document = try JSONDocument(parsing: Array(#"{"a":1,"a":{"b" : 1.50}}"#.utf8))
        let values = try JSONFilter("a").values(in: document)
        #expect(values.map { String(decoding: document.text(of: $0), as: UTF8.self) } == [#"{"b" : 1.50}"#])
    }

    @Test func `a JSON filter reads UTF-16`() throws {
        let document = try JSONDocument(parsing: [0x5B, 0, 0x31, 0, 0x5D, 0])
        #expect(try JSONFilter("[0]").values(in: document).map { Array(document.text(of: $0)) } == [[0x31]])
    }
}
