import Foundation
import HTTPTypes
import Testing

@testable import Bluebonnet

@Suite struct HTTPRequestSerializerTests {
    private static func request(
        _ method: HTTPRequest.Method = .get,
        _ url: String = "http://a.example/x",
        _ fields: HTTPFields = [:]
    ) throws -> Request {
        Request(method: method, url: try #require(URL(string: url)), headerFields: fields)
    }

    // MARK: Query

    @Test(arguments: [
        ("http://a.example", "http://a.example?a=1"),
        ("http://a.example/x", "http://a.example/x?a=1"),
        ("http://a.example/x?b=2", "http://a.example/x?b=2&a=1"),
        ("http://a.example/x?", "http://a.example/x?&a=1"),
        ("http://a.example/x#top", "http://a.example/x?a=1#top"),
        ("http://a.example/x?b=2#top", "http://a.example/x?b=2&a=1#top"),
        ("http://a.example/x#top?no", "http://a.example/x?a=1#top?no"),
        ("http+unix://%2Frun%2Fd.sock/x", "http+unix://%2Frun%2Fd.sock/x?a=1"),
    ])
    func `parameters are appended to the query of the URL, before its fragment`(_ url: String, _ expected: String)
        throws
    {
        let request = try HTTPRequestSerializer().serialize(try Self.request(.get, url), parameters: ["a": 1])
        #expect(request.url.absoluteString == expected)
        #expect(request.body == nil)
        #expect(request.headerFields[.contentType] == nil)
    }

    @Test(arguments: ["GET", "HEAD", "DELETE", "get", "Delete"])
    func `an HTTP serializer puts GET, HEAD and DELETE parameters into the URL`(_ name: String) throws {
        let method = try #require(HTTPRequest.Method(name))
        let request = try HTTPRequestSerializer().serialize(try Self.request(method), parameters: ["a": "b c"])
        #expect(request.url.absoluteString == "http://a.example/x?a=b%20c")
        #expect(request.body == nil)
        #expect(request.method == method)
    }

    @Test func `empty query parameters leave the URL as it is`() throws {
        for parameters in [[:], ["a": nil], Parameters(JSONObject()), ["a": [Int]()]] as [Parameters] {
            let request = try HTTPRequestSerializer().serialize(try Self.request(), parameters: parameters)
            #expect(request.url.absoluteString == "http://a.example/x")
        }
    }

    @Test func `the methods whose parameters an HTTP serializer puts into the URL can be chosen`() throws {
        var serializer = HTTPRequestSerializer()
        serializer.methodsEncodingParametersInURI = [.put]
        let put = try serializer.serialize(try Self.request(.put), parameters: ["a": 1])
        #expect(put.url.query == "a=1" && put.body == nil)
        let delete = try serializer.serialize(try Self.request(.delete), parameters: ["a": 1])
        #expect(delete.url.query == nil && delete.body?.data == Data("a=1".utf8))
    }

    private static let urls = [
        "http://a.example", "http://a.example/", "http://a.example/x", "http://a.example/x?", "http://a.example/x?b=2",
        "http://a.example/x#top", "http://a.example/x?b=2#top", "http://a.example/x#top?no", "http://a.example/x?b=2#?",
        "HTTPS://A.example:8443/a%2Fb%20c?x=%26&y=1", "http://[::1]:81/a?b", "http://u:p@a.example/?#",
        "http+unix://%2Frun%2Fd.sock/x", "http://bücher.example/ü",
    ]
    /// The texts of the parameters, and whether the target is known without taking the URL apart.
    private static let queries =
        [
            ("a=1", true), ("a=/?:@", true), ("a=%20&b", true), ("a=[1]", nil), ("a=b c", false), ("a=b#c=d", false),
            ("a=ü", false), ("a=%zz", false), ("a=\u{1}", false), ("#", false), ("?", true),
        ] as [(String, Bool?)]

    @Test(arguments: urls, queries) func `a URL with a query more has the target of the whole URL`(
        _ text: String,
        _ query: (String, Bool?)
    ) throws {
        var serializer = HTTPRequestSerializer()
        serializer.parameterEncoding = .custom { _, _ in query.0 }
        let url = try #require(URL(string: text))
        let resolved = Request(method: .get, resolved: ResolvedURL(url), headerFields: [:])
        let request = try serializer.serialize(resolved, parameters: ["any": 1])
        let plain = try serializer.serialize(Request(url: url), parameters: ["any": 1])
        #expect(request.url == plain.url && plain.knownTarget == nil)
        #expect(try request.target == RequestTarget(plain.url))
        if let isKnown = query.1 { #expect((request.knownTarget != nil) == isKnown) }
    }

    @Test func `what is percent-encoded is not encoded again, whatever else the parameters have`() throws {
        let url = try #require(URL(string: "http://a.example/a%20b?c=%26"))
        var serializer = HTTPRequestSerializer()
        serializer.parameterEncoding = .form(URLEncodedFormEncoder(allowedCharacters: .query.union("[]")))
        let brackets = try serializer.serialize(Request(url: url), parameters: ["d": ["x y"]])
        #expect(brackets.url.absoluteString == "http://a.example/a%20b?c=%26&d%5B%5D=x%20y")
        serializer.parameterEncoding = .custom { _, _ in "d=ü%20|" }
        let own = try serializer.serialize(Request(url: url), parameters: ["any": 1])
        #expect(own.url.absoluteString == "http://a.example/a%20b?c=%26&d=%C3%BC%20%7C")
        #expect(try own.target.path == "/a%20b?c=%26&d=%C3%BC%20%7C")
    }

    @Test func `a URL that is set after a query was appended is taken apart anew`() throws {
        let url = try #require(URL(string: "http://a.example/x"))
        var request = try HTTPRequestSerializer().serialize(
            Request(method: .get, resolved: ResolvedURL(url), headerFields: [:]),
            parameters: ["a": 1]
        )
        #expect(try request.target.path == "/x?a=1")
        request.url = try #require(URL(string: "http://b.example/y"))
        #expect(try request.target.path == "/y" && request.target.host == "b.example")
    }

    // MARK: Destination

    @Test func `the place that the call names wins over the serializer's`() throws {
        for destination in [ParameterDestination.methodDependent, .queryString, .httpBody] {
            var serializer: any RequestSerializer = HTTPRequestSerializer()
            serializer.parameterDestination = destination
            let query = try serializer.serialize(Self.request(.post), parameters: ["a": 1], to: .queryString)
            #expect(query.url.query == "a=1" && query.body == nil)
            let body = try serializer.serialize(Self.request(.get), parameters: ["a": 1], to: .httpBody)
            #expect(body.url.query == nil && body.body?.data == Data("a=1".utf8))
            let own = try serializer.serialize(Self.request(.post), parameters: ["a": 1], to: .methodDependent)
            #expect((own.body == nil) == (destination == .queryString))
        }
        let json = try JSONRequestSerializer().serialize(Self.request(.get), parameters: ["a": 1], to: .httpBody)
        #expect(json.body?.data == Data(#"{"a":1}"#.utf8))
    }

    // MARK: Form

    @Test(arguments: [.post, .put, .patch, .options] as [HTTPRequest.Method])
    func `an HTTP serializer makes a form body of POST, PUT, PATCH and OPTIONS parameters`(_ method: HTTPRequest.Method)
        throws
    {
        let parameters: Parameters = ["b": ["x y", nil], "a": true]
        let request = try HTTPRequestSerializer().serialize(try Self.request(method), parameters: parameters)
        #expect(request.url.absoluteString == "http://a.example/x")
        #expect(request.body?.data.map { String(decoding: $0, as: UTF8.self) } == "a=1&b%5B%5D=x%20y&b%5B%5D")
        #expect(request.headerFields[.contentType] == "application/x-www-form-urlencoded")
    }

    @Test(arguments: [Parameters(), [:], ["a": nil], Parameters(String?.none)])
    func `a form request without parameters has neither body nor content type`(_ parameters: Parameters) throws {
        let request = try HTTPRequestSerializer().serialize(try Self.request(.post), parameters: parameters)
        #expect(request.body == nil)
        #expect(request.headerFields[.contentType] == nil)
    }

    @Test func `a form request with a value without names has an empty body and its content type`() throws {
        let request = try HTTPRequestSerializer().serialize(
            try Self.request(.post),
            parameters: Parameters(JSONObject())
        )
        #expect(request.body?.length == 0)
        #expect(request.headerFields[.contentType] == "application/x-www-form-urlencoded")
    }

    @Test func `a form request keeps a content type that is set`() throws {
        let own = try Self.request(.post, "http://a.example/x", [.contentType: "text/x-form"])
        #expect(
            try HTTPRequestSerializer().serialize(own, parameters: ["a": 1]).headerFields[.contentType] == "text/x-form"
        )
        var serializer = HTTPRequestSerializer()
        serializer.headerFields[.contentType] = "application/x-default"
        let request = try serializer.serialize(try Self.request(.post), parameters: ["a": 1])
        #expect(request.headerFields[values: .contentType] == ["application/x-default"])
    }

    @Test(arguments: [.get, .post] as [HTTPRequest.Method])
    func `parameters without keys are an error that has the request`(_ method: HTTPRequest.Method) throws {
        let request = try Self.request(method)
        let error = #expect(throws: NetworkingError.self) {
            try HTTPRequestSerializer().serialize(request, parameters: Parameters(JSONValue.array([1, 2])))
        }
        #expect(error?.code == .requestSerializationFailed)
        #expect(error?.request?.url == request.url)
        #expect(error?.domain == "com.alamofire.error.serialization.request")
    }

    // MARK: Encodable

    private struct Search: Encodable {
        var text = "a b"
        var page = 2
        var tags = ["x", "y"]
        var ratio = 1.0
        var none: Int?
    }

    @Test func `an Encodable is written by the rules of parameters`() throws {
        let query = "page=2&ratio=1&tags%5B%5D=x&tags%5B%5D=y&text=a%20b"
        let get = try HTTPRequestSerializer().serialize(try Self.request(), parameters: Parameters(Search()))
        #expect(get.url.query(percentEncoded: true) == query)
        let post = try HTTPRequestSerializer().serialize(try Self.request(.post), parameters: Parameters(Search()))
        #expect(post.body?.data == Data(query.utf8))
        #expect(post.headerFields[.contentType] == "application/x-www-form-urlencoded")
    }

    @Test func `a set is sorted and repeats its name, wherever it is`() throws {
        struct Tagged: Encodable { var tags = Set((0..<20).map { "t\($0)" }) }
        let texts = (0..<20).map { "t\($0)" }.sorted()
        for parameters in [Parameters(Tagged()), ["tags": Tagged().tags], Parameters(["tags": Tagged().tags])] {
            let request = try HTTPRequestSerializer().serialize(Self.request(.get), parameters: parameters)
            let query = try #require(request.url.query(percentEncoded: true))
            #expect(query == texts.map { "tags=\($0)" }.joined(separator: "&"))
        }
    }

    @Test func `an Encodable that throws is a serialization error`() throws {
        let request = try Self.request(.post)
        let error = #expect(throws: NetworkingError.self) {
            try HTTPRequestSerializer().serialize(request, parameters: ["a": Double.nan])
        }
        #expect(error?.code == .requestSerializationFailed)
        #expect(error?.underlying is EncodingError)
        #expect(throws: NetworkingError.self) {
            try HTTPRequestSerializer().serialize(request, parameters: Parameters([1, 2]))
        }
    }

    @Test func `a JSONValue given as an Encodable keeps its numbers`() throws {
        let parameters: JSONValue = ["n": .number(try #require(JSONNumber(text: "12345678901234567890123")))]
        let request = try HTTPRequestSerializer().serialize(try Self.request(), parameters: Parameters(parameters))
        #expect(request.url.query == "n=12345678901234567890123")
    }

    // MARK: Header fields

    @Test func `the default header fields are Accept-Language and User-Agent`() throws {
        let request = try HTTPRequestSerializer().serialize(try Self.request())
        #expect(request.headerFields.map(\.name) == [.acceptLanguage, .userAgent])
        #expect(request.headerFields[.userAgent] == HTTPRequestSerializer.userAgent())
    }

    @Test func `a header field of the request wins over the default one, in any case`() throws {
        let name = try #require(HTTPField.Name("USER-agent"))
        let own = try Self.request(.get, "http://a.example/x", [name: "mine"])
        let request = try HTTPRequestSerializer().serialize(own)
        #expect(request.headerFields[values: .userAgent] == ["mine"])
        #expect(request.headerFields.first?.name.rawName == "USER-agent")
        #expect(request.headerFields.contains(.acceptLanguage))
    }

    @Test func `default header fields are set, replaced and removed in any case`() throws {
        var serializer = HTTPRequestSerializer()
        serializer.headerFields[.userAgent] = nil
        serializer.headerFields[try #require(HTTPField.Name("X-Key"))] = "1"
        serializer.headerFields[try #require(HTTPField.Name("x-key"))] = "2"
        serializer.headerFields[values: .accept] = ["a/b", "c/d"]
        let own = try Self.request(.get, "http://a.example/x", [.cookie: "a=b"])
        let request = try serializer.serialize(own)
        #expect(request.headerFields[.userAgent] == nil)
        #expect(request.headerFields[values: try #require(HTTPField.Name("X-KEY"))] == ["2"])
        #expect(request.headerFields[values: .accept] == ["a/b", "c/d"])
    }

    @Test func `a change of a serializer's copy changes neither the original nor other properties`() throws {
        var original = HTTPRequestSerializer()
        original.methodsEncodingParametersInURI = [.post]
        original.headerFields[.accept] = "a/b"
        var copy = original
        copy.headerFields[.accept] = "c/d"
        #expect(original.headerFields[.accept] == "a/b")
        #expect(copy.methodsEncodingParametersInURI == [.post])
        #expect(copy.headerFields[.userAgent] == original.headerFields[.userAgent])
    }

    // MARK: Authorization

    @Test(arguments: [
        ("mike", "secret", "Basic bWlrZTpzZWNyZXQ="), ("", "", "Basic Og=="), ("ü", "日", "Basic w7w65pel"),
    ])
    func `a user name and a password become Basic credentials`(_ user: String, _ password: String, _ value: String)
        throws
    {
        var serializer: any RequestSerializer = HTTPRequestSerializer()
        try serializer.setAuthorization(username: user, password: password)
        let request = try serializer.serialize(try Self.request())
        #expect(request.headerFields[.authorization] == value)
    }

    @Test(arguments: [("a:b", "c"), (":\u{301}", "c"), ("a\n", "b"), ("a", "b\u{7F}")])
    func `a user name that Basic cannot carry is refused`(_ user: String, _ password: String) throws {
        var serializer: any RequestSerializer = HTTPRequestSerializer()
        try serializer.setAuthorization(bearerToken: "t")
        let error = #expect(throws: NetworkingError.self) {
            try serializer.setAuthorization(username: user, password: password)
        }
        #expect(error?.code == .invalidRequest)
        #expect(serializer.headerFields[.authorization] == "Bearer t")
    }

    @Test func `a quotation mark in a token is escaped, also before a combining character`() throws {
        var serializer: any RequestSerializer = HTTPRequestSerializer()
        try serializer.setAuthorization(token: "a\"\u{301}\\\u{301}")
        #expect(serializer.headerFields[.authorization] == "Token token=\"a\\\"\u{301}\\\\\u{301}\"")
    }

    @Test func `authorization is replaced and cleared through any serializer`() throws {
        for var serializer in [HTTPRequestSerializer(), JSONRequestSerializer()] as [any RequestSerializer] {
            try serializer.setAuthorization(username: "a", password: "b")
            try serializer.setAuthorization(bearerToken: "t0ken")
            #expect(serializer.headerFields[values: .authorization] == ["Bearer t0ken"])
            serializer.clearAuthorization()
            #expect(serializer.headerFields[.authorization] == nil)
            #expect(serializer.headerFields.contains(.userAgent))
        }
    }
}
