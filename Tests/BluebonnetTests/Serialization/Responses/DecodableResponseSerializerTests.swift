import Foundation
import HTTPTypes
import Testing

@testable import Bluebonnet

@Suite struct DecodableResponseSerializerTests {
    struct User: Codable, Sendable, Equatable {
        var name: String
        var joined: Date?
    }

    @Test func `a JSON response body is decoded`() throws {
        let example = ResponseExample(200, "application/json", #"{"name": "Mike"}"#)
        #expect(try example.serialized(as: .decodable(User.self)) == User(name: "Mike"))
    }

    @Test func `decodable responses obey the decoder's strategies`() throws {
        var decoder = JSONBodyDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        let example = ResponseExample(200, "application/json", #"{"name": "Mike", "joined": 60}"#)
        let user = try example.serialized(as: .decodable(User.self, decoder: decoder))
        #expect(user.joined == Date(timeIntervalSince1970: 60))
    }

    @Test func `decodable responses can use any decoder`() throws {
        let example = ResponseExample(200, "application/json", #"{"name": "Mike"}"#)
        let user = try example.serialized(
            as: DecodableResponseSerializer { try JSONDecoder().decode(User.self, from: $0) }
        )
        #expect(user == User(name: "Mike"))
        #expect(try example.serialized(as: DecodableResponseSerializer { $0.count }) == 16)
    }

    @Test func `a response body of another shape than the type is an error with the path to it`() throws {
        let example = ResponseExample(200, "application/json", #"[{"name": "a"}, {"name": 1}]"#)
        let error = try #require(example.error(as: .decodable([User].self)))
        #expect(error.code == .responseSerializationFailed)
        #expect(error.message.hasPrefix("The response could not be decoded as Array<User>: "))
        #expect(error.message.hasSuffix("(at [1].name)"))
        #expect(error.underlying is DecodingError)
        #expect(error.body == example.body)
        #expect(error.response == example.head)
    }

    @Test(
        arguments: [(204, nil, .delete), (200, nil, .get), (200, "application/json", .head)]
            as [(Int, String?, HTTPRequest.Method)]
    )
    func `an empty response body decodes as nil, EmptyBody or null where the type can be that`(
        _ status: Int,
        _ type: String?,
        _ method: HTTPRequest.Method
    ) throws {
        let example = ResponseExample(status, type, "", method: method)
        #expect(try example.serialized(as: .decodable(User?.self)) == nil)
        #expect(try example.serialized(as: .decodable(Int??.self)) == Int??.none)
        #expect(try example.serialized(as: .decodable(EmptyBody.self)) == EmptyBody())
        #expect(try example.serialized(as: .decodable(JSONValue.self)) == .null)
    }

    @Test func `an empty response body is a decoding error for all other types`() throws {
        let error = try #require(ResponseExample(204, nil, "").error(as: .decodable(User.self)))
        #expect(error.code == .responseSerializationFailed)
        #expect(error.message == "The response could not be decoded as User: The body is empty.")
        #expect(error.underlying is DecodingError)
    }

    @Test(arguments: ["{}", "[1]", "\"x\""])
    func `EmptyBody is decoded from any response body`(_ body: String) throws {
        #expect(
            try ResponseExample(200, "application/json", body).serialized(as: .decodable(EmptyBody.self)) == EmptyBody()
        )
    }

    @Test func `an optional is decoded from a response body and from null`() throws {
        #expect(
            try ResponseExample(200, "application/json", #"{"name": "a"}"#).serialized(as: .decodable(User?.self))?.name
                == "a"
        )
        #expect(try ResponseExample(200, "application/json", "null").serialized(as: .decodable(User?.self)) == nil)
    }

    @Test func `a bad status stays the error of a decodable response whatever its body is`() throws {
        let bodies: [(String, (any Sendable)?)] = [
            (#"{"name": "Mike"}"#, User(name: "Mike")), (#"{"error": 1}"#, ["error": 1] as JSONValue), ("oops", nil),
            ("", nil),
        ]
        for (body, parsed) in bodies {
            let error = try #require(ResponseExample(404, "application/json", body).error(as: .decodable(User.self)))
            #expect(error.code == .unacceptableStatusCode)
            #expect(error.message == "Request failed: Not Found (404)")
            #expect(error.parsedBody as? User == parsed as? User)
            #expect(error.parsedBody as? JSONValue == parsed as? JSONValue)
            #expect((error.parsedBody == nil) == (parsed == nil))
        }
    }

    @Test func `a response with a wrong content type is an error and not decoded`() {
        let error = ResponseExample(200, "text/html", #"{"name": "Mike"}"#).error(as: .decodable(User.self))
        #expect(error?.code == .unacceptableContentType)
        #expect(error?.parsedBody == nil)
    }
}
