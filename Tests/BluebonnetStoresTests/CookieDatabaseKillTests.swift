#if Stores
    import Bluebonnet
    import BluebonnetStores
    import Foundation
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Two processes that write cookies into one database are killed at random moments: each change
    /// is there as a whole or not at all, and what was written before is not lost.
    @Suite(.timeLimit(.minutes(10)), .serialized)
    struct CookieDatabaseKillTests {
        private static let rounds = 6

        private static func names(_ writer: Int) -> [String] { (0..<4).map { "w\(writer)-\($0)" } }

        private static func cookie(_ name: String, _ value: String) -> Cookie {
            Cookie(name: name, value: value, domain: "example.com", expires: Date(timeIntervalSinceNow: 86_400))
        }

        /// The program: writes cookies with one number after the other, and each number into a file
        /// when it is in the database, until it is killed.
        private static func write(_ folder: URL, _ writer: Int, from first: Int, after microseconds: Int) throws {
            let killer = Thread {
                usleep(UInt32(microseconds))
                kill(getpid(), SIGKILL)
            }
            let database = try CookieDatabase(file: folder.appending(path: "cookies.sqlite"))
            killer.start()
            let done = folder.appending(path: "done-\(writer)")
            var number = first
            while true {
                number += 1
                var changes = CookieStoreChanges()
                for name in names(writer) {
                    let cookie = cookie(name, "\(number)")
                    changes.stored[cookie.identity] = cookie
                }
                _ = try database.update(changes, at: Date())
                try "\(number)".write(to: done, atomically: true, encoding: .utf8)
            }
        }

        @Test func `no change is lost or torn`() async throws {
            try await withDirectory { directory in
                var numbers = [0, 0]
                for _ in 0..<Self.rounds {
                    let path = directory.path
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for writer in 0..<2 {
                            let (first, moment) = (numbers[writer], Int.random(in: 5_000...200_000))
                            group.addTask {
                                try await #require(processExitsWith: .signal(SIGKILL)) {
                                    [
                                        path = path as String, writer = writer as Int, first = first as Int,
                                        moment = moment as Int
                                    ] in
                                    try CookieDatabaseKillTests.write(
                                        URL(filePath: path),
                                        writer,
                                        from: first,
                                        after: moment
                                    )
                                }
                            }
                        }
                        try await group.waitForAll()
                    }
                    let cookies = try CookieDatabase(file: directory.appending(path: "cookies.sqlite")).cookies()
                    for writer in 0..<2 {
                        let values = Self.names(writer).map { name in cookies.first { $0.name == name }?.value }
                        #expect(Set(values).count == 1, "\(values)")
                        let done = try? String(contentsOf: directory.appending(path: "done-\(writer)"), encoding: .utf8)
                        numbers[writer] = Int(values.first.flatMap(\.self) ?? "") ?? 0
                        #expect(numbers[writer] >= Int(done ?? "") ?? 0)
                    }
                }
                #expect(numbers.allSatisfy { $0 > 0 })
            }
        }

        @Test func `what several processes write at the same time is all there`() async throws {
            try await withDirectory { directory in
                let path = directory.path
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for writer in 0..<4 {
                        group.addTask {
                            try await #require(processExitsWith: .success) {
                                [path = path as String, writer = writer as Int] in
                                let file = URL(filePath: path).appending(path: "cookies.sqlite")
                                let jar = try CookieJar(store: CookieDatabase(file: file))
                                for number in 0..<10 {
                                    jar.set(CookieDatabaseKillTests.cookie("w\(writer)-\(number)", "1"))
                                    try await jar.flush()
                                }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let cookies = try CookieDatabase(file: directory.appending(path: "cookies.sqlite")).cookies()
                #expect(cookies.count == 40)
            }
        }
    }
#endif
