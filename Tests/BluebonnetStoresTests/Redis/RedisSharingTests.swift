#if Redis
    import Bluebonnet
    @testable import BluebonnetStores
    import Foundation
    import HTTPTypes
    import LocalServer
    import Synchronization
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Several processes that miss the same response, or need the same token.
    @Suite(.timeLimit(.minutes(5)), .enabled(if: RedisProgram.isWanted))
    struct RedisSharingTests {
        /// A server whose responses take a while.
        private func slowScript(_ fields: [(String, String)]) -> FaultServer.Script {
            FaultServer.Script.requests { _ in
                [.wait(.milliseconds(300)), .respond(headers: fields, bytes: Array("shared".utf8))]
            }
        }

        /// The program: fetches one URL by several tasks, and ends with an error unless all get it.
        private static func fetch(_ path: String, _ url: String) async throws {
            var configuration = SessionConfiguration()
            configuration.cache = HTTPCache(
                store: RedisCacheStore(RedisServer(address: .unix(path: path), prefix: "test"))
            )
            try await withSession(configuration) { session in
                try await withThrowingTaskGroup(of: Data.self) { group in
                    for _ in 0..<5 { group.addTask { try await session.data(for: Request(to: url)).value } }
                    for try await bytes in group where bytes != Data("shared".utf8) { exit(3) }
                }
            }
        }

        private func runPrograms(_ count: Int, _ path: String, _ url: String) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<count {
                    group.addTask {
                        try await #require(processExitsWith: .success) {
                            [path = path as String, url = url as String] in
                            try await RedisSharingTests.fetch(path, url)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }

        @Test func `processes that miss the same response make one fetch`() async throws {
            try await RedisProgram.run { redis in
                try await FaultServer.run(slowScript([("Cache-Control", "max-age=600")])) { server in
                    try await runPrograms(3, redis.socket, server.baseURL + "/a")
                    #expect(server.requests.count == 1)
                }
            }
        }

        @Test func `processes whose response cannot be stored fetch it for themselves`() async throws {
            try await RedisProgram.run { redis in
                try await FaultServer.run(slowScript([("Cache-Control", "no-store")])) { server in
                    try await runPrograms(2, redis.socket, server.baseURL + "/a")
                    #expect(server.requests.count >= 2)
                }
            }
        }

        @Test func `the right to fetch is one process's, and is given back with what came of it`() async throws {
            try await RedisProgram.run { redis in
                let (one, other) = (RedisCacheStore(redis.server()), RedisCacheStore(redis.server()))
                for (isStored, expected) in [(true, CacheFetchTurn.stored), (false, .notStored)] {
                    let key = "k\(isStored)"
                    guard case .lease(let lease) = try await one.turn(toFetch: key, patience: .zero) else {
                        Issue.record("there is no lease")
                        return
                    }
                    #expect(try await other.turn(toFetch: key, patience: .milliseconds(20)) == .free)
                    async let waiting = other.turn(toFetch: key, patience: .seconds(4))
                    one.endFetch(lease, of: key, isStored: isStored)
                    #expect(try await waiting == expected)
                }
            }
        }

        @Test func `when the right of a process has ended another one takes its place`() async throws {
            try await RedisProgram.run { redis in
                let (one, other) = (RedisCacheStore(redis.server()), RedisCacheStore(redis.server()))
                guard case .lease(let lease) = try await one.turn(toFetch: "k", patience: .zero) else {
                    Issue.record("there is no lease")
                    return
                }
                async let waiting = other.turn(toFetch: "k", patience: .seconds(4))
                try redis.command("del", try #require(try redis.keys("*:lease:*").first))
                let found = try await waiting
                guard case .lease(let second) = found else {
                    Issue.record("\(found)")
                    return
                }
                // What is another's now is not given back.
                one.endFetch(lease, of: "k", isStored: true)
                _ = try await one.allRecords()
                let key = try #require(try redis.keys("*:lease:*").first)
                #expect(try redis.command("get", key) == String(decoding: second, as: UTF8.self))
            }
        }

        @Test(arguments: ["max-age=600", "no-store"])
        func `a process that ends after its session leaves no right to others`(_ control: String) async throws {
            try await RedisCacheStoreTests.withServers(size: 10, [("Cache-Control", control)]) { redis, server in
                for number in 0..<30 {
                    let store = RedisCacheStore(redis.server())
                    var configuration = SessionConfiguration()
                    configuration.cache = HTTPCache(store: store)
                    let session = SessionManager(configuration: configuration)
                    _ = try await session.data(for: Request(to: server.baseURL + "/\(number)"))
                    await session.shutdown()
                    // What is at the server now is all that a process has done that ends here.
                    let key = try #require(try redis.keys("*:lease:*").last)
                    let value = try redis.command("get", key)
                    #expect(value == (control == "no-store" ? "-" : "+"))
                    try redis.command("flushall")
                }
            }
        }

        // MARK: Tokens

        /// Refreshes tokens by counting, and says how often.
        private struct Counting: Authenticator {
            let refreshes: Locked<[String]>
            var fails = false
            var isOld: Set<String> = []

            func needsRefresh(_ token: String) -> Bool { isOld.contains(token) }

            func apply(_ token: String, to request: inout Request) throws {
                request.headerFields[.authorization] = "Bearer \(token)"
            }

            func refresh(_ token: String) async throws -> String {
                refreshes.change { $0.append(token) }
                // Others ask meanwhile.
                try await Task.sleep(for: .milliseconds(50))
                if fails { throw URLError(.badServerResponse) }
                return "\(token)+"
            }
        }

        @Test func `one process refreshes, and the others get its token`() async throws {
            try await RedisProgram.run { redis in
                let refreshes = Locked<[String]>([])
                let server = redis.server()
                try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            let place = RedisTokenStore(server, name: "user")
                            let shared = SharedTokenAuthenticator(Counting(refreshes: refreshes), sharing: place)
                            return try await shared.refresh("a")
                        }
                    }
                    for try await token in group { #expect(token == "a+") }
                }
                #expect(refreshes.value == ["a"])
                let key = try #require(try redis.keys("*:token:*").first)
                let left = try #require(Int(try redis.command("ttl", key)))
                #expect(left > 0 && left <= 86_400)
            }
        }

        @Test func `a refresh begins with the newest token, and one that failed is made again`() async throws {
            try await RedisProgram.run { redis in
                let refreshes = Locked<[String]>([])
                let place = RedisTokenStore(redis.server(), name: "user")
                var counting = Counting(refreshes: refreshes)
                let shared = SharedTokenAuthenticator(counting, sharing: place)
                try await shared.share("b")
                #expect(try await shared.refresh("a") == "b")
                #expect(try await shared.refresh("b") == "b+")
                counting.fails = true
                let failing = SharedTokenAuthenticator(counting, sharing: place)
                await #expect(throws: URLError.self) { try await failing.refresh("b+") }
                #expect(try await shared.refresh("b+") == "b++")
                #expect(refreshes.value == ["b", "b+", "b+"])
                try await shared.share(nil)
                #expect(try await shared.refresh("c") == "c+")
            }
        }

        @Test func `a token that could not be shared is refreshed from itself, not from an older one`() async throws {
            try await RedisProgram.run { redis in
                let refreshes = Locked<[String]>([])
                let place = RedisTokenStore(redis.server(), name: "user")
                var counting = Counting(refreshes: refreshes)
                counting.isOld = ["b", "c"]
                let shared = SharedTokenAuthenticator(counting, sharing: place)
                try await shared.share("b")
                // A server whose memory is full answers, and stores nothing.
                try redis.command("config", "set", "maxmemory", "1")
                #expect(try await shared.refresh("b") == "b+")
                try redis.command("config", "set", "maxmemory", "0")
                #expect(try await shared.refresh("b+") == "b++")
                #expect(refreshes.value == ["b", "b+"])
                // From here on its own is the shared one again.
                try await shared.share("c")
                #expect(try await shared.refresh("b++") == "c+")
            }
        }

        @Test func `without the server each process refreshes for itself`() async throws {
            let refreshes = Locked<[String]>([])
            let place = RedisTokenStore(
                RedisServer(address: .unix(path: "/tmp/bluebonnet-nothing-here")),
                name: "user"
            )
            let shared = SharedTokenAuthenticator(Counting(refreshes: refreshes), sharing: place)
            #expect(try await shared.refresh("a") == "a+")
            #expect(refreshes.value == ["a"])
        }
    }
#endif
