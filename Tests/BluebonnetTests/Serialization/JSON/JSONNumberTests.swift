import Foundation
import Testing

@testable import Bluebonnet

struct JSONNumberTests {
    @Test(arguments: [
        ("0", 0), ("-1", -1), ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min), ("1.0", 1),
        ("1e3", 1000), ("-2.50e1", -25), ("-0", 0), ("1000000000000000000", 1_000_000_000_000_000_000),
        ("1.00000000000000000000000", 1), ("9223372036854775807.00000", Int64.max),
    ])
    func `an integer is exact however it is written`(text: String, expected: Int64) throws {
        #expect(try JSONValue(parsing: text).int64 == expected)
        #expect(try JSONValue(parsing: text).int == Int(expected))
    }

    @Test(arguments: ["9223372036854775808", "-9223372036854775809", "1.5", "1e19", "\"1\"", "true", "null", "1e400"])
    func `what is no 64-bit integer has none`(text: String) throws {
        #expect(try JSONValue(parsing: text).int64 == nil)
    }

    @Test func `unsigned integers use all 64 bits`() throws {
        #expect(try JSONValue(parsing: "18446744073709551615").uint64 == .max)
        #expect(try JSONValue(parsing: "18446744073709551616").uint64 == nil)
        #expect(try JSONValue(parsing: "-1").uint64 == nil)
        #expect(try JSONValue(parsing: "1e19").uint64 == 10_000_000_000_000_000_000)
    }

    @Test(arguments: [
        "123456789012345678901234567890", "-99999999999999999999", "1e400", "-1e-400", "0.1234567890123456789012345",
        "3.14159265358979323846264338327950288", "1e999999999999999999999", "18446744073709551616",
    ])
    func `what no 64 bits hold is written again as it was read`(text: String) throws {
        #expect(try JSONValue(parsing: text).description == text)
        let data = try JSONValue(parsing: "[\(text)]").data()
        #expect(String(decoding: data, as: UTF8.self) == "[\(text)]")
    }

    @Test func `doubles beyond the range have no double but keep their text`() throws {
        #expect(try JSONValue(parsing: "1e400").double == nil)
        #expect(try JSONValue(parsing: "1e-400").double == 0)
        #expect(try JSONValue(parsing: "123456789012345678901234567890").double == 123456789012345678901234567890.0)
        #expect(try JSONValue(parsing: "5e-324").double == .leastNonzeroMagnitude)
    }

    @Test func `decimals keep digits that doubles lose`() throws {
        #expect(try JSONValue(parsing: "0.10").number?.decimal == Decimal(string: "0.1"))
        let text = "12345678901234567890.123456789"
        #expect(try JSONValue(parsing: text).number?.decimal == Decimal(string: text))
        #expect(JSONNumber(Decimal(string: text) ?? 0).description == text)
        #expect(JSONNumber(Decimal(42)) == 42)
    }

    @Test(arguments: [
        ("1", "1.0"), ("1", "10e-1"), ("0", "-0.0"), ("100", "1e2"), ("1e400", "10e399"), ("0.5", "5e-1"),
        ("100000000000000000000", "1e20"), ("18446744073709551615", "18446744073709551615.0"),
        ("0.1", "0.10000000000000000000000000"),
    ])
    func `numbers of the same decimal value are equal and hash alike`(left: String, right: String) throws {
        let (left, right) = (try JSONValue(parsing: left), try JSONValue(parsing: right))
        #expect(left == right)
        #expect(right == left)
        #expect(left.hashValue == right.hashValue)
    }

    @Test(arguments: [
        ("1", "2"), ("1", "1.5"), ("9007199254740993", "9007199254740992.0"), ("1e400", "1e401"), ("-1", "1"),
        ("18446744073709551615", "-1"), ("9223372036854775807", "9223372036854775808.0"), ("1e-400", "0"),
        ("0.1", "0.10000000000000000000000001"),
    ])
    func `numbers of different value differ`(left: String, right: String) throws {
        #expect(try JSONValue(parsing: left) != JSONValue(parsing: right))
        #expect(try JSONValue(parsing: right) != JSONValue(parsing: left))
    }

    @Test func `numbers are made from every kind of number`() {
        #expect(JSONNumber(UInt64.max).description == "18446744073709551615")
        #expect(JSONNumber(Int128.max).description == "\(Int128.max)")
        #expect(JSONNumber(Int8(-3)).int == -3)
        #expect(JSONNumber(Float(0.1)).description == "0.1")
        #expect(JSONNumber(0.1).description == "0.1")
        #expect(JSONNumber(text: "1e5")?.int == 100_000)
        for text in ["", "1 ", " 1", "abc", "[1]", "\"1\"", "01", "1\u{0}"] {
            #expect(JSONNumber(text: text) == nil, "\(text)")
        }
    }

    @Test func `doubles are read bit for bit as the standard library reads them`() throws {
        var generator = JSONGenerator(seed: 4)
        for round in 0..<20000 {
            let text =
                switch round % 5 {
                case 0: generator.finite().description
                case 1: "\(generator.next())e\(Int(generator.next() % 680) - 350)"
                case 2: "\(generator.next() % 100_000).\(generator.next() % 1_000_000)"
                case 3: "\(generator.next()).\(generator.next())\(generator.next())e-\(generator.next() % 340)"
                default: "0.\(String(repeating: "0", count: Int(generator.next() % 30)))\(generator.next())"
                }
            let tape = try JSONTape(parsing: text.utf8, maximumDepth: 1)
            let expected = try #require(Double(text))
            #expect(tape.double(of: tape.words[0]).bitPattern == expected.bitPattern, "\(text)")
        }
    }

    @Test(arguments: [
        "9007199254740993", "9007199254740992.5", "9007199254740993.0000000000000000000000000001",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308", "4.9406564584124654e-324", "2.4703282292062327e-324", "2.4703282292062328e-324",
        "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "0e999999", "-0.0", "0.000e-5",
        "8.5e15", "1e22", "1e23", "6929495644600919.5", "123456789e-30", "1.00000000000000011102230246251565404e0",
        "1090544144181609348835077142190", "3.0540412e5", "4503599627370496.5", "4503599627370497.5", "1e-323",
    ])
    func `doubles at the edges are read bit for bit`(text: String) throws {
        let tape = try JSONTape(parsing: text.utf8, maximumDepth: 1)
        #expect(tape.double(of: tape.words[0]).bitPattern == Double(text)?.bitPattern)
    }
}
