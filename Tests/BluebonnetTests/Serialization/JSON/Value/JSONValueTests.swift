import Foundation
import Testing

@testable import Bluebonnet

struct JSONValueTests {
    @Test func `literals of every kind make JSONValues`() {
        let value: JSONValue = ["page": 2, "tags": ["a", "b"], "x": nil, "f": 1.5, "b": true, "o": ["i": "\(1 + 1)"]]
        #expect(value.description == #"{"page":2,"tags":["a","b"],"x":null,"f":1.5,"b":true,"o":{"i":"2"}}"#)
        #expect(value["page"]?.int == 2)
        #expect(value["tags"]?[1]?.string == "b")
        #expect(value["tags"]?[2] == nil)
        #expect(value["tags"]?[-1] == nil)
        #expect(value["x"]?.isNull == true)
        #expect(value["missing"] == nil)
        #expect(value["f"]?.double == 1.5)
        #expect(value["b"]?.bool == true)
        #expect(value["o"]?["i"] == "2")
        #expect(value["o"]?.object?.keys == ["i"])
    }

    @Test func `the accessors of another kind of JSONValue are nil`() {
        let values: [JSONValue] = [nil, true, 1, "1", [1], ["a": 1]]
        #expect(values.map { $0.isNull } == [true, false, false, false, false, false])
        #expect(values.map { $0.bool } == [nil, true, nil, nil, nil, nil])
        #expect(values.map { $0.int } == [nil, nil, 1, nil, nil, nil])
        #expect(values.map { $0.uint64 } == [nil, nil, 1, nil, nil, nil])
        #expect(values.map { $0.double } == [nil, nil, 1, nil, nil, nil])
        #expect(values.map { $0.string } == [nil, nil, nil, "1", nil, nil])
        #expect(values.map { $0.array } == [nil, nil, nil, nil, [1], nil])
        #expect(values.map { $0.object } == [nil, nil, nil, nil, nil, ["a": 1]])
        #expect(values.map { $0["a"] } == [nil, nil, nil, nil, nil, 1])
        #expect(values.map { $0[0] } == [nil, nil, nil, nil, 1, nil])
    }

    @Test func `JSONValues are made from variables`() {
        let (text, flag, count, ratio) = ("t", true, UInt8(3), 0.25)
        #expect(JSONValue(text) == "t")
        #expect(JSONValue(text.dropFirst(0)) == "t")
        #expect(JSONValue(flag) == true)
        #expect(JSONValue(count) == 3)
        #expect(JSONValue(ratio) == 0.25)
        #expect(JSONValue([1, 2]) == [1, 2])
        #expect(JSONValue(["b": 1, "a": 2]).description == #"{"a":2,"b":1}"#)
        #expect(JSONValue(["b": 1, "a": 2] as JSONObject).description == #"{"b":1,"a":2}"#)
    }

    @Test func `removing nulls from a JSONValue drops keys and elements at every depth`() {
        let value: JSONValue = ["a": nil, "b": [1, nil, ["c": nil, "d": [nil]]], "e": ["f": nil], "g": "x"]
        #expect(value.removingNulls() == ["b": [1, ["d": []]], "e": [:], "g": "x"])
        #expect(JSONValue.null.removingNulls() == .null)
        #expect(JSONValue.array([nil, nil]).removingNulls() == [])
    }

    @Test func `JSONValues are equal whatever the order of their keys`() {
        let left: JSONValue = ["a": 1, "b": ["c": [1, 2], "d": nil]]
        let right: JSONValue = ["b": ["d": nil, "c": [1.0, 2]], "a": 1]
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
        #expect(left != ["a": 1, "b": ["c": [2, 1], "d": nil]])
        #expect(Set([left, right]).count == 1)
    }

    @Test func `a JSONValue takes at most 24 bytes`() {
        #expect(MemoryLayout<JSONValue>.stride <= 24)
        #expect(MemoryLayout<JSONObject.Element>.stride <= 40)
    }
}
