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
    func `statuses from 200 to 299 are accepted`(_ status: Int, _ isAccepted: Bool) {
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

    @Test func `the texts of statuses are Foundation's, or the registry's where Foundation has none`() {
        for code in 100..<600 where ![103, 425].contains(code) {
            #expect(ResponseValidation.reason(code) == HTTPURLResponse.localizedString(forStatusCode: code))
        }
        #expect(ResponseValidation.reason(103) == "Early Hints")
        #expect(ResponseValidation.reason(425) == "Too Early")
    }

    @Test(
        arguments: [
            ("text/html", "Request failed: unacceptable content-type: text/html"),
            ("Text/HTML; charset=utf-8", "Request failed: unacceptable content-type: text/html"),
            ("application/problem+json", "Request failed: unacceptable content-type: application/problem+json"),
            (nil, "Request failed: unacceptable content-type: (none)"),
        ] as [(String?, String)]
    )
    func `a wrong content type has AFNetworking's text and code`(_ type: String?, _ message: String) throws {
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
    func `the content types of JSON are accepted with parameters and in any case`(_ type: String) {
        #expect(Self.failure(ResponseExample(200, type, "{}")) == nil)
    }

    @Test func `when status and content type fail, the content type error is the underlying one`() throws {
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
    func `a wrong content type of an empty body is an error unless the body may be empty`(
        _ status: Int,
        _ type: String?,
        _ method: HTTPRequest.Method,
        _ isAccepted: Bool
    ) {
        let error = Self.failure(ResponseExample(status, type, "", method: method))
        #expect(error?.code == (isAccepted ? nil : .unacceptableContentType))
    }

    @Test func `a 304 without a body fails by its status alone`() {
        let error = Self.failure(ResponseExample(304, "text/html", ""))
        #expect(error?.code == .unacceptableStatusCode)
        #expect(error?.underlying == nil)
    }

    @Test func `a validation of any status and any type accepts everything`() throws {
        #expect(Self.failure(ResponseExample(500, "text/html", "x"), .none) == nil)
        try ResponseValidation.none.validate(
            Data("x".utf8),
            head: ResponseExample(404).head,
            request: ResponseExample().request
        )
    }

    @Test func `the accepted statuses and content types can be changed`() {
        var validation = ResponseValidation.json
        validation.acceptableStatusCodes?.insert(304)
        validation.acceptableContentTypes.insert("text/html")
        #expect(Self.failure(ResponseExample(304, "text/html", "x"), validation) == nil)
        #expect(Self.failure(ResponseExample(304, "text/plain", "x"), validation)?.code == .unacceptableContentType)
    }

    @Test func `statuses and content types can be changed behind any validating serializer`() throws {
        var serializer: any ValidatingResponseSerializer<JSONValue> = JSONResponseSerializer()
        serializer.acceptableContentTypes.insert("text/html")
        serializer.acceptableStatusCodes?.insert(304)
        #expect(try ResponseExample(304, "text/html", "[1]").serialized(as: serializer) == [1])
        #expect(ResponseExample(304, "text/plain", "[1]").error(as: serializer)?.code == .unacceptableContentType)
        serializer.acceptableContentTypes = ["*/*"]
        serializer.acceptableStatusCodes = nil
        #expect(try ResponseExample(500, nil, "[1]").serialized(as: serializer) == [1])
        serializer = CompoundResponseSerializer([JSONResponseSerializer(validation: .none)])
        serializer.acceptableContentTypes = ["a/b"]
        #expect(ResponseExample(200, "text/plain", "[1]").error(as: serializer)?.code == .unacceptableContentType)
    }

    @Test func `any content type is the default, and one more type does not make it fewer`() throws {
        #expect(ResponseValidation.default.acceptableContentTypes == ["*/*"])
        let more = HTTPResponseSerializer().accepting(additionalContentTypes: ["a/b"])
        #expect(try ResponseExample(200, "text/html", "x").serialized(as: more) == Data("x".utf8))
        #expect(try ResponseExample(200, nil, "x").serialized(as: more) == Data("x".utf8))
        let any = JSONResponseSerializer().acceptingAnyContentType()
        #expect(try ResponseExample(200, nil, "[]").serialized(as: any) == [])
    }

    @Test(
        arguments: [
            ("text/*", "text/html", true), ("text/*", "application/json", false), ("*/*", "image/png", true),
            ("*/*", nil, true), ("text/*", nil, false), ("application/*+json", "application/problem+json", true),
            ("text/*", "text/\u{301}", true), ("*/*", "x/\u{301}", true), ("x/*\u{301}", "x/y\u{301}", true),
            ("application/*+json", "application/json", false), ("application/*+json", "image/x+json", false),
            ("a/b*b", "a/b", false),
        ] as [(String, String?, Bool)]
    )
    func `content types are accepted by pattern`(_ pattern: String, _ type: String?, _ isAccepted: Bool) {
        let validation = ResponseValidation(contentTypes: [pattern])
        #expect((Self.failure(ResponseExample(200, type, "x"), validation) == nil) == isAccepted)
    }

    @Test func `content types with the suffix +json can be accepted`() throws {
        let problem = ResponseExample(200, "application/problem+json", "{}")
        #expect(problem.error(as: .json)?.code == .unacceptableContentType)
        #expect(try problem.serialized(as: .json.validating(.jsonWithSuffix)) == [:] as JSONValue)
        #expect(
            try problem.serialized(as: .json.accepting(additionalContentTypes: ["application/*+json"])) == [:]
                as JSONValue
        )
        #expect(
            try ResponseExample(200, "text/json", "{}").serialized(as: .json.validating(.jsonWithSuffix)) == [:]
                as JSONValue
        )
    }

    @Test(
        arguments: [
            ("application/json", "application/json; charset=utf-8", true),
            ("text/*;q=0.5, image/png", "text/html", true),
            ("text/html;q=0, image/*", "text/html", false), ("image/png", "text/html", false), (nil, "text/html", true),
            ("", "text/html", true), ("TEXT/HTML", "text/html", true), ("*/*;q=0.1", "x/y", true),
        ] as [(String?, String, Bool)]
    )
    func `the accepted content types can be those that the request asked for`(
        _ accept: String?,
        _ type: String,
        _ isAccepted: Bool
    ) {
        var example = ResponseExample(200, type, "x")
        example.request.headerFields[.accept] = accept
        #expect((Self.failure(example, .byAcceptHeader) == nil) == isAccepted)
        #expect((example.error(as: .string.acceptingByAcceptHeader()) == nil) == isAccepted)
    }

    private struct Refusal: Error, Equatable { var name: String }

    @Test
    func `validation rules are checked in order, the first that refuses wins, and the body is still parsed`() throws {
        let example = ResponseExample(200, "application/json", #"{"ok": false}"#)
        let serializer = JSONResponseSerializer().requiring { _, _, _ in }
            .requiring { _, _, _ in throw Refusal(name: "first") }
            .requiring { _, _, _ in throw Refusal(name: "second") }
        let error = try #require(example.error(as: serializer))
        #expect(error.code == .responseRefused)
        #expect(error.underlying as? Refusal == Refusal(name: "first"))
        #expect(error.parsedBody(as: JSONValue.self) == ["ok": false])
        #expect(error.body == example.body && error.response == example.head)
        #expect(error.number == -1011)
    }

    @Test func `validation rules see the response, and are not checked where the status is refused`() throws {
        let validation = ResponseValidation.default.requiring { head, body, request in
            guard head.status.code == 200, body.count == 2, request.method == .put else { throw Refusal(name: "no") }
        }
        #expect(Self.failure(ResponseExample(200, nil, "ok", method: .put), validation) == nil)
        #expect(Self.failure(ResponseExample(200, nil, "ok"), validation)?.code == .responseRefused)
        #expect(Self.failure(ResponseExample(500, nil, "ok"), validation)?.code == .unacceptableStatusCode)
        #expect(validation == validation)
        #expect(validation != ResponseValidation.default)
    }

    @Test func `a validation rule may throw its own error`() {
        let own = NetworkingError(.connectionLost, "mine")
        let example = ResponseExample(200, nil, "x")
        let error = example.error(as: .data.requiring { @Sendable _, _, _ in throw own })
        #expect(error?.code == .connectionLost)
        #expect(error?.message == "mine")
        #expect(error?.response == example.head)
    }
}
