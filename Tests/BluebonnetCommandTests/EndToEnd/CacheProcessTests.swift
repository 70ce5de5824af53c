import Bluebonnet
import Foundation
import LocalServer
import Testing

/// The option `--cache` and the command `cache`.
@Suite(.timeLimit(.minutes(5)))
struct CacheProcessTests {
    /// Runs the body with a server whose responses are fresh for ten minutes, and a folder.
    private func withServer(_ body: (FaultServer, URL) async throws -> Void) async throws {
        let script = FaultServer.Script.requests { request in
            [.respond(headers: [("Cache-Control", "max-age=600"), ("ETag", "\"x\"")], body: "of \(request.target)")]
        }
        try await FaultServer.run(script) { server in
            try await withDirectory { try await body(server, $0) }
        }
    }

    @Test func `batch says which responses are from the cache, and obeys the policy of a line`() async throws {
        try await withServer { server, _ in
            let policies = ["default", "default", "no-store", "only-if-cached", "reload"]
            let lines = policies.map { #"{"url": "\#(server.baseURL)/a", "cache": "\#($0)"}"# + "\n" }.joined()
            let missing = #"{"url": "\#(server.baseURL)/b", "cache": "only-if-cached"}"# + "\n"
            let output = try await Command.run(
                ["batch", "--jobs", "1", "--cache", "memory"],
                input: lines + missing
            )
            let results = output.text.split(separator: "\n").compactMap { try? JSONValue(parsing: $0.utf8) }
            #expect(results.map { $0["fromCache"]?.bool } == [false, true, false, true, false, nil])
            #expect(results.last?["error"]?["code"]?.string == "not-cached" && output.status == 1)
            #expect(server.requests.count == 3)
        }
    }

    // A folder needs SQLite.
    #if Stores
        @Test func `requests and downloads of several runs share a folder`() async throws {
            try await withServer { server, directory in
                let folder = directory.appending(path: "cache").path
                for _ in 0..<3 {
                    let output = try await Command.run("get", server.baseURL + "/a", "--cache", folder)
                    #expect(output.text == "of /a" && output.status == 0, "\(output)")
                }
                let download = try await Command.run(
                    ["download", server.baseURL + "/a", "-o", "-", "--cache", folder],
                    in: directory
                )
                #expect(download.text == "of /a" && server.requests.count == 1)
            }
        }

        @Test func `the cache is listed, explained and cleared`() async throws {
            try await withServer { server, directory in
                let folder = directory.appending(path: "cache").path
                _ = try await Command.run("get", server.baseURL + "/a?secret=1", "--cache", folder)
                let list = try await Command.run("cache", "list", folder)
                #expect(list.text.hasPrefix("200  ") && list.text.contains("/a") && !list.text.contains("secret=1"))
                let hit = try await Command.run("cache", "explain", folder, server.baseURL + "/a?secret=1")
                #expect(hit.text.hasPrefix("Bluebonnet; hit; ttl=") && hit.text.contains("  ETag: \"x\""), "\(hit)")
                let asked = try await Command.run(
                    "cache",
                    "explain",
                    folder,
                    server.baseURL + "/a?secret=1",
                    "Cache-Control:no-cache"
                )
                #expect(asked.text.hasPrefix("Bluebonnet; fwd=request"))
                let miss = try await Command.run("cache", "explain", folder, server.baseURL + "/b")
                #expect(miss.text == "Bluebonnet; fwd=uri-miss\n")
                try Data("mine".utf8).write(to: directory.appending(path: "cache/mine.txt"))
                #expect(try await Command.run("cache", "clear", folder).errors == "1 response removed.\n")
                #expect(try names(in: directory.appending(path: "cache")) == ["bluebonnet-cache", "mine.txt"])
                #expect(try await Command.run("cache", "list", folder).text.isEmpty)
                #expect(server.requests.count == 1)
            }
        }

        @Test func `a folder that cannot be used costs a line, and no request`() async throws {
            try await withServer { server, directory in
                let file = directory.appending(path: "file")
                try Data("x".utf8).write(to: file)
                let output = try await Command.run("get", server.baseURL + "/a", "--cache", file.path)
                #expect(output.text == "of /a" && output.status == 0)
                #expect(output.errors.contains("going on without the cache"))
                let list = try await Command.run("cache", "list", directory.appending(path: "none").path)
                #expect(list.status == 2 && list.errors.contains("There is no folder"))
            }
        }
    #endif
}
