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

    /// The cache on the disk, through sessions.
    @Suite(.timeLimit(.minutes(5)))
    struct DiskCacheStoreTests {
        /// Runs the body with a server whose bodies tell the path and the number of the request.
        private func withServer(
            size: Int = 10,
            _ body: (FaultServer, URL) async throws -> Void
        ) async throws {
            let count = Atomic(0)
            let script = FaultServer.Script.requests { request in
                let text = "\(request.target) \(count.wrappingAdd(1, ordering: .relaxed).newValue) "
                let bytes = Array(text.utf8) + [UInt8](repeating: 120, count: size)
                return [.respond(headers: [("Cache-Control", "max-age=600"), ("ETag", "\"x\"")], bytes: bytes)]
            }
            try await FaultServer.run(script) { server in
                try await withDirectory { try await body(server, $0) }
            }
        }

        private func get(_ store: DiskCacheStore, _ url: String) async throws -> Response<Data> {
            var configuration = SessionConfiguration()
            configuration.cache = HTTPCache(store: store)
            return try await withSession(configuration) { session in
                try await session.data(for: Request(to: url))
            }
        }

        @Test func `a response outlives its session and its store`() async throws {
            try await withServer { server, directory in
                let first = try await get(DiskCacheStore(directory: directory), server.baseURL + "/a")
                let second = try await get(DiskCacheStore(directory: directory), server.baseURL + "/a")
                #expect(second.isFromCache && second.value == first.value && server.requests.count == 1)
                #expect(second.headerFields[.eTag] == "\"x\"" && second.headerFields[.age] != nil)
            }
        }

        @Test(arguments: [0, 100_000, 6 << 20])
        func `bodies of every size come back as they were, and in part`(_ size: Int) async throws {
            try await withServer(size: size) { server, directory in
                let store = try DiskCacheStore(directory: directory)
                let first = try await get(store, server.baseURL + "/a").value
                #expect(try await get(store, server.baseURL + "/a").value == first)
                let record = try #require(try await store.allRecords().first)
                #expect(record.byteCount == first.count)
                let part = try await store.body(of: record, range: 1..<4)?.collect()
                #expect(part == first[1..<4])
                #expect(server.requests.count == 1)
            }
        }

        @Test func `two stores in one folder share what they have`() async throws {
            try await withServer { server, directory in
                let (one, other) = (
                    try DiskCacheStore(directory: directory), try DiskCacheStore(directory: directory)
                )
                for number in 0..<10 { _ = try await get(one, server.baseURL + "/\(number)") }
                for number in 0..<10 { #expect(try await get(other, server.baseURL + "/\(number)").isFromCache) }
                try await other.removeAll()
                #expect(try await one.allRecords().isEmpty)
                #expect(try await one.byteCount() == 0)
            }
        }

        @Test func `a body that was changed or cut is not used`() async throws {
            try await withServer { server, directory in
                let store = try DiskCacheStore(directory: directory)
                for change in ["changed", "cut"] {
                    let first = try await get(store, server.baseURL + "/a")
                    let files = try names(in: store.folder).filter { $0.hasSuffix(".body") }
                    let file = store.folder.appending(path: try #require(files.first))
                    var bytes = try Data(contentsOf: file)
                    if change == "cut" { bytes.removeLast() } else { bytes[0] ^= 1 }
                    try bytes.write(to: file)
                    let second = try await get(store, server.baseURL + "/a")
                    #expect(!second.isFromCache && second.value != first.value)
                }
                #expect(try names(in: store.folder).filter { $0.hasSuffix(".body") }.count == 1)
            }
        }

        @Test func `a large body that was changed ends with an error, and is fetched the next time`() async throws {
            try await withServer(size: 6 << 20) { server, directory in
                let store = try DiskCacheStore(directory: directory)
                _ = try await get(store, server.baseURL + "/a")
                let name = try #require(try names(in: store.folder).first { $0.hasSuffix(".body") })
                let file = store.folder.appending(path: name)
                var bytes = try Data(contentsOf: file)
                bytes[bytes.count - 5] ^= 1
                try bytes.write(to: file)
                let error = try await networkingError { try await get(store, server.baseURL + "/a") }
                #expect(error.code == .storeFailed)
                try await until("it is removed") { !FileManager.default.fileExists(atPath: file.path()) }
                #expect(try await get(store, server.baseURL + "/a").isFromCache == false)
            }
        }

        @Test func `the responses that were not used make room, with their files`() async throws {
            try await withServer(size: 20_000) { server, directory in
                let store = try DiskCacheStore(directory: directory, capacity: 120_000)
                for number in 0..<20 { _ = try await get(store, server.baseURL + "/\(number)") }
                let records = try await store.allRecords()
                #expect(records.count == 5)
                #expect(try names(in: store.folder).filter { $0.hasSuffix("body") }.count == 5)
                #expect(try await store.byteCount() <= 120_000)
                #expect(try await get(store, server.baseURL + "/19").isFromCache)
            }
        }

        @Test func `what nobody has used for too long goes when the store is opened, and when it stores`() async throws
        {
            try await withServer { server, directory in
                let old = try DiskCacheStore(directory: directory)
                for path in ["/a", "/b"] { _ = try await get(old, server.baseURL + path) }
                let lenient = try DiskCacheStore(directory: directory, ageLimit: .seconds(86_400))
                _ = try await get(lenient, server.baseURL + "/c")
                #expect(try await old.allRecords().count == 3)
                let strict = try DiskCacheStore(directory: directory, ageLimit: .zero)
                try await until("the old ones are gone, with their files") {
                    let files = try? names(in: strict.folder).filter { $0.hasSuffix("body") }
                    return files?.isEmpty ?? false
                }
                #expect(try await old.allRecords().isEmpty)
                _ = try await get(old, server.baseURL + "/d")
                // It is old in the millisecond after its use.
                for number in 0..<1_000 where try await old.allRecords().contains(where: { $0.url.path() == "/d" }) {
                    _ = try await get(strict, server.baseURL + "/\(number)")
                }
                #expect(try await old.allRecords().allSatisfy { $0.url.path() != "/d" })
            }
        }

        @Test func `clearing removes no foreign file`() async throws {
            try await withServer { server, directory in
                let store = try DiskCacheStore(directory: directory)
                let foreign = [
                    directory.appending(path: "notes.txt"), store.folder.appending(path: "notes.body"),
                    store.folder.appending(path: "0123456789abcdeF.body"), store.folder.appending(path: "x.part"),
                ]
                for file in foreign { try Data("mine".utf8).write(to: file) }
                _ = try await get(store, server.baseURL + "/a")
                try await store.removeAll()
                for file in foreign { #expect(try Data(contentsOf: file) == Data("mine".utf8)) }
                #expect(try names(in: directory) == ["bluebonnet-cache", "notes.txt"])
                #expect(try names(in: store.folder).filter { $0.hasSuffix(".body") }.count == 2)
            }
        }

        @Test func `a link, and the database of another program, are refused and stay as they are`() async throws {
            try await withDirectory { directory in
                let target = directory.appending(path: "target")
                try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
                let linked = directory.appending(path: "linked")
                try FileManager.default.createDirectory(at: linked, withIntermediateDirectories: true)
                try FileManager.default.createSymbolicLink(
                    at: linked.appending(path: "bluebonnet-cache"),
                    withDestinationURL: target
                )
                #expect(throws: NetworkingError.self) { try DiskCacheStore(directory: linked) }
                #expect(try names(in: target).isEmpty)
                let folder = directory.appending(path: "bluebonnet-cache")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                let foreign = Data("This is not a database, and not ours at all.".utf8)
                try foreign.write(to: folder.appending(path: "index.sqlite"))
                let error = try await networkingError { _ = try DiskCacheStore(directory: directory) }
                #expect(error.code == .storeFailed)
                #expect(try Data(contentsOf: folder.appending(path: "index.sqlite")) == foreign)
            }
        }

        @Test func `the folder and its files are for this user alone`() async throws {
            try await withServer { server, directory in
                let store = try DiskCacheStore(directory: directory)
                _ = try await get(store, server.baseURL + "/a")
                var status = stat()
                #expect(unsafe stat(store.folder.path(), &status) == 0 && status.st_mode & 0o777 == 0o700)
                for name in try names(in: store.folder) {
                    let path = store.folder.appending(path: name).path()
                    #expect(unsafe stat(path, &status) == 0 && status.st_mode & 0o077 == 0, "\(name)")
                }
            }
        }

        @Test func `what a killed writer has left is removed when it is old, and not before`() async throws {
            try await withServer { server, directory in
                let store = try DiskCacheStore(directory: directory)
                _ = try await get(store, server.baseURL + "/a")
                let (old, new) = ("0000000000000001.part", "0000000000000002.part")
                let orphan = "0000000000000003.body"
                for name in [old, new, orphan] {
                    try Data(count: 10).write(to: store.folder.appending(path: name))
                }
                for name in [old, orphan] {
                    try FileManager.default.setAttributes(
                        [.modificationDate: Date(timeIntervalSinceNow: -7_200)],
                        ofItemAtPath: store.folder.appending(path: name).path()
                    )
                }
                let again = try DiskCacheStore(directory: directory)
                try await until("it is swept") {
                    let left = (try? names(in: again.folder)) ?? []
                    return !left.contains(old) && !left.contains(orphan)
                }
                #expect(try names(in: again.folder).contains(new))
                #expect(try await get(again, server.baseURL + "/a").isFromCache)
            }
        }
    }
#endif
