import Foundation
import Testing

@testable import Bluebonnet

struct JSONNumberTests {
    @Test(arguments: [
        ("0", 0), ("-1", -1), ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min), ("1.0", 1),
        ("1e3", 1000), ("-2.50e1", -25), ("-0", 0), ("1000000000000000000", 1_000_000_000_000_000_000),
        ("1.00000000000000000000000", 1), ("9223372036854775807.00000", Int64.max),
    ])
    func `a JSON integer is exact however it is written`(text: String, expected: Int64) throws {
        #expect(try JSONValue(parsing: text).int64 == expected)
        #expect(try JSONValue(parsing: text).int == Int(expected))
    }

    @Test(arguments: ["9223372036854775808", "-9223372036854775809", "1.5", "1e19", "\"1\"", "true", "null", "1e400"])
    func `a JSON number that is not a 64-bit integer has no integer value`(text: String) throws {
        #expect(try JSONValue(parsing: text).int64 == nil)
    }

    @Test func `unsigned JSON integers use all 64 bits`() throws {
        #expect(try JSONValue(parsing: "18446744073709551615").uint64 == .max)
        #expect(try JSONValue(parsing: "18446744073709551616").uint64 == nil)
        #expect(try JSONValue(parsing: "-1").uint64 == nil)
        #expect(try JSONValue(parsing: "1e19").uint64 == 10_000_000_000_000_000_000)
    }

    @Test(arguments: [
        "123456789012345678901234567890", "-99999999999999999999", "1e400", "-1e-400", "0.1234567890123456789012345",
        "3.14159265358979323846264338327950288", "1e999999999999999999999", "18446744073709551616",
    ])
    func `a JSON number that 64 bits cannot hold is written as it was read`(text: String) throws {
        #expect(try JSONValue(parsing: text).description == text)
        let data = try JSONValue(parsing: "[\(text)]").data()
        #expect(String(decoding: data, as: UTF8.self) == "[\(text)]")
    }

    @Test func `JSON numbers beyond the range of Double have no double but keep their text`() throws {
        #expect(try JSONValue(parsing: "1e400").double == nil)
        #expect(try JSONValue(parsing: "1e-400").double == 0)
        #expect(try JSONValue(parsing: "123456789012345678901234567890").double == 123456789012345678901234567890.0)
        #expect(try JSONValue(parsing: "5e-324").double == .leastNonzeroMagnitude)
    }

    @Test func `JSON decimals keep digits that doubles lose`() throws {
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
    func `JSON numbers of the same decimal value are equal and hash alike`(left: String, right: String) throws {
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
    func `JSON numbers of different value differ`(left: String, right: String) throws {
        #expect(try JSONValue(parsing: left) != JSONValue(parsing: right))
        #expect(try JSONValue(parsing: right) != JSONValue(parsing: left))
    }

    @Test func `JSON numbers are made from every kind of number`() {
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

    @Test(
        arguments: [
            ("4503599627370497.3", nil), ("9007199254740.9931", nil), ("100000000000000.01", nil),
            ("1234567890123.4567", nil), ("1.23456789012345e18", 1_234_567_890_123_450_000),
            ("1.23456789012345e19", 12_345_678_901_234_500_000), ("-9007199254740993.0", nil),
            ("9007199254740993.0", 9_007_199_254_740_993), ("9223372036854775807.0", 9_223_372_036_854_775_807),
            ("1e19", 10_000_000_000_000_000_000), ("1.8446744073709552e19", nil),
            ("9.2233720368547758e18", 9_223_372_036_854_775_800),
            ("9007199254740992e0", 9_007_199_254_740_992), ("0.30000000000000004", nil), ("-65.61337209218934", nil),
        ] as [(String, UInt64?)]
    )
    func `JSON numbers are exact however many digits they have`(text: String, integer: UInt64?) throws {
        let number = try #require(try JSONValue(parsing: text).number)
        let again = try #require(JSONNumber(text: number.description))
        #expect(JSONDecimalDigits(number.description) == JSONDecimalDigits(text))
        #expect(again == number && again.hashValue == number.hashValue)
        #expect(number.uint64 == integer)
        #expect(number.decimal == Decimal(string: text))
        #expect(try JSONBodyDecoder().decode(Decimal.self, from: text.utf8) == number.decimal)
        if let integer { #expect(JSONNumber(integer) == number && JSONNumber(integer).hashValue == number.hashValue) }
        if let int64 = number.int64 { #expect(JSONNumber(int64) == number) }
    }

    @Test func `random JSON numbers are exact and doubles stay doubles`() throws {
        var generator = JSONGenerator(seed: 14)
        for round in 0..<20000 {
            let digits = "\(1 + generator.next() % 9)\(generator.next() % 10_000_000_000_000_000)"
            let text =
                switch round % 6 {
                case 0: generator.finite().description
                case 1: "\(Double(generator.next() >> 11) / 0x1p46)"
                case 2: "\(digits.prefix(1 + round % 16)).\(digits.dropFirst(1 + round % 16))0"
                case 3: "0.\(String(repeating: "0", count: round % 9))\(digits.prefix(12 + round % 6))"
                case 4: "\(digits)e\(Int(generator.next() % 80) - 40)"
                // The text of a double with another last digit.
                default: "\((Double(generator.next() >> 11) / 0x1p46).description.dropLast())\(round % 10)"
                }
            let number = try #require(JSONNumber(text: text), "\(text)")
            #expect(JSONDecimalDigits(number.description) == JSONDecimalDigits(text), "\(text)")
            if round % 6 < 2, !number.description.contains("e") {
                guard case .double = number.storage else { Issue.record("\(text) is not held as a double"); continue }
            }
        }
    }

    @Test func `whether a JSON number is the shortest text of its double is known without writing it`() throws {
        var generator = JSONGenerator(seed: 15)
        var known = 0
        for _ in 0..<20000 {
            let double = Double(generator.next() >> 11) / 0x1p46
            var mantissa = JSONDecimalDigits(double.description).digits.reduce(UInt64(0)) { $0 * 10 + UInt64($1) }
            mantissa += generator.next() % 3
            let text = "\(mantissa / 100_000_000_000_000).\(("\(mantissa % 100_000_000_000_000)"))"
            let tape = try JSONTape(parsing: text.utf8, maximumDepth: 1)
            let decimal = JSONDecimal(tape.bytes, 0, text.utf8.count)
            guard (16...17).contains(decimal.significantDigits), let value = Double(text),
                let isShortest = JSONDoubleParser.isShortest(decimal, of: value)
            else { continue }
            known += 1
            #expect(isShortest == (JSONDecimalDigits(value.description) == JSONDecimalDigits(text)), "\(text)")
        }
        #expect(known > 8000)
    }

    @Test func `JSON numbers with the same nearest double have different hashes`() {
        let long = (0..<200).compactMap { JSONNumber(text: "1.\(String(repeating: "0", count: 30))\($0 + 1000)") }
        #expect(Set(long.map(\.hashValue)).count > 190)
        let integers = (0..<200).map { JSONNumber(Int64.max - $0) }
        #expect(Set(integers.map(\.hashValue)).count > 190)
        let huge = (0..<200).compactMap { JSONNumber(text: "1e\(1000 + $0)") }
        #expect(Set(huge.map(\.hashValue)).count > 190)
    }

    @Test func `JSON doubles are read bit for bit as the standard library reads them`() throws {
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
    func `JSON doubles that are difficult to round are read bit for bit`(text: String) throws {
        let tape = try JSONTape(parsing: text.utf8, maximumDepth: 1)
        #expect(tape.double(of: tape.words[0]).bitPattern == Double(text)?.bitPattern)
    }
}
