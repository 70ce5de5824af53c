import Bluebonnet
import HTTPTypes
import Testing

struct RequestHeadersTests {
    @Test func `a header literal keeps its order, its repeats and the spelling of its names`() throws {
        let missing: String? = nil
        let name = "X-Trace"
        let headers: RequestHeaders = [
            "x-api-KEY": "1", .accept: "a/b", "X-None": missing, .init(name): "t", .accept: "c/d",
        ]
        let fields = try headers.fields()
        #expect(
            fields.map { "\($0.name.rawName): \($0.value)" } == [
                "x-api-KEY: 1", "Accept: a/b", "X-Trace: t", "Accept: c/d",
            ]
        )
    }

    @Test func `headers are made of fields and of dictionaries too`() throws {
        var headers = RequestHeaders([.accept: "a/b"])
        headers.append("1", for: "X-One")
        #expect(try headers.fields() == [.accept: "a/b", HTTPField.Name("X-One")!: "1"])
        #expect(try RequestHeaders(["b": "2", "a": "1"]).fields().map(\.value) == ["1", "2"])
    }

    @Test(arguments: ["a\r\nInjected: b", "a\nb", "a\u{0}b", "a\r", " a", "a\t"])
    func `a header value that cannot be sent is an error that names its field`(value: String) async throws {
        let headers: RequestHeaders = ["X-Bad": value]
        let error = try #require(throws: NetworkingError.self) { try headers.fields() }
        #expect(error.code == .invalidRequest)
        #expect(error.message.contains("X-Bad"))
        #expect(!error.message.contains("Injected"))
        let call = try await networkingError {
            try await HTTPSessionManager(baseURL: "http://127.0.0.1:1/").get("x", headers: ["X-Bad": value])
        }
        #expect(call.code == .invalidRequest)
    }

    @Test(arguments: ["", "X Y", "X:", "Ü", "a\r\nb"])
    func `a header name that cannot be sent is an error`(name: String) throws {
        let error = try #require(throws: NetworkingError.self) { try RequestHeaders([name: "1"]).fields() }
        #expect(error.code == .invalidRequest)
    }

    @Test func `credentials of one call are the serializer's, and stand beside other headers`() throws {
        let (name, password, token) = ("Ada", "pass: wörd", "abc.def")
        var headers: RequestHeaders = .authorization(username: name, password: password)
        headers.append("1", for: "X-One")
        let fields = try headers.fields()
        var serializer = HTTPRequestSerializer()
        try serializer.setAuthorization(username: name, password: password)
        #expect(fields[.authorization] == serializer.headerFields[.authorization])
        #expect(fields.map(\.name.rawName) == ["Authorization", "X-One"])
        #expect(try RequestHeaders.authorization(bearerToken: token).fields() == [.authorization: "Bearer abc.def"])
    }

    @Test(
        arguments: [
            .authorization(username: "a:b", password: "c"), .authorization(username: "a", password: "c\n"),
            .authorization(bearerToken: "a\r\nX: b"),
        ] as [RequestHeaders]
    )
    func `credentials that cannot be sent fail the call`(headers: RequestHeaders) async throws {
        let call = try await networkingError {
            try await HTTPSessionManager(baseURL: "http://127.0.0.1:1/").get("x", headers: headers)
        }
        #expect(call.code == .invalidRequest)
    }
}
