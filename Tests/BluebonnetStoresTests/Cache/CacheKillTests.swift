#if Stores
    import Bluebonnet
    import BluebonnetStores
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

    /// Two processes that fill one cache are killed at random moments: what is in it is whole.
    @Suite(.timeLimit(.minutes(60)), .serialized)
    struct CacheKillTests {
        /// The number of kills; scripts/cache-kills sets a larger one.
        private static let kills =
            ProcessInfo.processInfo.environment["BLUEBONNET_CACHE_KILLS"].flatMap { Int($0) } ?? 8

        private static let paths = (0..<24).map { "/\($0)" }

        /// The body of a version of a path: it says which it is, from the beginning to the end.
        private static func body(_ path: String, version: Int) -> Data {
            let word = Data("\(path)-\(version);".utf8)
            let size = 200 + (Int(path.dropFirst()) ?? 0) * 9_000
            var body = Data()
            while body.count < size { body.append(word) }
            return body
        }

        /// Whether a body is a version of a path, and of no two.
        private static func isWhole(_ bytes: Data, of path: String) -> Bool {
            let text = String(decoding: bytes.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
            guard text.hasPrefix(path + "-"), let version = Int(text.dropFirst(path.count + 1)) else { return false }
            return bytes == body(path, version: version)
        }

        /// The program: fetches everything again and again into the cache, until it is killed.
        private static func fill(_ folder: URL, _ baseURL: String, after microseconds: Int) async throws {
            let killer = Thread {
                usleep(UInt32(microseconds))
                kill(getpid(), SIGKILL)
            }
            killer.start()
            var configuration = SessionConfiguration()
            configuration.cache = HTTPCache(store: try DiskCacheStore(directory: folder, capacity: 2_000_000))
            try await withSession(configuration) { session in
                while true {
                    for path in paths.shuffled() {
                        var request = try Request(to: baseURL + path)
                        request.properties.cachePolicy = Bool.random() ? .reload : .default
                        let bytes = try await session.data(for: request).value
                        // Not one more kill, but the end of the test.
                        if !isWhole(bytes, of: path) { exit(3) }
                    }
                }
            }
        }

        @Test func `no torn or mixed body is ever served`() async throws {
            let version = Atomic(0)
            let script = FaultServer.Script.requests { request in
                let number = version.wrappingAdd(1, ordering: .relaxed).newValue
                return [
                    .respond(
                        headers: [("Cache-Control", "max-age=600")],
                        bytes: Array(Self.body(request.target, version: number))
                    )
                ]
            }
            try await FaultServer.run(script) { server in
                try await withDirectory { directory in
                    let (path, url) = (directory.path, server.baseURL)
                    for _ in 0..<(Self.kills + 1) / 2 {
                        let moments = [Int.random(in: 20_000...400_000), Int.random(in: 20_000...400_000)]
                        try await withThrowingTaskGroup(of: Void.self) { group in
                            for moment in moments {
                                group.addTask {
                                    try await #require(processExitsWith: .signal(SIGKILL)) {
                                        [path = path as String, url = url as String, moment = moment as Int] in
                                        try await CacheKillTests.fill(URL(filePath: path), url, after: moment)
                                    }
                                }
                            }
                            try await group.waitForAll()
                        }
                        try await check(directory)
                    }
                }
            }
        }

        /// Reads all that is stored.
        private func check(_ directory: URL) async throws {
            let store = try DiskCacheStore(directory: directory, capacity: 2_000_000)
            for record in try await store.allRecords() {
                guard let body = try await store.body(of: record, range: nil) else { continue }
                #expect(Self.isWhole(try await body.collect(), of: record.url.path()), "\(record.url)")
            }
            #expect(try await store.byteCount() <= 2_000_000)
        }
    }
#endif
