import Foundation
import Testing

@testable import Bluebonnet

struct JSONBodyDecoderTests {
    private func decode<T: Decodable>(_ type: T.Type, _ text: String) throws -> T {
        try JSONBodyDecoder().decode(type, from: text.utf8)
    }

    @Test func `decoding a text that is not JSON names the place`() throws {
        let error = try #require(throws: DecodingError.self) { try decode([Int].self, "[1,\n2,]") }
        guard case .dataCorrupted(let context) = error else {
            Issue.record("\(error)")
            return
        }
        let cause = try #require(context.underlyingError as? JSONParsingError)
        #expect(cause.line == 2)
        #expect(cause.column == 3)
    }

    @Test func `JSON decoding errors name the path to the value`() throws {
        struct User: Decodable { var name: String, tags: [Int] }
        let texts = [
            (#"{"list":[{"name":"a","tags":[]},{"name":1,"tags":[]}]}"#, ["list", "Index 1", "name"]),
            (#"{"list":[{"name":"a","tags":[1,"2"]}]}"#, ["list", "Index 0", "tags", "Index 1"]),
            (#"{"list":[{"tags":[]}]}"#, ["list", "Index 0"]),
            (#"{"list":[{"name":"a","tags":[1.5]}]}"#, ["list", "Index 0", "tags", "Index 0"]),
            (#"{"list":[null]}"#, ["list", "Index 0"]),
        ]
        for (text, path) in texts {
            let error = try #require(throws: DecodingError.self) { try decode([String: [User]].self, text) }
            #expect(error.path == path, "\(error)")
        }
    }

    @Test func `JSON keys are found in any order, with escapes, and the first of repeated ones wins`() throws {
        struct Three: Decodable, Equatable { var a: Int, b: Int, é: Int? }
        #expect(try decode(Three.self, #"{"b":2,"a":1}"#) == Three(a: 1, b: 2, é: nil))
        #expect(try decode(Three.self, #"{"x":[{"a":9}],"b":2,"y":{},"\u0061":1,"é":3}"#) == Three(a: 1, b: 2, é: 3))
        #expect(try decode(Three.self, #"{"a":1,"a":5,"b":2,"b":6}"#) == Three(a: 1, b: 2, é: nil))
        #expect(try decode(Three.self, "{\"b\":2,\"e\u{301}\":3,\"a\":1}") == Three(a: 1, b: 2, é: 3))
        #expect(try decode([String: Int].self, #"{"a":1,"a":5,"b":2}"#) == ["a": 1, "b": 2])
    }

    @Test func `JSON keys that start alike are told apart`() throws {
        struct Long: Decodable, Equatable {
            var a: Int, ab: Int, abcdefgh: Int, abcdefgi: Int, abcdefghij: Int, abcdefghijklmnopqrst: Int
            var abcdefghijklmnopqrsu: Int, bcdefgh: Int
        }
        let names = [
            "a", "ab", "abcdefgh", "abcdefgi", "abcdefghij", "abcdefghijklmnopqrst", "abcdefghijklmnopqrsu", "bcdefgh",
        ]
        var generator = JSONGenerator(seed: 6)
        for _ in 0..<20 {
            let members = names.enumerated().shuffled(using: &generator).map { "\"\($0.element)\":\($0.offset)" }
            let value = try decode(Long.self, "{\(members.joined(separator: ","))}")
            #expect(
                value
                    == Long(
                        a: 0,
                        ab: 1,
                        abcdefgh: 2,
                        abcdefgi: 3,
                        abcdefghij: 4,
                        abcdefghijklmnopqrst: 5,
                        abcdefghijklmnopqrsu: 6,
                        bcdefgh: 7
                    )
            )
        }
    }

    @Test func `a class decodes its superclass from the JSON key super`() throws {
        let value = try decode(Dog.self, #"{"tricks":["sit"],"super":{"legs":4}}"#)
        #expect(value.legs == 4)
        #expect(value.tricks == ["sit"])
        let error = try #require(throws: DecodingError.self) { try decode(Dog.self, #"{"tricks":[]}"#) }
        #expect(error.path == ["super"])
    }

    @Test func `nested JSON containers are read while others are open`() throws {
        let text = #"{"meta":{"x":1,"deep":{"y":[10,[20,30],{"z":40}]}},"x":"outer","list":[{"x":5}]}"#
        #expect(try decode(Manual.self, text).seen == ["1", "outer", "10", "20", "30", "40", "5", "outer", "meta"])
    }

    @Test func `the userInfo of the JSON decoder reaches every type`() throws {
        struct Reader: Decodable {
            var found: [String]
            init(from decoder: any Decoder) throws { found = decoder.userInfo.map { "\($0.key.rawValue)=\($0.value)" } }
        }
        var decoder = JSONBodyDecoder()
        decoder.userInfo[try #require(CodingUserInfoKey(rawValue: "probe"))] = "here"
        #expect(try decoder.decode([Reader].self, from: "[{}]".utf8)[0].found == ["probe=here"])
    }

    @Test func `the JSON decoder has the coding path when a type asks for it`() throws {
        struct Curious: Decodable {
            var path: [String]
            init(from decoder: any Decoder) throws { path = decoder.codingPath.map(\.stringValue) }
        }
        let value = try decode([String: [Curious]].self, #"{"a":[1,{"b":2}]}"#)
        #expect(value["a"]?.map(\.path) == [["a", "Index 0"], ["a", "Index 1"]])
    }

    @Test func `a JSONValue is decoded with its keys unchanged whatever the strategy`() throws {
        var decoder = JSONBodyDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let value = try decoder.decode([JSONValue].self, from: #"[{"a_b":1}]"#.utf8)
        #expect(value == [["a_b": 1]])
    }

    @Test func `each of many JSON decoding errors that are ignored names its element`() throws {
        struct Lossy: Decodable {
            var found = 0
            var paths: [[String]] = []
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                while !container.isAtEnd {
                    do {
                        found += try container.decode([String: Int].self).count
                    } catch let error as DecodingError {
                        paths.append(error.path)
                        _ = try container.decode(JSONValue.self)
                    }
                }
            }
        }
        let text = "[" + Array(repeating: #"{"a":"b"}"#, count: 2000).joined(separator: ",") + "]"
        let lossy = try decode(Lossy.self, text)
        #expect(lossy.found == 0)
        #expect(lossy.paths == (0..<2000).map { ["Index \($0)", "a"] })
    }

    @Test func `JSON keys are found in large objects whatever was asked before`() throws {
        struct Random: Decodable {
            init(from decoder: any Decoder) throws {
                let top = try decoder.container(keyedBy: CodingPathKey.self)
                let inner = try ["a", "b", "c"].map {
                    try top.nestedContainer(keyedBy: CodingPathKey.self, forKey: CodingPathKey(stringValue: $0))
                }
                var generator = JSONGenerator(seed: 12)
                for _ in 0..<3000 {
                    let container = generator.pick(inner)
                    let index = Int(generator.next() % 120)
                    for name in ["k\(index)", "é\(index)", "e\u{301}\(index)", "1\(index)"] {
                        let key = CodingPathKey(stringValue: name)
                        let value = try container.decodeIfPresent(Int.self, forKey: key)
                        #expect(value == (index < 100 ? index : nil), "\(name)")
                    }
                    let path = try container.superDecoder(forKey: CodingPathKey(stringValue: "k\(index % 100)"))
                        .codingPath
                    #expect(path.last?.stringValue == "k\(index % 100)")
                }
            }
        }
        let object = (0..<100).map { #""k\#($0)":\#($0),"é\#($0)":\#($0),"\u0031\#($0)":\#($0)"# }.joined(
            separator: ","
        )
        let text = #"{"a":{\#(object)},"b":{\#(object)},"c":{\#(object),"k0":-1}}"#
        _ = try decode(Random.self, text)
        var decoder = JSONBodyDecoder()
        decoder.keyDecodingStrategy = .custom { $0[$0.count - 1] }
        _ = try decoder.decode(Random.self, from: text.utf8)
    }

    @Test func `the JSON decoder reserves no more room than the length of the text allows`() throws {
        struct Large: Decodable {
            var numbers: (Int, Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0, 0)

            init(from decoder: any Decoder) throws { numbers.0 = try decoder.singleValueContainer().decode(Int.self) }
        }
        struct Small: Decodable { var x: Int, y: Int }
        let tape = try JSONTape(
            parsing: "[\(Array(repeating: "0", count: 10000).joined(separator: ","))]".utf8,
            maximumDepth: 1
        )
        #expect(JSONTape.capacity(of: tape.words[0], at: 0, stride: MemoryLayout<Large>.stride) < 2600)
        #expect(JSONTape.capacity(of: tape.words[0], at: 0, stride: 8) == 10000)
        #expect(JSONTape.capacity(of: tape.words[0], at: 0, stride: 100_000_000) == 0)
        let small = Array(repeating: #"{"x":1,"y":2}"#, count: 1000).joined(separator: ",")
        let points = try decode([Small].self, "[\(small)]")
        #expect(points.count == 1000)
        #expect(points.capacity >= 1000 && points.capacity < 1100)
        #expect(
            try decode([Large].self, "[\(Array(repeating: "7", count: 5000).joined(separator: ","))]").count == 5000
        )
        #expect(try decode([Large].self, "[]").isEmpty)
        for type in [[Int].self, [String].self, [Double].self, [Small].self] as [any Decodable.Type] {
            let error = try #require(throws: DecodingError.self) { try decode(type, "[{},0,0]") }
            #expect(error.path == ["Index 0"])
        }
    }

    @Test func `JSON decoding errors are short whatever the document holds`() throws {
        let digits = String(repeating: "9", count: 1_000_000)
        let long = String(repeating: "k", count: 40_000)
        let number = try #require(throws: DecodingError.self) { try decode(Int.self, digits) }
        #expect("\(number)".utf8.count < 1000)
        let missing = try #require(throws: DecodingError.self) {
            try decode([String: [Int: Int]].self, #"{"a":{"\#(long)":1}}"#)
        }
        #expect(DecodableResponseSerializer<Int>.reason(missing).utf8.count < 1000)
        let broken = try #require(throws: DecodingError.self) { try decode(Int.self, #"{"\#(long)":{"\#(long)":?}}"#) }
        #expect(DecodableResponseSerializer<Int>.reason(broken).utf8.count < 1000)
    }

    @Test func `a large JSON object is decoded in any order`() throws {
        struct Sparse: Decodable { var k0: Int, k4999: Int, k2500: Int, k1: Int, missing: Int? }
        let text = "{" + (0..<5000).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + "}"
        let value = try decode(Sparse.self, text)
        #expect(value.k0 + value.k4999 + value.k2500 + value.k1 == 7500)
        #expect(try decode([String: Int].self, text).count == 5000)
    }

    private class Animal: Decodable {
        let legs: Int
    }

    private final class Dog: Animal {
        let tricks: [String]

        private enum Key: String, CodingKey { case tricks }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            tricks = try container.decode([String].self, forKey: .tricks)
            try super.init(from: container.superDecoder())
        }
    }

    private struct Manual: Decodable {
        var seen: [String] = []

        enum Key: String, CodingKey { case meta, deep, x, y, z, list }

        init(from decoder: any Decoder) throws {
            let top = try decoder.container(keyedBy: Key.self)
            let meta = try top.nestedContainer(keyedBy: Key.self, forKey: .meta)
            seen.append("\(try meta.decode(Int.self, forKey: .x))")
            seen.append(try top.decode(String.self, forKey: .x))
            let deep = try meta.nestedContainer(keyedBy: Key.self, forKey: .deep)
            var list = try deep.nestedUnkeyedContainer(forKey: .y)
            seen.append("\(try list.decode(Int.self))")
            var inner = try list.nestedUnkeyedContainer()
            while !inner.isAtEnd { seen.append("\(try inner.decode(Int.self))") }
            let last = try list.nestedContainer(keyedBy: Key.self)
            seen.append("\(try last.decode(Int.self, forKey: .z))")
            var other = try top.nestedUnkeyedContainer(forKey: .list)
            let element = try other.superDecoder().container(keyedBy: Key.self)
            seen.append("\(try element.decode(Int.self, forKey: .x))")
            seen.append(try top.decode(String.self, forKey: .x))
            seen.append(top.allKeys.first?.stringValue ?? "")
        }
    }
}

extension DecodingError {
    /// The path to the value, as strings.
    var path: [String] {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context.codingPath.map(\.stringValue)
        @unknown default: []
        }
    }
}
