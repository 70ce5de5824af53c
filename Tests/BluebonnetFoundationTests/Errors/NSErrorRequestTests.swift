import Bluebonnet
import BluebonnetFoundation
import Foundation
import HTTPTypes
import LocalServer
import Testing

/// `error as NSError` for errors of requests that were sent.
@Suite(.timeLimit(.minutes(5)))
struct NSErrorRequestTests {
    private typealias Key = NetworkingError.UserInfoKey

    /// The error of a GET of `users` that gets this response, as an `NSError`, and the URL.
    private static func failure<Serializer: ResponseSerializer>(
        of response: String,
        _ type: String,
        _ body: String,
        as serializer: Serializer
    ) async throws -> (error: NSError, url: URL?) {
        let text =
            "HTTP/1.1 \(response)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        return try await FaultServer.run([.readRequest, .send(text), .close]) { server in
            try await withAPI(at: server.baseURL) { api in
                let error = try await networkingError { try await api.get("users?page=2", as: serializer) }
                return (error as NSError, URL(string: server.baseURL + "/users?page=2"))
            }
        }
    }

    private static func underlying(_ error: NSError) -> NSError? {
        error.userInfo[NSUnderlyingErrorKey] as? NSError
    }

    @Test func `a download that was cut off has what continues it`() async throws {
        let head = "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 9\r\n\r\nfour"
        try await FaultServer.run([.readRequest, .send(head), .close]) { server in
            try await withDirectory { folder in
                try await withAPI(at: server.baseURL) { api in
                    let error = try await networkingError {
                        try await api.download("nine", to: folder.appending(path: "nine"))
                    }
                    let data = try #require((error as NSError).userInfo[Key.resumeData] as? Data)
                    let resumeData = try JSONDecoder().decode(ResumeData.self, from: data)
                    #expect(resumeData == error.resumeData && resumeData.byteCount == 4)
                }
            }
        }
    }

    @Test func `a 404 with JSON has the status error of AFNetworking`() async throws {
        let body = #"{"message": "no such user"}"#
        let (error, url) = try await Self.failure(of: "404 Not Found", "application/json", body, as: .json)
        #expect(error.domain == "com.alamofire.error.serialization.response" && error.code == -1011)
        #expect(error.localizedDescription == "Request failed: Not Found (404)")
        #expect(error.userInfo[NSURLErrorFailingURLErrorKey] as? URL == url)
        #expect((error.userInfo[Key.response] as? ResponseHead)?.status == .notFound)
        #expect(error.userInfo[Key.body] as? Data == Data(body.utf8))
        #expect((error as? NetworkingError)?.parsedBody(as: JSONValue.self)?["message"] == "no such user")
    }

    @Test func `a wrong content type has the type error of AFNetworking`() async throws {
        let (error, _) = try await Self.failure(of: "200 OK", "text/html", "<p>", as: .json)
        #expect(error.domain == "com.alamofire.error.serialization.response" && error.code == -1016)
        #expect(error.localizedDescription == "Request failed: unacceptable content-type: text/html")
        #expect(error.userInfo[Key.body] as? Data == Data("<p>".utf8))
        #expect(Self.underlying(error) == nil)
    }

    @Test func `of a wrong status and a wrong content type the status error is the outer one`() async throws {
        let (error, _) = try await Self.failure(of: "500 Oops", "text/html", "<p>", as: .json)
        #expect(error.code == -1011)
        #expect(Self.underlying(error)?.code == -1016)
        #expect(Self.underlying(error)?.domain == "com.alamofire.error.serialization.response")
    }

    @Test func `a body that is not JSON has the error of NSJSONSerialization`() async throws {
        let (error, _) = try await Self.failure(of: "200 OK", "application/json", "{oops", as: .json)
        #expect(error.domain == NSCocoaErrorDomain && error.code == 3840)
        #expect(error.userInfo[NSDebugDescriptionErrorKey] as? String == error.localizedDescription)
        #expect(Self.underlying(error)?.localizedDescription.contains("column 2") == true)
        let (decoding, _) = try await Self.failure(
            of: "200 OK",
            "application/json",
            "{oops",
            as: .decodable([String: Int].self)
        )
        #expect(decoding.domain == NSCocoaErrorDomain && decoding.code == 3840)
    }

    @Test func `a refused response that is not JSON has the status error below the parsing error`() async throws {
        let (error, _) = try await Self.failure(of: "404 Not Found", "application/json", "oops", as: .json)
        #expect(error.domain == NSCocoaErrorDomain && error.code == 3840)
        let status = try #require(Self.underlying(error))
        #expect(status.domain == "com.alamofire.error.serialization.response" && status.code == -1011)
        #expect(status.userInfo[Key.body] as? Data == Data("oops".utf8))
    }

    @Test func `a body that is not a property list has the error of NSPropertyListSerialization`() async throws {
        let (error, _) = try await Self.failure(of: "200 OK", "application/x-plist", "oops", as: .propertyList)
        #expect(error.domain == NSCocoaErrorDomain && error.code == 3840)
    }

    @Test func `JSON of another shape than the type has the error of response serialization`() async throws {
        let (error, _) = try await Self.failure(of: "200 OK", "application/json", "{}", as: .decodable([Int].self))
        #expect(error.domain == "com.alamofire.error.serialization.response" && error.code == -1016)
    }

    @Test func `a refused connection has the error of NSURLSession`() async throws {
        let address = "http://127.0.0.1:\(FaultServer.unusedPort)/"
        let error = try await withAPI(at: address) { api in
            try await networkingError { try await api.get("users", as: .json) } as NSError
        }
        #expect(error.domain == NSURLErrorDomain && error.code == NSURLErrorCannotConnectToHost)
        #expect(error.userInfo[NSURLErrorFailingURLErrorKey] as? URL == URL(string: address + "users"))
        #expect(error.userInfo[Key.failingURLString] as? String == address + "users")
        #expect(error.userInfo[Key.response] == nil)
        let cause = try #require(Self.underlying(error))
        #expect(cause.domain == NSPOSIXErrorDomain && cause.code == Int(ECONNREFUSED))
    }

    @Test func `a cancelled request has the error of NSURLSession`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            try await withAPI(at: server.baseURL) { api in
                let task = Task { try await api.get("users", as: .json) }
                task.cancel()
                let error = try await networkingError { try await task.value } as NSError
                #expect(error.domain == NSURLErrorDomain && error.code == NSURLErrorCancelled)
            }
        }
    }

    @Test func `a file that a form cannot have is an error of request serialization`() throws {
        var form = MultipartFormData()
        let missing = #expect(throws: NetworkingError.self) {
            try form.append(fileURL: URL(filePath: "/no/such/file"), name: "photo")
        }
        let first = try #require(missing) as NSError
        #expect(first.domain == "com.alamofire.error.serialization.request" && first.code == NSURLErrorBadURL)
        #expect(first.localizedFailureReason == "File URL not reachable.")
        #expect(Self.underlying(first)?.domain == NSPOSIXErrorDomain)
        #expect(Self.underlying(first)?.code == Int(ENOENT))

        let web = try #require(URL(string: "http://example.com/photo"))
        let remote = #expect(throws: NetworkingError.self) { try form.append(fileURL: web, name: "photo") }
        let second = try #require(remote) as NSError
        #expect(second.domain == "com.alamofire.error.serialization.request" && second.code == NSURLErrorBadURL)
        #expect(second.localizedFailureReason == "Expected URL to be a file URL")
    }
}
