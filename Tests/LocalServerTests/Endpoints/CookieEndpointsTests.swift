import LocalServer
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CookieEndpointsTests {
    @Test func `the cookies endpoint returns the cookies of the request`() async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/cookies", headers: [("Cookie", "a=1; b=x=y")], from: server)
            #expect(try response.object()["cookies"] as? [String: String] == ["a": "1", "b": "x=y"])
            #expect(try await RawResponse.fetch("/cookies", from: server).text == "{\n  \"cookies\": {}\n}\n")
        }
    }

    @Test func `the cookies endpoint sets cookies by query and by path`() async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/cookies/set?a=1&b=2", from: server)
            #expect(response.status == 302)
            #expect(response.value(of: "location") == "/cookies")
            #expect(response.values(of: "set-cookie") == ["a=1; Path=/", "b=2; Path=/"])
            let other = try await RawResponse.fetch("/cookies/set/c/3", from: server)
            #expect(other.values(of: "set-cookie") == ["c=3; Path=/"])
        }
    }

    @Test func `the cookies endpoint deletes cookies`() async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/cookies/delete?a", from: server)
            let expected = "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; Path=/"
            #expect(response.values(of: "set-cookie") == [expected])
        }
    }
}
