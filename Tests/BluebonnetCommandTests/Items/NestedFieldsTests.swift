import Bluebonnet
import Testing

@testable import BluebonnetCommand

@Suite struct NestedFieldsTests {
    private func json(_ fields: [(String, JSONValue)]) throws -> String {
        var nested = NestedFields()
        for (name, value) in fields { try nested.set(value, at: try FieldPath(name)) }
        return String(decoding: try nested.data(), as: UTF8.self)
    }

    @Test(arguments: [
        (["a[b]", "a[c][d]"], #"{"a":{"b":0,"c":{"d":1}}}"#),
        (["l[]", "l[]", "l[]"], #"{"l":[0,1,2]}"#),
        (["l[]", "l[1]", "l[3]"], #"{"l":[0,1,null,2]}"#),
        (["l[2]", "l[0]", "l[1]"], #"{"l":[1,2,0]}"#),
        (["[]", "[]"], "[0,1]"),
        (["[0][a]", "[0][b]", "[1][a]"], #"[{"a":0,"b":1},{"a":2}]"#),
        (["l[][a]", "l[][a]"], #"{"l":[{"a":0},{"a":1}]}"#),
        (["z", "a", "m"], #"{"z":0,"a":1,"m":2}"#),
        (["a[1]", "b[x][]", "a[0]"], #"{"a":[2,0],"b":{"x":[1]}}"#),
        (["a\\[b\\]"], #"{"a[b]":0}"#),
    ])
    func `field paths build objects and lists`(names: [String], expected: String) throws {
        #expect(try json(names.enumerated().map { ($1, JSONValue($0)) }) == expected)
    }

    @Test func `a nested field adds to the value of a JSON item`() throws {
        #expect(try json([("a", ["x": 1]), ("a[y]", 2), ("a[z][]", 3)]) == #"{"a":{"x":1,"y":2,"z":[3]}}"#)
        #expect(try json([("l", [1, 2]), ("l[]", 3)]) == #"{"l":[1,2,3]}"#)
    }

    @Test func `the text of a value is kept, also where another field adds to it`() throws {
        var nested = NestedFields()
        try nested.set(1.5, written: Array("1.50".utf8), at: try FieldPath("a"))
        try nested.set(["x": 100], written: Array(#"{"x":1e2}"#.utf8), at: try FieldPath("b"))
        #expect(String(decoding: try nested.data(), as: UTF8.self) == #"{"a":1.50,"b":{"x":1e2}}"#)
        try nested.set(2, at: try FieldPath("b[y]"))
        #expect(String(decoding: try nested.data(), as: UTF8.self) == #"{"a":1.50,"b":{"x":1e2,"y":2}}"#)
        var list = NestedFields()
        let text = #"[1.0,[2e1,{}],"\u0041",[]]"#
        try list.set(try JSONValue(parsing: text), written: Array(text.utf8), at: try FieldPath("l"))
        try list.set(3, at: try FieldPath("l[]"))
        try list.set(4, at: try FieldPath("l[1][]"))
        #expect(String(decoding: try list.data(), as: UTF8.self) == #"{"l":[1.0,[2e1,{},4],"\u0041",[],3]}"#)
    }

    @Test(arguments: [
        (["a", "a"], "“a” is given twice; “a[]” adds an element to a list."),
        (["a[b]", "a[b]"], "“a[b]” is given twice; “a[b][]” adds an element to a list."),
        (["l[0]", "l[0]"], "“l[0]” is given twice; “l[]” adds an element to a list."),
        (["a[b]", "a"], "“a” is given twice; “a[]” adds an element to a list."),
        (["a", "a[b]"], "“a[b]” needs an object, and “a” is a number already."),
        (["a[b]", "a[0]"], "“a[0]” needs a list, and “a” is an object already."),
        (["l[]", "l[x]"], "“l[x]” needs an object, and “l” is a list already."),
        (["a[b][c]", "a[b][c][d]"], "“a[b][c][d]” needs an object, and “a[b][c]” is a number already."),
        (["[]", "a"], "“a” needs an object, and the whole JSON is a list already."),
        (["a", "[]"], "“[]” needs a list, and the whole JSON is an object already."),
    ])
    func `a nested field does not replace another one`(names: [String], message: String) {
        let error = #expect(throws: CommandFailure.self) { try json(names.enumerated().map { ($1, JSONValue($0)) }) }
        #expect(error == .usage(message))
    }

    @Test func `a field that is given twice with one value is sent once, as nothing is lost`() throws {
        #expect(try json([("a[b]", "x"), ("c", 1), ("a[b]", "x")]) == #"{"a":{"b":"x"},"c":1}"#)
        #expect(try json([("l[0]", true), ("l[0]", true)]) == #"{"l":[true]}"#)
        // The texts differ.
        var nested = NestedFields()
        try nested.set(1.5, written: Array("1.50".utf8), at: try FieldPath("a"))
        let path = try FieldPath("a")
        #expect(throws: CommandFailure.self) { try nested.set(1.5, written: Array("1.5".utf8), at: path) }
    }

    @Test func `a nested field can replace the null of a gap in a list, but not a given null`() throws {
        #expect(throws: CommandFailure.self) { try json([("l[0]", .null), ("l[0]", 1)]) }
        #expect(try json([("l[1]", 1), ("l[0]", .null)]) == #"{"l":[null,1]}"#)
    }
}
