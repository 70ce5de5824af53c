import HTTPTypes
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What parameters become in a query, in a form and in JSON.
struct ParametersTests {
    private enum Order: String, Encodable, Sendable { case ascending, descending }

    private struct Filter: Encodable, Sendable {
        var page = 2
        var after: String?
        var order = Order.descending
    }

    private func query(_ parameters: Parameters, _ encoding: ParameterEncoding = .standard) throws -> String {
        var serializer = HTTPRequestSerializer()
        serializer.parameterEncoding = encoding
        let request = try serializer.serialize(Request(to: "http://x/"), parameters: parameters)
        return request.url.query(percentEncoded: true) ?? ""
    }

    private func json(_ parameters: Parameters) throws -> String {
        let request = try JSONRequestSerializer().serialize(Request(.post, to: "http://x/"), parameters: parameters)
        return String(decoding: request.body?.data ?? Data(), as: UTF8.self)
    }

    /// A generic function boxes an optional as it is.
    private func boxed(_ value: some Encodable & Sendable) -> Parameters { ["a": value] }

    // MARK: Values

    @Test func `a literal of variables is written in a query and in JSON`() throws {
        let (page, name, ids): (Int, String, Set<Int>) = (2, "tea & milk", [30, 1, 2])
        let cursor: String? = nil
        let parameters: Parameters = ["page": page, "q": name, "cursor": cursor, "ids": ids, "tags": ["b", "a"]]
        #expect(try query(parameters) == "ids=1&ids=2&ids=30&page=2&q=tea%20%26%20milk&tags%5B%5D=b&tags%5B%5D=a")
        #expect(try json(parameters) == #"{"page":2,"q":"tea & milk","ids":[1,2,30],"tags":["b","a"]}"#)
    }

    private static let values: [(any Encodable & Sendable, String, String)] = [
        (true, "1", "true"), (false, "0", "false"), (Int8(-1), "-1", "-1"),
        (UInt64.max, "\(UInt64.max)", "\(UInt64.max)"),
        (1.5, "1.5", "1.5"), (1.0, "1", "1.0"), (Float(0.1), "0.1", "0.1"), (1e300, "1e%2B300", "1e+300"),
        ("ü", "%C3%BC", #""ü""#), (URL(filePath: "/a"), "file%3A///a", #""file:///a""#),
        (Decimal(string: "1.10") ?? 0, "1.1", "1.1"), (Data([0xFF]), "/w%3D%3D", #""/w==""#),
        (Order.ascending, "ascending", #""ascending""#),
        (Date(timeIntervalSince1970: 0.5), "1970-01-01T00%3A00%3A00Z", "-978307199.5"),
        (JSONNumber(text: "12345678901234567890123") ?? 0, "12345678901234567890123", "12345678901234567890123"),
        (JSONValue.string("x"), "x", #""x""#), (Optional(Optional(7)), "7", "7"),
    ]

    @Test(arguments: values.indices) func `a value of every type is written as its text`(index: Int) throws {
        let (value, text, json) = Self.values[index]
        #expect(try query(["a": value]) == "a=\(text)")
        #expect(try query(["a": ["b": Parameters(["c": value])]]) == "a%5Bb%5D%5Bc%5D=\(text)")
        #expect(try self.json(["a": value]) == #"{"a":\#(json)}"#)
    }

    @Test func `a UUID is its text`() throws {
        let id = UUID()
        #expect(try query(["id": id]) == "id=\(id.uuidString)")
        #expect(try json(["id": id]) == #"{"id":"\#(id.uuidString)"}"#)
    }

    @Test func `dictionaries, objects and parameters nest`() throws {
        let inner: Parameters = ["n": 1, "t": ["x"]]
        let parameters: Parameters = [
            "d": ["k": [1, 2]], "j": ["k": 1, "l": "m"] as JSONValue, "o": JSONObject(["k": true]), "p": inner,
        ]
        let text = "d[k][]=1&d[k][]=2&j[k]=1&j[l]=m&o[k]=1&p[n]=1&p[t][]=x"
        #expect(try query(parameters) == text.replacing("[", with: "%5B").replacing("]", with: "%5D"))
        #expect(
            try json(parameters) == #"{"d":{"k":[1,2]},"j":{"k":1,"l":"m"},"o":{"k":true},"p":{"n":1,"t":["x"]}}"#
        )
    }

    @Test func `sets are in one order, whatever their elements and their place`() throws {
        let numbers = Set(0..<12)
        let texts = numbers.map { "\($0)" }.sorted()
        #expect(try query(["a": ["b": numbers]]) == texts.map { "a%5Bb%5D=\($0)" }.joined(separator: "&"))
        #expect(try json(["a": ["b": numbers] as Parameters]) == #"{"a":{"b":[\#(texts.joined(separator: ","))]}}"#)
        #expect(try json(["a": Set(["b", "ä", "a"])]) == #"{"a":["a","b","ä"]}"#)
        #expect(try json(Parameters(numbers)) == "[\(texts.joined(separator: ","))]")
    }

    // MARK: Nil

    @Test func `nil leaves a name out, however it is wrapped, and null does not`() throws {
        let parameters: Parameters = [
            "a": nil, "b": String?.none, "c": Int??.some(nil), "d": JSONValue.null, "e": [1, nil],
        ]
        #expect(try query(parameters) == "d&e%5B%5D=1&e%5B%5D")
        #expect(try json(parameters) == #"{"d":null,"e":[1,null]}"#)
        #expect(boxed(Int?.none).isEmpty && boxed(Int??.some(nil)).isEmpty)
        #expect(try query(boxed(Int??.some(3))) == "a=3")
        #expect(Parameters(Filter?.none).isEmpty && Parameters(JSONValue?.none).isEmpty)
    }

    @Test func `a nil property is left out of a query, unless the encoder of the form writes it`() throws {
        #expect(try query(Parameters(Filter())) == "order=descending&page=2")
        #expect(try query(["f": Filter()]) == "f%5Border%5D=descending&f%5Bpage%5D=2")
        #expect(try query(Parameters(Filter()), .form(.standard)) == "order=descending&page=2")
        var forms = URLEncodedFormEncoder()
        forms.nilEncoding = .bareKey
        #expect(try query(Parameters(Filter()), .form(forms)) == "after&order=descending&page=2")
    }

    // MARK: Names

    @Test func `the later value of a name counts`() throws {
        #expect(try json(["a": 1, "b": 2, "a": 3]) == #"{"a":3,"b":2}"#)
        #expect(try json(["a": 1, "b": 2, "a": nil]) == #"{"b":2}"#)
        #expect(try query(["b": 1, "b": "x"]) == "b=x")
    }

    @Test func `removing a name from parameters of one value changes nothing`() throws {
        var parameters = Parameters(Filter())
        let before = try query(parameters)
        parameters["q"] = nil
        #expect(try query(parameters) == before)
    }

    @Test(arguments: [ParameterEncoding.standard, .form(.standard)])
    func `parameters that are nested too deeply are an error`(encoding: ParameterEncoding) throws {
        func nested(_ depth: Int) -> JSONValue {
            (1..<depth).reduce(["a": 1]) { value, _ in ["a": value] }
        }
        #expect(try query(Parameters(nested(2048)), encoding).hasSuffix("=1"))
        let error = try #require(throws: NetworkingError.self) { try query(Parameters(nested(2049)), encoding) }
        #expect(error.code == .requestSerializationFailed)
        #expect(error.message.contains("2048"))
    }

    /// Encodes itself inside of itself, as an object does that refers to itself.
    private struct Nested: Encodable, Sendable {
        private enum CodingKeys: CodingKey { case a }

        let depth: Int
        var isKeyed = true

        func encode(to encoder: any Encoder) throws {
            guard depth > 1 else { return try 1.encode(to: encoder) }
            let inner = Nested(depth: depth - 1, isKeyed: isKeyed)
            if isKeyed {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(inner, forKey: .a)
            } else {
                var container = encoder.singleValueContainer()
                try container.encode(inner)
            }
        }
    }

    @Test(arguments: [true, false])
    func `values that are nested too deeply are an error, not the end of the process`(isKeyed: Bool) throws {
        // The parameters are one value more.
        #expect(try query(["a": Nested(depth: 511, isKeyed: isKeyed)]).hasSuffix("=1"))
        for depth in [512, 1_000_000] {
            let error = try #require(throws: NetworkingError.self) {
                try query(["a": Nested(depth: depth, isKeyed: isKeyed)])
            }
            #expect(error.code == .requestSerializationFailed)
            #expect(error.message.contains("512"))
        }
    }

    @Test func `parameters of a dictionary have its names, and a nil in it stays a null`() throws {
        let numbers = ["b": 1, "a": 2]
        var parameters = Parameters(numbers)
        #expect(parameters["a"] as? Int == 2 && parameters["c"] == nil)
        parameters["c"] = "x"
        parameters["b"] = nil
        #expect(try json(parameters) == #"{"a":2,"c":"x"}"#)
        #expect(try query(parameters) == "a=2&c=x")
        let optionals: [String: Int?] = ["b": 1, "a": nil]
        parameters = Parameters(optionals)
        parameters["c"] = 2
        #expect(try json(parameters) == #"{"a":null,"b":1,"c":2}"#)
    }

    @Test func `many names are set, replaced and removed as in a dictionary`() throws {
        var random = SeededGenerator(seed: 1)
        var parameters = Parameters()
        var dictionary: [String: Int] = [:]
        for step in 0..<2000 {
            let name = "n\(Int.random(in: 0..<64, using: &random))"
            let value = Bool.random(using: &random) ? step : nil
            parameters[name] = value
            dictionary[name] = value
        }
        for number in 0..<64 { #expect(parameters["n\(number)"] as? Int == dictionary["n\(number)"]) }
        #expect(try query(parameters) == query(Parameters(dictionary)))
    }

    @Test func `names are read, set and removed`() throws {
        var parameters: Parameters = ["a": 1, "b": 2]
        #expect(parameters["a"] as? Int == 1)
        parameters["a"] = nil
        parameters["c"] = "x"
        parameters["d"] = Int?.none
        #expect(try json(parameters) == #"{"b":2,"c":"x"}"#)
        parameters = Parameters(["n": 1] as JSONValue)
        #expect(parameters["n"] as? JSONValue == 1)
        parameters["m"] = true
        #expect(try json(parameters) == #"{"n":1,"m":true}"#)
    }

    @Test func `a name that is added to a value of another type is an error that says so`() throws {
        for value in [Parameters(Filter()), Parameters(JSONValue.array([1]))] {
            var parameters = value
            #expect(parameters["page"] == nil)
            parameters["q"] = "s3cret"
            for serializer in [HTTPRequestSerializer(), JSONRequestSerializer(), PropertyListRequestSerializer()]
                as [any RequestSerializer]
            {
                for destination in [ParameterDestination.queryString, .httpBody] {
                    let error = #expect(throws: NetworkingError.self) {
                        try serializer.serialize(Request(to: "http://x/"), parameters: parameters, to: destination)
                    }
                    #expect(error?.code == .requestSerializationFailed)
                    #expect(error.map { !"\($0)".contains("s3cret") } == true)
                }
            }
        }
    }

    @Test func `a dictionary with values of several types has its names sorted`() throws {
        let values: [String: any Encodable & Sendable] = ["b": 1, "a": "x", "c": Set([2, 1])]
        #expect(try json(Parameters(values)) == #"{"a":"x","b":1,"c":[1,2]}"#)
        #expect(try query(Parameters(values)) == "a=x&b=1&c=1&c=2")
        #expect(Parameters(["a": nil, "b": nil] as [String: (any Encodable & Sendable)?]).isEmpty)
    }

    @Test func `parameters of parameters are the same parameters`() throws {
        let parameters: Parameters = ["a": 1]
        #expect(Parameters(parameters)["a"] as? Int == 1)
        #expect(Parameters(Parameters()).isEmpty)
    }

    @Test func `a value that cannot be written is an error with its place`() throws {
        let error = #expect(throws: NetworkingError.self) { try query(["a": ["b": [1, Double.infinity]]]) }
        #expect(error?.code == .requestSerializationFailed)
        #expect(error?.message.contains("a.b[1]") == true)
        #expect(error?.request != nil)
    }

    // MARK: One walk

    /// What a value asks for is seen by the values themselves.
    private struct Counting: Encodable, Sendable {
        let witness: Counter

        func encode(to encoder: any Encoder) throws {
            witness.increment()
            var container = encoder.singleValueContainer()
            try container.encode(1)
        }
    }

    @Test(arguments: [HTTPRequest.Method.get, .post])
    func `a value is encoded once`(method: HTTPRequest.Method) throws {
        for serializer in [HTTPRequestSerializer(), JSONRequestSerializer()] as [any RequestSerializer] {
            let witness = Counter()
            let request = try Request(method, to: "http://x/")
            _ = try serializer.serialize(request, parameters: ["a": Counting(witness: witness)])
            _ = try serializer.serialize(request, parameters: Parameters(["a": Counting(witness: witness)]))
            #expect(witness.value == 2)
        }
    }

    private static let same: [JSONValue] = [
        ["b": 2, "a": 1, "B": [3, 1]], ["a": ["z": ["y": 1], "b": 2.0]], ["a": [["k": 1], ["k": 2, "j": 3]]],
        ["a": [nil, [nil]], "n": nil], ["t": true, "f": false], ["n": 1.5, "m": -0.25, "l": 1e300],
        ["": ["": 1]], ["a": [:], "b": [], "c": [[], [:]]], ["k&=[]": "a b+c&d=e#f/?ü"],
        ["a": .number(JSONNumber(text: "12345678901234567890.10") ?? 0)],
    ]

    @Test(arguments: same) func `parameters as JSON and as values have the same text`(value: JSONValue) throws {
        let object = try #require(value.object)
        var named = Parameters()
        for (name, value) in object { named[name] = value }
        #expect(try query(named) == QueryString().encode(value))
        #expect(try query(Parameters(value)) == QueryString().encode(value))
    }
}
