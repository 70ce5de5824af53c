#if Redis
    import Bluebonnet
    import BluebonnetStores
    import Foundation
    import Testing

    @Suite struct RedisServerTests {
        private func server(_ text: String) throws -> RedisServer {
            try RedisServer(url: try #require(URL(string: text)))
        }

        @Test func `a URL names host, port, database, user and password`() throws {
            #expect(try server("redis://cache.example") == RedisServer(host: "cache.example"))
            let full = try server("redis://me:p%40ss@10.0.0.1:7000/3")
            #expect(full.address == .tcp(host: "10.0.0.1", port: 7000))
            #expect(full.username == "me" && full.password == "p@ss" && full.database == 3)
            #expect(try server("redis://:secret@[::1]").password == "secret")
            #expect(try server("redis://:secret@[::1]").username == nil)
            #expect(try server("redis://[::1]").address == .tcp(host: "::1", port: 6379))
            #expect(try server("redis+unix:///run/redis/s.sock").address == .unix(path: "/run/redis/s.sock"))
        }

        @Test(arguments: [
            "rediss://cache.example", "http://cache.example", "redis://", "redis://cache.example/x",
            "redis://cache.example/-1", "redis://cache.example/99999999999999999999", "redis://cache.example:0",
            "redis+unix://host/path", "redis+unix:///",
        ])
        func `a URL that names no server is refused`(_ text: String) throws {
            let error = #expect(throws: NetworkingError.self) { try server(text) }
            #expect(error?.code == .invalidURL)
        }

        @Test func `no password is in a description`() throws {
            let description = try server("redis://me:sesame@cache.example/1").description
            #expect(description == "cache.example:6379/1")
        }
    }
#endif
