import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct EncodableParametersTests {
    private struct Filter: Encodable, Sendable {
        var page = 2
        var tags = ["a", "b"]
        var after: String?
    }

    private struct Echo: Decodable, Sendable {
        var url: String
    }

    @Test func `an Encodable becomes the query of a GET and the body of a POST`() async throws {
        try await LocalServer.run { server in
            let api = HTTPSessionManager(baseURL: server.baseURL)
            let got = try await api.get("get", parameters: Filter(), as: .json)
            #expect(got["args"] == ["page": "2", "tags[]": ["a", "b"]])
            let echo: Echo = try await api.get("get", parameters: Filter())
            #expect(echo.url.hasSuffix("/get?page=2&tags%5B%5D=a&tags%5B%5D=b"))
            let deleted = try await api.delete("delete", parameters: Filter(), as: .json)
            #expect(deleted["args"]?["page"] == "2")
            for posted in [
                try await api.post("post", parameters: Filter(), as: .json),
                try await api.put("put", parameters: Filter(), as: .json),
                try await api.patch("patch", parameters: Filter(), as: .json),
            ] { #expect(posted["form"] == ["page": "2", "tags[]": ["a", "b"]]) }
            let head = try await api.head("get", parameters: Parameters(Filter()))
            #expect(head.status == .ok)
        }
    }

    @Test func `Encodable parameters obey the form encoder's strategies`() throws {
        var serializer = HTTPRequestSerializer()
        var forms = URLEncodedFormEncoder()
        forms.arrayEncoding = .indexInBrackets
        forms.nilEncoding = .dropValue
        serializer.parameterEncoding = .form(forms)
        var api = HTTPSessionManager(baseURL: "http://x/")
        api.requestSerializer = serializer
        let request = try api.request(.get, "a", parameters: Parameters(Filter()))
        #expect(request.url.query() == "after=&page=2&tags%5B0%5D=a&tags%5B1%5D=b")
    }

    @Test func `a nil among the parameters leaves its name out, and a JSON null is a name without a value`() throws {
        let api = HTTPSessionManager(baseURL: "http://x/")
        let missing: Int? = nil
        #expect(try api.request(.get, "a", parameters: ["b": nil, "c": missing]).url.query() == nil)
        #expect(try api.request(.get, "a", parameters: ["b": JSONValue.null]).url.query() == "b")
        #expect(try api.request(.get, "a", parameters: [:]).url.query() == nil)
    }
}
