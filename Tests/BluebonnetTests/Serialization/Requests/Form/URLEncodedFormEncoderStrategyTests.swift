import Bluebonnet
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct URLEncodedFormEncoderStrategyTests {
    typealias Form = URLEncodedFormEncoder

    private struct Refusal: Error {}

    /// A form encoder that does not escape brackets, so that the tables are readable.
    private static func form(_ change: (inout Form) -> Void) -> Form {
        var form = Form()
        form.allowedCharacters = .query.union("[]")
        change(&form)
        return form
    }

    @Test func `an encoder is made with each of its settings, or with the defaults`() throws {
        struct Value: Encodable {
            var isNew = true
            var words = ["a b", "c"]
            var data = Data("x".utf8)
            var date = Date(timeIntervalSince1970: 1)
            var nested = ["k": 1]

            enum CodingKeys: CodingKey { case isNew, words, data, date, nested, nothing }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(words, forKey: .words)
                try container.encode(isNew, forKey: .isNew)
                try container.encode(data, forKey: .data)
                try container.encode(date, forKey: .date)
                try container.encode(nested, forKey: .nested)
                try container.encodeNil(forKey: .nothing)
            }
        }
        let form = Form(
            sortsKeys: false,
            arrayEncoding: .noBrackets,
            boolEncoding: .literal,
            dataEncoding: .custom { "\($0.count)" },
            dateEncoding: .secondsSince1970,
            keyEncoding: .convertToSnakeCase,
            keyPathEncoding: .dots,
            nilEncoding: .null,
            spaceEncoding: .plusReplaced,
            allowedCharacters: .unreserved
        )
        let text = "words=a+b&words=c&is_new=true&data=1&date=1.0&nested.k=1&nothing=null"
        #expect(try form.encode(Value()) == text)
        #expect(try Form().encode(Value()) == Form.standard.encode(Value()))
    }

    @Test(
        arguments: [
            (.brackets, "a[]=x&a[]=y&b[][c][]=1&b[][c][]=2"),
            (.noBrackets, "a=x&a=y&b[c]=1&b[c]=2"),
            (.indexInBrackets, "a[0]=x&a[1]=y&b[0][c][0]=1&b[0][c][1]=2"),
            (.custom { "\($0)-\($1)" }, "a-0=x&a-1=y&b-0[c]-0=1&b-0[c]-1=2"),
            (.custom { _, _ in "" }, "=x&=y&=1&=2"),
        ] as [(Form.ArrayEncoding, String)]
    )
    func `form array strategies name the elements`(_ encoding: Form.ArrayEncoding, _ expected: String) throws {
        struct Value: Encodable {
            var a = ["x", "y"]
            var b = [["c": [1, 2]]]
        }
        let form = Self.form { $0.arrayEncoding = encoding }
        #expect(try form.encode(Value()) == expected)
        let parameters: JSONValue = ["a": ["x", "y"], "b": [["c": [1, 2]]]]
        #expect(try form.encode(parameters) == expected)
    }

    @Test(arguments: [(.numeric, "f=0&t=1"), (.literal, "f=false&t=true")] as [(Form.BoolEncoding, String)])
    func `form booleans are digits or words`(_ encoding: Form.BoolEncoding, _ expected: String) throws {
        let form = Self.form { $0.boolEncoding = encoding }
        #expect(try form.encode(["t": true, "f": false] as [String: Bool]) == expected)
        #expect(try form.encode(["t": true, "f": false] as [String: Bool?]) == expected)
        #expect(try form.encode(["t": true, "f": false] as JSONValue) == expected)
    }

    @Test(
        arguments: [
            (.base64, "d=%2B/8%3D&e="),
            (.deferredToData, "d[]=251&d[]=255"),
            (.custom { "\($0.count) bytes" }, "d=2%20bytes&e=0%20bytes"),
        ] as [(Form.DataEncoding, String)]
    )
    func `form data is Base64, an array or what a closure returns`(_ encoding: Form.DataEncoding, _ expected: String)
        throws
    {
        struct Value: Encodable {
            var d = Data([251, 255])
            var e = Data()
        }
        #expect(try Self.form { $0.dataEncoding = encoding }.encode(Value()) == expected)
    }

    @Test(
        arguments: [
            (.deferredToDate, "d=721692800.5"),
            (.secondsSince1970, "d=1700000000.5"),
            (.millisecondsSince1970, "d=1700000000500.0"),
            (.iso8601, "d=2023-11-14T22%3A13%3A20Z"),
            (.formatted { "day \(Int($0.timeIntervalSince1970 / 86_400))" }, "d=day%2019675"),
            (.custom { "\($0.timeIntervalSince1970 > 0)" }, "d=true"),
        ] as [(Form.DateEncoding, String)]
    )
    func `form dates are written by every strategy`(_ encoding: Form.DateEncoding, _ expected: String) throws {
        let form = Self.form { $0.dateEncoding = encoding }
        let date = Date(timeIntervalSince1970: 1_700_000_000.5)
        #expect(try form.encode(["d": date]) == expected)
        #expect(try form.encode(["d": date] as [String: Date?]) == expected)
    }

    @Test(
        arguments: [
            (.useDefaultKeys, "outerKey[innerKey]=1"),
            (.convertToSnakeCase, "outer_key[inner_key]=1"),
            (.convertToKebabCase, "outer-key[inner-key]=1"),
            (.capitalized, "OuterKey[InnerKey]=1"),
            (.uppercased, "OUTERKEY[INNERKEY]=1"),
            (.lowercased, "outerkey[innerkey]=1"),
            (.custom { String($0.reversed()) }, "yeKretuo[yeKrenni]=1"),
        ] as [(Form.KeyEncoding, String)]
    )
    func `form key strategies change keys at every level`(_ encoding: Form.KeyEncoding, _ expected: String) throws {
        struct Inner: Encodable {
            var innerKey = 1
        }
        struct Outer: Encodable {
            var outerKey = Inner()
        }
        let form = Self.form { $0.keyEncoding = encoding }
        #expect(try form.encode(Outer()) == expected)
        #expect(try form.encode(["outerKey": ["innerKey": 1]]) == expected)
        #expect(try form.encode(["outerKey": ["innerKey": 1]] as JSONValue) == expected)
    }

    @Test(
        arguments: [
            "userID", "myURLProperty", "URL", "url", "a", "A", "", "aB", "AB", "ABc", "aBC", "aBCd", "oneTwoThree",
            "one_two", "oneTWO3four", "version2Beta", "_private", "HTTPResponse2XX", "straßeÄrger", "ÉcoleNormale",
            "X-Header", "ipV4Address", "_", "aB_cD", "日本Text", "🚀Launch",
        ]
    )
    func `form keys in snake case have the words that Foundation finds`(_ name: String) throws {
        let foundation = JSONEncoder()
        foundation.keyEncodingStrategy = .convertToSnakeCase
        let json = try JSONValue(parsing: foundation.encode(OneKey(name: name)))
        let key = try #require(json.object?.keys.first)
        let form = Self.form { $0.keyEncoding = .convertToSnakeCase }
        let escaped = QueryString().escape(key)
        #expect(try form.encode(OneKey(name: name)) == "\(escaped)=1")
    }

    @Test(arguments: ["abAB", "abAB12", "aZ_19-'^. :/", "aZé名ßÄǅǆİ\u{301}\u{200D}Ⅷⓐ"])
    func `random form keys in snake case have the words that Foundation finds`(alphabet: String) throws {
        let foundation = JSONEncoder()
        foundation.keyEncodingStrategy = .convertToSnakeCase
        let form = Self.form { $0.keyEncoding = .convertToSnakeCase }
        var generator = JSONGenerator(seed: 16)
        let scalars = Array(alphabet.unicodeScalars)
        for _ in 0..<800 {
            let name = String(
                String.UnicodeScalarView((0...Int(generator.next() % 10)).map { _ in generator.pick(scalars) })
            )
            let json = try JSONValue(parsing: foundation.encode(OneKey(name: name)))
            let key = try #require(json.object?.keys.first)
            #expect(try form.encode(OneKey(name: name)) == "\(QueryString().escape(key))=1", "\(name)")
        }
    }

    @Test(
        arguments: [
            (.brackets, "a[b][c]=1&d[][e]=2"), (.dots, "a.b.c=1&d[].e=2"),
            (.custom { "/\($0)/" }, "a/b//c/=1&d[]/e/=2"),
        ] as [(Form.KeyPathEncoding, String)]
    )
    func `form names of nested objects are joined`(_ encoding: Form.KeyPathEncoding, _ expected: String) throws {
        struct Value: Encodable {
            var a = ["b": ["c": 1]]
            var d = [["e": 2]]
        }
        let form = Self.form { $0.keyPathEncoding = encoding }
        #expect(try form.encode(Value()) == expected)
        #expect(try form.encode(["a": ["b": ["c": 1]], "d": [["e": 2]]] as JSONValue) == expected)
    }

    @Test(
        arguments: [
            (.dropKey, "list[0]=1&list[1]=2&text=x"),
            (.dropValue, "list[0]=1&list[1]=&list[2]=2&none=&text=x"),
            (.null, "list[0]=1&list[1]=null&list[2]=2&none=null&text=x"),
            (.bareKey, "list[0]=1&list[1]&list[2]=2&none&text=x"),
            (.custom { "n/a " }, "list[0]=1&list[1]=n/a%20&list[2]=2&none=n/a%20&text=x"),
            (.custom { nil }, "list[0]=1&list[2]=2&text=x"),
        ] as [(Form.NilEncoding, String)]
    )
    func `form nil strategies apply to properties and arrays`(_ encoding: Form.NilEncoding, _ expected: String) throws {
        struct Value: Encodable {
            var list: [Int?] = [1, nil, 2]
            var none: Int?
            var text: String? = "x"
        }
        let form = Self.form {
            $0.nilEncoding = encoding
            $0.arrayEncoding = .indexInBrackets
        }
        #expect(try form.encode(Value()) == expected)
        #expect(try form.encode(["list": [1, nil, 2], "none": nil, "text": "x"] as JSONValue) == expected)
    }

    @Test func `form nil strategies apply to every type`() throws {
        struct Inner: Encodable {}
        struct Value: Encodable {
            var a: Bool?
            var b: String?
            var c: Double?
            var d: Float?
            var e: Int?
            var f: Int8?
            var g: Int16?
            var h: Int32?
            var i: Int64?
            var j: UInt?
            var k: UInt8?
            var l: UInt16?
            var m: UInt32?
            var n: UInt64?
            var o: Int128?
            var p: UInt128?
            var q: Date?
            var r: Inner?
            var s: [Int]?
        }
        let form = Self.form { $0.nilEncoding = .bareKey }
        #expect(try form.encode(Value()) == "a&b&c&d&e&f&g&h&i&j&k&l&m&n&o&p&q&r&s")
        #expect(try Form().encode(Value()) == "")
    }

    @Test(
        arguments: [
            (Form(), "a%20b=c%20d%2B"),
            (Form.whatwg, "a+b=c+d%2B"),
            (form { $0.spaceEncoding = .plusReplaced }, "a+b=c+d%2B"),
            (
                form {
                    $0.spaceEncoding = .plusReplaced
                    $0.allowedCharacters = .query.union("+ ")
                }, "a+b=c+d%2B"
            ),
        ]
    )
    func `a space in a form is escaped or a plus sign`(_ form: Form, _ expected: String) throws {
        #expect(try form.encode(["a b": "c d+"]) == expected)
    }

    @Test(
        arguments: [
            (Form.AllowedCharacters.query, "-._~/?", "-._~/?"),
            (.unreserved, "-._~/?", "-._~%2F%3F"),
            (.whatwg, "*-._~/?", "*-._%7E%2F%3F"),
            ("ab", "abc~", "ab%63%7E"),
            ("", "aé", "%61%C3%A9"),
            ("é a%&#=;\n\u{7F}", "é a%&#=;\n\u{7F}", "%C3%A9%20a%25%26%23=;%0A%7F"),
        ]
    )
    func `allowed characters of a form stay unless they would break the form`(
        _ allowed: Form.AllowedCharacters,
        _ text: String,
        _ expected: String
    ) throws {
        let form = Self.form { $0.allowedCharacters = allowed }
        #expect(try form.encode(["": text]) == "=\(expected)")
        let name = expected.replacing("=", with: "%3D")
        #expect(try form.encode([text: ""]) == "\(name)=")
    }

    @Test func `every ASCII character of a form is escaped as the preset says`() throws {
        for byte in UInt8(0)..<128 {
            let character = String(UnicodeScalar(byte))
            #expect(try Form.standard.encode(["x": character]) == "x=\(QueryString().escape(character))")
            #expect(Form.AllowedCharacters.query.contains(byte) == (QueryString().escape(character) == character))
        }
        #expect((UInt8(128)...255).allSatisfy { !Form.AllowedCharacters("é").contains($0) })
    }

    @Test func `form keys are sorted, or in the order of encoding`() throws {
        struct Inner: Encodable {
            var z = 1
            var Z = 2
            var a = 3
        }
        struct Outer: Encodable {
            var y = Inner()
            var list = [3, 1, 2]
            var b = 4
        }
        #expect(
            try Self.form { _ in }.encode(Outer()) == "b=4&list[]=3&list[]=1&list[]=2&y[Z]=2&y[a]=3&y[z]=1"
        )
        #expect(
            try Self.form { $0.sortsKeys = false }.encode(Outer())
                == "y[z]=1&y[Z]=2&y[a]=3&list[]=3&list[]=1&list[]=2&b=4"
        )
    }

    @Test func `form keys are sorted as they are written`() throws {
        let form = Self.form { $0.keyEncoding = .custom { $0 == "a" ? "z" : $0 } }
        #expect(try form.encode(["a": 1, "b": 2]) == "b=2&z=1")
    }

    @Test func `an error thrown by a form strategy is the underlying error of one that says where`() throws {
        struct Value: Encodable {
            var list = [Date(timeIntervalSince1970: 0)]
        }
        let form = Self.form { $0.dateEncoding = .custom { _ in throw Refusal() } }
        let error = #expect(throws: NetworkingError.self) { try form.encode(["at": Value()]) }
        #expect(error?.code == .requestSerializationFailed)
        #expect(
            error?.message == "The parameters cannot be written as a form, at at.list[0]: Refusal()"
        )
        guard case EncodingError.invalidValue(let value, let context)? = error?.underlying else {
            Issue.record("\(String(describing: error?.underlying)) is not an EncodingError")
            return
        }
        #expect(value as? Date == Date(timeIntervalSince1970: 0))
        #expect(context.codingPath.map(\.stringValue) == ["at", "list", "Index 0"])
        #expect(context.underlyingError is Refusal)
    }
}
