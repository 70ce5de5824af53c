import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

@testable import Bluebonnet

/// The hosts that are reached by `https` only, as a value, in a file, and over sockets.
@Suite(.timeLimit(.minutes(5)))
struct StrictTransportSecurityTests {
    // MARK: The field

    @Test(arguments: [
        ("max-age=31536000", 31_536_000, false), ("max-age=0", 0, false),
        ("max-age=60; includeSubDomains", 60, true), ("INCLUDESUBDOMAINS;MAX-AGE=\"60\"", 60, true),
        ("max-age = 60 ; preload; report=\"a;b\"", 60, false), (";;max-age=60;;", 60, false),
        ("max-age=\"6\\0\"", 60, false), ("max-age=99999999999999999999", 31_536_000_000, false),
    ])
    func `a field is understood`(_ text: String, _ age: Int, _ subdomains: Bool) {
        let field = StrictTransportSecurityField(text)
        #expect(field?.maxAge == age && field?.includesSubdomains == subdomains)
    }

    @Test(arguments: [
        "", "includeSubDomains", "max-age", "max-age=", "max-age=-1", "max-age=1.5", "max-age=60 includeSubDomains",
        "max-age=60; max-age=60", "max-age=60; includeSubDomains=1", "max-age=\"60", "max-age=60; =", "max-age=60, x=1",
    ])
    func `a field that is not well-formed is ignored`(_ text: String) {
        #expect(StrictTransportSecurityField(text) == nil)
    }

    // MARK: Hosts

    @Test func `a host is known by its name in any case, and its subdomains only where it says so`() {
        let known = StrictTransportSecurity()
        known.receive("max-age=60", from: "Example.com.")
        known.receive("max-age=60; includeSubDomains", from: "example.org")
        #expect(known.requiresTLS("example.com") && known.requiresTLS("EXAMPLE.COM."))
        #expect(!known.requiresTLS("www.example.com") && !known.requiresTLS("ample.com"))
        #expect(known.requiresTLS("a.b.example.org") && !known.requiresTLS("badexample.org"))
        #expect(known.hosts.map(\.name) == ["example.com", "example.org"])
    }

    @Test func `a host is forgotten when its time is over or when it takes its wish back`() {
        let now = Mutex(Date(timeIntervalSince1970: 1_000))
        let known = StrictTransportSecurity(path: nil, hosts: []) { now.withLock { $0 } }
        known.receive("max-age=60", from: "a.test")
        known.receive("max-age=60", from: "b.test")
        known.receive("max-age=0", from: "b.test")
        #expect(known.requiresTLS("a.test") && !known.requiresTLS("b.test"))
        now.withLock { $0 += 59 }
        #expect(known.requiresTLS("a.test"))
        now.withLock { $0 += 1 }
        #expect(!known.requiresTLS("a.test") && known.hosts.isEmpty)
    }

    @Test(arguments: ["127.0.0.1", "::1", "fe80::1"])
    func `an address is never known`(_ address: String) {
        let known = StrictTransportSecurity()
        known.receive("max-age=60", from: address)
        known.add(.init(address))
        #expect(known.hosts.isEmpty && !known.requiresTLS(address))
    }

    @Test func `of too many hosts those that expire first are forgotten`() {
        let known = StrictTransportSecurity()
        for number in 0...StrictTransportSecurity.mostKept {
            known.receive("max-age=\(1_000 + number)", from: "host-\(number).test")
        }
        #expect(known.hosts.count == StrictTransportSecurity.mostKept - StrictTransportSecurity.mostKept / 10 + 1)
        #expect(!known.requiresTLS("host-0.test") && known.requiresTLS("host-\(StrictTransportSecurity.mostKept).test"))
    }

    @Test(arguments: [
        ("http://a.test/x?y#z", "https://a.test/x?y#z"), ("HTTP://A.TEST", "https://A.TEST"),
        ("http://a.test:80/", "https://a.test/"), ("http://a.test:8080/", "https://a.test:8080/"),
        ("https://a.test:80/", "https://a.test:80/"), ("http://b.test/", "http://b.test/"),
        ("http+unix://a.test/", "http+unix://a.test/"),
    ])
    func `only URLs of known hosts with http become https`(_ text: String, _ expected: String) throws {
        let known = StrictTransportSecurity()
        known.add(.init("a.test"))
        let secured = try known.secured(try #require(URL(string: text))).absoluteString
        #expect(secured == expected)
    }

    @Test func `a URL that cannot be written with https is not requested at all`() throws {
        let url = try #require(URL(string: "http://a.test/x?key=secret"))
        // A path without a slash would become a part of the host.
        var components = URLComponents()
        (components.host, components.path) = ("a.test", "x")
        for broken in [nil, components] {
            let error = #expect(throws: NetworkingError.self) { try StrictTransportSecurity.secured(broken, url) }
            #expect(error?.code == .invalidURL && error?.message.contains("secret") == false)
        }
    }

    @Test func `the look-up of a name takes no longer than it is`() {
        let known = StrictTransportSecurity()
        known.add(.init("a.test", includesSubdomains: true))
        // Minutes, if each of its parts were read to the end.
        let long = String(repeating: "a.", count: 500_000)
        #expect(known.requiresTLS(long + "test") && known.requiresTLS(long + "A.test."))
        #expect(!known.requiresTLS(long + "b.test") && !known.requiresTLS(String(repeating: "a", count: 1_000_000)))
        #expect(StrictTransportSecurity.names(of: long).count == 127)
        #expect(StrictTransportSecurity.names(of: "x.y").map(\.text) == ["x.y", "y"])
    }

    @Test func `the longest name of DNS is known, and none that is longer`() {
        let known = StrictTransportSecurity()
        let longest = String(repeating: "a", count: 248) + ".test"
        for name in [longest, "a" + longest] {
            known.add(.init(name))
            known.receive("max-age=60", from: name)
        }
        #expect(known.hosts.map(\.name) == [longest])
        #expect(known.requiresTLS(longest) && known.requiresTLS(longest + ".") && !known.requiresTLS("a" + longest))
    }

    // MARK: The file

    @Test func `a file has no addresses, and no more hosts than are kept`() throws {
        let end = Date(timeIntervalSinceNow: 1_000_000)
        let many = (0..<StrictTransportSecurity.mostKept + 5_000).map { number in
            StrictTransportSecurity.Host("host-\(number).test", expires: end.addingTimeInterval(Double(number)))
        }
        let known = StrictTransportSecurity(path: nil, hosts: many)
        #expect(known.hosts.count == StrictTransportSecurity.mostKept)
        #expect(!known.requiresTLS("host-4999.test") && known.requiresTLS("host-5000.test"))
        let text = "127.0.0.1 \"unlimited\"\n.::1 \"unlimited\"\na.test \"unlimited\"\n"
        let read = StrictTransportSecurity(path: nil, hosts: StrictTransportSecurity.hosts(in: text))
        #expect(read.hosts.map(\.name) == ["a.test"] && !read.requiresTLS("127.0.0.1"))
    }

    @Test func `hosts are in the file of another object`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "hsts.txt")
            let known = try StrictTransportSecurity(file: file)
            known.receive("max-age=31536000; includeSubDomains", from: "a.test")
            known.add(.init("b.test"))
            try await known.save()
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text.contains("\nb.test \"unlimited\"\n"))
            let line = try #require(text.split(separator: "\n").dropFirst().first)
            // As curl writes it.
            #expect(line.wholeMatch(of: #/\.a\.test "\d{8} \d\d:\d\d:\d\d"/#) != nil, "\(line)")
            let again = try StrictTransportSecurity(file: file)
            #expect(again.requiresTLS("x.a.test") && again.requiresTLS("b.test") && !again.requiresTLS("x.b.test"))
            again.removeAll()
            try await again.save()
            #expect(try StrictTransportSecurity(file: file).hosts.isEmpty)
        }
    }

    @Test func `the file gets the later end of a host that asks again, when a day has passed`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "hsts.txt")
            let now = Mutex(Date(timeIntervalSince1970: 1_000_000))
            let known = StrictTransportSecurity(path: file.path(percentEncoded: false), hosts: []) {
                now.withLock { $0 }
            }
            known.receive("max-age=864000", from: "a.test")
            try await known.save()
            var ends: [Date] = []
            for _ in 0..<3 {
                now.withLock { $0 += 10 * 60 * 60 }
                known.receive("max-age=864000", from: "a.test")
                // Without a reason to write, nothing is being written now.
                let isWriting = known.state.withLock { $0.isWriting }
                if isWriting { try await known.save() }
                ends += try StrictTransportSecurity(path: nil, hosts: StrictTransportSecurity.read(file.path())) {
                    now.withLock { $0 }
                }.hosts.map(\.expires)
            }
            let start = Date(timeIntervalSince1970: 1_000_000 + 864_000)
            #expect(ends == [start, start, start.addingTimeInterval(30 * 60 * 60)])
        }
    }

    @Test func `a line that is not understood is left out`() {
        let text = """
            # Your HSTS cache. https://curl.se/docs/hsts.html
            .example.com "20991123 12:00:00"
            example.org "unlimited"
            broken.test 20991123
            broken.test "yesterday"
            . "unlimited"
            """
        let hosts = StrictTransportSecurity.hosts(in: text)
        #expect(hosts.map(\.name) == ["example.com", "example.org"])
        #expect(hosts.map(\.includesSubdomains) == [true, false])
        #expect(hosts.first?.expires == Date(timeIntervalSince1970: 4_099_118_400))
    }

    @Test func `a file that cannot be read or written is an error`() async throws {
        try await withDirectory { directory in
            #expect(throws: NetworkingError.self) { try StrictTransportSecurity(file: directory) }
            let known = try StrictTransportSecurity(file: directory.appending(path: "missing/hsts.txt"))
            known.add(.init("a.test"))
            let error = try await networkingError { try await known.save() }
            #expect(error.code == .storeFailed && error.message.contains("cannot be written"))
        }
    }

    @Test func `a host that could not be written is written when it asks again`() async throws {
        try await withDirectory { directory in
            let folder = directory.appending(path: "later")
            let path = folder.appending(path: "hsts.txt").path(percentEncoded: false)
            let known = StrictTransportSecurity(path: path, hosts: [])
            known.receive("max-age=864000", from: "a.test")
            try await until("it could not be written") { known.state.withLock { !$0.isWriting } }
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            known.receive("max-age=864000", from: "a.test")
            try await until("it is written") { (try? StrictTransportSecurity.read(path))?.first?.name == "a.test" }
        }
    }

    // MARK: Requests

    @Test func `a challenge counts too, whatever comes of it`() async throws {
        let script = FaultServer.Script.requests { request in
            guard request.value(of: "Authorization") == nil else { return [.respond(body: "ok")] }
            let headers = [("Strict-Transport-Security", "max-age=60"), ("WWW-Authenticate", "Basic realm=r")]
            return [.respond(401, headers: headers)]
        }
        let decisions: [(ChallengeDisposition, Bool)] = [
            (.use(Credential(user: "ada", password: "secret")), true), (.cancel, false),
        ]
        try await FaultServer.run(script, options: try tls()) { server in
            for (decision, succeeds) in decisions {
                let known = StrictTransportSecurity()
                var configuration = try configuration(known)
                configuration.hooks.taskDidReceiveChallenge = { _, _ in decision }
                try await withSession(configuration) { session in
                    let response = try? await session.data(for: Request(to: "https://localhost:\(server.port)/"))
                    #expect((response?.status.code == 200) == succeeds && known.requiresTLS("localhost"))
                }
            }
        }
    }

    private static let script: FaultServer.Script = [
        .readRequest, .respond(headers: [("Strict-Transport-Security", "max-age=60")], body: "ok"), .startOver,
    ]

    private func configuration(_ known: StrictTransportSecurity) throws -> SessionConfiguration {
        var configuration = SessionConfiguration(trusting: try TestCertificates.shared().authority)
        configuration.strictTransportSecurity = known
        return configuration
    }

    private func tls() throws -> FaultServer.Options {
        FaultServer.Options(tls: ServerTLS(try TestCertificates.shared().localhost))
    }

    @Test func `a host that asked for https gets no request by http any more`() async throws {
        try await FaultServer.run(Self.script, options: try tls()) { server in
            let known = StrictTransportSecurity()
            try await withSession(try configuration(known)) { session in
                _ = try await session.data(for: Request(to: "https://localhost:\(server.port)/a"))
                #expect(known.requiresTLS("localhost"))
                let response = try await session.data(for: Request(to: "http://localhost:\(server.port)/b"))
                #expect(response.request.url.scheme == "https" && server.requests.count == 2)
            }
        }
    }

    @Test func `a host says nothing by http, by an address, or with a certificate that nobody verified`() async throws {
        let known = StrictTransportSecurity()
        try await FaultServer.run(Self.script) { server in
            try await withSession(try configuration(known)) { session in
                _ = try await session.data(for: Request(to: "http://localhost:\(server.port)/"))
            }
        }
        try await FaultServer.run(Self.script, options: try tls()) { server in
            try await withSession(try configuration(known)) { session in
                _ = try await session.data(for: Request(to: "https://127.0.0.1:\(server.port)/"))
            }
            var configuration = try configuration(known)
            configuration.securityPolicy = .acceptingAnyCertificate
            try await withSession(configuration) { session in
                _ = try await session.data(for: Request(to: "https://localhost:\(server.port)/"))
            }
        }
        #expect(known.hosts.isEmpty)
    }

    @Test func `a redirect to http of a known host goes to https and takes its body along`() throws {
        let known = StrictTransportSecurity()
        known.add(.init("a.test"))
        let request = try Request(.post, to: "https://b.test/", body: .data(Data("secret".utf8)))
        let next = try Redirects.request(
            after: request,
            status: 307,
            location: "http://a.test/x",
            strictTransportSecurity: known
        )
        #expect(next.url.absoluteString == "https://a.test/x" && next.body?.length == 6)
        let error = #expect(throws: NetworkingError.self) {
            try Redirects.request(
                after: request,
                status: 307,
                location: "http://b.test/x",
                strictTransportSecurity: known
            )
        }
        #expect(error?.code == .redirectRefused)
    }
}
