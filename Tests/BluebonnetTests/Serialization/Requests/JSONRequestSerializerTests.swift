import Foundation
import HTTPTypes
import Testing

@testable import Bluebonnet

@Suite struct JSONRequestSerializerTests {
    private static func request(_ method: HTTPRequest.Method = .post, _ fields: HTTPFields = [:]) throws -> Request {
        Request(method: method, url: try #require(URL(string: "http://a.example/x")), headerFields: fields)
    }

    private static func text(_ request: Request) -> String? {
        request.body?.data.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `JSON parameters are a body with its content type`() throws {
        let request = try JSONRequestSerializer().serialize(
            try Self.request(),
            parameters: ["b": [1, nil, 2.5], "a": "ü/"]
        )
        #expect(Self.text(request) == #"{"b":[1,null,2.5],"a":"ü/"}"#)
        #expect(request.headerFields[.contentType] == "application/json")
        #expect(request.url.absoluteString == "http://a.example/x")
        #expect(request.headerFields[.userAgent] == HTTPRequestSerializer.userAgent())
    }

    @Test(
        arguments: [([1, 2], "[1,2]"), ("x", #""x""#), (1, "1"), (true, "true"), (.null, "null"), ([:], "{}")]
            as [(JSONValue, String)]
    )
    func `every JSON value can be a request body`(_ parameters: JSONValue, _ expected: String) throws {
        #expect(
            Self.text(try JSONRequestSerializer().serialize(try Self.request(), parameters: Parameters(parameters)))
                == expected
        )
    }

    @Test(arguments: [.get, .head, .delete] as [HTTPRequest.Method])
    func `a JSON serializer puts GET, HEAD and DELETE parameters into the URL`(_ method: HTTPRequest.Method) throws {
        let request = try JSONRequestSerializer().serialize(try Self.request(method), parameters: ["a": [1]])
        #expect(request.url.absoluteString == "http://a.example/x?a%5B%5D=1")
        #expect(request.body == nil)
        #expect(request.headerFields[.contentType] == nil)
    }

    @Test func `the methods whose parameters a JSON serializer puts into the URL can be chosen`() throws {
        var serializer = JSONRequestSerializer()
        serializer.methodsEncodingParametersInURI = []
        #expect(Self.text(try serializer.serialize(try Self.request(.delete), parameters: Parameters([1]))) == "[1]")
    }

    @Test(arguments: [.get, .post] as [HTTPRequest.Method])
    func `a JSON request without parameters has neither body nor content type`(_ method: HTTPRequest.Method) throws {
        let request = try JSONRequestSerializer().serialize(try Self.request(method), parameters: ["a": Int?.none])
        #expect(request.body == nil)
        #expect(request.headerFields[.contentType] == nil)
        #expect(request.url.absoluteString == "http://a.example/x")
    }

    @Test func `a JSON request keeps a content type that is set`() throws {
        let own = try Self.request(.post, [.contentType: "application/vnd.api+json"])
        let request = try JSONRequestSerializer().serialize(own, parameters: Parameters(JSONObject()))
        #expect(request.headerFields[values: .contentType] == ["application/vnd.api+json"])
    }

    @Test func `parameters that JSON cannot represent are an error with AFNetworking's reason`() throws {
        let request = try Self.request()
        for number in [Double.nan, .infinity, -.infinity] {
            let error = #expect(throws: NetworkingError.self) {
                try JSONRequestSerializer().serialize(
                    request,
                    parameters: ["a": [.number(JSONNumber(number))] as JSONValue]
                )
            }
            #expect(error?.code == .requestSerializationFailed)
            #expect(error?.message == "The `parameters` argument is not valid JSON.")
            #expect(error?.domain == "com.alamofire.error.serialization.request")
            #expect(error?.number == -1016)
            #expect(error?.request?.method == .post)
            #expect(error?.underlying is JSONWritingError)
            let encoding = #expect(throws: NetworkingError.self) {
                try JSONRequestSerializer().serialize(request, parameters: Parameters([number]))
            }
            #expect(encoding?.message == "The `parameters` argument is not valid JSON.")
            #expect(encoding?.underlying is EncodingError)
        }
    }

    private struct Draft: Encodable {
        var userName = "a/b"
        var at = Date(timeIntervalSince1970: 0)
    }

    @Test func `an Encodable JSON body is written with the encoder's strategies`() throws {
        let serializer = JSONRequestSerializer(writingOptions: .sortedKeys) {
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.dateEncodingStrategy = .iso8601
            return encoder
        }
        let post = try serializer.serialize(try Self.request(), parameters: Parameters(Draft()))
        #expect(Self.text(post) == #"{"at":"1970-01-01T00:00:00Z","user_name":"a/b"}"#)
        #expect(post.headerFields[.contentType] == "application/json")
        let named = try serializer.serialize(try Self.request(), parameters: ["myDraft": Draft()])
        #expect(Self.text(named) == #"{"myDraft":{"at":"1970-01-01T00:00:00Z","user_name":"a/b"}}"#)
    }

    @Test func `a query of a JSON serializer follows the parameter encoding and not the JSON encoder`() throws {
        var serializer = JSONRequestSerializer {
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            return encoder
        }
        let get = try serializer.serialize(try Self.request(.get), parameters: Parameters(Draft()))
        #expect(get.url.absoluteString == "http://a.example/x?at=1970-01-01T00%3A00%3A00Z&userName=a/b")
        #expect(get.body == nil)
        var forms = URLEncodedFormEncoder()
        forms.keyEncoding = .convertToSnakeCase
        forms.dateEncoding = .secondsSince1970
        serializer.parameterEncoding = .form(forms)
        let formed = try serializer.serialize(try Self.request(.get), parameters: Parameters(Draft()))
        #expect(formed.url.query() == "at=0.0&user_name=a/b")
    }

    @Test func `JSON writing options hold for values and Encodables alike`() throws {
        var serializer = JSONRequestSerializer(writingOptions: [.prettyPrinted, .sortedKeys, .escapingSlashes])
        let value = try serializer.serialize(try Self.request(), parameters: ["b": "/", "a": 1])
        #expect(Self.text(value)?.contains(#""a""#) == true && Self.text(value)?.contains(#"\/"#) == true)
        #expect(Self.text(value)?.contains("\n") == true)
        let encoded = try serializer.serialize(try Self.request(), parameters: Parameters(["b": "/"]))
        #expect(Self.text(encoded)?.contains(#"\/"#) == true && Self.text(encoded)?.contains("\n") == true)
        serializer.writingOptions = []
        #expect(
            Self.text(try serializer.serialize(try Self.request(), parameters: Parameters(["b": "/"]))) == #"{"b":"/"}"#
        )
    }

    @Test func `a JSONValue given as an Encodable is written unchanged`() throws {
        let value: JSONValue = [
            "n": .number(try #require(JSONNumber(text: "1234567890123456789012345678901234567890.5")))
        ]
        let request = try JSONRequestSerializer().serialize(try Self.request(), parameters: Parameters(value))
        #expect(Self.text(request) == #"{"n":1234567890123456789012345678901234567890.5}"#)
    }
}
