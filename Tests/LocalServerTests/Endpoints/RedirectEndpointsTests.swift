import LocalServer
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RedirectEndpointsTests {
    @Test(
        arguments: [
            ("/redirect/1", "/get"), ("/redirect/3", "/relative-redirect/2"),
            ("/relative-redirect/2", "/relative-redirect/1"),
            ("/relative-redirect/1", "/get"), ("/absolute-redirect/1", "BASE/get"),
            ("/absolute-redirect/2", "BASE/absolute-redirect/1"),
            ("/redirect/2?absolute=true", "BASE/absolute-redirect/1"),
        ]
    )
    func `the redirect endpoints count the redirects down`(target: String, location: String) async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch(target, from: server)
            #expect(response.status == 302)
            let expected = location.replacing("BASE", with: "http://localhost:\(server.port)")
            #expect(response.value(of: "location") == expected)
        }
    }

    @Test(arguments: [(nil, 302), ("301", 301), ("307", 307), ("308", 308), ("200", 302)])
    func `the redirect-to endpoint redirects to any URL with any status`(code: String?, expected: Int) async throws {
        try await LocalServer.run { server in
            let query = "url=http%3A%2F%2Fother.example%2Fx%3Fa%3Db" + (code.map { "&status_code=" + $0 } ?? "")
            for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
                let response = try await RawResponse.fetch("/redirect-to?" + query, method: method, from: server)
                #expect(response.status == expected)
                #expect(response.value(of: "location") == "http://other.example/x?a=b")
            }
        }
    }

    @Test func `the redirect-to endpoint reads its target also from a form`() async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch(
                "/redirect-to",
                method: "POST",
                headers: [("Content-Type", "application/x-www-form-urlencoded")],
                body: Array("url=/get&status_code=303".utf8),
                from: server
            )
            #expect(response.status == 303)
            #expect(response.value(of: "location") == "/get")
        }
    }

    @Test(arguments: [
        ("/redirect/0", 400), ("/redirect/x", 404), ("/redirect-to", 400), ("/redirect-to?url=a%0d%0ab", 400),
    ])
    func `the redirect endpoints refuse a request without a valid target`(target: String, status: Int) async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch(target, from: server)
            #expect(response.status == status)
        }
    }
}
