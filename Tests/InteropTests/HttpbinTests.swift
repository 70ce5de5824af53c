import Bluebonnet
import HTTPTypes
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.enabled(if: InteropServer.httpbin.isExpected, "httpbin is not running"), .timeLimit(.minutes(2)))
struct HttpbinTests {
    private struct Draft: Codable, Sendable, Equatable {
        var title: String
        var tags: [String]
    }

    private struct Echo: Decodable, Sendable {
        var json: Draft
    }

    @Test func `100 Continue of httpbin is received, and the body is sent`() async throws {
        var request = try InteropServer.httpbin.request("/post")
        request.method = .post
        request.body = .string("wait for it")
        request.expectsContinue = true
        // The client waits for 100 Continue without limit: if it sent no body, the test would not
        // end.
        request.timeouts = Timeouts(continueWait: nil)
        let response = try await withSession { try await $0.response(for: request, as: .json) }
        #expect(response.informational.map(\.status.code) == [100])
        #expect(response.value["data"]?.string == "wait for it")
    }

    @Test(arguments: [RequestCompression.Coding.gzip, .deflate])
    func `httpbin receives a compressed body and its coding byte for byte`(coding: RequestCompression.Coding)
        async throws
    {
        var request = try InteropServer.httpbin.request("/post")
        request.method = .post
        request.body = .string(String(repeating: "abc", count: 2000))
        let compressed = try await RequestCompression(coding).compress(request)
        request.interceptors = [RequestCompression(coding)]
        let response = try await withSession { try await $0.response(for: request, as: .json) }
        #expect(response.value["headers"]?["Content-Encoding"]?.string == coding.description)
        let sent = try #require(compressed.body?.data)
        #expect(response.value["data"]?.string == "data:application/octet-stream;base64,\(sent.base64EncodedString())")
    }

    // MARK: Parameters

    @Test func `httpbin reads our query parameters`() async throws {
        try await withAPI(at: InteropServer.httpbin.address) { api in
            let parameters: JSONValue = [
                "page": 2, "tags": ["a", "b"], "q": "ä &=+/?#", "on": true, "user": ["id": 1],
            ]
            let expected: JSONValue = [
                "page": "2", "tags[]": ["a", "b"], "q": "ä &=+/?#", "on": "1", "user[id]": "1",
            ]
            let echo = try await api.get("get", parameters: parameters, as: .json)
            #expect(echo["args"] == expected)
        }
    }

    @Test func `httpbin reads our form`() async throws {
        try await withAPI(at: InteropServer.httpbin.address) { api in
            let echo = try await api.post("post", parameters: ["name": "Ada & Co", "n": [1, 2]], as: .json)
            #expect(echo["form"] == ["name": "Ada & Co", "n[]": ["1", "2"]])
            #expect(echo["json"]?.isNull == true)
        }
    }

    @Test func `httpbin reads our JSON`() async throws {
        try await withAPI(at: InteropServer.httpbin.address) { api in
            var api = api
            api.requestSerializer = JSONRequestSerializer()
            let value: JSONValue = ["name": "Ädä", "n": [1, 2.5, nil], "deep": ["er": true]]
            let echo = try await api.put("put", parameters: value, as: .json)
            #expect(echo["json"] == value)
            let draft = Draft(title: "Spring", tags: ["blue"])
            let typed: Echo = try await api.post("post", body: draft)
            #expect(typed.json == draft)
        }
    }

    // MARK: Responses

    @Test(arguments: [200, 201, 202, 204, 206, 400, 401, 403, 404, 405, 409, 410, 418, 429, 500, 502, 503])
    func `a 2xx status of httpbin is a response, any other an error`(status: Int) async throws {
        try await withAPI(at: InteropServer.httpbin.address) { api in
            if (200..<300).contains(status) {
                let response = try await api.response(.get, "status/\(status)", as: .data)
                #expect(response.status.code == status)
            } else {
                let error = try await networkingError { try await api.get("status/\(status)", as: .data) }
                #expect(error.code == .unacceptableStatusCode)
                #expect(error.response?.status.code == status)
            }
        }
    }

    @Test(arguments: ["redirect/3", "relative-redirect/3", "absolute-redirect/3", "redirect-to?url=/get"])
    func `redirects of httpbin are followed`(path: String) async throws {
        try await withAPI(at: InteropServer.httpbin.address) { api in
            let response = try await api.response(.get, path, as: .json)
            #expect(response.url.path(percentEncoded: true) == "/get")
            #expect(response.redirects.count == (path.hasSuffix("/3") ? 3 : 1))
        }
    }

    @Test func `a stream of httpbin is read as lines`() async throws {
        let request = try InteropServer.httpbin.request("/stream/20")
        try await withSession { session in
            let response = try await session.open(request)
            var numbers: [Int] = []
            for try await line in response.body.lines {
                numbers.append(try JSONValue(parsing: line)["id"]?.int ?? -1)
            }
            #expect(numbers == Array(0..<20))
        }
    }

    @Test func `a body of httpbin is the same with a length and in chunks`() async throws {
        try await withAPI(at: InteropServer.httpbin.address) { api in
            // The same seed makes the same bytes.
            let whole = try await api.response(.get, "bytes/100000", parameters: ["seed": 7], as: .data)
            #expect(whole.headerFields[.contentLength] == "100000")
            #expect(whole.value.count == 100_000)
            let chunked = try await api.response(.get, "stream-bytes/100000", parameters: ["seed": 7], as: .data)
            #expect(chunked.headerFields[.transferEncoding] == "chunked")
            #expect(chunked.value == whole.value)
        }
    }

    @Test func `a body that httpbin sends slowly is collected`() async throws {
        try await withAPI(at: InteropServer.httpbin.address) { api in
            let parameters: JSONValue = ["numbytes": 5, "duration": 1, "delay": 0]
            let text = try await api.get("drip", parameters: parameters, as: .string)
            #expect(text == "*****")
        }
    }

    @Test func `a header field that httpbin sends is received`() async throws {
        try await withAPI(at: InteropServer.httpbin.address) { api in
            let response = try await api.response(.get, "response-headers", parameters: ["X-Flower": "blue"], as: .json)
            let name = try #require(HTTPField.Name("X-Flower"))
            #expect(response.headerFields[name] == "blue")
        }
    }

    // MARK: Credentials and cookies

    @Test func `httpbin accepts credentials, and refuses them with a challenge`() async throws {
        try await withAPI(at: InteropServer.httpbin.address) { api in
            let error = try await networkingError { try await api.get("basic-auth/ada/secret", as: .json) }
            #expect(error.response?.status == .unauthorized)
            #expect(error.response?[.wwwAuthenticate]?.hasPrefix("Basic") == true)
            var known = api
            try known.requestSerializer.setAuthorization(username: "ada", password: "secret")
            let value = try await known.get("basic-auth/ada/secret", as: .json)
            #expect(value["authenticated"] == true)
            try known.requestSerializer.setAuthorization(bearerToken: "t")
            let bearer = try await known.get("bearer", as: .json)
            #expect(bearer["token"] == "t")
        }
    }

    @Test func `a Cookie field is sent to httpbin, and no cookie of httpbin is kept`() async throws {
        try await withAPI(at: InteropServer.httpbin.address) { api in
            let sent = try await api.get("cookies", headers: [.cookie: "a=b"], as: .json)
            #expect(sent["cookies"] == ["a": "b"])
            let set = try await api.get("cookies/set", parameters: ["c": "d"], as: .json)
            #expect(set["cookies"] == [:])
        }
    }

    // MARK: Time

    @Test func `a response that httpbin delays is a timeout`() async throws {
        var request = try InteropServer.httpbin.request("/delay/3")
        request.timeouts = Timeouts(firstByte: .milliseconds(200))
        let late = request
        try await withSession { session in
            let error = try await networkingError { try await session.data(for: late) }
            #expect(error.code == .firstByteTimeout)
            let patient = try InteropServer.httpbin.request("/delay/1")
            let response = try await session.data(for: patient)
            #expect(response.status == .ok)
        }
    }
}
