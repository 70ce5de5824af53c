import Bluebonnet
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct URLEncodedFormEncoderTests {
    /// A form encoder that does not escape brackets, so that the expected texts are readable.
    private let form: URLEncodedFormEncoder = {
        var form = URLEncodedFormEncoder()
        form.allowedCharacters = .query.union("[]")
        return form
    }()

    @Test func `form scalars of every type are written as text`() throws {
        struct Value: Encodable {
            var a: Int8 = .min
            var b: Int16 = .min
            var c: Int32 = .min
            var d: Int64 = .min
            var e: Int128 = .min
            var f: UInt8 = .max
            var g: UInt16 = .max
            var h: UInt32 = .max
            var i: UInt64 = .max
            var j: UInt128 = .max
            var k: Float = 0.1
            var l = 1.0
            var m = 1e300
            var n: Decimal? = Decimal(string: "123456789012345678901234567.89")
            var o = URL(string: "https://example.com/a?b=c")
            var p = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
            var q = Character("é").unicodeScalars.first.map(String.init)
            var r: UInt = 7
        }
        let expected = [
            "a=-128", "b=-32768", "c=-2147483648", "d=-9223372036854775808",
            "e=-170141183460469231731687303715884105728", "f=255", "g=65535", "h=4294967295",
            "i=18446744073709551615", "j=340282366920938463463374607431768211455", "k=0.1", "l=1.0", "m=1e%2B300",
            "n=123456789012345678901234567.89", "o=https%3A//example.com/a?b%3Dc",
            "p=01020304-0506-0708-090A-0B0C0D0E0F10", "q=%C3%A9", "r=7",
        ]
        #expect(try form.encode(Value()) == expected.joined(separator: "&"))
    }

    @Test func `form array elements of every type are written as text`() throws {
        struct Elements: Encodable {
            func encode(to encoder: any Encoder) throws {
                var list = encoder.unkeyedContainer()
                try list.encode(true)
                try list.encode("t")
                try list.encode(1.5)
                try list.encode(Float(2.5))
                try list.encode(1)
                try list.encode(Int8(2))
                try list.encode(Int16(3))
                try list.encode(Int32(4))
                try list.encode(Int64(5))
                try list.encode(UInt(6))
                try list.encode(UInt8(7))
                try list.encode(UInt16(8))
                try list.encode(UInt32(9))
                try list.encode(UInt64(10))
                try list.encode(Int128(11))
                try list.encode(UInt128(12))
                try list.encodeNil()
                #expect(list.count == 17)
            }
        }
        var form = form
        form.arrayEncoding = .noBrackets
        form.nilEncoding = .bareKey
        let values = ["1", "t", "1.5", "2.5"] + (1...12).map(String.init)
        #expect(try form.encode(["a": Elements()]) == values.map { "a=\($0)&" }.joined() + "a")
    }

    @Test func `form dictionaries may have keys of other types`() throws {
        enum Color: String, Encodable, CodingKeyRepresentable {
            case red, blue
        }
        #expect(try form.encode([10: "x", 9: "y"]) == "10=x&9=y")
        #expect(try form.encode([Color.red: 1, .blue: 2]) == "blue=2&red=1")
        #expect(try form.encode(["m": [1: [2: 3]]]) == "m[1][2]=3")
    }

    @Test func `a set in a form repeats the bare key, sorted`() throws {
        struct Value: Encodable {
            var a: Set<String> = ["b", "a", "c"]
            var n: Set<Int>? = [10, 9, 1]
            var o: Set<[String: Int]> = [["y": 1], ["x": 2]]
            var l: [Set<Int>] = [[2, 1], [3]]
            var e: Set<Int> = []
        }
        let expected = "a=a&a=b&a=c&l[]=1&l[]=2&l[]=3&n=1&n=10&n=9&o[x]=2&o[y]=1"
        #expect(try form.encode(Value()) == expected)
        var form = form
        form.arrayEncoding = .indexInBrackets
        form.sortsKeys = false
        #expect(try form.encode(["a": Set(["b", "a"])]) == "a=a&a=b")
    }

    @Test func `form arrays and objects nest, and empty ones write nothing`() throws {
        struct Item: Encodable {
            var id: Int
            var tags: [String]
        }
        struct Empty: Encodable {}
        struct Value: Encodable {
            var items = [Item(id: 1, tags: ["x", "y"]), Item(id: 2, tags: [])]
            var matrix = [[1, 2], [], [3]]
            var none: [String: Int] = [:]
            var nothing = Empty()
            var nested: [[String: Int]] = [[:]]
        }
        let expected = "items[][id]=1&items[][tags][]=x&items[][tags][]=y&items[][id]=2&matrix[][]=1&matrix[][]=2"
        #expect(try form.encode(Value()) == expected + "&matrix[][]=3")
        #expect(try form.encode([String: Int]()) == "")
        #expect(try form.encode(Empty()) == "")
    }

    @Test func `form names and values are escaped as UTF-8`() throws {
        #expect(
            try URLEncodedFormEncoder().encode(["ü[k]": ["日本": "👩🏽‍🚀&=+ \u{0}"]])
                == "%C3%BC%5Bk%5D%5B%E6%97%A5%E6%9C%AC%5D="
                + "%F0%9F%91%A9%F0%9F%8F%BD%E2%80%8D%F0%9F%9A%80%26%3D%2B%20%00"
        )
        #expect(try URLEncodedFormEncoder().encode(["a": [1]]) == "a%5B%5D=1")
    }

    @Test func `form containers and superclasses write in their place`() throws {
        class Animal: Encodable {
            var legs = 4
        }
        final class Dog: Animal {
            enum Key: CodingKey {
                case name, box, list, parent
            }

            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                let early = container.superEncoder(forKey: .parent)
                try container.encode("Rex", forKey: .name)
                var box = container.nestedContainer(keyedBy: Key.self, forKey: .box)
                try box.encode(1, forKey: .name)
                var again = container.nestedContainer(keyedBy: Key.self, forKey: .box)
                try again.encode(2, forKey: .list)
                var list = container.nestedUnkeyedContainer(forKey: .list)
                var inner = list.nestedContainer(keyedBy: Key.self)
                try inner.encode(3, forKey: .name)
                var numbers = list.nestedUnkeyedContainer()
                try numbers.encode(4)
                try 5.encode(to: list.superEncoder())
                var listAgain = container.nestedUnkeyedContainer(forKey: .list)
                try listAgain.encode(6)
                try super.encode(to: container.superEncoder())
                try super.encode(to: early)
            }
        }
        var form = form
        form.sortsKeys = false
        #expect(
            try form.encode(Dog())
                == "parent[legs]=4&name=Rex&box[name]=1&box[list]=2&list[][name]=3&list[][]=4&list[]=5&list[]=6&super[legs]=4"
        )
    }

    @Test func `a form key that is encoded again has its last value`() throws {
        struct Value: Encodable {
            var count: Int

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: OneKey.Key.self)
                for round in 0..<2 {
                    for number in 0..<count {
                        try container.encode(number + round, forKey: OneKey.Key(stringValue: "k\(number)"))
                    }
                }
            }
        }
        var form = form
        form.sortsKeys = false
        for count in [1, 16, 17, 18, 100] {
            let expected = (0..<count).map { "k\($0)=\($0 + 1)" }.joined(separator: "&")
            #expect(try form.encode(Value(count: count)) == expected)
        }
    }

    @Test func `a wrapper is form-encoded as the value that it wraps`() throws {
        struct Wrapper<Value: Encodable>: Encodable {
            var value: Value

            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(value)
            }
        }
        #expect(try form.encode(Wrapper(value: ["a": Wrapper(value: Set([2, 1]))])) == "a=1&a=2")
        #expect(try form.encode(["a": Wrapper(value: Data([0]))]) == "a=AA%3D%3D")
        #expect(try form.encode(["a": Wrapper(value: Int?.none)]) == "")
        #expect(try form.encode([String: Int]?.some(["a": 1])) == "a=1")
    }

    @Test func `a JSONValue inside a form is written as parameters`() throws {
        let parameters: JSONValue = ["n": 1.0, "big": 9_007_199_254_740_993, "x": [nil, ["y": true]]]
        let expected = "big=9007199254740993&n=1&x[][y]=1"
        #expect(try form.encode(parameters) == expected)
        func generic(_ value: some Encodable) throws -> String { try form.encode(value) }
        #expect(try generic(parameters) == expected)
        #expect(try generic(#require(parameters.object)) == expected)
        #expect(try form.encode(["p": parameters]) == "p[big]=9007199254740993&p[n]=1&p[x][][y]=1")
        let long = try #require(JSONNumber(text: "123456789012345678901234567890.5"))
        #expect(try form.encode(["n": long]) == "n=123456789012345678901234567890.5")
    }

    @Test(
        arguments: [
            ["a": ["z": ["y": 1], "b": 2]], ["a": [["k": 1], ["k": 2, "j": 3]], "b": [[1], [2, 3]]],
            ["a": nil, "b": [nil, 1], "c": ["d": nil]], ["n": 1.5, "m": 1.0, "e": 1e300, "t": true],
            ["": "x", "k&=": "v w+", "ü": "👩🏽‍🚀"], [:], nil, ["a": [], "b": [:]],
        ] as [JSONValue]
    )
    func `with bare keys for null, a form is written as AFNetworking writes it`(_ value: JSONValue) throws {
        var form = URLEncodedFormEncoder.standard
        form.nilEncoding = .bareKey
        #expect(try form.encode(value) == QueryString().encode(value))
    }

    @Test func `form-encoding nil writes nothing`() throws {
        #expect(try form.encode([String: Int]?.none) == "")
        #expect(try form.encode(JSONValue.null) == "")
    }
}
