#if Redis
    import Bluebonnet
    import BluebonnetStores
    import Foundation
    import HTTPTypes
    import LocalServer
    import Testing

    /// Hits that need one way to the server, and what they must not overlook.
    @Suite(.timeLimit(.minutes(5)), .enabled(if: RedisProgram.isWanted))
    struct RedisHitTests {
        /// Runs the body with two stores, as two processes have them, and a response that both have
        /// used.
        private func withTwoStores(
            _ body: (RedisProgram, FaultServer, Client, Client, Response<Data>) async throws -> Void
        ) async throws {
            try await RedisCacheStoreTests.withServers { redis, server in
                let (one, two) = (Client(redis), Client(redis))
                let first = try await one.get(server.baseURL + "/a")
                for client in [one, two] {
                    for _ in 0..<2 { #expect(try await client.get(server.baseURL + "/a").value == first.value) }
                }
                #expect(server.requests.count == 1)
                try await body(redis, server, one, two, first)
            }
        }

        /// A session of its own for each request, and one store.
        private struct Client {
            let store: RedisCacheStore

            init(_ redis: RedisProgram) {
                store = RedisCacheStore(redis.server())
            }

            func get(_ url: String, _ policy: CachePolicy = .default) async throws -> Response<Data> {
                var configuration = SessionConfiguration()
                configuration.cache = HTTPCache(store: store)
                return try await withSession(configuration) { session in
                    var request = try Request(to: url)
                    request.properties.cachePolicy = policy
                    return try await session.data(for: request)
                }
            }
        }

        @Test func `a hit asks for the index and for the body together`() async throws {
            try await withTwoStores { redis, server, one, _, _ in
                try await redis.waitUntilNothingIsFetched()
                try redis.command("config", "resetstat")
                for _ in 0..<10 { #expect(try await one.get(server.baseURL + "/a").isFromCache) }
                let calls = try redis.command("info", "commandstats")
                #expect(calls.contains("cmdstat_hgetall:calls=10,") && calls.contains("cmdstat_get:calls=10,"))
                #expect(!calls.contains("cmdstat_getrange"))
            }
        }

        @Test func `what another process has replaced is seen with the next request`() async throws {
            try await withTwoStores { _, server, one, two, first in
                let second = try await one.get(server.baseURL + "/a", .reload)
                #expect(second.value != first.value)
                let found = try await two.get(server.baseURL + "/a")
                #expect(found.isFromCache && found.value == second.value)
            }
        }

        @Test func `what another process has removed is not used, although its body is still there`() async throws {
            try await withTwoStores { redis, server, one, two, first in
                try await one.store.removeAll(for: try #require(try await one.store.allRecords().first).key)
                #expect(try redis.keys("*:body:*").count == 1)
                let found = try await two.get(server.baseURL + "/a")
                #expect(!found.isFromCache && found.value != first.value)
            }
        }

        @Test func `a body that was damaged at the server is fetched again`() async throws {
            try await withTwoStores { redis, server, one, _, first in
                let key = try #require(try redis.keys("*:body:*").first)
                try redis.command("setrange", key, "3", "?")
                let found = try await one.get(server.baseURL + "/a")
                #expect(!found.isFromCache && found.value != first.value)
                #expect(try await one.get(server.baseURL + "/a").value == found.value)
            }
        }

        @Test func `of several responses of a URL the body that was wanted last is asked for`() async throws {
            let fields = [("Cache-Control", "max-age=600"), ("Vary", "X-Kind")]
            try await RedisCacheStoreTests.withServers(fields) { redis, server in
                let store = RedisCacheStore(redis.server())
                var configuration = SessionConfiguration()
                configuration.cache = HTTPCache(store: store)
                try await withSession(configuration) { session in
                    func get(_ kind: String) async throws -> Response<Data> {
                        var request = try Request(to: server.baseURL + "/a")
                        request.headerFields[try #require(.init("X-Kind"))] = kind
                        return try await session.data(for: request)
                    }
                    let (one, two) = (try await get("1").value, try await get("2").value)
                    #expect(one != two)
                    for kind in ["1", "2", "1", "1"] {
                        let found = try await get(kind)
                        #expect(found.isFromCache && found.value == (kind == "1" ? one : two))
                    }
                    try redis.command("config", "resetstat")
                    #expect(try await get("1").value == one)
                    #expect(!(try redis.command("info", "commandstats").contains("cmdstat_getrange")))
                }
            }
        }
    }
#endif
