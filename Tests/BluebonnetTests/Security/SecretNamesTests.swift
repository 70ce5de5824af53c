import HTTPTypes
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Which values a description of a request leaves out.
struct SecretNamesTests {
    private static let fields = [
        "Authorization", "Cookie", "X-Auth-Key", "X-Auth", "X-Auth-Token", "X-Api-Key", "Ocp-Apim-Subscription-Key",
        "x-functions-key", "DD-APPLICATION-KEY", "DD-API-KEY", "X-Master-Key", "Private-Token", "X-CSRF-Token",
        "X-XSRF",
        "X-Session-Id", "X-Amz-Security-Token", "Signature", "X-PIN", "X-Key2",
    ]

    @Test(arguments: fields)
    func `header fields that are secrets are omitted from descriptions`(name: String) throws {
        var request = try Request(to: "http://x/")
        request.headerFields[try #require(HTTPField.Name(name))] = "hunter2"
        #expect(!request.curlDescription().contains("hunter2"))
        #expect(request.curlDescription(redacting: false).contains("hunter2"))
    }

    private static let pairs = [
        "auth%5Bkey%5D", "user%5Bpin%5D", "user[pin]", "api%5Fkey", "p%61ssword", "code", "code_verifier", "assertion",
        "client_assertion", "passcode", "apiKey", "APIKey", "clientSecret", "refresh_token", "sig", "a.pw",
        "X-Amz-Signature",
        "user%5Bpassword%5D", "SAMLResponse", "pass+word%20key",
    ]

    @Test(arguments: pairs)
    func `parameters that are secrets are omitted from descriptions, however their names are written`(name: String)
        throws
    {
        let type: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        let request = try Request(
            .post,
            to: "http://x/?\(name)=s3cret&b=1",
            headerFields: type,
            body: .string("\(name)=s3cret&b=1")
        )
        let text = request.curlDescription()
        #expect(!text.contains("s3cret") && text.contains("b=1"), "\(text)")
    }

    @Test func `the same parameters are secrets as JSON, as a form and as a query`() throws {
        let parameters: Parameters = ["auth": ["key": "s3cr3t"], "user": ["pin": "1234", "name": "Ada"]]
        for serializer in [JSONRequestSerializer(), HTTPRequestSerializer()] as [any RequestSerializer] {
            for method in [HTTPRequest.Method.get, .post] {
                let request = try serializer.serialize(try Request(method, to: "http://x/"), parameters: parameters)
                let text = request.curlDescription()
                #expect(!text.contains("s3cr3t") && !text.contains("1234") && text.contains("Ada"), "\(text)")
            }
        }
    }

    @Test(arguments: [
        "monkey", "keyword", "Idempotency-Key", "Sec-WebSocket-Key", "public_key", "primaryKey", "spinner", "author",
        "passenger",
        "zip_code", "country-code", "design", "Accept", "Content-Type", "page",
    ])
    func `parameters with other names are not secrets`(name: String) throws {
        let text = try Request(to: "http://x/?\(name)=s3cret").curlDescription()
        #expect(text.contains("s3cret"), "\(text)")
    }

    @Test(arguments: [
        ("application/json", "{\n\t\"password\": \"s3cret\"\n}"),
        ("application/json;\u{301}x", "{\"password\":\"s3cret\"}"),
        ("application/x-www-form-urlencoded", "a=\u{1}&password=s3cret"),
    ])
    func `no secret of a body is left in a description in base64`(type: String, body: String) throws {
        let request = try Request(.post, to: "http://x/", headerFields: [.contentType: type], body: .string(body))
        let text = request.curlDescription()
        #expect(!text.contains("s3cret"), "\(text)")
        #expect(try !Self.decoded(text).contains("s3cret"), "\(text)")
        let bytes = RequestBody.data(Data("password=s3cret&b=".utf8) + [0xFF])
        let form = try Request(
            .post,
            to: "http://x/",
            headerFields: [.contentType: "application/x-www-form-urlencoded"],
            body: bytes
        )
        #expect(try Self.decoded(form.curlDescription()) == "password=REDACTED&b=\u{FFFD}")
    }

    /// The text that the command pipes into curl; empty if it pipes none.
    private static func decoded(_ command: String) throws -> String {
        guard let word = command.split(separator: "printf %s ").first?.split(separator: " | base64").first,
            command.contains("| base64")
        else { return "" }
        return String(decoding: try #require(Data(base64Encoded: String(word))), as: UTF8.self)
    }
}
