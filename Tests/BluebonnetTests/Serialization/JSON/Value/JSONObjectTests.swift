import Testing

@testable import Bluebonnet

struct JSONObjectTests {
    @Test func `the keys of a JSONObject keep the order in which they were added`() {
        var object: JSONObject = ["z": 1, "a": 2]
        object["m"] = 3
        object["z"] = 4
        #expect(object.keys == ["z", "a", "m"])
        #expect(object.values == [4, 2, 3])
        #expect(object.first?.key == "z")
        object["a"] = nil
        #expect(object.keys == ["z", "m"])
        #expect(object.removeValue(forKey: "nothing") == nil)
        object["n"] = .null
        #expect(object["n"] == .some(.null))
        #expect(object.description == #"{"z":4,"m":3,"n":null}"#)
    }

    @Test(arguments: [1, 15, 16, 17, 18, 40, 1000])
    func `every key is found in a JSONObject of every size, also after changes`(count: Int) {
        var object = JSONObject()
        for number in 0..<count {
            object["key \(number)"] = JSONValue(number)
            #expect(object["key \(number)"] == JSONValue(number))
        }
        let copy = object
        for number in 0..<count { #expect(object["key \(number)"] == JSONValue(number)) }
        object["key 0"] = nil
        object["new"] = "n"
        #expect(object["key 0"] == nil)
        #expect(object["new"] == "n")
        #expect(object["key \(count - 1)"] == (count == 1 ? Optional.none : JSONValue(count - 1)))
        #expect(copy["key 0"] == 0)
        #expect(copy["new"] == nil)
        #expect(copy.count == count)
        #expect(object.count == count)
        #expect(object != copy)
    }

    @Test func `of equal keys in a JSONObject literal the last wins`() {
        let object: JSONObject = ["a": 1, "b": 2, "a": 3]
        #expect(object.count == 2)
        #expect(object["a"] == 3)
    }

    @Test func `a JSONObject becomes a dictionary and back`() {
        let object: JSONObject = ["b": 1, "a": [true]]
        #expect(object.dictionary == ["a": [true], "b": 1])
        #expect(JSONObject(object.dictionary) == object)
        #expect(JSONObject(object.dictionary).keys == ["a", "b"])
        #expect(object.mapValues { .string("\($0)") } == ["b": "1", "a": "[true]"])
    }
}
