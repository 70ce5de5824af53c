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

    @Test(arguments: ["200:0,503:1", "503:1,200:0", "200:0,503"])
    func `the status endpoint never chooses a status of weight zero`(choices: String) async throws {
        try await LocalServer.run { server in
            for _ in 0..<20 {
                let response = try await RawResponse.fetch("/status/\(choices)", from: server)
                #expect(response.status == 503)
            }
        }
    }

    @Test func `the status endpoint chooses each of several statuses of equal weight`() async throws {
        try await LocalServer.run { server in
            var seen: Set<Int> = []
            // Three equal chances: one of them is missed 100 times in a row once in 10^17 runs.
            for _ in 0..<100 where seen.count < 3 {
                seen.insert(try await RawResponse.fetch("/status/201,202,203", from: server).status)
            }
            #expect(seen == [201, 202, 203])
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
