import Foundation
import Testing

@testable import Bluebonnet

/// Compares with Foundation's decoder, document by document: the same values, the same errors.
struct JSONBodyDecoderFoundationTests {
    /// The result of decoding a document.
    private enum Outcome: Equatable, CustomStringConvertible {
        case value(String)
        case failure(kind: String, path: [String])
        case other(String)

        init<T>(_ decode: () throws -> T) {
            do {
                self = .value("\(try decode())")
            } catch let error as DecodingError {
                let kind =
                    switch error {
                    case .typeMismatch: "mismatch"
                    case .valueNotFound: "no value"
                    case .keyNotFound(let key, _): "no key \(key.stringValue)"
                    case .dataCorrupted: "corrupted"
                    @unknown default: "?"
                    }
                self = .failure(kind: kind, path: error.path)
            } catch {
                self = .other("\(error)")
            }
        }

        var description: String {
            switch self {
            case .value(let text): text
            case .failure(let kind, let path): "\(kind) at \(path)"
            case .other(let text): text
            }
        }

        /// Foundation has no path for numbers that do not fit.
        func matches(_ foundation: Outcome) -> Bool {
            if case .failure("corrupted", _) = self, foundation == .failure(kind: "corrupted", path: []) { return true }
            return self == foundation
        }
    }

    private func compare<T: Decodable>(
        _ type: T.Type,
        _ text: String,
        _ ours: JSONBodyDecoder = JSONBodyDecoder(),
        _ theirs: JSONDecoder = JSONDecoder(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let expected = Outcome { try theirs.decode(type, from: Data(text.utf8)) }
        let outcome = Outcome { try ours.decode(type, from: text.utf8) }
        #expect(outcome.matches(expected), "\(type) from \(text)", sourceLocation: sourceLocation)
    }

    private static let scalars = [
        "null", "true", "false", "0", "-0", "1", "-1", "1.0", "1.5", "-2.0", "1e2", "1E-2", "100e-2", "127", "128",
        "255",
        "256", "-128", "-129", "32768", "65536", "2147483648", "4294967296", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
        "18446744073709551616", "340282366920938463463374607431768211455", "1e18", "1e19", "1e20", "1e400", "1e-400",
        "0.1", "3.4e38", "3.5e38", "1e-46", "16777217", "0.30000000000000004", "9007199254740993", "9007199254740993.0",
        "\"\"", "\"a\"", "\"1\"", "\"true\"", "\"inf\"", "\"-inf\"", "\"nan\"", "\"aGk=\"", "\"aGk\"",
        "\"http://a/b?c=d\"",
        "\"2026-01-31T12:34:56Z\"", "\"2026-02-29T12:34:56Z\"", "\"2024-02-29T23:59:59Z\"", "\"1969-12-31T23:59:59Z\"",
        "\"2026-01-31T12:34:56+02:00\"", "\"2026-01-31T12:34:56.5Z\"", "\"2026-13-31T12:34:56Z\"", "\"2026-01-31\"",
        "\"1600-03-01T00:00:00Z\"", "\"0001-01-01T00:00:00Z\"", "\"2026-01-31T24:00:00Z\"", "\"2026-01-31T12:34:60Z\"",
        "[]", "[1]", "[1,2.5]", "[null]", "[\"a\",null]", "{}", "{\"a\":1}", "{\"a\":null}", "{\"1\":2}", "[[1],[2]]",
        "[\"a\",1]", "[1,\"a\"]",
    ]

    /// Compares the reading of every scalar as this type, in every place that a type can have.
    private func compareScalars<T: Decodable>(_ type: T.Type) {
        for text in Self.scalars {
            compare(T.self, text)
            compare([T?].self, "[\(text),\(text)]")
            compare([String: T].self, "{\"k\":\(text)}")
            compare(Holder<T>.self, "{\"other\":1,\"optional\":\(text),\"value\":\(text)}")
            compare(Manual<T>.self, "[\(text),\(text)]")
            compare(Single<T>.self, text)
        }
    }

    @Test func `every integer type is decoded from every JSON scalar as by Foundation`() {
        compareScalars(Int.self)
        compareScalars(Int8.self)
        compareScalars(Int16.self)
        compareScalars(Int32.self)
        compareScalars(Int64.self)
        compareScalars(UInt.self)
        compareScalars(UInt8.self)
        compareScalars(UInt16.self)
        compareScalars(UInt32.self)
        compareScalars(UInt64.self)
    }

    @Test func `every other scalar type is decoded from every JSON scalar as by Foundation`() {
        compareScalars(Bool.self)
        compareScalars(String.self)
        compareScalars(Double.self)
        compareScalars(Float.self)
        compareScalars(Date.self)
        compareScalars(Data.self)
        compareScalars(URL.self)
        compareScalars(Decimal.self)
        compareScalars(Color.self)
        compareScalars(Level.self)
    }

    @Test func `containers and optionals are decoded from every JSON scalar as by Foundation`() {
        compareScalars([Int].self)
        compareScalars([Double].self)
        compareScalars([String].self)
        compareScalars(Set<Int>.self)
        compareScalars([Int: Int].self)
        compareScalars(Sorted<[String: Int]>.self)
        compareScalars(Int?.self)
        compareScalars(Int??.self)
    }

    @Test func `128-bit integers are decoded from JSON as by Foundation`() {
        for text in Self.scalars {
            compare(Int128.self, text)
            compare([UInt128].self, "[\(text)]")
        }
    }

    @Test(arguments: 0..<5)
    func `the date strategies of JSON decoding mean the same as Foundation's`(strategy: Int) {
        var ours = JSONBodyDecoder()
        let theirs = JSONDecoder()
        let strategies: [JSONDecoder.DateDecodingStrategy] = [
            .deferredToDate, .secondsSince1970, .millisecondsSince1970, .iso8601,
            .custom { Date(timeIntervalSince1970: try $0.singleValueContainer().decode(Double.self) * 60) },
        ]
        ours.dateDecodingStrategy = strategies[strategy]
        theirs.dateDecodingStrategy = strategies[strategy]
        for text in Self.scalars {
            compare([Date].self, "[\(text)]", ours, theirs)
            compare(Holder<Date>.self, "{\"value\":\(text),\"optional\":\(text)}", ours, theirs)
        }
    }

    @Test func `the data and float strategies of JSON decoding mean the same as Foundation's`() {
        var ours = JSONBodyDecoder()
        let theirs = JSONDecoder()
        let floats = JSONDecoder.NonConformingFloatDecodingStrategy.convertFromString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
        ours.nonConformingFloatDecodingStrategy = floats
        theirs.nonConformingFloatDecodingStrategy = floats
        ours.dataDecodingStrategy = .deferredToData
        theirs.dataDecodingStrategy = .deferredToData
        for text in Self.scalars + ["[1,2,255]", "[1,256]"] {
            compare([Double].self, "[\(text)]", ours, theirs)
            compare(Float.self, text, ours, theirs)
            compare(Data.self, text, ours, theirs)
        }
        ours.dataDecodingStrategy = .custom { Data(try $0.singleValueContainer().decode(String.self).utf8) }
        theirs.dataDecodingStrategy = ours.dataDecodingStrategy
        for text in Self.scalars { compare(Holder<Data>.self, "{\"value\":\(text)}", ours, theirs) }
    }

    @Test(arguments: [
        "firstName", "first_name", "first_name_again", "_first_name", "first_name_", "__first__name__", "_", "__", "",
        "FIRST_NAME", "first_NAME", "firstName_x", "a_b_c", "a1_b2", "url_id", "_firstName", "été_ça", "first_ñame",
        "one__two", "x_1", "first-name_of",
    ])
    func `JSON keys in snake case become camel case as with Foundation`(key: String) {
        var ours = JSONBodyDecoder()
        let theirs = JSONDecoder()
        ours.keyDecodingStrategy = .convertFromSnakeCase
        theirs.keyDecodingStrategy = .convertFromSnakeCase
        let text = "{\"\(key)\":[{\"\(key)\":1}],\"z_z\":2}"
        compare(Keys.self, text, ours, theirs)
        compare([String: JSONValue].self, "{\"\(key)\":1}", ours, theirs)
    }

    @Test(arguments: [
        "ab_", "abAB_12", "abAB_12-'^`.:/", "aZ_19é名ßǆİſ\u{301}\u{200D}’·", "_",
    ])
    func `random JSON keys become camel case as with Foundation`(alphabet: String) throws {
        var ours = JSONBodyDecoder()
        let theirs = JSONDecoder()
        ours.keyDecodingStrategy = .convertFromSnakeCase
        theirs.keyDecodingStrategy = .convertFromSnakeCase
        var generator = JSONGenerator(seed: 11)
        // By scalars, so that combining marks join the scalar before them.
        let scalars = Array(alphabet.unicodeScalars)
        let keys = (0..<1500).map { _ in
            String(String.UnicodeScalarView((0...Int(generator.next() % 12)).map { _ in generator.pick(scalars) }))
        }
        let document = try JSONEncoder().encode(keys.map { [$0: 1] })
        let expected = try theirs.decode([Keys].self, from: document)
        let decoded = try ours.decode([Keys].self, from: document)
        for (key, (one, other)) in zip(keys, zip(decoded, expected)) {
            #expect(Array(one.description.utf8) == Array(other.description.utf8), "\(key)")
        }
    }

    @Test func `JSON keys whose words begin with digits are found`() throws {
        struct Coin: Decodable {
            var priceChange24H: Double?
            var is2FaEnabled: Bool?
        }
        var decoder = JSONBodyDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let coin = try decoder.decode(Coin.self, from: #"{"price_change_24h":0.5,"is_2fa_enabled":true}"#.utf8)
        #expect(coin.priceChange24H == 0.5)
        #expect(coin.is2FaEnabled == true)
    }

    @Test(arguments: [#"{"a":1,"a":"x"}"#, #"{"a":"x","a":1}"#, #"{"a":1,"b":2,"a":[]}"#, #"{"a":null,"a":1}"#])
    func `dictionaries ignore the values of repeated JSON keys as with Foundation`(text: String) {
        compare(Sorted<[String: Int]>.self, text)
        compare(Sorted<[String: Int?]>.self, text)
    }

    @Test(arguments: [
        #"{"a_b":{"c_d":"x"}}"#, #"{"a_b":{"c_d":1}}"#, #"{"a_b":[{"c_d":{"e_f":1}}]}"#,
        #"{"a_b":{"c_d":{"e_f":"x"}}}"#, #"{"a_b":{"c_d":{"e_f":1}}}"#,
    ])
    func `JSON decoding errors in dictionaries name the keys as they are written, as with Foundation`(text: String) {
        var ours = JSONBodyDecoder()
        let theirs = JSONDecoder()
        ours.keyDecodingStrategy = .convertFromSnakeCase
        theirs.keyDecodingStrategy = .convertFromSnakeCase
        compare([String: [String: Int]].self, text, ours, theirs)
        compare([String: [String: [String: Int]]].self, text, ours, theirs)
        compare([String: Snake].self, text, ours, theirs)
        compare([String: [Snake]].self, text, ours, theirs)
        compare(Keys.self, text, ours, theirs)
    }

    @Test func `a custom key strategy of JSON decoding gets the same paths as with Foundation`() {
        var ours = JSONBodyDecoder()
        let theirs = JSONDecoder()
        ours.keyDecodingStrategy = .custom { path in
            let last = path[path.count - 1].stringValue
            return AnyKey(stringValue: "\(path.count)-\(last.uppercased())")
        }
        theirs.keyDecodingStrategy = ours.keyDecodingStrategy
        compare(Keys.self, #"{"a":{"b":1},"c":[{"d":2}]}"#, ours, theirs)
    }

    @Test(arguments: [
        "{}", "[]", "null", "1", #"{"a":null}"#, #"{"a":1}"#, #"{"a":[]}"#, #"{"a":[null]}"#, #"{"a":[1]}"#,
        #"{"a":{}}"#, #"{"a":{"b":null}}"#, #"{"a":{"b":1}}"#, #"{"a":{"b":"x"}}"#, #"{"a":[{"b":1}]}"#,
        #"{"a":[[1]]}"#, #"{"super":{"b":2},"a":{"b":1}}"#, #"{"super":null,"a":[{"b":"x"}]}"#, #"{"a":[[null]]}"#,
    ])
    func `nested containers and super decoders of JSON fail as with Foundation`(text: String) {
        compare(NestedKeyed.self, text)
        compare(NestedUnkeyed.self, text)
        compare(NestedInArray.self, text)
        compare(FromSuper.self, text)
        compare(FromSuperForKey.self, text)
    }

    @Test func `random JSON documents of one shape are decoded as by Foundation`() {
        var generator = JSONGenerator(seed: 7)
        for _ in 0..<1200 {
            compare([Record].self, "[\(generator.record(depth: 2)),\(generator.record(depth: 1))]")
        }
    }

    @Test func `JSON keys in snake case are decoded as by Foundation`() {
        var ours = JSONBodyDecoder()
        let theirs = JSONDecoder()
        ours.keyDecodingStrategy = .convertFromSnakeCase
        theirs.keyDecodingStrategy = .convertFromSnakeCase
        var generator = JSONGenerator(seed: 8)
        for _ in 0..<300 {
            compare(Record.self, generator.record(depth: 2), ours, theirs)
        }
    }

    // MARK: Types

    private struct Holder<T: Decodable>: Decodable {
        var value: T
        var optional: T?
    }

    private struct Single<T: Decodable>: Decodable {
        var value: T?

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            value = container.decodeNil() ? nil : try container.decode(T.self)
        }
    }

    private struct Manual<T: Decodable>: Decodable {
        var first: T?
        var second: T
        var third: T?

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            first = try container.decodeIfPresent(T.self)
            second = try container.decode(T.self)
            third = try container.decodeIfPresent(T.self)
        }
    }

    /// Described in the same order, whatever the hash values are.
    private struct Sorted<T: Decodable & Collection>: Decodable, CustomStringConvertible {
        var value: T

        init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(T.self) }

        var description: String { value.map { "\($0)" }.sorted().joined(separator: ",") }
    }

    private enum Letter: String, CodingKey { case a, b }

    private struct NestedKeyed: Decodable {
        var value: Int

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Letter.self)
            value = try container.nestedContainer(keyedBy: Letter.self, forKey: .a).decode(Int.self, forKey: .b)
        }
    }

    private struct NestedUnkeyed: Decodable {
        var value: Int

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Letter.self)
            var nested = try container.nestedUnkeyedContainer(forKey: .a)
            value = try nested.decode(Int.self)
        }
    }

    private struct NestedInArray: Decodable {
        var value: Int

        init(from decoder: any Decoder) throws {
            var outer = try decoder.container(keyedBy: Letter.self).nestedUnkeyedContainer(forKey: .a)
            if let keyed = try? outer.nestedContainer(keyedBy: Letter.self) {
                value = try keyed.decode(Int.self, forKey: .b)
            } else {
                var inner = try outer.nestedUnkeyedContainer()
                value = try inner.decode(Int.self)
            }
        }
    }

    private struct FromSuper: Decodable {
        var value: Int?

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Letter.self)
            value = try container.superDecoder().container(keyedBy: Letter.self).decodeIfPresent(Int.self, forKey: .b)
        }
    }

    private struct FromSuperForKey: Decodable {
        var value: String

        init(from decoder: any Decoder) throws {
            let inner = try decoder.container(keyedBy: Letter.self).superDecoder(forKey: .a)
            value = try "\(inner.singleValueContainer().decodeNil()) \(inner.codingPath.map(\.stringValue))"
            var array = try inner.unkeyedContainer()
            let element = try array.superDecoder()
            value += "\(element.codingPath.map(\.stringValue)) \(array.currentIndex) \(array.isAtEnd)"
        }
    }

    private struct Snake: Decodable {
        var cD: [String: String]
    }

    private enum Color: String, Decodable { case a, b }

    private enum Level: Int, Decodable { case one = 1, two }

    private struct AnyKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }

    /// All keys of a document, at every depth.
    private struct Keys: Decodable, CustomStringConvertible {
        var description: String

        init(from decoder: any Decoder) throws {
            if let container = try? decoder.container(keyedBy: AnyKey.self) {
                let keys = container.allKeys.sorted { $0.stringValue < $1.stringValue }
                description = try keys.map {
                    "\($0.stringValue):\(try container.decode(Keys.self, forKey: $0).description)"
                }.joined(separator: ",")
            } else if var container = try? decoder.unkeyedContainer() {
                description = ""
                while !container.isAtEnd { description += try container.decode(Keys.self).description + ";" }
            } else {
                description = decoder.codingPath.map(\.stringValue).joined(separator: "/")
            }
        }
    }

    private final class Record: Decodable, CustomStringConvertible {
        var id: Int
        var name: String?
        var someRatio: Double
        var flag: Bool
        var scores: [Double]
        var children: [Record]
        var parent: Record?
        var color: Color?
        var tags: [String: Int]?
        var small: UInt8?
        var when: Date?

        var description: String {
            let sorted = tags?.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return "\(id) \(name ?? "-") \(someRatio) \(flag) \(scores) \(children) \(parent?.description ?? "-") "
                + "\(color.map { "\($0)" } ?? "-") \(sorted ?? []) \(small ?? 0) \(when?.description ?? "-")"
        }
    }
}

extension JSONGenerator {
    /// An object of the shape of `Record`: mostly right, its keys in any order.
    fileprivate mutating func record(depth: Int) -> String {
        var members = [
            member("id", "\(Int(next() % 1000))"), member("name", string()), member("some_ratio", number()),
            member("flag", pick(["true", "false"])), member("tags", "{\"x\":1,\"y\":\(next() % 9)}"),
            member("scores", "[\((0..<Int(next() % 3)).map { _ in number() }.joined(separator: ","))]"),
            member("color", pick(["\"a\"", "\"b\"", "\"b\"", "\"c\""])), member("small", "\(next() % 260)"),
            member("when", "\(next() % 100000)"),
            member(
                "children",
                "[\((0..<(depth > 0 ? Int(next() % 3) : 0)).map { _ in record(depth: depth - 1) }.joined(separator: ","))]"
            ),
        ]
        if depth > 0 { members.append(member("parent", record(depth: depth - 1))) }
        if once(in: 2) { members = members.map { $0.replacing("some_ratio", with: "someRatio") } }
        if once(in: 3) { members.shuffle(using: &self) }
        if once(in: 4) { members.insert(member("unknown", value(depth: 2)), at: Int(next() % 3)) }
        return "{" + members.filter { !$0.isEmpty }.joined(separator: ",") + "}"
    }

    private mutating func member(_ key: String, _ right: String) -> String {
        if once(in: 60) { return "" }
        return "\"\(key)\":\(once(in: 60) ? value(depth: key == "tags" ? 0 : 1) : once(in: 30) ? "null" : right)"
    }
}
