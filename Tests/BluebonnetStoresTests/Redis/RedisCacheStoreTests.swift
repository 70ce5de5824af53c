#if Redis
    import Bluebonnet
    import BluebonnetStores
    import Foundation
    import HTTPTypes
    import LocalServer
    import Synchronization
    import Testing

    /// The cache in Redis, through sessions and a real server.
    @Suite(.timeLimit(.minutes(5)), .enabled(if: RedisProgram.isWanted))
    struct RedisCacheStoreTests {
        /// A server whose bodies tell the path and the number of the request.
        static func script(size: Int = 10, _ fields: [(String, String)] = []) -> FaultServer.Script {
            let count = Atomic(0)
            return FaultServer.Script.requests { request in
                let text = "\(request.target) \(count.wrappingAdd(1, ordering: .relaxed).newValue) "
                let bytes = Array(text.utf8) + [UInt8](repeating: 120, count: size)
                let headers = fields.isEmpty ? [("Cache-Control", "max-age=600"), ("ETag", "\"x\"")] : fields
                return [.respond(headers: headers, bytes: bytes)]
            }
        }

        /// Runs the body with a Redis server and a server of responses.
        static func withServers(
            size: Int = 10,
            _ fields: [(String, String)] = [],
            _ arguments: [String] = [],
            _ body: (RedisProgram, FaultServer) async throws -> Void
        ) async throws {
            try await RedisProgram.run(arguments) { redis in
                try await FaultServer.run(script(size: size, fields)) { server in try await body(redis, server) }
            }
        }

        private func get(_ store: RedisCacheStore, _ url: String) async throws -> Response<Data> {
            var configuration = SessionConfiguration()
            configuration.cache = HTTPCache(store: store)
            return try await withSession(configuration) { session in
                try await session.data(for: Request(to: url))
            }
        }

        @Test(arguments: [0, 100_000, 256 * 1024 - 50, 6 << 20])
        func `bodies of every size come back as they were, and in part`(_ size: Int) async throws {
            try await Self.withServers(size: size) { redis, server in
                let first = try await get(RedisCacheStore(redis.server()), server.baseURL + "/a")
                let store = RedisCacheStore(redis.server())
                let second = try await get(store, server.baseURL + "/a")
                #expect(second.isFromCache && second.value == first.value && server.requests.count == 1)
                let record = try #require(try await store.allRecords().first)
                #expect(record.byteCount == first.value.count)
                #expect(try await store.body(of: record, range: 1..<4)?.collect() == first.value[1..<4])
                #expect(try redis.keys("*:part:*").isEmpty)
                for key in try redis.keys("*:[bi]*:*") {
                    let left = try #require(Int(try redis.command("ttl", key)))
                    #expect(left > 600 && left <= 600 + 86_400)
                }
            }
        }

        @Test func `a cache in it is shared, so that nothing private is kept`() async throws {
            try await Self.withServers([("Cache-Control", "private, max-age=600")]) { redis, server async throws in
                let store = RedisCacheStore(redis.server())
                #expect(HTTPCache(store: store).isShared)
                #expect(HTTPCache(store: store, isShared: false).isShared == false)
                for _ in 0..<2 {
                    #expect(try await get(store, server.baseURL + "/a").isFromCache == false)
                }
                #expect(try redis.keys("*:body:*").isEmpty)
            }
        }

        @Test func `clearing removes the keys of the prefix, and no others`() async throws {
            try await Self.withServers { redis, server in
                let (one, other) = (
                    RedisCacheStore(redis.server(prefix: "a*")), RedisCacheStore(redis.server(prefix: "ab"))
                )
                try redis.command("set", "foreign", "mine")
                try redis.command("set", "a*:1:token:x", "mine")
                for number in 0..<10 { _ = try await get(one, server.baseURL + "/\(number)") }
                _ = try await get(other, server.baseURL + "/0")
                #expect(try await one.allRecords().count == 10)
                try await one.removeAll()
                #expect(try await one.allRecords().isEmpty)
                #expect(try await other.allRecords().count == 1)
                #expect(try redis.command("get", "foreign") == "mine")
                #expect(try redis.command("get", "a*:1:token:x") == "mine")
                #expect(try redis.keys("*:[bi]*:*").count == 2)
            }
        }

        @Test func `the responses of one URL are removed, and a newer one takes the place of an older`() async throws {
            try await Self.withServers { redis, server in
                let store = RedisCacheStore(redis.server())
                var configuration = SessionConfiguration()
                configuration.cache = HTTPCache(store: store)
                try await withSession(configuration) { session in
                    var request = try Request(to: server.baseURL + "/a")
                    _ = try await session.data(for: request)
                    request.properties.cachePolicy = .reload
                    let second = try await session.data(for: request).value
                    #expect(try await store.allRecords().count == 1)
                    #expect(try await get(store, server.baseURL + "/a").value == second)
                    _ = try await session.data(for: Request(to: server.baseURL + "/b"))
                    try await configuration.cache?.remove(for: request)
                    #expect(try await store.allRecords().map { $0.url.path() } == ["/b"])
                }
            }
        }

        @Test func `keys of other types, other bytes and lost bodies are misses`() async throws {
            try await Self.withServers(size: 300_000) { redis, server in
                let store = RedisCacheStore(redis.server())
                let url = server.baseURL + "/a"
                let breaks: [(RedisProgram) throws -> Void] = [
                    { redis in
                        let index = try #require(try redis.keys("*:index:*").first)
                        try redis.command("del", index)
                        try redis.command("set", index, "garbage")
                    },
                    { redis in
                        let index = try #require(try redis.keys("*:index:*").first)
                        for field in try redis.command("hkeys", index).split(separator: "\n") {
                            try redis.command("hset", index, String(field), "99999999999999999999:{}")
                        }
                    },
                    { redis in
                        let index = try #require(try redis.keys("*:index:*").first)
                        let field = try redis.command("hkeys", index)
                        let value = try redis.command("hget", index, field)
                            .replacing(/"byteCount":[0-9]+/, with: "\"byteCount\":\(Int.max)")
                        try redis.command("hset", index, field, value)
                    },
                    { redis in try redis.command("del", try #require(try redis.keys("*:body:*").first)) },
                    { redis in
                        let body = try #require(try redis.keys("*:body:*").first)
                        try redis.command("del", body)
                        try redis.command("lpush", body, "x")
                    },
                    { redis in
                        try redis.command("append", try #require(try redis.keys("*:body:*").first), "x")
                    },
                ]
                for change in breaks {
                    try await store.removeAll()
                    let first = try await get(store, url)
                    #expect(!first.isFromCache)
                    try change(redis)
                    let second = try await get(store, url)
                    #expect(!second.isFromCache && second.value != first.value)
                    #expect(try await get(store, url).isFromCache)
                }
            }
        }

        @Test func `a large body that was changed ends with an error, and is fetched the next time`() async throws {
            try await Self.withServers(size: 600_000) { redis, server in
                let store = RedisCacheStore(redis.server())
                _ = try await get(store, server.baseURL + "/a")
                try redis.command("setrange", try #require(try redis.keys("*:body:*").first), "590000", "!")
                await #expect(throws: NetworkingError.self) { try await get(store, server.baseURL + "/a") }
                try await until("it is removed") { (try? redis.keys("*:body:*").isEmpty) ?? false }
                #expect(try await get(store, server.baseURL + "/a").isFromCache == false)
            }
        }

        @Test func `a body beyond the limit is not stored`() async throws {
            try await Self.withServers(size: 400_000) { redis, server async throws in
                let store = RedisCacheStore(redis.server(), bodyLimit: 300_000)
                for _ in 0..<2 {
                    #expect(try await get(store, server.baseURL + "/a").isFromCache == false)
                }
                #expect(try redis.keys("*:body:*").isEmpty)
            }
        }

        @Test func `a server whose memory is full drops responses, and requests go on`() async throws {
            let arguments = ["--maxmemory", "6mb", "--maxmemory-policy", "allkeys-lru"]
            try await Self.withServers(size: 400_000, [], arguments) { redis, server in
                let store = RedisCacheStore(redis.server())
                for number in 0..<40 {
                    let text = String(
                        decoding: try await get(store, server.baseURL + "/\(number % 20)").value,
                        as: UTF8.self
                    )
                    #expect(text.hasPrefix("/\(number % 20) "))
                }
            }
        }

        @Test func `a server whose memory is full and that drops nothing refuses, and requests go on`() async throws {
            let arguments = ["--maxmemory", "3mb", "--maxmemory-policy", "noeviction"]
            try await Self.withServers(size: 900_000, [], arguments) { redis, server in
                let events = Locked<[RedisServerEvent]>([])
                let store = RedisCacheStore(
                    redis.server(),
                    whenServerChanges: { event in events.change { $0.append(event) } }
                )
                for number in 0..<10 { _ = try await get(store, server.baseURL + "/\(number)") }
                #expect(events.value.isEmpty)
            }
        }

        @Test func `fifty megabytes go through in chunks`() async throws {
            try await Self.withServers(size: 50 << 20) { redis, server in
                let store = RedisCacheStore(redis.server())
                var configuration = SessionConfiguration()
                configuration.cache = HTTPCache(store: store)
                try await withSession(configuration) { session in
                    for _ in 0..<2 {
                        let stream = ResponseStream(try Request(to: server.baseURL + "/a"), session: session)
                        var count = 0
                        for try await piece in stream { count += piece.count }
                        #expect(count > 50 << 20)
                    }
                    #expect(server.requests.count == 1)
                }
            }
        }

        @Test func `a thousand requests at once share the connections`() async throws {
            try await Self.withServers { redis, server in
                let store = RedisCacheStore(redis.server())
                var configuration = SessionConfiguration()
                configuration.cache = HTTPCache(store: store)
                try await withSession(configuration) { session in
                    for round in 0..<2 {
                        try await withThrowingTaskGroup(of: Bool.self) { group in
                            for number in 0..<1000 {
                                let request = try Request(to: server.baseURL + "/\(number % 100)")
                                group.addTask { try await session.data(for: request).isFromCache }
                            }
                            for try await isFromCache in group where round == 1 { #expect(isFromCache) }
                        }
                    }
                    #expect(server.requests.count == 100)
                }
                let clients = try redis.command("client", "list").split(separator: "\n").count
                #expect(clients <= 9)
            }
        }
    }
#endif
