#if Redis
    import Bluebonnet
    @testable import BluebonnetStores
    import Foundation
    import HTTPTypes
    import LocalServer
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// What becomes of requests when the server fails, is silent, and is back.
    @Suite(.timeLimit(.minutes(5)), .enabled(if: RedisProgram.isWanted))
    struct RedisOutageTests {
        /// A store whose clock a test moves, and what it has told.
        private struct Watched {
            let clock = Locked(ContinuousClock.now)
            let events = Locked<[String]>([])
            let store: RedisCacheStore

            init(_ server: RedisServer) {
                let (clock, events) = (clock, events)
                let tell: @Sendable (RedisServerEvent) -> Void = { event in
                    switch event {
                    case .lost(let error): events.change { $0.append("lost: \(error)") }
                    case .back: events.change { $0.append("back") }
                    }
                }
                store = RedisCacheStore(server, now: { clock.value }, whenServerChanges: tell)
            }

            func pass(_ time: Duration) { clock.change { $0 += time } }
        }

        private func configuration(_ store: RedisCacheStore, _ told: Locked<Int> = Locked(0)) -> SessionConfiguration {
            var configuration = SessionConfiguration()
            configuration.cache = HTTPCache(store: store) { _ in told.change { $0 += 1 } }
            return configuration
        }

        @Test func `requests go on without a server that was killed, say so once, and use it when it is back`()
            async throws
        {
            try await RedisCacheStoreTests.withServers { redis, server in
                let watched = Watched(redis.server())
                let told = Locked(0)
                try await withSession(configuration(watched.store, told)) { session in
                    let request = try Request(to: server.baseURL + "/a")
                    _ = try await session.data(for: request)
                    #expect(try await session.data(for: request).isFromCache)
                    redis.kill()
                    for _ in 0..<20 { #expect(try await session.data(for: request).isFromCache == false) }
                    #expect(watched.events.value.count == 1 && told.value == 1)
                    #expect(watched.events.value.first?.hasPrefix("lost: ") ?? false)
                    try await redis.start()
                    #expect(try await session.data(for: request).isFromCache == false)
                    #expect(try redis.keys("*:body:*").isEmpty)
                    watched.pass(.seconds(1))
                    _ = try await session.data(for: request)
                    #expect(watched.events.value.last == "back")
                    #expect(try await session.data(for: request).isFromCache)
                    #expect(watched.events.value.count == 2 && told.value == 1)
                }
            }
        }

        @Test func `a POST while the server is silent makes outdated what it has`() async throws {
            try await RedisCacheStoreTests.withServers { redis, server in
                var settings = redis.server()
                settings.commandTimeout = .seconds(1)
                let watched = Watched(settings)
                try await withSession(configuration(watched.store)) { session in
                    var request = try Request(to: server.baseURL + "/a")
                    _ = try await session.data(for: request)
                    #expect(try await session.data(for: request).isFromCache)
                    request.method = .post
                    try await redis.suspended { _ = try await session.data(for: request) }
                    request.method = .get
                    watched.pass(.seconds(1))
                    #expect(try await session.data(for: request).isFromCache == false)
                    #expect(watched.events.value.last == "back")
                    #expect(try await session.data(for: request).isFromCache)
                }
            }
        }

        @Test func `a server that was started again is used at once where nothing was lost`() async throws {
            try await RedisCacheStoreTests.withServers { redis, server in
                let watched = Watched(redis.server())
                try await withSession(configuration(watched.store)) { session in
                    let request = try Request(to: server.baseURL + "/a")
                    _ = try await session.data(for: request)
                    try await redis.waitUntilNothingIsFetched()
                    redis.kill()
                    try await redis.start()
                    _ = try await session.data(for: request)
                    #expect(try await session.data(for: request).isFromCache)
                    #expect(watched.events.value.isEmpty)
                }
            }
        }

        @Test func `a silent server costs the timeout once`() async throws {
            try await RedisCacheStoreTests.withServers { redis, server in
                var settings = redis.server()
                settings.commandTimeout = .seconds(1)
                let watched = Watched(settings)
                try await withSession(configuration(watched.store)) { session in
                    _ = try await session.data(for: Request(to: server.baseURL + "/0"))
                    try await redis.suspended {
                        let start = ContinuousClock.now
                        for number in 0..<100 {
                            _ = try await session.data(for: Request(to: server.baseURL + "/\(number)"))
                        }
                        let time = ContinuousClock.now - start
                        // A hundred timeouts are thirty seconds.
                        #expect(time >= .milliseconds(290) && time < .seconds(15))
                    }
                    #expect(watched.events.value.count == 1)
                    #expect(watched.events.value.first?.contains("in time") ?? false)
                    watched.pass(.seconds(1))
                    _ = try await session.data(for: Request(to: server.baseURL + "/0"))
                    #expect(watched.events.value.last == "back")
                }
            }
        }

        @Test func `a wrong password is told once, and is in no error`() async throws {
            try await RedisCacheStoreTests.withServers(size: 10, [], ["--requirepass", "sesame"]) { redis, server in
                var settings = redis.server()
                settings.password = "wrong-secret"
                for password in ["wrong-secret", nil] {
                    settings.password = password
                    let watched = Watched(settings)
                    try await withSession(configuration(watched.store)) { session in
                        for _ in 0..<3 {
                            let response = try await session.data(for: Request(to: server.baseURL + "/a"))
                            #expect(!response.isFromCache)
                        }
                    }
                    #expect(watched.events.value.count == 1)
                    #expect(!watched.events.value.joined().contains("wrong-secret"))
                    #expect(!"\(settings)".contains("secret"))
                }
                settings.password = "sesame"
                let watched = Watched(settings)
                try await withSession(configuration(watched.store)) { session in
                    let request = try Request(to: server.baseURL + "/a")
                    _ = try await session.data(for: request)
                    #expect(try await session.data(for: request).isFromCache)
                }
            }
        }

        @Test func `a server that repeats what it was told brings no password into an error`() async throws {
            try await RedisCacheStoreTests.withServers(size: 10, [], ["--rename-command", "AUTH", ""]) { redis, _ in
                var settings = redis.server()
                settings.password = "wrong-secret"
                let watched = Watched(settings)
                await #expect(throws: NetworkingError.self) { try await watched.store.allRecords() }
                let told = watched.events.value.joined()
                #expect(told.contains("AUTH") && !told.contains("wrong-secret"))
            }
        }

        @Test func `what has ended leaves the index, which others keep alive`() async throws {
            let fields = [("Cache-Control", "max-age=600"), ("Vary", "Accept")]
            try await RedisCacheStoreTests.withServers(size: 10, fields) { redis, server in
                let time = Locked(Date())
                let store = RedisCacheStore(
                    redis.server(),
                    staleTime: .zero,
                    now: { .now },
                    time: { time.value }
                )
                try await withSession(configuration(store)) { session in
                    for (seconds, count) in [(0, "1"), (500, "2"), (200, "2")] {
                        time.change { $0 += Double(seconds) }
                        var request = try Request(to: server.baseURL + "/a")
                        request.headerFields[.accept] = "text/x-\(time.value.timeIntervalSince1970)"
                        _ = try await session.data(for: request)
                        let index = try #require(try redis.keys("*:index:*").first)
                        #expect(try redis.command("hlen", index) == count)
                    }
                }
            }
        }

        @Test func `a body that was dropped while it was written is not stored, which is no fault of the server`()
            async throws
        {
            try await RedisCacheStoreTests.withServers { redis, server in
                let store = RedisCacheStore(redis.server())
                try await withSession(configuration(store)) { session in
                    _ = try await session.data(for: Request(to: server.baseURL + "/a"))
                }
                let record = try #require(try await store.allRecords().first)
                let writer = try await store.writer(for: record)
                let piece = Data(repeating: 1, count: 300 * 1024)
                try await writer.write(piece)
                try redis.command("del", try #require(try redis.keys("*:part:*").first))
                do {
                    try await writer.write(piece)
                    Issue.record("it goes on")
                } catch let error as NetworkingError {
                    // What is too large for a store is not told either.
                    #expect(error.code == .bodyTooLarge)
                }
            }
        }

        @Test func `an address that would be cut is refused`() async throws {
            try await RedisProgram.run { redis in
                // hiredis takes as much of a path as has room.
                let long = redis.socket + String(repeating: "\0", count: 1) + "x"
                let tooLong = "/tmp/" + String(repeating: "p", count: 110)
                let addresses: [RedisServer.Address] = [
                    .unix(path: long), .unix(path: tooLong), .tcp(host: "127.0.0.1", port: 65_536 + 6379),
                    .tcp(host: "127.0.0.1", port: -1), .tcp(host: "127.0.0.1", port: 0),
                ]
                for address in addresses {
                    let watched = Watched(RedisServer(address: address))
                    await #expect(throws: NetworkingError.self) { try await watched.store.allRecords() }
                    let told = watched.events.value.joined()
                    #expect(["The port is", "The path of", "null character"].contains { told.contains($0) })
                }
            }
        }

        @Test func `a server that is not there costs nothing but the first attempt`() async throws {
            try await FaultServer.run(RedisCacheStoreTests.script()) { server in
                let watched = Watched(RedisServer(address: .unix(path: "/tmp/bluebonnet-nothing-here")))
                try await withSession(configuration(watched.store)) { session in
                    for _ in 0..<10 { _ = try await session.data(for: Request(to: server.baseURL + "/a")) }
                }
                #expect(watched.events.value.count == 1)
                await #expect(throws: NetworkingError.self) { try await watched.store.allRecords() }
            }
        }

        @Test func `a writer that is killed leaves nothing that is served, and nothing for ever`() async throws {
            try await RedisCacheStoreTests.withServers(size: 3 << 20) { redis, server in
                let (path, url) = (redis.socket, server.baseURL)
                for microseconds in stride(from: 5_000, to: 105_000, by: 20_000) {
                    try await #require(processExitsWith: .signal(SIGKILL)) {
                        [path = path as String, url = url as String, microseconds = microseconds as Int] in
                        try await RedisOutageTests.fill(path, url, killedAfter: microseconds)
                    }
                    let store = RedisCacheStore(redis.server())
                    for record in try await store.allRecords() {
                        let body = try #require(try await store.body(of: record, range: nil))
                        #expect(try await body.collect().count == record.byteCount)
                    }
                    for key in try redis.keys() {
                        #expect(try #require(Int(try redis.command("ttl", key))) > 0)
                    }
                }
            }
        }

        /// The program: fills the cache until it is killed.
        static func fill(_ path: String, _ url: String, killedAfter microseconds: Int) async throws {
            let killer = Thread {
                usleep(UInt32(microseconds))
                kill(getpid(), SIGKILL)
            }
            var configuration = SessionConfiguration()
            configuration.cache = HTTPCache(
                store: RedisCacheStore(RedisServer(address: .unix(path: path), prefix: "test"))
            )
            try await withSession(configuration) { session in
                killer.start()
                while true {
                    for number in 0..<4 {
                        var request = try Request(to: "\(url)/\(number)")
                        request.properties.cachePolicy = .reload
                        _ = try await session.data(for: request)
                    }
                }
            }
        }
    }
#endif
