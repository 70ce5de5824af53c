import Foundation
import FoundationNetworking
import HTTPTypes
import Testing

@testable import Bluebonnet

@Suite struct ResponseValidationTests {
    private static let json = ResponseValidation.json

    private static func failure(_ example: ResponseExample, _ validation: ResponseValidation = json) -> NetworkingError?
    {
        validation.failure(example.body, head: example.head, request: example.request)
    }

    @Test(arguments: [
        (200, true), (204, true), (299, true), (199, false), (300, false), (304, false), (404, false), (500, false),
        (999, false),
    ])
    func `two hundred to two hundred ninety-nine is accepted`(_ status: Int, _ isAccepted: Bool) {
        #expect((Self.failure(ResponseExample(status, "text/x", "x"), .default) == nil) == isAccepted)
    }

    @Test(arguments: [
        (404, "Request failed: Not Found (404)"),
        (500, "Request failed: Internal Server Error (500)"),
        (304, "Request failed: Not Modified (304)"),
        (422, "Request failed: Unprocessable Entity (422)"),
        (418, "Request failed: Client Error (418)"),
        (599, "Request failed: Server Error (599)"),
    ])
    func `a bad status has AFNetworking's text and code`(_ status: Int, _ message: String) throws {
        let example = ResponseExample(status, "text/plain", "oh")
        let error = try #require(Self.failure(example, .default))
        #expect(error.code == .unacceptableStatusCode)
        #expect(error.message == message)
        #expect(error.domain == "com.alamofire.error.serialization.response")
        #expect(error.number == -1011)
        #expect(error.response == example.head)
        #expect(error.body == example.body)
        #expect(error.request?.url == example.request.url)
        #expect(error.underlying == nil)
    }

    @Test func `the reasons are Foundation's, but where it has none and the registry does`() {
        for code in 100..<600 where ![103, 425].contains(code) {
            #expect(ResponseValidation.reason(code) == HTTPURLResponse.localizedString(forStatusCode: code))
        }
    }

    @Test(
        arguments: [
            ("text/html", "Request failed: unacceptable content-type: text/html"),
            ("Text/HTML; charset=utf-8", "Request failed: unacceptable content-type: text/html"),
            ("application/problem+json", "Request failed: unacceptable content-type: application/problem+json"),
            (nil, "Request failed: unacceptable content-type: (none)"),
        ] as [(String?, String)]
    )
    func `a wrong type has AFNetworking's text and code`(_ type: String?, _ message: String) throws {
        let error = try #require(Self.failure(ResponseExample(200, type, "<p>")))
        #expect(error.code == .unacceptableContentType)
        #expect(error.message == message)
        #expect(error.domain == "com.alamofire.error.serialization.response")
        #expect(error.number == -1016)
        #expect(error.body == Data("<p>".utf8))
    }

    @Test(arguments: [
        "application/json", "APPLICATION/JSON", "application/json;charset=utf-8", "text/json", "text/javascript ; x=y",
    ])
    func `the types of JSON are accepted with parameters and in any case`(_ type: String) {
        #expect(Self.failure(ResponseExample(200, type, "{}")) == nil)
    }

    @Test func `when both fail the status is outer and the type below it`() throws {
        let error = try #require(Self.failure(ResponseExample(503, "text/html", "<p>")))
        #expect(error.code == .unacceptableStatusCode)
        let below = try #require(error.underlying as? NetworkingError)
        #expect(below.code == .unacceptableContentType)
        #expect(below.underlying == nil)
        #expect(error.contains(.unacceptableContentType) && error.contains(.unacceptableStatusCode))
    }

    @Test(
        arguments: [
            (200, nil, .get, true),
            (200, "text/html", .head, true),
            (204, "text/html", .get, true),
            (205, "text/html", .get, true),
            (200, "text/html", .get, false),
            (201, "text/plain", .post, false),
        ] as [(Int, String?, HTTPRequest.Method, Bool)]
    )
    func `a wrong type of an empty body is an error unless the body is rightly empty`(
        _ status: Int,
        _ type: String?,
        _ method: HTTPRequest.Method,
        _ isAccepted: Bool
    ) {
        let error = Self.failure(ResponseExample(status, type, "", method: method))
        #expect(error?.code == (isAccepted ? nil : .unacceptableContentType))
    }

    @Test func `304 without a body fails by its status alone`() {
        let error = Self.failure(ResponseExample(304, "text/html", ""))
        #expect(error?.code == .unacceptableStatusCode)
        #expect(error?.underlying == nil)
    }

    @Test func `nil accepts everything`() throws {
        #expect(Self.failure(ResponseExample(500, "text/html", "x"), .none) == nil)
        try ResponseValidation.none.validate(
            Data("x".utf8),
            head: ResponseExample(404).head,
            request: ResponseExample().request
        )
    }

    @Test func `sets are changed as the user likes`() {
        var validation = ResponseValidation.json
        validation.acceptableStatusCodes?.insert(304)
        validation.acceptableContentTypes?.insert("text/html")
        #expect(Self.failure(ResponseExample(304, "text/html", "x"), validation) == nil)
        #expect(Self.failure(ResponseExample(304, "text/plain", "x"), validation)?.code == .unacceptableContentType)
    }
}
