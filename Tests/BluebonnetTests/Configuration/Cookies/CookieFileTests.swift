import Foundation
import Testing

@testable import Bluebonnet

/// Cookies in a file that curl can read, which several processes use.
@Suite(.timeLimit(.minutes(5)))
struct CookieFileTests {
    private func cookie(_ name: String, _ value: String = "1") -> Cookie {
        Cookie(name: name, value: value, domain: "example.com")
    }

    private func text(_ file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }

    @Test func `cookies are there when the file is opened again`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "cookies.txt")
            let jar = try CookieJar(file: file)
            #expect(try names(in: directory).isEmpty)
            jar.set("id=1; Path=/; Secure; HttpOnly", from: try #require(URL(string: "https://example.com/")))
            try await jar.flush()
            #expect(try names(in: directory) == ["cookies.txt"])
            #expect(try text(file).contains("\n#HttpOnly_example.com\tFALSE\t/\tTRUE\t0\tid\t1\n"))
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let again = try CookieJar(file: file)
            #expect(again.cookies.map(\.pair) == ["id=1"] && again.cookies.first?.isHTTPOnly == true)
            again.removeAll()
            try await again.flush()
            #expect(try CookieJar(file: file).cookies.isEmpty)
        }
    }

    @Test func `many jars write one file at the same time, and no cookie is lost`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "cookies.txt")
            try await withThrowingTaskGroup { group in
                for number in 0..<8 {
                    group.addTask {
                        let jar = try CookieJar(file: file)
                        for index in 0..<10 {
                            jar.set(self.cookie("c\(number)-\(index)"))
                            try await jar.flush()
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try CookieJar(file: file).cookies.count == 80)
            #expect(try names(in: directory) == ["cookies.txt"])
        }
    }

    @Test func `what another program has written is taken in`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "cookies.txt")
            let jar = try CookieJar(file: file)
            jar.set(cookie("a"))
            try await jar.flush()
            try (try text(file) + ".example.com\tTRUE\t/\tFALSE\t0\tb\t2\n").write(
                to: file,
                atomically: true,
                encoding: .utf8
            )
            try await jar.refresh()
            #expect(jar.cookies.map(\.pair).sorted() == ["a=1", "b=2"])
            jar.set(cookie("c"))
            try await jar.flush()
            #expect(try CookieJar(file: file).cookies.map(\.name).sorted() == ["a", "b", "c"])
            try FileManager.default.removeItem(at: file)
            try await jar.refresh()
            #expect(jar.cookies.isEmpty)
        }
    }

    @Test func `a file of somebody else is neither read nor changed`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "notes.txt")
            let notes = "Buy milk.\n"
            try notes.write(to: file, atomically: true, encoding: .utf8)
            let error = #expect(throws: NetworkingError.self) { try CookieJar(file: file) }
            #expect(error?.code == .storeFailed && error?.message.contains("line 1") == true)
            // It came there later.
            let jar = try CookieJar(file: directory.appending(path: "cookies.txt"))
            try notes.write(to: directory.appending(path: "cookies.txt"), atomically: true, encoding: .utf8)
            jar.set(cookie("a"))
            #expect(try await networkingError { try await jar.flush() }.code == .storeFailed)
            for name in ["notes.txt", "cookies.txt"] {
                #expect(try text(directory.appending(path: name)) == notes)
            }
        }
    }

    @Test func `a line of another program that is not understood stays until all is removed`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "cookies.txt")
            let line = Data("a.test\tFALSE\t/\tFALSE\t0\tlatin\t".utf8) + [0xE9, 0x0A]
            let tabs = Data("a.test\tFALSE\t/\tFALSE\t0\tb\tc\td\n".utf8)
            try (Data("# Netscape HTTP Cookie File\n".utf8) + line + tabs).write(to: file)
            let jar = try CookieJar(file: file)
            #expect(jar.cookies.isEmpty)
            jar.set(cookie("a"))
            try await jar.flush()
            let bytes = try Data(contentsOf: file)
            #expect(bytes.range(of: line) != nil && bytes.range(of: tabs) != nil)
            #expect(try CookieJar(file: file).cookies.map(\.name) == ["a"])
            jar.removeAll()
            try await jar.flush()
            #expect(try Data(contentsOf: file).range(of: line) == nil)
        }
    }

    @Test func `a cookie with a tab stays in memory, and observers and owner hear of it`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "cookies.txt")
            let jar = try CookieJar(file: file)
            let changes = jar.changes()
            jar.set("tab=a\tb; Path=/", from: try #require(URL(string: "https://example.com/")))
            jar.set(cookie("a"))
            try await jar.flush()
            // Another process writes the file, which is read again.
            let other = try CookieJar(file: file)
            other.set(cookie("b"))
            try await other.flush()
            try await jar.refresh()
            #expect(jar.cookies.map(\.name) == ["tab", "a", "b"])
            #expect(jar.unstorableCookies.map(\.pair) == ["tab=a\tb"] && other.unstorableCookies.isEmpty)
            var heard: [Bool] = []
            for await change in changes {
                heard.append(change.isStored)
                if heard.count == 3 { break }
            }
            #expect(heard == [false, true, true])
            #expect(try !text(file).contains("tab"))
        }
    }

    @Test func `a server removes what only another process knows`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "cookies.txt")
            let url = try #require(URL(string: "https://example.com/"))
            let (jar, other) = (try CookieJar(file: file), try CookieJar(file: file))
            jar.set("a=; Max-Age=0; Path=/", from: url)
            try await jar.flush()
            // No file is made for that.
            #expect(try names(in: directory).isEmpty)
            other.set("a=1; Max-Age=60; Path=/", from: url)
            other.set("b=1; Max-Age=60; Path=/", from: url)
            try await other.flush()
            jar.set("a=; Max-Age=0; Path=/", from: url)
            // This one may be for https alone.
            jar.set("b=; Max-Age=0; Path=/", from: try #require(URL(string: "http://example.com/")))
            try await jar.flush()
            #expect(try CookieFile(file).cookies().map(\.name) == ["b"])
        }
    }

    @Test func `a lock that another process keeps ends neither cancelled tasks nor other files`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "cookies.txt")
            try "# HTTP Cookie File\n".write(to: file, atomically: true, encoding: .utf8)
            let lock = try #require(try SystemFile.lockedStore(at: file.path, creating: true))
            let jar = try CookieJar(
                store: CookieFile(file),
                keepsSessionCookies: true,
                limits: .init(),
                patienceOfCancelled: .zero
            ) { Date() }
            jar.set(cookie("a"))
            let flush = Task { try await networkingError { try await jar.flush() }.code }
            flush.cancel()
            #expect(try await flush.value == .cancelled)
            // More files than there are threads for files.
            for number in 0..<16 {
                let other = directory.appending(path: "\(number).txt")
                try "# HTTP Cookie File\n".write(to: other, atomically: true, encoding: .utf8)
            }
            let locks = try (0..<16).map { number in
                try SystemFile.lockedStore(at: directory.appending(path: "\(number).txt").path, creating: true)
            }
            let jars = try (0..<16).map { try CookieJar(file: directory.appending(path: "\($0).txt")) }
            for jar in jars { jar.set(cookie("a")) }
            let free = try CookieJar(file: directory.appending(path: "free.txt"))
            free.set(cookie("a"))
            try await free.flush()
            try await BlockingThreads.files.run {}
            for lock in locks { lock?.release() }
            lock.release()
            // The cancelled wait has not ended the writing.
            for jar in jars + [jar] { try await jar.flush() }
            #expect(try CookieJar(file: file).cookies.map(\.name) == ["a"])
        }
    }

    @Test func `a link, a folder and a file in a missing folder are errors`() async throws {
        try await withDirectory { directory in
            let target = directory.appending(path: "target.txt")
            try "# HTTP Cookie File\n".write(to: target, atomically: true, encoding: .utf8)
            let link = directory.appending(path: "link.txt")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
            let error = #expect(throws: NetworkingError.self) { try CookieJar(file: link) }
            #expect(error?.code == .storeFailed && error?.message.contains("it is a link") == true)
            #expect(throws: NetworkingError.self) { try CookieJar(file: directory) }
            let jar = try CookieJar(file: directory.appending(path: "missing/cookies.txt"))
            jar.set(cookie("a"))
            #expect(try await networkingError { try await jar.flush() }.code == .storeFailed)
            #expect(try text(target) == "# HTTP Cookie File\n")
        }
    }

    @Test func `an empty file is one without cookies, and expired ones are written no more`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "cookies.txt")
            try "".write(to: file, atomically: true, encoding: .utf8)
            let jar = try CookieJar(file: file)
            try ".example.com\tTRUE\t/\tFALSE\t1\told\t1\n".write(to: file, atomically: true, encoding: .utf8)
            jar.set(cookie("a"))
            try await jar.flush()
            #expect(try !text(file).contains("old") && text(file).contains("\ta\t1\n"))
        }
    }

    @Test func `what has made room leaves the file, also with an end between two seconds`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "cookies.txt")
            let limits = CookieJar.Limits(cookiesPerDomain: 2)
            let now = Date(timeIntervalSince1970: 1_900_000_000.25)
            let jar = try CookieJar(store: CookieFile(file), keepsSessionCookies: true, limits: limits) { now }
            for number in 0..<9 {
                jar.set("c\(number)=1; Max-Age=60", from: try #require(URL(string: "https://example.com/")))
                try await jar.flush()
            }
            #expect(try CookieFile(file).cookies().map(\.name) == ["c7", "c8"])
        }
    }

    @Test func `a file that could not be read again is not written`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "cookies.txt")
            let store = CookieFile(file, longest: 1_000)
            let jar = try CookieJar(store: store, keepsSessionCookies: true)
            jar.set(cookie("a"))
            try await jar.flush()
            jar.set(cookie("b", String(repeating: "x", count: 1_000)))
            #expect(try await networkingError { try await jar.flush() }.code == .storeFailed)
            #expect(try CookieFile(file, longest: 1_000).cookies().map(\.name) == ["a"])
            jar.remove(cookie("b").identity)
            jar.set(cookie("c"))
            try await jar.flush()
            #expect(try store.cookies().map(\.name) == ["a", "c"])
        }
    }

    @Test(.needs("curl")) func `curl reads what is written`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "cookies.txt")
            let jar = try CookieJar(file: file)
            jar.set(cookie("a", "b c"))
            jar.set(Cookie(name: "id", value: "1", domain: "www.example.com", isHostOnly: true, isHTTPOnly: true))
            try await jar.flush()
            let copy = directory.appending(path: "curl.txt")
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [
                "curl", "--silent", "--cookie", file.path, "--cookie-jar", copy.path, "file:///dev/null",
            ]
            try process.run()
            process.waitUntilExit()
            let cookies = try CookieJar(file: copy).cookies
            #expect(Set(cookies.map(\.pair)) == ["a=b c", "id=1"])
            #expect(Set(cookies.map(\.isHostOnly)) == [true, false] && cookies.contains(where: \.isHTTPOnly))
        }
    }
}
