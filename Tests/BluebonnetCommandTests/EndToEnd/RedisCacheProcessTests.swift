import Bluebonnet
import Foundation
import LocalServer
import Testing

/// The option `--cache` and the command `cache` with a Redis server.
@Suite(.timeLimit(.minutes(5)))
struct RedisCacheProcessTests {
    @Test(arguments: ["rediss://127.0.0.1:1", "redis://127.0.0.1:1/x", "redis+unix://host"])
    func `a URL that names no Redis server is a mistake in the command`(_ place: String) async throws {
        let output = try await Command.run("get", "http://127.0.0.1:1/", "--cache", place)
        #expect(output.status == 2 && output.errors.contains("--cache"), "\(output)")
        let list = try await Command.run("cache", "list", place)
        #expect(list.status == 2, "\(list)")
    }

    #if Redis
        @Test(.enabled(if: RedisProgram.isWanted))
        func `runs share a server, whose cache is listed, explained and cleared`() async throws {
            let script = FaultServer.Script.requests { request in
                [.respond(headers: [("Cache-Control", "max-age=600")], body: "of \(request.target)")]
            }
            try await RedisProgram.run { redis in
                try await FaultServer.run(script) { server in
                    let (place, url) = ("redis+unix://" + redis.socket, server.baseURL + "/a")
                    for _ in 0..<3 {
                        let output = try await Command.run("get", url, "--cache", place)
                        #expect(output.text == "of /a" && output.status == 0, "\(output)")
                    }
                    #expect(server.requests.count == 1)
                    let list = try await Command.run("cache", "list", place)
                    #expect(list.text.hasPrefix("200  ") && list.text.contains("/a"), "\(list)")
                    let hit = try await Command.run("cache", "explain", place, url)
                    #expect(hit.text.hasPrefix("Bluebonnet; hit; ttl="), "\(hit)")
                    try redis.command("set", "foreign", "mine")
                    let clear = try await Command.run("cache", "clear", place)
                    #expect(clear.status == 0, "\(clear)")
                    #expect(try redis.keys() == ["foreign"])
                }
            }
        }

        @Test(.enabled(if: RedisProgram.isWanted))
        func `a run that has ended has nobody wait for it`() async throws {
            let script = FaultServer.Script.requests { _ in
                [.respond(headers: [("Cache-Control", "max-age=600")], body: "here")]
            }
            try await RedisProgram.run { redis in
                try await FaultServer.run(script) { server in
                    let place = "redis+unix://" + redis.socket
                    var seen = 0
                    for number in 0..<8 {
                        let output = try await Command.run("get", server.baseURL + "/\(number)", "--cache", place)
                        #expect(output.status == 0, "\(output)")
                        // On a busy machine the time of a lease is over before it is looked at.
                        if let key = try redis.keys("*:lease:*").first {
                            let value = try redis.command("get", key)
                            #expect(value == "+" || value.isEmpty)
                            seen += value == "+" ? 1 : 0
                        }
                        try redis.command("flushall")
                    }
                    #expect(seen > 0)
                }
            }
        }

        @Test func `a request goes on without a server, and says so`() async throws {
            let script = FaultServer.Script.requests { _ in [.respond(body: "here")] }
            try await FaultServer.run(script) { server in
                let place = "redis+unix:///tmp/bluebonnet-nothing-here"
                let output = try await Command.run("get", server.baseURL + "/a", "--cache", place)
                #expect(output.text == "here" && output.status == 0, "\(output)")
                #expect(output.errors.contains("going on without the cache"), "\(output)")
                let list = try await Command.run("cache", "list", place)
                #expect(list.status != 0)
            }
        }
    #endif
}
