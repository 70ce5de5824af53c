#if Stores
    import Bluebonnet
    import Foundation
    import Testing

    @testable import BluebonnetStores

    /// Cookies in an SQLite database that several processes use.
    @Suite(.timeLimit(.minutes(5)))
    struct CookieDatabaseTests {
        private static let start = Date(timeIntervalSince1970: 1_800_000_000.123)

        private func cookie(_ name: String, _ value: String = "1", lifetime: TimeInterval? = 1_000_000) -> Cookie {
            Cookie(
                name: name,
                value: value,
                domain: "example.com",
                expires: lifetime.map { Self.start + $0 },
                created: Self.start
            )
        }

        private func changes(_ change: (inout CookieStoreChanges) -> Void) -> CookieStoreChanges {
            var changes = CookieStoreChanges()
            change(&changes)
            return changes
        }

        private func storing(_ cookies: Cookie...) -> CookieStoreChanges {
            changes { for cookie in cookies { $0.stored[cookie.identity] = cookie } }
        }

        private func file(in directory: URL) -> URL { directory.appending(path: "cookies.sqlite") }

        @Test func `all of a cookie is there when the database is opened again`() async throws {
            try await withDirectory { directory in
                var whole = Cookie(
                    name: "a",
                    value: "ä=1",
                    domain: "example.com",
                    isHostOnly: true,
                    path: "/x",
                    isSecure: true,
                    isHTTPOnly: true,
                    sameSite: .strict,
                    expires: Self.start + 0.3,
                    created: Self.start
                )
                whole.lastUsed = Self.start + 0.1
                let session = cookie("", "alone", lifetime: nil)
                do {
                    let database = try CookieDatabase(file: file(in: directory))
                    #expect(try database.cookies().isEmpty)
                    _ = try database.update(storing(whole, session), at: Self.start)
                }
                let database = try CookieDatabase(file: file(in: directory))
                #expect(Set(try database.cookies()) == [whole, session])
                #expect(try names(in: directory) == ["cookies.sqlite"])
                let path = file(in: directory).path
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                #expect(mode == 0o600)
            }
        }

        @Test func `changes are made in the database alone where they hold there`() async throws {
            try await withDirectory { directory in
                let database = try CookieDatabase(file: file(in: directory))
                let all = ["a", "b", "c", "d"].map { cookie($0) }
                _ = try database.update(changes { for one in all { $0.stored[one.identity] = one } }, at: Self.start)
                _ = try database.update(
                    changes {
                        $0.removed = [all[0].identity]
                        $0.evicted = [all[1].identity: all[1], all[2].identity: self.cookie("c", "old")]
                    },
                    at: Self.start
                )
                #expect(try database.cookies().map(\.name) == ["c", "d"])
                _ = try database.update(
                    changes {
                        $0.removesAll = true
                        $0.stored[all[0].identity] = all[0]
                    },
                    at: Self.start
                )
                #expect(try database.cookies().map(\.name) == ["a"])
            }
        }

        @Test func `what others have changed comes with the next call, and only then`() async throws {
            try await withDirectory { directory in
                let first = try CookieDatabase(file: file(in: directory))
                let second = try CookieDatabase(file: file(in: directory))
                #expect(try first.cookies().isEmpty && second.cookies().isEmpty)
                #expect(try first.update(storing(cookie("a")), at: Self.start) == nil)
                #expect(try second.update(storing(cookie("b")), at: Self.start)?.map(\.name) == ["a", "b"])
                #expect(try second.update(storing(cookie("c")), at: Self.start) == nil)
                #expect(try first.update(CookieStoreChanges(), at: Self.start)?.count == 3)
                #expect(try first.update(CookieStoreChanges(), at: Self.start) == nil)
            }
        }

        @Test func `a cookie that another process has renewed stays when its first time is over`() async throws {
            try await withDirectory { directory in
                let database = try CookieDatabase(file: file(in: directory))
                _ = try database.update(storing(cookie("a", lifetime: 10), cookie("b", lifetime: 10)), at: Self.start)
                let jar = try CookieJar(store: CookieDatabase(file: file(in: directory)))
                _ = try database.update(storing(cookie("a", "2", lifetime: 1_000)), at: Self.start + 5)
                _ = try database.update(storing(cookie("c")), at: Self.start + 11)
                #expect(try database.cookies().map(\.pair) == ["a=2", "c=1"])
                try await jar.refresh()
                #expect(jar.cookies.map(\.name).sorted() == ["a", "c"])
            }
        }

        @Test func `many open and write one database at the same time`() async throws {
            try await withDirectory { directory in
                let file = file(in: directory)
                try await withThrowingTaskGroup { group in
                    for number in 0..<8 {
                        group.addTask {
                            let jar = try CookieJar(store: CookieDatabase(file: file))
                            for index in 0..<5 {
                                jar.set(self.cookie("c\(number)-\(index)", lifetime: 1_000_000))
                                try await jar.flush()
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(try CookieDatabase(file: file).cookies().count == 40)
            }
        }

        @Test func `the database of another program is not changed, nor is any other file`() async throws {
            try await withDirectory { directory in
                let file = file(in: directory)
                try SQLiteConnection(file.path, patience: .zero).run("CREATE TABLE notes (text TEXT)")
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
                let text = directory.appending(path: "text")
                try "Buy milk.".write(to: text, atomically: true, encoding: .utf8)
                let link = directory.appending(path: "link")
                try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
                let bytes = try Data(contentsOf: file)
                for url in [file, text, link, directory] {
                    let error = #expect(throws: NetworkingError.self) { try CookieDatabase(file: url) }
                    #expect(error?.code == .storeFailed, "\(url)")
                }
                #expect(try Data(contentsOf: file) == bytes)
                #expect(try String(contentsOf: text, encoding: .utf8) == "Buy milk.")
                let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
                #expect(mode == 0o644)
                #expect(try names(in: directory) == ["cookies.sqlite", "link", "text"])
            }
        }

        @Test func `a database of a newer version, and a damaged one, are errors`() async throws {
            try await withDirectory { directory in
                let file = file(in: directory)
                do {
                    let database = try CookieDatabase(file: file)
                    _ = try database.update(storing(cookie("a")), at: Self.start)
                }
                let bytes = try Data(contentsOf: file)
                var newer = bytes
                newer[63] = 2
                try newer.write(to: file)
                let error = #expect(throws: NetworkingError.self) { try CookieDatabase(file: file) }
                #expect(error?.message.contains("newer version") == true)
                #expect(try Data(contentsOf: file) == newer)
                var damaged = bytes
                damaged.replaceSubrange(100..<damaged.count, with: repeatElement(0xA5, count: damaged.count - 100))
                try damaged.write(to: file)
                #expect(throws: NetworkingError.self) { _ = try CookieDatabase(file: file).cookies() }
            }
        }

        /// Closing a file gives up the locks of the whole process on it.
        @Test func `a database that is opened again keeps the locks of the first`() async throws {
            try await withDirectory { directory in
                let file = file(in: directory)
                let first = try CookieDatabase(file: file)
                let writer = try SQLiteConnection(file.path, patience: .zero)
                try writer.execute("BEGIN IMMEDIATE")
                let second = try CookieDatabase(file: file)
                let locks = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
                let inode = try #require(
                    try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int
                )
                #expect(locks.contains(":\(inode) "), "\(locks)")
                try writer.run("COMMIT")
                withExtendedLifetime((first, second)) {}
            }
        }

        @Test func `cookies of another process are not lost with a change that fails`() async throws {
            try await withDirectory { directory in
                let file = file(in: directory)
                let (one, two) = (try CookieDatabase(file: file), try CookieDatabase(file: file))
                _ = try one.cookies()
                _ = try two.update(storing(cookie("a")), at: Self.start)
                let reader = try SQLiteConnection(file.path, patience: .zero)
                try reader.execute("BEGIN; SELECT * FROM cookie")
                // The reader keeps the writer from its end.
                #expect(throws: NetworkingError.self) { try one.update(storing(cookie("b")), at: Self.start) }
                try reader.run("COMMIT")
                #expect(try one.update(CookieStoreChanges(), at: Self.start)?.map(\.name) == ["a"])
            }
        }

        @Test func `a jar waits for a locked database only where it writes`() async throws {
            try await withDirectory { directory in
                let file = file(in: directory)
                let jar = try CookieJar(store: CookieDatabase(file: file))
                // The jar has a lock for a moment each time it tries to write.
                let other = try SQLiteConnection(file.path, patience: .seconds(5))
                let url = try #require(URL(string: "https://example.com/"))
                try other.execute("BEGIN IMMEDIATE; DELETE FROM cookie")
                jar.set(cookie("a", lifetime: 1_000_000))
                #expect(jar.header(for: url) == "a=1")
                try other.run("COMMIT")
                try await jar.flush()
                #expect(try CookieDatabase(file: file).cookies().map(\.name) == ["a"])
            }
        }
    }
#endif
