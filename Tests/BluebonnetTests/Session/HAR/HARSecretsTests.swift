import Foundation
import HTTPTypes
import LocalServer
import NIOCore
import Testing

@testable import Bluebonnet

/// What an HTTP archive does not show.
@Suite(.timeLimit(.minutes(5)))
struct HARSecretsTests {
    /// A body and what is shown of it.
    struct Body: Sendable, CustomTestStringConvertible {
        var name: String
        var type: String
        var coding: String?
        var bytes: [UInt8]
        /// Nil where the body is not recorded.
        var shown: String?

        init(_ name: String, _ type: String, coding: String? = nil, _ text: String, shown: String?) {
            self.init(name, type, coding: coding, bytes: Array(text.utf8), shown: shown)
        }

        init(_ name: String, _ type: String, coding: String? = nil, bytes: [UInt8], shown: String?) {
            (self.name, self.type, self.coding, self.bytes, self.shown) = (name, type, coding, bytes, shown)
        }

        var testDescription: String { name }
    }

    private static let form = "application/x-www-form-urlencoded"

    private static func log(
        _ options: HAROptions = HAROptions(),
        fields: [(String, String)] = [],
        response: String = "ok",
        _ makeRequest: (FaultServer) throws -> Request
    ) async throws -> (entry: JSONValue, text: String) {
        let recorder = HARRecorder(options: options)
        try await FaultServer.run([.readRequest, .respond(headers: fields, body: response)]) { server in
            try await withSession(SessionConfiguration { $0.observers = [recorder] }) { session in
                _ = try await session.data(for: try makeRequest(server))
            }
        }
        let text = String(decoding: recorder.log.data(), as: UTF8.self)
        return (try #require(recorder.log.json["log"]?["entries"]?[0]), text)
    }

    // MARK: Bodies

    @Test(arguments: [
        Body("JSON", "application/json", #"{"password":"hidden1","a":1}"#, shown: #"{"password":"REDACTED","a":1}"#),
        Body(
            "a problem",
            "application/x+json; charset=utf-8",
            #"[{"token":"hidden1"}]"#,
            shown: #"[{"token":"REDACTED"}]"#
        ),
        Body("JSON without secrets", "application/json", "{ \"a\": 1 }", shown: "{ \"a\": 1 }"),
        Body("JSON that is none", "application/json", #"{"password":"hidden1"#, shown: nil),
        Body("JSON of an old type", "Text/JSON", #"{"token":"hidden1"}"#, shown: #"{"token":"REDACTED"}"#),
        Body("JSON that is a script", "text/javascript", #"{"token":"hidden1"}"#, shown: #"{"token":"REDACTED"}"#),
        Body("a script", "text/javascript", #"f({"token":"hidden1"})"#, shown: nil),
        Body(
            "lines of JSON",
            "application/x-ndjson",
            "{\"a\":1}\r\n\n{\"token\":\"hidden1\"}\n",
            shown: "{\"a\":1}\r\n\n{\"token\":\"REDACTED\"}\n"
        ),
        Body(
            "a sequence of JSON",
            "application/json-seq",
            "\u{1E}{\"token\":\"hidden1\"}\n\u{1E}[1]\n",
            shown: "\u{1E}{\"token\":\"REDACTED\"}\n\u{1E}[1]\n"
        ),
        Body("a line that is none", "application/jsonl", "[1]\n{\"token\":\"hidden1", shown: nil),
        Body("a compressed form", form, coding: "gzip", "password=hidden1", shown: nil),
        Body(
            "a form that is not UTF-8",
            form,
            bytes: Array("a=".utf8) + [0xFF] + Array("&password=hidden1".utf8),
            shown: "base64"
        ),
        Body("a form with a combining mark", form, "password=\u{301}hidden1&b=2", shown: "password=REDACTED&b=2"),
        Body("plain text", "text/plain", "b=2", shown: "b=2"),
    ])
    func `the secrets of a body are not shown, and one in which they cannot be found is not`(body: Body) async throws {
        let (entry, text) = try await Self.log { server in
            var request = try Request(.post, to: server.baseURL, body: .data(Data(body.bytes)))
            request.headerFields[.contentType] = body.type
            request.headerFields[.contentEncoding] = body.coding
            return request
        }
        #expect(!text.contains("hidden1"))
        let data = try #require(entry["request"]?["postData"])
        let shown = try #require(data["text"]?.string)
        switch body.shown {
        case nil: #expect(shown.isEmpty && data["comment"]?.string?.contains("not recorded") == true)
        case "base64"?:
            let bytes = try #require(Data(base64Encoded: shown))
            #expect(bytes == Data("a=".utf8) + [0xFF] + Data("&password=REDACTED".utf8))
        case let expected?: #expect(shown == expected)
        }
        #expect(entry["request"]?["bodySize"]?.int == body.bytes.count)
    }

    @Test func `the parts of a multipart form that are secrets are not shown`() async throws {
        let (entry, text) = try await Self.log { server in
            var form = MultipartFormData()
            form.append("hidden1", name: "password")
            form.append("plain", name: "name")
            var request = try Request(.post, to: server.baseURL)
            try request.setBody(multipart: form)
            return request
        }
        #expect(!text.contains("hidden1"))
        let shown = try #require(entry["request"]?["postData"]?["text"]?.string)
        #expect(shown.contains("REDACTED") && shown.contains("plain"))
    }

    @Test func `neither are those in parts whose header sections the caller made`() async throws {
        func form(_ server: FaultServer) throws -> Request {
            var form = MultipartFormData()
            form.append(headers: [.contentDisposition: "form-data; name=\"password\""], body: Data("hidden1".utf8))
            form.append(headers: [.contentDisposition: "form-data; Name=api_key"], body: Data("hidden1".utf8))
            form.append(headers: [.contentType: "text/plain"], body: Data("hidden1".utf8))
            form.append(
                headers: [.contentDisposition: "form-data; name=\"name\"", .authorization: "Bearer hidden1"],
                body: Data("plain".utf8)
            )
            var request = try Request(.post, to: server.baseURL)
            try request.setBody(multipart: form)
            return request
        }
        let (entry, text) = try await Self.log { try form($0) }
        #expect(!text.contains("hidden1"))
        let shown = try #require(entry["request"]?["postData"]?["text"]?.string)
        #expect(shown.split(separator: "REDACTED", omittingEmptySubsequences: false).count == 5)
        #expect(shown.contains("plain") && shown.contains("name=\"password\""))

        var options = HAROptions()
        options.redactsSecrets = false
        let (whole, _) = try await Self.log(options) { try form($0) }
        let all = try #require(whole["request"]?["postData"]?["text"]?.string)
        #expect(all.split(separator: "hidden1", omittingEmptySubsequences: false).count == 5)
    }

    @Test func `the secrets of a JSON response are not shown`() async throws {
        let answer = #"{"access_token":"hidden1","a":1}"#
        let fields = [("Content-Type", "application/json")]
        let (entry, text) = try await Self.log(fields: fields, response: answer) { try Request(to: $0.baseURL) }
        #expect(!text.contains("hidden1"))
        #expect(entry["response"]?["content"]?["text"]?.string == #"{"access_token":"REDACTED","a":1}"#)
        #expect(entry["response"]?["content"]?["size"]?.int == answer.utf8.count)

        var options = HAROptions()
        options.redactsSecrets = false
        let (shown, _) = try await Self.log(options, fields: fields, response: answer) { try Request(to: $0.baseURL) }
        #expect(shown["response"]?["content"]?["text"]?.string == answer)
        options.redactedNames = ["A"]
        let (named, _) = try await Self.log(options, fields: fields, response: answer) { try Request(to: $0.baseURL) }
        #expect(named["response"]?["content"]?["text"]?.string == #"{"access_token":"hidden1","a":"REDACTED"}"#)
    }

    // MARK: URLs

    @Test(arguments: [
        ("Location", "http://u:hidden1@host:80a/?token=hidden1"),
        ("Location", "/next;jsessionid=hidden1?a=1"),
        ("Content-Location", "/a?token=hidden1"),
        ("Link", "<https://u:hidden1@host/a?access_token=hidden1>; rel=\"next\""),
        ("Refresh", "0; url=https://host/?next=https%3A%2F%2Fhost%2F%3Ftoken%3Dhidden1"),
    ])
    func `a URL in a header field of the response has no secrets`(name: String, value: String) async throws {
        let (entry, text) = try await Self.log(fields: [(name, value)]) { try Request(to: $0.baseURL) }
        #expect(!text.contains("hidden1"))
        #expect(text.contains("REDACTED") || !value.contains("token"))
        #expect(entry["response"]?["redirectURL"]?.string?.isEmpty == (name != "Location"))
    }

    @Test func `neither has the URL of the request, its query or its Referer`() async throws {
        let (entry, text) = try await Self.log { server in
            let nested = "next=https%3A%2F%2Fhost%2F%3Ftoken%3Dhidden1"
            var request = try Request(to: server.baseURL + "/a;jsessionid=hidden1?\(nested)&b=2")
            request.headerFields[.referer] = "https://host/?token=hidden1"
            return request
        }
        #expect(!text.contains("hidden1"))
        #expect(entry["request"]?["url"]?.string?.hasSuffix("/a;jsessionid=REDACTED?next=REDACTED&b=2") == true)
        #expect(entry["request"]?["queryString"]?[0]?["value"]?.string == "REDACTED")
        #expect(entry["request"]?["queryString"]?[1]?["value"]?.string == "2")
    }

    @Test func `a field that is named is left out wherever its value is shown`() async throws {
        var options = HAROptions()
        options.redactsSecrets = false
        options.redactedNames = ["Location", "set-cookie"]
        let fields = [("Location", "/hidden1"), ("Set-Cookie", "a=hidden1; Path=/"), ("X-Token", "shown")]
        let (entry, text) = try await Self.log(options, fields: fields) { server in
            try Request(to: server.baseURL, headerFields: [.cookie: "b=shown"])
        }
        #expect(!text.contains("hidden1"))
        #expect(entry["response"]?["redirectURL"]?.string == "REDACTED")
        #expect(entry["response"]?["cookies"]?[0]?["value"]?.string == "REDACTED")
        #expect(entry["request"]?["cookies"]?[0]?["value"]?.string == "shown")
    }
}
