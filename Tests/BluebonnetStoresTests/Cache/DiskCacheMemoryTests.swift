#if Stores
    import Bluebonnet
    import BluebonnetStores
    import Foundation
    import HTTPTypes
    import LocalServer
    import Synchronization
    import Testing

    /// The memory in front of the cache on the disk.
    @Suite(.timeLimit(.minutes(5)))
    struct DiskCacheMemoryTests {
        /// Runs the body with a server whose bodies tell the path and the number of the request,
        /// and which may be stored unless the path begins with `/no`.
        private func withServer(_ body: (FaultServer, URL) async throws -> Void) async throws {
            let count = Atomic(0)
            let script = FaultServer.Script.requests { request in
                let number = count.wrappingAdd(1, ordering: .relaxed).newValue
                let isStored = !request.target.hasPrefix("/no") || number > 3
                return [
                    .respond(
                        headers: isStored ? [("Cache-Control", "max-age=600")] : [],
                        bytes: Array("\(request.target) \(number)".utf8)
                    )
                ]
            }
            try await FaultServer.run(script) { server in
                try await withDirectory { try await body(server, $0) }
            }
        }

        private func withCache<Value>(
            _ store: DiskCacheStore,
            _ body: (SessionManager) async throws -> Value
        ) async throws -> Value {
            var configuration = SessionConfiguration()
            configuration.cache = HTTPCache(store: store)
            return try await withSession(configuration, body)
        }

        private func removeBodies(_ store: DiskCacheStore) throws {
            for name in try FileManager.default.contentsOfDirectory(atPath: store.folder.path())
            where name.hasSuffix(".body") {
                try FileManager.default.removeItem(at: store.folder.appending(path: name))
            }
        }

        @Test(arguments: [4 << 20, 0])
        func `what was read once needs no file, unless there is no memory for it`(_ memory: Int) async throws {
            try await withServer { server, directory in
                let store = try DiskCacheStore(directory: directory, memoryCapacity: memory)
                try await withCache(store) { session in
                    let request = try Request(to: server.baseURL + "/a")
                    let first = try await session.data(for: request)
                    #expect(try await session.data(for: request).isFromCache)
                    try removeBodies(store)
                    let third = try await session.data(for: request)
                    #expect(third.isFromCache == (memory > 0))
                    #expect((third.value == first.value) == (memory > 0))
                }
            }
        }

        @Test func `a change of another process is seen at once`() async throws {
            try await withServer { server, directory in
                let store = try DiskCacheStore(directory: directory)
                try await withCache(store) { session in
                    let url = server.baseURL + "/a"
                    let request = try Request(to: url)
                    for _ in 0..<3 { #expect(try await session.data(for: request).text == "/a 1") }
                    let path = directory.path
                    await #expect(processExitsWith: .success) { [path = path as String, url = url as String] in
                        var configuration = SessionConfiguration()
                        configuration.cache = HTTPCache(
                            store: try DiskCacheStore(directory: URL(filePath: path, directoryHint: .isDirectory))
                        )
                        try await withSession(configuration) { session in
                            var request = try Request(to: url)
                            request.properties.cachePolicy = .reload
                            _ = try await session.data(for: request)
                        }
                    }
                    for _ in 0..<3 { #expect(try await session.data(for: request).text == "/a 2") }
                    #expect(server.requests.count == 2)
                }
            }
        }

        @Test func `what another store of the folder removes is not used any more`() async throws {
            try await withServer { server, directory in
                let other = try DiskCacheStore(directory: directory)
                let removals: [(DiskCacheStore) async throws -> Void] = [
                    { try await $0.removeAll() }, { try await $0.remove($0.allRecords()[0]) },
                    { try await $0.removeAll(for: $0.allRecords()[0].key) },
                ]
                try await withCache(try DiskCacheStore(directory: directory)) { session in
                    let request = try Request(to: server.baseURL + "/a")
                    for remove in removals {
                        _ = try await session.data(for: request)
                        #expect(try await session.data(for: request).isFromCache)
                        #expect(try await session.data(for: request).isFromCache)
                        try await remove(other)
                        #expect(try await session.data(for: request).isFromCache == false)
                    }
                }
            }
        }

        @Test func `what has made room for others is not used after a POST has made it outdated`() async throws {
            try await withServer { server, directory in
                try await withCache(try DiskCacheStore(directory: directory, capacity: 20_000)) { session in
                    var request = try Request(to: server.baseURL + "/a")
                    _ = try await session.data(for: request)
                    #expect(try await session.data(for: request).isFromCache)
                    for number in 0..<30 {
                        _ = try await session.data(for: Request(to: server.baseURL + "/\(number)"))
                    }
                    request.method = .post
                    _ = try await session.data(for: request)
                    request.method = .get
                    #expect(try await session.data(for: request).isFromCache == false)
                }
            }
        }

        @Test func `a response that could not be stored before is stored, and found by other stores`() async throws {
            try await withServer { server, directory in
                let (one, other) = (
                    try DiskCacheStore(directory: directory), try DiskCacheStore(directory: directory)
                )
                let request = try Request(to: server.baseURL + "/no")
                try await withCache(one) { session in
                    for number in 1...3 { #expect(try await session.data(for: request).text == "/no \(number)") }
                    let stored = try await withCache(other) { try await $0.data(for: request).text }
                    #expect(stored == "/no 4")
                    #expect(try await session.data(for: request).text == "/no 4")
                }
            }
        }

        @Test func `numbers that were lost or changed cost the memory, and nothing else`() async throws {
            try await withServer { server, directory in
                let store = try DiskCacheStore(directory: directory)
                try await withCache(store) { session in
                    let request = try Request(to: server.baseURL + "/a")
                    for _ in 0..<3 { _ = try await session.data(for: request) }
                    let file = try FileHandle(forWritingTo: store.folder.appending(path: "marks"))
                    try file.write(contentsOf: Data(repeating: 0xFF, count: 8_192))
                    for _ in 0..<3 { #expect(try await session.data(for: request).text == "/a 1") }
                    try removeBodies(store)
                    #expect(try await session.data(for: request).text == "/a 2")
                    // The new response has written a number that is right again.
                    #expect(try await session.data(for: request).text == "/a 2")
                    try removeBodies(store)
                    #expect(try await session.data(for: request).text == "/a 2")
                    try file.truncate(atOffset: 0)
                    #expect(try await session.data(for: request).text == "/a 3")
                }
            }
        }
    }

    extension Response<Data> {
        fileprivate var text: String { String(decoding: value, as: UTF8.self) }
    }
#endif
