#if Stores
    import Bluebonnet
    import Foundation
    import HTTPTypes
    import LocalServer
    import Synchronization
    import Testing

    @testable import BluebonnetStores

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The index of the cache on the disk: parts of responses, other versions of the library, and
    /// processes that write.
    @Suite(.timeLimit(.minutes(5)))
    struct DiskCacheIndexTests {
        private static let text = "0123456789"

        /// A server of one file that knows ranges, and cuts the connection of the first request.
        private func withServer(cuts: Bool = false, _ body: (FaultServer, URL) async throws -> Void) async throws {
            let count = Atomic(0)
            let script = FaultServer.Script.requests { request in
                var headers = [("Cache-Control", "max-age=600"), ("ETag", "\"x\"")]
                let number = count.wrappingAdd(1, ordering: .relaxed).newValue
                guard let range = request.value(of: "Range") else {
                    if cuts, number == 1 {
                        let head =
                            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nCache-Control: max-age=600\r\nETag: \"x\"\r\n\r\n"
                        return [.send(head + "0123"), .close]
                    }
                    return [.respond(headers: headers, body: Self.text)]
                }
                let ends = range.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
                headers.append(("Content-Range", "bytes \(ends[0])-\(ends[1])/10"))
                return [
                    .respond(
                        206,
                        headers: headers,
                        body: String(Self.text.dropFirst(ends[0]).prefix(ends[1] - ends[0] + 1))
                    )
                ]
            }
            try await FaultServer.run(script) { server in
                try await withDirectory { try await body(server, $0) }
            }
        }

        private func get(_ store: DiskCacheStore, _ url: String, _ range: String? = nil) async throws -> Response<Data>
        {
            var configuration = SessionConfiguration()
            configuration.cache = HTTPCache(store: store)
            return try await withSession(configuration) { session in
                var request = try Request(to: url)
                request.headerFields[.range] = range.map { "bytes=\($0)" }
                return try await session.data(for: request)
            }
        }

        @Test func `parts outlive their process, and become the whole in another one`() async throws {
            try await withServer { server, directory in
                let url = server.baseURL + "/a"
                _ = try await get(DiskCacheStore(directory: directory), url, "0-3")
                let other = try DiskCacheStore(directory: directory)
                #expect(try await get(other, url, "1-2").isFromCache)
                _ = try await get(other, url, "6-9")
                #expect(try await get(other, url).value == Data(Self.text.utf8))
                #expect(server.requests.map { $0.value(of: "Range") } == ["bytes=0-3", "bytes=6-9", "bytes=4-5"])
                let records = try await DiskCacheStore(directory: directory).allRecords()
                #expect(records.map(\.part) == [nil] && records.map(\.byteCount) == [10])
                #expect(try names(in: other.folder).filter { $0.hasSuffix(".body") }.count == 1)
                #expect(try await get(other, url).isFromCache)
            }
        }

        @Test func `a response that the connection cut is completed by another process`() async throws {
            try await withServer(cuts: true) { server, directory in
                let url = server.baseURL + "/a"
                let store = try DiskCacheStore(directory: directory)
                await #expect(throws: NetworkingError.self) { try await get(store, url) }
                #expect(try await store.allRecords().map(\.part) == [0..<4])
                #expect(try await get(DiskCacheStore(directory: directory), url).value == Data(Self.text.utf8))
                #expect(server.requests.last?.value(of: "Range") == "bytes=4-9")
                #expect(server.requests.last?.value(of: "If-Range") == "\"x\"")
            }
        }

        @Test func `a part that was changed on the disk is not used`() async throws {
            try await withServer { server, directory in
                let (url, store) = (server.baseURL + "/a", try DiskCacheStore(directory: directory))
                _ = try await get(store, url, "0-3")
                let name = try #require(try names(in: store.folder).first { $0.hasSuffix(".body") })
                try Data("9999".utf8).write(to: store.folder.appending(path: name))
                #expect(try await get(store, url).value == Data(Self.text.utf8))
            }
        }

        @Test func `all responses of a key are removed, also of a newer version and of too many`() async throws {
            try await withServer { server, directory in
                let (url, store) = (server.baseURL + "/a", try DiskCacheStore(directory: directory))
                _ = try await get(store, url)
                let key = try #require(try await store.allRecords().first?.key)
                let index = try SQLiteQueue(
                    store.folder.appending(path: "index.sqlite").path(),
                    patience: .seconds(1)
                )
                try index.write { database in
                    for number in 1...50 {
                        try database.run(
                            "INSERT INTO entry VALUES (?, ?, ?, 0, ?, 1, ?)",
                            [number, key, Data("{\"version\":99}".utf8), Data(), number]
                        )
                    }
                }
                try await store.removeAll(for: key)
                #expect(try index.read { try $0.value("SELECT count(*) FROM entry") } == 0)
                #expect(try await store.byteCount() == 0)
            }
        }

        @Test func `reading does not wait behind steps that wait for another process`() async throws {
            try await withServer { server, directory in
                let (url, store) = (server.baseURL + "/a", try DiskCacheStore(directory: directory))
                _ = try await get(store, url)
                let record = try #require(try await store.allRecords().first)
                let path = store.folder.appending(path: "index.sqlite").path()
                let index = try SQLiteQueue(path, patience: .seconds(1))
                try index.use { try $0.run("BEGIN IMMEDIATE") }
                let order = try await withThrowingTaskGroup(of: String.self, returning: [String].self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            do { try await store.update(record) } catch { return "refused" }
                            return "written"
                        }
                    }
                    group.addTask {
                        let bytes = try await store.body(of: record, range: nil)?.collect()
                        let records = try await store.records(for: record.key)
                        return bytes == Data(Self.text.utf8) && records.count == 1 ? "read" : "not read"
                    }
                    var order: [String] = []
                    for try await end in group { order.append(end) }
                    return order
                }
                try index.use { try $0.run("ROLLBACK") }
                #expect(order.count { $0 == "refused" } == 8)
                // Each of the eight waits a quarter of a second, one behind the other.
                #expect(order.firstIndex(of: "read") ?? .max < 4)
            }
        }

        @Test func `an index whose process was killed at once is opened again`() async throws {
            try await withDirectory { directory in
                let path = directory.path
                await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
                    _ = try DiskCacheStore(directory: URL(filePath: path, directoryHint: .isDirectory))
                    kill(getpid(), SIGKILL)
                }
                let store = try DiskCacheStore(directory: directory)
                #expect(try await store.allRecords().isEmpty)
            }
        }
    }
#endif
