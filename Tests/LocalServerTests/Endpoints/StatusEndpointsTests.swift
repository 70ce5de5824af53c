import LocalServer
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StatusEndpointsTests {
    @Test(arguments: [200, 204, 299, 304, 400, 404, 418, 500, 599])
    func `the status endpoint sends the status of its path`(code: Int) async throws {
        try await LocalServer.run { server in
            for method in ["GET", "POST", "DELETE"] {
                let response = try await RawResponse.fetch("/status/\(code)", method: method, from: server)
                #expect(response.status == code)
            }
        }
    }

    @Test(arguments: [204, 304]) func `the status endpoint sends no length with a status without a body`(code: Int)
        async throws
    {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/status/\(code)", from: server)
            #expect(response.body.isEmpty)
            #expect(response.value(of: "content-length") == nil)
            #expect(response.value(of: "transfer-encoding") == nil)
        }
    }

    @Test(arguments: [301, 302, 303, 305, 307, 308])
    func `the status endpoint sends a location with a redirect`(code: Int) async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/status/\(code)", from: server)
            #expect(response.status == code)
            #expect(response.value(of: "location") == "/redirect/1")
        }
    }

    @Test func `the status endpoint sends a challenge with 401 and 407`() async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/status/401", from: server)
            #expect(response.value(of: "www-authenticate") == "Basic realm=\"Fake Realm\"")
            let proxy = try await RawResponse.fetch("/status/407", from: server)
            #expect(proxy.value(of: "proxy-authenticate") == "Basic realm=\"Fake Realm\"")
        }
    }

    @Test func `the status endpoint chooses one of several statuses by its weight`() async throws {
        try await LocalServer.run { server in
            let other = try await RawResponse.fetch("/status/200:0,503:1", from: server)
            #expect(other.status == 503)
            let chosen = try await RawResponse.fetch("/status/201,202", from: server)
            #expect([201, 202].contains(chosen.status))
        }
    }

    @Test(arguments: ["100", "1000", "abc", "-1", "200:x"])
    func `the status endpoint refuses an impossible status`(text: String) async throws {
        try await LocalServer.run { server in
            let other = try await RawResponse.fetch("/status/\(text)", from: server)
            #expect(other.status == 400)
        }
    }
}
